// Places that the page can go to by itself. The code that finds them loads when one is asked for.
import { fail } from "../lab";
import * as s from "../state";

/** The places, by name. */
export const PLACES = {
  wait: "Longest wait",
  gain: "Largest gain",
  loss: "Largest loss",
  queue: "Longest queue",
  use: "Worst hour of utilisation",
} as const;

type Place = keyof typeof PLACES;

/** Returns the places that the present runs have. A gain or a loss needs two runs of the same jobs. */
export function places(): Place[] {
  if (s.isPredicting.value || s.lesson.value) return [];
  const done = s.lanes.value.filter(({ state, hand }) => state === "done" && hand);
  if (done.length === 0) return [];
  const isPair = done.length > 1 && done.at(-1)?.facts?.identity === done[0]?.facts?.identity;
  return (Object.keys(PLACES) as Place[]).filter(
    (place) => isPair || (place !== "gain" && place !== "loss"),
  );
}

let finders: Promise<typeof import("./places")> | undefined;

/** Goes to a place. */
export function jump(to: Place): void {
  // One import for all: Chromium ends several imports of one part in any order.
  finders ??= import("./places");
  finders.catch(() => (finders = undefined));
  finders.then(({ goTo }) => goTo(to)).catch(fail);
}
