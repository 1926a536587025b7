// The page that takes the place of a view, as links and the browser's history name it.
import { batch, computed } from "@preact/signals";
import { hasPanel, isReading, layout, unfold } from "./layout";
import { askTours, lesson, tourWanted } from "./lesson";
import { isReadingAnswers, showAnswers, tab } from "./tabs";

/**
 * The list of tours or the answers of a class; in the reading view also the set-up or the results,
 * which are panels elsewhere.
 */
export const pageShown = computed<"tours" | "answers" | "setup" | "results" | undefined>(() => {
  if (lesson.value) return undefined;
  const { open } = layout.value;
  if (isReading.value && open.setup && hasPanel("setup", tab.value)) return "setup";
  if (tab.value !== "timeline") return undefined;
  if (isReadingAnswers.value) return "answers";
  if (isReading.value && open.results) return "results";
  return tourWanted.value && "tours";
});

/** Shows a page in the place of the view, or the view itself. */
export function showPage(wanted: string | undefined): void {
  batch(() => {
    askTours(wanted === "tours");
    if (wanted === "answers") showAnswers();
    if (!isReading.value) return;
    unfold("setup", wanted === "setup");
    unfold("results", wanted === "results");
  });
}
