// Playing a timeline: an instant moves through it, and the window follows.
import { signal } from "@preact/signals";
import * as s from "../state";
import { show } from "./navigate";

const own = {
  isPlaying: signal(false),
};
export const { isPlaying }: s.Seen<typeof own> = own;

/** Seconds that the instant takes through a window. */
const WINDOW = 20;

/** Share of the window at which the instant stays while the window moves along. */
const AHEAD = 0.7;

export function play(): void {
  own.isPlaying.value = !isPlaying.value;
  if (!isPlaying.value) return;
  const { from, to } = s.view.value;
  const at = s.instant.value ?? s.cursor.value?.time;
  const isInside = at !== undefined && at >= from && at < to && at < s.extent.value.to;
  s.showInstant(isInside ? at : from);
  // A reader who wants no motion gets steps.
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let last = performance.now();
  const next = () => {
    const { value: at } = s.instant;
    if (!isPlaying.value || s.tab.value !== "timeline" || at === undefined)
      return void (own.isPlaying.value = false);
    const now = performance.now();
    const [window, all] = [s.view.value, s.extent.value];
    const length = window.to - window.from;
    const moved = Math.min(at + (length * Math.min(1, (now - last) / 1000)) / WINDOW, all.to);
    last = now;
    s.showInstant(moved);
    const over = moved - (window.from + AHEAD * length);
    if (over > 0 && window.to < all.to)
      show({ ...window, from: window.from + over, to: window.to + over }, "play");
    if (moved >= all.to) return void (own.isPlaying.value = false);
    later();
  };
  const later = () => (isStill ? void setTimeout(next, 700) : void requestAnimationFrame(next));
  later();
}
