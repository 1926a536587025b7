// Keeps the workers of all runs in step with the reader's wishes for all runs.

import { effect } from "@preact/signals";
import { ask, type Hand, type Remote } from "../engine/workers";
import * as s from "../state";

/**
 * Tells each run's worker the present wish, whenever the wish or the worker changes. A worker that
 * never had a wish gets no empty one.
 */
export function follow(
  wish: (lane: s.Lane) => string,
  tell: (lane: s.Lane, engine: Remote) => Promise<void>,
): void {
  const told = new WeakMap<Hand, string>();
  effect(() => {
    for (const lane of s.lanes.value) {
      const { hand } = lane;
      const wanted = wish(lane);
      if (!hand || !lane.facts || (told.get(hand) ?? "") === wanted) continue;
      told.set(hand, wanted);
      const redraw = () => {
        const now = s.laneOf(lane.id);
        if (now) s.updateLane(lane.id, { drawn: now.drawn + 1 });
      };
      ask(hand, (engine) => tell(lane, engine)).then(redraw, () => {});
    }
  });
}
