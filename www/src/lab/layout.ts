// The reader's workspace: folds and sizes of panels, now and for later visits.
import * as s from "../state";
import { keepLayout, keptLayout } from "../storage/choices";

/**
 * True if panels lie over the view instead of beside it. They then begin folded, and their folds
 * are not remembered. style/narrow.css has the same widths.
 */
const arePanelsSheets = (): boolean =>
  matchMedia("(min-width: 720px) and (max-width: 1199px) and (min-height: 560px)").matches;

/** Puts the panels where the reader left them. */
export function restoreLayout(): void {
  s.arrange(keptLayout());
  if (!arePanelsSheets()) return;
  s.unfold("setup", false);
  s.unfold("dock", false);
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
