// A run that is told step by step.
import { signal } from "@preact/signals";
import type { JobFacts, StepFacts } from "schedscope";
import type { Seen } from "./seen";

export interface Stepping {
  lane: number;
  steps: StepFacts[];
  /** The jobs of the run by index, to draw who runs. */
  jobs: Map<number, JobFacts>;
  at: number;
  /** Whether decisions are hidden until they are asked for. */
  predicts: boolean;
  isRevealed: boolean;
  /** Jobs that the reader expects to start. */
  guess: ReadonlySet<number>;
  /** Decisions that were predicted, and how many of them were. */
  asked: number;
  right: number;
}

const own = { stepping: signal<Stepping | undefined>(undefined) };
export const { stepping }: Seen<typeof own> = own;

export function beginStepping(wanted: Stepping): void {
  own.stepping.value = wanted;
}

export function changeStepping(change: Partial<Stepping>): void {
  if (stepping.value) own.stepping.value = { ...stepping.value, ...change };
}

/** Ends it: whatever is told, or only what is told of one run. */
export function endStepping(lane?: number): void {
  if (lane === undefined || stepping.value?.lane === lane) own.stepping.value = undefined;
}
