// The card at the pointer, or at the cursor of the keyboard: what is there in the timeline.
import * as s from "../state";
import { Card, type Place } from "../ui/card";

/** Returns the place of a point of a run's timeline in the window. */
function placeOf(lane: number, at: s.Place): Place | undefined {
  const picture = document.querySelector(`.gantt [data-lane="${lane}"]`);
  if (!picture) return undefined;
  const box = picture.getBoundingClientRect();
  const w = s.view.value;
  return {
    x: box.left + ((at.time - w.from) / (w.to - w.from)) * box.width,
    y: box.top + ((at.processor - w.top) / (w.bottom - w.top)) * box.height,
  };
}

export function PointerCard() {
  const at = s.cursor.value;
  const lane = s.hovered.value;
  const words = s.hover.value;
  const isShown = at !== undefined && lane !== undefined && words !== "";
  return <Card at={isShown ? placeOf(lane, at) : undefined} words={words} />;
}
