// The open trace, and the settings that all runs share.
import { signal } from "@preact/signals";
import type { DoingFacts, Settings, WorkloadFacts } from "schedscope";
import type { Reading, Source } from "../engine/protocol";
import { makeStale, type Setup } from "./lanes";
import type { Seen } from "./seen";

interface Opening {
  name: string;
  /** True if no message tells it. */
  isQuiet: boolean;
  reading?: Reading;
  doing?: DoingFacts;
}

/** A trace with its runs, for returning to it. */
export interface Kept {
  source: Source;
  machine: string;
  shared: Settings;
  lanes: Setup[];
}

const own = {
  source: signal<Source | undefined>(undefined),
  /** The trace that the page is opening. */
  opening: signal<Opening | undefined>(undefined),
  /** The last opened file. Plans may name it. */
  opened: signal<File | undefined>(undefined),
  workload: signal<WorkloadFacts | undefined>(undefined),
  /** The machine model of runs that have none of their own. */
  machine: signal("flat"),
  /** Settings that all runs share: reading, machine, workload, metrics. */
  shared: signal<Settings>({}),
  /** The reader's own runs, while those of a plan's cell are shown. */
  before: signal<Kept | undefined>(undefined),
};
export const { source, opening, opened, workload, machine, shared, before }: Seen<typeof own> = own;

/** Takes the progress of opening a trace; undefined when it is over. */
export function tellOpening(now: Opening | undefined): void {
  own.opening.value = now;
}

/** Replaces the open trace by one that has proved good. */
export function putTrace(wanted: Source, facts: WorkloadFacts, settings: Settings): void {
  own.shared.value = settings;
  own.source.value = wanted;
  if (wanted.kind === "file") own.opened.value = wanted.file;
  own.workload.value = facts;
  own.opening.value = undefined;
}

/** Takes the workload that the present settings make of the trace. */
export function knowWorkload(facts: WorkloadFacts): void {
  own.workload.value = facts;
}

export function chooseMachine(wanted: string): void {
  own.machine.value = wanted;
}

/** Changes the shared settings. No run is up to date then. */
export function shareSettings(settings: Settings): void {
  own.shared.value = settings;
  makeStale();
}

/** Keeps the reader's own runs aside, while others are shown. */
export function keepAside(kept: Kept): void {
  own.before.value = kept;
}

export function dropAside(): void {
  own.before.value = undefined;
}
