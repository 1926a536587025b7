// A card beside a place of the window that says what is there.
import { useLayoutEffect, useRef } from "preact/hooks";

/** A point of the window, or a box whose corner it is, in CSS pixels. */
export interface Place {
  x: number;
  y: number;
  width?: number;
  height?: number;
}

/** Pixels between the place and the card. */
const APART = 16;

/** Screen readers hear the words elsewhere. */
export function Card({ at, words }: { at: Place | undefined; words: string }) {
  const card = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    const element = card.current;
    if (!at || !element) return;
    const { x, y, width = 0, height = 0 } = at;
    const own = element.getBoundingClientRect();
    const right = x + width + APART;
    const below = y + height + APART;
    // The card stays inside the window, on the other side of the place where it has no room.
    const left = right + own.width > innerWidth ? x - APART - own.width : right;
    const top = below + own.height > innerHeight ? y - APART - own.height : below;
    element.style.left = `${Math.max(4, Math.round(left))}px`;
    element.style.top = `${Math.max(4, Math.round(top))}px`;
  });
  return (
    <p ref={card} class={`hover pointer-card ${at ? "shown" : ""}`} aria-hidden="true">
      {words}
    </p>
  );
}
