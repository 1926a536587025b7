// The reader's workspace: folds and sizes of panels, now and for later visits.
import * as s from "../state";
import { keepLayout, keptLayout } from "../storage/choices";

/** Windows that show the reading view. Lower ones show one column, as style/narrow.css says. */
export const READING = "(max-width: 719px) and (min-height: 480px)";

/** Windows whose panels lie over the view. style/narrow.css has the same sizes. */
const SHEETS = "(min-width: 720px) and (max-width: 1199px) and (min-height: 560px)";

/**
 * True if panels lie over the view instead of beside it. They then begin folded, and their folds
 * are not remembered.
 */
const arePanelsSheets = (): boolean => matchMedia(`${READING}, ${SHEETS}`).matches;

/** Puts the panels where the reader left them, also when a narrow window becomes wide. */
export function restoreLayout(): void {
  s.arrange(keptLayout());
  const reading = matchMedia(READING);
  let wide = s.layout.value;
  const follow = () => {
    if (reading.matches) wide = s.layout.value;
    else s.arrange({ ...wide, strips: s.layout.value.strips });
    s.showReading(reading.matches);
    if (!arePanelsSheets()) return;
    s.unfold("setup", false);
    s.unfold("dock", false);
    // In the reading view the results are a page of their own.
    if (reading.matches) s.unfold("results", false);
  };
  follow();
  reading.addEventListener("change", follow);
}

const keep = (): void => {
  if (!arePanelsSheets()) keepLayout(s.layout.value);
};

export function unfold(panel: s.Panel, isOpen: boolean): void {
  s.unfold(panel, isOpen);
  keep();
}

export function resizePanel(panel: s.Panel, size: number): void {
  s.resize(panel, size);
  keep();
}

export function showStrip(kind: s.StripKind, isShown: boolean): void {
  s.showStrip(kind, isShown);
  keep();
}

/** Opens the set-up at one of its parts. */
export function openSetup(part: string): void {
  unfold("setup", true);
  s.askPart(part);
}

/** Opens the inspector for a selected job if it lies over the view. */
export function showInspector(): void {
  if (arePanelsSheets()) s.unfold("dock", true);
}
