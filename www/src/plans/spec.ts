// The chart that the reader has chosen.

import type { Spec } from "../charts/chart";
import { curve, differences } from "./curves";
import type { Choice, Found } from "./kinds";
import { map } from "./map";
import { ofRuns } from "./single";

/** Returns the spec of a chart, or the reason why there is none. */
export function specOf(found: Found | undefined, choice: Choice): Spec | string {
  if (!found || found.points.length === 0) return "There are no results yet: run the plan.";
  switch (choice.kind) {
    case "curve":
      return curve(found, choice);
    case "differences":
      return differences(found, choice);
    case "map":
      return map(found, choice);
    default:
      return ofRuns(found, choice);
  }
}
