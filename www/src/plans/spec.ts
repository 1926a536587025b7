// The chart that the reader has chosen.

import type { Spec } from "../charts/chart";
import { curve, differences } from "./curves";
import type { Choice } from "./kinds";
import * as plans from "./plans";
import { ofRuns } from "./single";

/** Returns the spec of a chart, or the reason why there is none. */
export function specOf(choice: Choice): Spec | string {
  const points = plans.analysis.value?.points ?? [];
  if (points.length === 0) return "There are no results yet: run the plan.";
  switch (choice.kind) {
    case "curve":
      return curve(choice, points);
    case "differences":
      return differences(choice);
    default:
      return ofRuns(choice, points);
  }
}
