// A run told step by step.
import { signal } from "@preact/signals";
import type { JobFacts, StepFacts } from "schedscope";
import type { Seen } from "./seen";

export interface Stepping {
  lane: number;
  steps: StepFacts[];
  /** Jobs by index, for drawing those that run. */
  jobs: Map<number, JobFacts>;
  /** The jobs that run before the first step. */
  running: readonly number[];
  /** True if the steps are those of the whole run, and not of a part of it. */
  isWhole: boolean;
  at: number;
  /** True if decisions are hidden until the reader reveals them. */
  predicts: boolean;
  isRevealed: boolean;
  /** Jobs that the reader expects to start. */
  guess: ReadonlySet<number>;
  /** Number of decisions that the reader predicted, and number predicted right. */
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

/** Ends the steps: of any run, or only of the given one. */
export function endStepping(lane?: number): void {
  if (lane === undefined || stepping.value?.lane === lane) own.stepping.value = undefined;
}
