// The window of time and processors that all timelines share, and the windows before it.
import { batch, computed, signal } from "@preact/signals";
import type { RowsBy } from "schedscope";
import { type Lane, lanes } from "./lanes";
import { rowsWanted } from "./look";
import type { Seen } from "./seen";
import { workload } from "./trace";

export interface Window {
  from: number;
  to: number;
  top: number;
  bottom: number;
}

/** Number of windows that Back can return to. */
const KEPT = 50;

const own = {
  /** The zoomed window. If undefined, the page shows everything, also while a run grows. */
  zoom: signal<Window | undefined>(undefined),
  /** Windows that Back returns to. */
  zooms: signal<(Window | undefined)[]>([]),
};
export const { zoom, zooms }: Seen<typeof own> = own;

/** The last extent. While it stays the same it stays one object, and nothing is drawn again. */
let last: Window = { from: 0, to: 1, top: 0, bottom: 1 };

/** Returns the rows that a run can have: those that are wanted, or processors. */
const rowsIn = (lane: Lane, wanted: RowsBy): RowsBy => {
  const has = { shared: true, slots: lane.slots > 1, gpus: lane.gpus > 0 };
  return has[wanted] ? wanted : "shared";
};

/** The rows of the timelines. Where no run has slots or GPUs, there are no rows for them. */
export const rowsBy = computed<RowsBy>(() =>
  lanes.value.some((lane) => rowsIn(lane, rowsWanted.value) === rowsWanted.value)
    ? rowsWanted.value
    : "shared",
);

/** Returns the rows of a run's timeline. */
export const rowsFor = (lane: Lane): RowsBy => rowsIn(lane, rowsBy.value);

/** Returns the number of rows of a run's timeline. */
export function rowsOf(lane: Lane): number {
  const rows = rowsFor(lane);
  const processors = lane.facts?.all_processors ?? 1;
  return rows === "gpus" ? lane.gpus : processors * (rows === "slots" ? lane.slots : 1);
}

/** The largest window: from the first submission to the last known end, and all rows. */
export const extent = computed<Window>(() => {
  const facts = workload.value;
  const ends = lanes.value.map(
    (lane) => lane.result?.end ?? lane.progress?.now ?? Number.NEGATIVE_INFINITY,
  );
  const from = facts?.first ?? 0;
  const to = Math.max(facts?.last ?? 1, from + 1, ...ends);
  const processors = rowsBy.value === "gpus" ? 1 : (facts?.processors ?? 1);
  const rows = Math.max(1, processors, ...lanes.value.map(rowsOf));
  if (from !== last.from || to !== last.to || rows !== last.bottom)
    last = { from, to, top: 0, bottom: rows };
  return last;
});

export const view = computed<Window>(() => zoom.value ?? extent.value);

/** Shows a window, or everything, without a step for Back. */
export function zoomTo(window: Window | undefined): void {
  own.zoom.value = window;
}

/** Shows a window, and keeps the previous one for Back. */
export function goToWindow(window: Window | undefined): void {
  batch(() => {
    own.zooms.value = [...zooms.value.slice(1 - KEPT), zoom.value];
    own.zoom.value = window;
  });
}

/** Returns to the previous window. */
export function backToWindow(): void {
  const before = zooms.value.at(-1);
  if (zooms.value.length === 0) return;
  batch(() => {
    own.zooms.value = zooms.value.slice(0, -1);
    own.zoom.value = before;
  });
}

/** Shows everything, and forgets the previous windows. */
export function forgetWindows(): void {
  batch(() => {
    own.zoom.value = undefined;
    own.zooms.value = [];
  });
}
