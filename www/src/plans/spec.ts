// The chart that the reader has chosen.

import type { Spec } from "../charts/chart";
import { curve, differences } from "./curves";
import { areWide, type Choice, type Found } from "./kinds";
import { map } from "./map";
import { ofRuns } from "./single";

/** A chart, and which of its axes are logarithmic. */
interface Decided extends Spec {
  log: { x: boolean; y: boolean };
}

/**
 * Returns the spec of a chart, or the reason why there is none. Its values decide which axes are
 * logarithmic, unless the reader has.
 */
export function specOf(found: Found | undefined, choice: Choice): Decided | string {
  if (!found || found.points.length === 0) return "There are no results yet: run the plan.";
  const plain = build(found, choice);
  if (typeof plain === "string") return plain;
  const decide = (columns: string[] = []) =>
    areWide(plain.rows.flatMap((row) => columns.map((column) => Number(row[column]))));
  const log = {
    x: plain.free?.x !== undefined && (choice.logX ?? decide(plain.free.x)),
    y: plain.free?.y !== undefined && (choice.logY ?? decide(plain.free.y)),
  };
  const spec = build(found, { ...choice, logX: log.x, logY: log.y });
  if (typeof spec === "string") return spec;
  const names = [log.x && "x axis", log.y && (choice.kind === "months" ? "colours" : "y axis")];
  const said = names.filter(Boolean).join(" and ");
  return { ...spec, log, caption: said ? `${spec.caption} Logarithmic: ${said}.` : spec.caption };
}

function build(found: Found, choice: Choice): Spec | string {
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
