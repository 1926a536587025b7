// The runs on the page.
import { computed, type ReadonlySignal, signal } from "@preact/signals";
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
  /** Its machine model; empty for the shared one. */
  machine: string;
  preset: string;
  settings: Settings;
  /** The what-if of the run, if it has one. */
  whatIf: WhatIf | undefined;
  state: RunState;
  hand: Hand | undefined;
  progress: RunProgress | undefined;
  reading: Reading | undefined;
  /** Activity of its worker that has lasted a second or longer. */
  doing: DoingFacts | undefined;
  /** Jobs per second, and seconds left. */
  speed: { rate: number; left: number } | undefined;
  result: RunResult | undefined;
  facts: WorkloadFacts | undefined;
  /**
   * Identity of its workload at the begin. Runs with the same identity can be compared job by job.
   */
  base: string;
  /** Candidates of an adaptive policy. */
  candidates: CandidateFacts[];
  /** The machine model of its run. */
  ranOn: string;
  /** Rows of the Ousterhout matrix. */
  slots: number;
  /** Number of GPUs that can have rows. */
  gpus: number;
  /** True if its machine sees processes. */
  processes: boolean;
  /** True if two jobs on a node run at the same time. */
  atOnce: boolean;
  /** True if its policy looks for partners. */
  matches: boolean;
  /** Sentences on the settings that its policy leaves out. */
  notModelled: string[];
  problem: Problem | undefined;
  /** Message about its worker, if the worker was stopped or replaced. */
  notice: string | undefined;
  /** True if settings were changed since it ran. */
  stale: boolean;
  /** The settings with which it ran last. */
  ranWith: Setup | undefined;
  /** Counts the changes of the picture. */
  drawn: number;
  /** True if the timelines leave it out. Its figures stay. */
  isHidden: boolean;
}

/** The settings of a lane. */
export type Setup = Pick<Lane, "policy" | "machine" | "preset" | "settings" | "whatIf">;

const own = { lanes: signal<Lane[]>([]) };
export const { lanes }: Seen<typeof own> = own;

/**
 * Returns the runs with these fields only. It changes when one of the fields does, so that what
 * reads it is not drawn again with all progress of all runs.
 */
export function lanesWith<Key extends keyof Lane>(
  ...keys: Key[]
): ReadonlySignal<Pick<Lane, Key>[]> {
  let last: Pick<Lane, Key>[] = [];
  return computed(() => {
    const isAsBefore = (lane: Lane, at: number) =>
      keys.every((key) => lane[key] === last[at]?.[key]);
    const now = lanes.value.map((lane, at) => (isAsBefore(lane, at) ? last[at]! : lane));
    if (now.length !== last.length || now.some((lane, at) => lane !== last[at])) last = now;
    return last;
  });
}

/** The runs with what a reader sets of them. */
export const setups = lanesWith("id", "policy", "machine", "preset", "settings", "whatIf");

/** Returns the letter of the run at an index. */
export const letter = (index: number): string => String.fromCharCode(65 + (index % 26));

export const laneOf = (id: number | undefined): Lane | undefined =>
  lanes.value.find((lane) => lane.id === id);

/** Replaces the runs on the page. */
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

/** Moves a run to another place. The first run is the one that others are compared with. */
export function moveLane(id: number, to: number): void {
  const lane = laneOf(id);
  if (!lane) return;
  const others = lanes.value.filter((other) => other.id !== id);
  putLanes(others.toSpliced(Math.min(Math.max(to, 0), others.length), 0, lane));
}

/** Marks all runs as older than the settings. */
export function makeStale(): void {
  putLanes(lanes.value.map((lane) => ({ ...lane, stale: true })));
}
