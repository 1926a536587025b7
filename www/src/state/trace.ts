// The trace that is open, and what all runs share.
import { signal } from "@preact/signals";
import type { Catalog, DoingFacts, Settings, WorkloadFacts } from "schedscope";
import type { Reading, Source } from "../engine/protocol";
import { makeStale, type Setup } from "./lanes";
import type { Seen } from "./seen";

interface Opening {
  name: string;
  reading?: Reading;
  doing?: DoingFacts;
}

/** A trace with its runs, to go back to. */
export interface Kept {
  source: Source;
  machine: string;
  shared: Settings;
  lanes: Setup[];
}

const own = {
  /** All that can be chosen. */
  catalog: signal<Catalog | undefined>(undefined),
  source: signal<Source | undefined>(undefined),
  /** The trace that is being opened. */
  opening: signal<Opening | undefined>(undefined),
  /** The file that was opened last: plans may name it. */
  opened: signal<File | undefined>(undefined),
  workload: signal<WorkloadFacts | undefined>(undefined),
  /** The machine model of runs that have none of their own. */
  machine: signal("flat"),
  /** Settings that all runs share: reading, machine, workload, metrics. */
  shared: signal<Settings>({}),
  /** The reader's own runs, while those of a plan's cell are shown. */
  before: signal<Kept | undefined>(undefined),
};
export const {
  catalog,
  source,
  opening,
  opened,
  workload,
  machine,
  shared,
  before,
}: Seen<typeof own> = own;

export function knowCatalog(found: Catalog): void {
  own.catalog.value ??= found;
}

/** Says what is known of the trace that is being opened; nothing once that is over. */
export function tellOpening(now: Opening | undefined): void {
  own.opening.value = now;
}

/** Puts a trace that is known to be good in the place of the one that is here. */
export function putTrace(wanted: Source, facts: WorkloadFacts, settings: Settings): void {
  own.shared.value = settings;
  own.source.value = wanted;
  if (wanted.kind === "file") own.opened.value = wanted.file;
  own.workload.value = facts;
  own.opening.value = undefined;
}

/** Takes what the settings that are shared now make of the trace. */
export function knowWorkload(facts: WorkloadFacts): void {
  own.workload.value = facts;
}

export function chooseMachine(wanted: string): void {
  own.machine.value = wanted;
}

/** Changes the settings that all runs share; none is up to date then. */
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
