// Asking for a tour: which ones there are is shown on the first tab.
import * as s from "../state";

export function wantTour(): void {
  if (s.tourWanted.value && s.tab.value === "timeline")
    return void (s.tourWanted.value = undefined);
  s.tourWanted.value ??= { from: s.tab.value };
  s.goTo("timeline");
}
