// The keys of a timeline.
import * as s from "../state";
import { back, nextColouring, panBy, showAll, zoomBy } from "./navigate";
import { play } from "./play";

/** Handles a key of the timeline by its place on the keyboard. Returns false for other keys. */
export function key(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.code === "Space" && s.tab.value !== "timeline") return false;
  const actions: Record<string, () => void> = {
    KeyA: () => panBy(-0.15, 0),
    KeyD: () => panBy(0.15, 0),
    KeyW: () => zoomBy(1.4, "time"),
    KeyS: () => zoomBy(1 / 1.4, "time"),
    KeyC: nextColouring,
    Digit0: showAll,
    Numpad0: showAll,
    Backspace: back,
    Space: play,
  };
  const action = actions[event.code];
  action?.();
  return action !== undefined;
}
