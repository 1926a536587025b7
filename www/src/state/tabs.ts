// The tab that is shown, and what is open on it.
import { signal } from "@preact/signals";
import type { Seen } from "./seen";

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

export const NAMES: Record<Tab, string> = {
  timeline: "Timeline",
  torus: "Machine",
  sharing: "Sharing",
  compare: "Compare",
  sweep: "Sweep",
  workload: "Workload",
  papers: "Papers",
};

const own = {
  tab: signal<Tab>("timeline"),
  /** The plan of the Sweep tab as text, once there is one. */
  plan: signal<string | undefined>(undefined),
  /** The paper's card that is open: kept while other tabs are shown. */
  card: signal<string | undefined>(undefined),
};
export const { tab, plan, card }: Seen<typeof own> = own;

export function showTab(wanted: Tab): void {
  own.tab.value = wanted;
}

/** Shows a tab, and takes the keyboard along: what had the focus may be gone. */
export function goTo(wanted: Tab): void {
  showTab(wanted);
  // Once it is rendered, but before the next key: a frame later the focus would be taken from what
  // was typed meanwhile.
  queueMicrotask(() => document.getElementById("panel")?.focus({ preventScroll: true }));
}

export function knowPlan(text: string): void {
  own.plan.value = text;
}

export function openCard(id: string | undefined): void {
  own.card.value = id;
}
