// The card at the pointer, or at the cursor of the keyboard: what is there in the timeline.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import * as s from "../state";

/** Pixels between the point and the card. */
const APART = 16;

export function PointerCard() {
  const card = useRef<HTMLParagraphElement>(null);
  const [place, setPlace] = useState({ left: 0, top: 0 });
  const at = s.cursor.value;
  const words = s.hover.value;
  const lane = s.hovered.value;
  const isShown = at !== undefined && lane !== undefined && words !== "";
  useLayoutEffect(() => {
    const picture = document.querySelector(`.gantt [data-lane="${lane}"]`);
    if (!isShown || !picture || !card.current) return;
    const box = picture.getBoundingClientRect();
    const own = card.current.getBoundingClientRect();
    const w = s.view.value;
    const x = box.left + ((at.time - w.from) / (w.to - w.from)) * box.width;
    const y = box.top + ((at.processor - w.top) / (w.bottom - w.top)) * box.height;
    // The card stays inside the window, on the other side of the point where it has no room.
    const left = x + APART + own.width > innerWidth ? x - APART - own.width : x + APART;
    const top = y + APART + own.height > innerHeight ? y - APART - own.height : y + APART;
    setPlace({ left: Math.max(4, Math.round(left)), top: Math.max(4, Math.round(top)) });
  }, [at, words, lane, isShown]);
  return (
    <p
      ref={card}
      class={`hover pointer-card ${isShown ? "shown" : ""}`}
      aria-hidden="true"
      style={{ left: `${place.left}px`, top: `${place.top}px` }}
    >
      {words}
    </p>
  );
}
