// Each view keeps the place to which the reader scrolled it.
import { effect } from "@preact/signals";
import * as s from "../state";

const places = new Map<string, number>();

let shown: string | undefined;

/** Keeps the place of a view that disappears, and goes to the one of the view that appears. */
export function follow(): void {
  effect(() => {
    const view = `${s.tab.value} ${s.tab.value === "papers" ? (s.card.value ?? "") : ""}`;
    const panel = document.getElementById("panel");
    // Signals change before the page does, so the panel still has the view that disappears.
    if (panel && shown !== undefined) places.set(shown, panel.scrollTop);
    shown = view;
    // The second frame is the first one that has the new view.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (shown === view) document.getElementById("panel")?.scrollTo(0, places.get(view) ?? 0);
      }),
    );
  });
}
