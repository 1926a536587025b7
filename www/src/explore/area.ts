// An area of the timelines: an interval of time and of processors, with its statistics in every
// run.

import { effect, signal } from "@preact/signals";
import type { SelectionFacts } from "schedscope";
import { ask, type Hand } from "../engine/workers";
import { count, duration } from "../format/words";
import * as s from "../state";
import { applied } from "./filter";

type Corner = { time: number; processor: number };

/** Selects the area between two corners: whole processors, within the limits of the timelines. */
export function pull(one: Corner, other: Corner): void {
  const all = s.extent.value;
  const [from, to] = [Math.min(one.time, other.time), Math.max(one.time, other.time)];
  const [top, bottom] = [
    Math.min(one.processor, other.processor),
    Math.max(one.processor, other.processor),
  ];
  s.selectArea({
    from: Math.max(from, all.from),
    to: Math.max(Math.min(to, all.to), Math.max(from, all.from) + 0.001),
    top: Math.max(Math.floor(top), all.top),
    bottom: Math.min(Math.max(Math.ceil(bottom), Math.floor(top) + 1), all.bottom),
  });
}

export const rows = (area: s.Window): string => {
  const [first, last] = [area.top, area.bottom - 1];
  const [names] = s.rowNames.value.values();
  if (names) return s.nodesInWords(names, area.top, area.bottom);
  const what = s.rowsBy.value === "gpus" ? "GPU" : "processor";
  return first === last ? `${what} ${count(first)}` : `${what}s ${count(first)} to ${count(last)}`;
};

export const inWordsOf = (area: s.Window): string =>
  `${duration(area.to - area.from)} of ${rows(area)}`;

/** Returns the area's place on the time axis, as shares of a window, and its length in words. */
export function rulerOf(
  window: s.Window,
): { left: number; width: number; text: string } | undefined {
  const area = s.area.value;
  const share = (time: number) =>
    Math.min(1, Math.max(0, (time - window.from) / (window.to - window.from)));
  if (!area || area.to < window.from || area.from > window.to) return undefined;
  return {
    left: share(area.from),
    width: share(area.to) - share(area.from),
    text: duration(area.to - area.from),
  };
}

/** The statistics of an area in a run. A busy run tells those of a new area later than others. */
type AreaFacts = SelectionFacts & { of: s.Window; filter: typeof applied.value };

const own = {
  /** Statistics of the area by run. */
  facts: signal<ReadonlyMap<number, AreaFacts>>(new Map()),
};
export const { facts }: s.Seen<typeof own> = own;

/** True if statistics are of another area, or of other jobs, than those that are selected now. */
export const isOld = (found: AreaFacts): boolean =>
  found.of !== s.area.value || found.filter !== applied.value;

/** The latest question to each worker. While a question is pending, the next one waits. */
const asked = new WeakMap<Hand, { key: string; isBusy: boolean }>();

async function look(lane: s.Lane, hand: Hand): Promise<void> {
  const now = s.laneOf(lane.id);
  const area = s.area.value;
  const key = JSON.stringify([area, now?.drawn, applied.value, s.rowsBy.value]);
  const state = asked.get(hand) ?? { key: "", isBusy: false };
  asked.set(hand, state);
  if (!area || state.isBusy || state.key === key) return;
  [state.key, state.isBusy] = [key, true];
  const filter = applied.value;
  const found = await ask(hand, (engine) =>
    engine.area(area.from, area.to, area.top, area.bottom, s.rowsBy.value),
  ).catch(() => undefined);
  state.isBusy = false;
  if (found && s.area.value)
    own.facts.value = new Map(facts.value).set(lane.id, { ...found, of: area, filter });
  await look(lane, hand);
}

effect(() => {
  if (!s.area.value) own.facts.value = new Map();
  void [applied.value, s.rowsBy.value];
  for (const lane of s.lanes.value) if (lane.hand && lane.facts) void look(lane, lane.hand);
});
