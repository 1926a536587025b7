// The runs that are on the page.
import { signal } from "@preact/signals";
import type {
  CandidateFacts,
  DoingFacts,
  Problem,
  RunProgress,
  RunResult,
  Settings,
  WhatIf,
  WorkloadFacts,
} from "schedscope";
import type { Reading } from "../engine/protocol";
import type { Hand } from "../engine/workers";
import type { Seen } from "./seen";

export type RunState =
  | "waiting"
  | "loading"
  | "running"
  | "measuring"
  | "done"
  | "failed"
  | "cancelled";

/** A policy with its parameters, and its run. */
export interface Lane {
  id: number;
  policy: string;
  /** Its machine model; empty for the one that all runs share. */
  machine: string;
  preset: string;
  settings: Settings;
  /** Its what-if, if it has one. */
  whatIf: WhatIf | undefined;
  state: RunState;
  hand: Hand | undefined;
  progress: RunProgress | undefined;
  reading: Reading | undefined;
  /** What its worker has been doing for a second or longer, without an end yet. */
  doing: DoingFacts | undefined;
  /** Jobs per second, and seconds left. */
  speed: { rate: number; left: number } | undefined;
  result: RunResult | undefined;
  facts: WorkloadFacts | undefined;
  /** The identity of its workload as it began: runs of the same can be compared, job by job. */
  base: string;
  /** Of an adaptive policy, whom it chooses among. */
  candidates: CandidateFacts[];
  /** The machine model of its run. */
  ranOn: string;
  /** Rows of the Ousterhout matrix. */
  slots: number;
  /** True if its machine simulates processes. */
  processes: boolean;
  /** Whether two jobs on a node run at the same time. */
  atOnce: boolean;
  /** Whether its policy looks for partners. */
  matches: boolean;
  problem: Problem | undefined;
  /** What happened to its worker, if anything. */
  notice: string | undefined;
  /** Settings were changed since it ran. */
  stale: boolean;
  /** Counts what can be drawn: rises whenever the picture may have changed. */
  drawn: number;
}

/** Settings of a lane. */
export type Setup = Pick<Lane, "policy" | "machine" | "preset" | "settings" | "whatIf">;

const own = { lanes: signal<Lane[]>([]) };
export const { lanes }: Seen<typeof own> = own;

/** The run at a place is called by its letter. */
export const letter = (index: number): string => String.fromCharCode(65 + (index % 26));

export const laneOf = (id: number | undefined): Lane | undefined =>
  lanes.value.find((lane) => lane.id === id);

/** Puts these runs in the place of those that are there. */
export function putLanes(wanted: Lane[]): void {
  own.lanes.value = wanted;
}

export function appendLane(lane: Lane): void {
  putLanes([...lanes.value, lane]);
}

export function dropLane(id: number): void {
  putLanes(lanes.value.filter((lane) => lane.id !== id));
}

export function updateLane(id: number, change: Partial<Lane>): void {
  putLanes(lanes.value.map((lane) => (lane.id === id ? { ...lane, ...change } : lane)));
}

/** Says of all runs that settings were changed since they ran. */
export function makeStale(): void {
  putLanes(lanes.value.map((lane) => ({ ...lane, stale: true })));
}
