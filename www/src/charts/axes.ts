// Axes that several charts share.
import type * as Plot from "@observablehq/plot";

/** Room at the left for the longest of these names. */
export const leftOf = (names: string[]): number =>
  Math.min(220, 20 + 7 * Math.max(4, ...names.map((name) => name.length)));

/** A scale of names below a chart, slanted where they would overlap. */
export function slanted(names: string[], width: number, scale: "x" | "fx"): Plot.PlotOptions {
  const isTight = names.some((name) => 7 * name.length > (width - 80) / names.length);
  const axis = { domain: names, label: null, tickRotate: isTight ? -45 : 0 };
  // Facet names stand at the bottom, where slanted names have room.
  return {
    ...(isTight ? { marginBottom: 30 + 5 * Math.max(...names.map((name) => name.length)) } : {}),
    [scale]: scale === "fx" ? { ...axis, axis: "bottom" } : axis,
  };
}

/** The groupings of jobs, with their names. A workload has the first three, and those of its log. */
export const GROUPINGS = {
  size: "Size",
  run_time: "Run time",
  user: "User",
  group: "Group",
  queue: "Queue",
  partition: "Partition",
  account: "Account",
  qos: "QOS",
  state: "State",
};

/** Returns the groupings of which there are classes. */
export const groupingsOf = (has: (id: string) => boolean): Record<string, string> =>
  Object.fromEntries(Object.entries(GROUPINGS).filter(([id]) => has(id)));
