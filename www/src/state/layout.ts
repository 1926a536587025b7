// The panels of the workspace: which are open, and their sizes; the strips that are shown.
import { signal } from "@preact/signals";
import { lesson } from "./lesson";
import type { Seen } from "./seen";
import type { Tab } from "./tabs";

/** The panels, with their least, usual and greatest sizes in CSS pixels. */
export const PANELS = {
  setup: { name: "Set-up", least: 264, usual: 320, most: 560 },
  dock: { name: "Inspector", least: 264, usual: 320, most: 640 },
  results: { name: "Results", least: 96, usual: 212, most: 560 },
} as const;

export type Panel = keyof typeof PANELS;

export const STRIPS = {
  used: "Utilisation",
  waiting: "Queue length",
  work: "Waiting work",
} as const;

export type StripKind = keyof typeof STRIPS;

/** The state of the workspace that the browser remembers. */
export interface Layout {
  open: Record<Panel, boolean>;
  sizes: Record<Panel, number>;
  strips: Record<StripKind, boolean>;
}

const own = {
  layout: signal<Layout>({
    open: { setup: false, dock: true, results: false },
    sizes: {
      setup: PANELS.setup.usual,
      dock: PANELS.dock.usual,
      results: PANELS.results.usual,
    },
    strips: { used: true, waiting: true, work: false },
  }),
  /** The part of the set-up that the reader asked for, until it is in view. */
  askedPart: signal<string | undefined>(undefined),
  /** True if the window is narrow and shows the reading view. */
  isReading: signal(false),
};
export const { layout, askedPart, isReading }: Seen<typeof own> = own;

/** The tabs with a set-up and an inspector beside them. The others take the whole width. */
export const SET_UP: ReadonlySet<Tab> = new Set(["timeline", "torus", "sharing", "compare"]);

/** True if a tab has a panel, open or folded. A tour has its guide instead. */
export function hasPanel(panel: Panel, tab: Tab): boolean {
  if (lesson.value) return panel === "results" && tab === "timeline";
  return panel === "results" ? tab === "timeline" : SET_UP.has(tab);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Takes the parts of a remembered layout that have a meaning here, and leaves the others. */
export function arrange(found: unknown): void {
  if (!isRecord(found)) return;
  const { open, sizes, strips } = layout.value;
  const flags = <Name extends string>(known: Record<Name, boolean>, found: unknown) =>
    Object.fromEntries(
      Object.entries(known).map(([name, was]) => {
        const wanted = isRecord(found) ? found[name] : undefined;
        return [name, typeof wanted === "boolean" ? wanted : was];
      }),
    ) as Record<Name, boolean>;
  own.layout.value = {
    open: flags(open, found.open),
    sizes: Object.fromEntries(
      Object.entries(sizes).map(([name, was]) => {
        const wanted = isRecord(found.sizes) ? found.sizes[name] : undefined;
        return [name, typeof wanted === "number" ? within(name as Panel, wanted) : was];
      }),
    ) as Record<Panel, number>,
    strips: flags(strips, found.strips),
  };
}

const within = (panel: Panel, size: number): number => {
  const { least, usual, most } = PANELS[panel];
  return Number.isFinite(size) ? Math.min(Math.max(Math.round(size), least), most) : usual;
};

export function unfold(panel: Panel, isOpen: boolean): void {
  own.layout.value = { ...layout.value, open: { ...layout.value.open, [panel]: isOpen } };
}

export function resize(panel: Panel, size: number): void {
  const sizes = { ...layout.value.sizes, [panel]: within(panel, size) };
  own.layout.value = { ...layout.value, sizes };
}

export function showStrip(kind: StripKind, isShown: boolean): void {
  own.layout.value = { ...layout.value, strips: { ...layout.value.strips, [kind]: isShown } };
}

export function askPart(part: string | undefined): void {
  own.askedPart.value = part;
}

/** Shows the reading view, or the workspace. */
export function showReading(wanted: boolean): void {
  own.isReading.value = wanted;
}
