// Movements through time and processors: pan, zoom, back. All timelines share one window.

import type { Colouring } from "schedscope";
import * as s from "../state";

/**
 * The smallest window: one second, or ten milliseconds where processors are shared; and half a
 * processor.
 */
const leastTime = (): number => (s.lanes.value.some((lane) => lane.slots > 1) ? 0.01 : 1);

const LEAST_ROWS = 0.5;

/**
 * Identifies a movement that changes the window many times in quick succession. It is one step for
 * Back.
 */
type Gesture = "drag" | "wheel" | "pinch" | "play";

let last: { gesture: Gesture | undefined; at: number } | undefined;

/** Shows a window. */
export function show(window: s.Window | undefined, gesture?: Gesture): void {
  const at = performance.now();
  const isMore = gesture !== undefined && last?.gesture === gesture && at - last.at < 700;
  last = { gesture, at };
  const clipped = window && clip(window);
  if (isMore) s.zoomTo(clipped);
  else s.goToWindow(clipped);
}

function clip(window: s.Window): s.Window | undefined {
  const all = s.extent.value;
  const [from, to] = clipAxis(window.from, window.to, all.from, all.to, leastTime());
  const [top, bottom] = clipAxis(window.top, window.bottom, all.top, all.bottom, LEAST_ROWS);
  const isAll = from <= all.from && to >= all.to && top <= all.top && bottom >= all.bottom;
  return isAll ? undefined : { from, to, top, bottom };
}

function clipAxis(
  low: number,
  high: number,
  least: number,
  most: number,
  shortest: number,
): [number, number] {
  const length = Math.min(Math.max(high - low, Math.min(shortest, most - least)), most - least);
  const start = Math.min(Math.max(low + (high - low - length) / 2, least), most - length);
  return [start, start + length];
}

/** Zooms by a factor (above 1 is closer) around a point, which is given as shares of the window. */
export function zoomBy(factor: number, axis: "time" | "rows", at = 0.5, gesture?: Gesture): void {
  const w = s.view.value;
  if (axis === "time") {
    const length = (w.to - w.from) / factor;
    const from = w.from + (w.to - w.from - length) * at;
    show({ ...w, from, to: from + length }, gesture);
  } else {
    const length = (w.bottom - w.top) / factor;
    const top = w.top + (w.bottom - w.top - length) * at;
    show({ ...w, top, bottom: top + length }, gesture);
  }
}

/** Pans by shares of the window. */
export function panBy(time: number, rows: number, gesture?: Gesture): void {
  const w = s.view.value;
  const [dt, dr] = [(w.to - w.from) * time, (w.bottom - w.top) * rows];
  const all = s.extent.value;
  const t = Math.min(Math.max(dt, all.from - w.from), all.to - w.to);
  const r = Math.min(Math.max(dr, all.top - w.top), all.bottom - w.bottom);
  if (t !== 0 || r !== 0)
    show({ from: w.from + t, to: w.to + t, top: w.top + r, bottom: w.bottom + r }, gesture);
}

/** Shows a period with a margin, and all processors. */
export function showSpan(from: number, to: number): void {
  const margin = Math.max(60, (to - from) * 0.3);
  show({ ...s.extent.value, from: from - margin, to: to + margin });
}

export const showAll = (): void => show(undefined);

export function back(): void {
  s.backToWindow();
  last = undefined;
}

/** Attributes of the jobs beside users: queues, and the further columns of the log. */
const attributes = () => (s.workload.value?.attributes ?? []).filter(({ id }) => id !== "user");

/** Meanings of colours that the present runs allow, with their names. */
export function colourings(): [Colouring, string][] {
  const all: [Colouring, string, boolean][] = [
    ["user", "user", true],
    ["job", "job", true],
    ...attributes().map(({ id, name }): [Colouring, string, boolean] => [
      `attribute:${id}`,
      name.toLowerCase(),
      true,
    ]),
    ["size", "size", true],
    ["wait", "wait", true],
    ["slowdown", "bounded slowdown", true],
    // Colours must not show what the reader predicts.
    ["difference", "wait against the other run", s.lanes.value.length > 1 && !s.isPredicting.value],
    [
      "class",
      "class of process",
      s.lanes.value.some((lane) => lane.processes) && !s.isPredicting.value,
    ],
  ];
  return all.filter(([, , isHere]) => isHere).map(([colouring, name]) => [colouring, name]);
}

export function nextColouring(): void {
  const known = colourings().map(([colouring]) => colouring);
  const at = known.indexOf(s.colouring.value);
  s.colourBy(known[(at + 1) % known.length]!);
}
