// What the page knows: the trace, the runs, what is looked at. Components read signals; everything that changes them is
// here or in `lab.ts`.
import { computed, signal } from "@preact/signals";
import type {
  CandidateFacts,
  Catalog,
  Colouring,
  DoingFacts,
  JobFacts,
  Legend,
  Problem,
  RunProgress,
  RunResult,
  Settings,
  StepFacts,
  Theme,
  WhatIf,
  WorkloadFacts,
} from "schedscope";
import type { Reading, Source } from "./protocol";
import type { Hand } from "./workers";

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
  /** What is otherwise from an instant on, if anything. */
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
  /** Whether its machine sees processes. */
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

/** What a lane was set to. */
export type Setup = Pick<Lane, "policy" | "machine" | "preset" | "settings" | "whatIf">;

export interface Window {
  from: number;
  to: number;
  top: number;
  bottom: number;
}

export const catalog = signal<Catalog | undefined>(undefined);
export const source = signal<Source | undefined>(undefined);
export const opening = signal<{ name: string; reading?: Reading; doing?: DoingFacts } | undefined>(
  undefined,
);
/** The file that was opened last: plans may name it. */
export const opened = signal<File | undefined>(undefined);
export const workload = signal<WorkloadFacts | undefined>(undefined);
/** The machine model of runs that have none of their own. */
export const machine = signal("flat");
/** Settings that all runs share: reading, machine, workload, metrics. */
export const shared = signal<Settings>({});
export const lanes = signal<Lane[]>([]);
export const problem = signal<(Problem & { skippable?: boolean }) | undefined>(undefined);
export const colouring = signal<Colouring>("user");
export const legend = signal<Legend | undefined>(undefined);
export const selected = signal<number | undefined>(undefined);
/** What each lane says of the selected job, by lane id. */
export const jobFacts = signal<Map<number, JobFacts | null>>(new Map());
/** The job under the pointer in one run, and where a view of the machine knows it to be: rows of the timeline. */
export const pointed = signal<
  { lane: number; job: number; from?: number; to?: number; rows?: [number, number][] } | undefined
>(undefined);
/** The instant that views of the machine show. */
export const instant = signal<number | undefined>(undefined);
/** The run of which views of the machine show an instant; the first that they can show if it is none of theirs. */
export const shownLane = signal<number | undefined>(undefined);
export const cursor = signal<{ time: number; processor: number } | undefined>(undefined);
/** An area of the timelines, of which statistics are told. */
export const area = signal<Window | undefined>(undefined);
/** Whether dragging over a timeline selects an area, and does not pan. */
export const isSelecting = signal(false);
/** Whether it is shown who runs in one run while it waits in the first. */
export const isVersus = signal(true);
/** A run that is told step by step. */
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
export const stepping = signal<Stepping | undefined>(undefined);
/** What was on the page before a tour began. */
export const lesson = signal<
  | {
      source: Source | undefined;
      machine: string;
      shared: Settings;
      lanes: Setup[];
      tab: Tab;
      colouring: Colouring;
      filter: string;
      zoom: Window | undefined;
      selected: number | undefined;
      isShared: boolean;
      isVersus: boolean;
    }
  | undefined
>(undefined);
/** The tour that is on, and its chapter from 0. */
export const tour = signal<{ id: string; chapter: number } | undefined>(undefined);
/** While a tour is to be chosen: the tab from which that was asked for. */
export const tourWanted = signal<{ from: Tab } | undefined>(undefined);
/** While something is to be predicted: from when on each run is hidden, by place, wholly where none is given; and the only
 * tab that may tell of the runs. */
export const veil = signal<{ from: number[]; tab: Tab } | undefined>(undefined);
/** Whether something is to be predicted: what shows whole runs would give the answer away. */
export const isPredicting = computed(
  () => veil.value !== undefined || (stepping.value?.predicts ?? false),
);
/** What the live region says. */
export const spoken = signal("");

export const theme = signal<Theme>(
  matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
);

/** Whether timelines draw each processor once, where several rows share it; else each row has its own. */
export const isShared = signal(true);

/** Everything there is to see: from the first submission to the last end known, and all processors. */
export const extent = computed<Window>(() => {
  const facts = workload.value;
  const ends = lanes.value.map(
    (lane) => lane.result?.end ?? lane.progress?.now ?? Number.NEGATIVE_INFINITY,
  );
  const from = facts?.first ?? 0;
  const to = Math.max(facts?.last ?? 1, from + 1, ...ends);
  const processors = Math.max(
    1,
    facts?.processors ?? 1,
    ...lanes.value.map((lane) => (lane.facts?.processors ?? 1) * (isShared.value ? 1 : lane.slots)),
  );
  return { from, to, top: 0, bottom: processors };
});
/** The window that was zoomed to; undefined shows all, and keeps doing so while a run grows. */
export const zoom = signal<Window | undefined>(undefined);
export const view = computed<Window>(() => zoom.value ?? extent.value);
/** Windows to go back to. */
export const zooms = signal<(Window | undefined)[]>([]);

export const letter = (index: number): string => String.fromCharCode(65 + (index % 26));

export function updateLane(id: number, change: Partial<Lane>): void {
  lanes.value = lanes.value.map((lane) => (lane.id === id ? { ...lane, ...change } : lane));
}

export const TABS = [
  "timeline",
  "torus",
  "sharing",
  "compare",
  "sweep",
  "workload",
  "papers",
] as const;
export type Tab = (typeof TABS)[number];
export const tab = signal<Tab>("timeline");

/** Shows a tab, and takes the keyboard along: what had the focus may be gone. */
export function goTo(wanted: Tab): void {
  tab.value = wanted;
  // Once it is rendered, but before the next key: a frame later the focus would be taken from what was typed meanwhile.
  queueMicrotask(() => document.getElementById("panel")?.focus({ preventScroll: true }));
}

/** The plan of the Sweep tab as text, once there is one. */
export const plan = signal<string | undefined>(undefined);
/** The paper's card that is open: kept while other tabs are shown. */
export const card = signal<string | undefined>(undefined);

/** The reader's own runs, while those of a plan's cell are shown. */
export const before = signal<
  { source: Source; machine: string; shared: Settings; lanes: Setup[] } | undefined
>(undefined);
