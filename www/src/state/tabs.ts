// The visible tab, and its open parts.
import { signal } from "@preact/signals";
import type { Seen } from "./seen";

export const TABS = [
  "timeline",
  "torus",
  "sharing",
  "compare",
  "forecast",
  "sweep",
  "workload",
  "policy",
  "papers",
] as const;

export type Tab = (typeof TABS)[number];

export const NAMES: Record<Tab, string> = {
  timeline: "Timeline",
  torus: "Machine",
  sharing: "Sharing",
  compare: "Compare",
  forecast: "Forecast",
  sweep: "Sweep",
  workload: "Workload",
  policy: "Policy",
  papers: "Papers",
};

const own = {
  tab: signal<Tab>("timeline"),
  /** True while the answers of a class take the place of the timelines. */
  isReadingAnswers: signal(false),
  /** The plan of the Sweep tab as text, if there is one. */
  plan: signal<string | undefined>(undefined),
  /** The runs that the reader has chosen to compare job by job. */
  comparedRuns: signal<readonly [number | undefined, number | undefined]>([undefined, undefined]),
  /** The open card of a paper, which stays while other tabs are shown. */
  card: signal<string | undefined>(undefined),
};
export const { tab, isReadingAnswers, plan, comparedRuns, card }: Seen<typeof own> = own;

export function showTab(wanted: Tab): void {
  own.tab.value = wanted;
  own.isReadingAnswers.value = false;
}

/** Shows a tab and moves the focus there, because the focused element may disappear. */
export function goTo(wanted: Tab): void {
  showTab(wanted);
  // The focus moves after rendering, but before the next key. A frame later, it would be taken from
  // a reader who already types.
  queueMicrotask(() => document.getElementById("panel")?.focus({ preventScroll: true }));
}

export function knowPlan(text: string): void {
  own.plan.value = text;
}

export function openCard(id: string | undefined): void {
  own.card.value = id;
}

export function showAnswers(): void {
  own.isReadingAnswers.value = true;
}

export function pickCompared(runs: readonly [number | undefined, number | undefined]): void {
  own.comparedRuns.value = runs;
}
