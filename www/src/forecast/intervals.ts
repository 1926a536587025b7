// The chart of expected starts: an interval for each waiting job.
import * as Plot from "@observablehq/plot";
import type { ForecastResult } from "schedscope";
import { leftOf } from "../charts/axes";
import type { Row, Spec } from "../charts/chart";
import { duration } from "../format/words";

/** Returns the chart of the first jobs by their medians. Jobs beyond the horizon are in the table only. */
export function intervals(
  { jobs, at, horizon, queue, policy }: ForecastResult,
  most: number,
): Spec {
  const hours = (start: number | null | undefined) =>
    Math.max(0, (start == null ? horizon : start - at) / 3600);
  const rows: Row[] = jobs
    .filter(({ starts }) => starts[2] != null)
    .toSorted((one, other) => one.starts[2]! - other.starts[2]!)
    .slice(0, most)
    .map(({ number, task, user, starts }) => ({
      job: `${task == null ? number : `${number}_${task}`}${user ? ` ${user}` : ""}`,
      "5 %": hours(starts[0]),
      "25 %": hours(starts[1]),
      median: hours(starts[2]),
      "75 %": hours(starts[3]),
      "95 %": hours(starts[4]),
    }));
  const names = rows.map(({ job }) => String(job));
  return {
    title: "Expected starts, hours from now",
    caption: `Queue ${queue}, policy ${policy}; thin: 90 %, thick: 50 %, dot: median.`,
    series: [],
    rows,
    columns: ["job", "5 %", "25 %", "median", "75 %", "95 %"],
    height: 70 + 18 * rows.length,
    plot: (shown) => ({
      marginLeft: leftOf(names),
      x: { label: "hours from now", grid: true, zero: true },
      y: { label: null, domain: names },
      marks: [
        Plot.ruleY(shown, { y: "job", x1: "5 %", x2: "95 %", stroke: "#4477aa", strokeWidth: 2 }),
        Plot.ruleY(shown, { y: "job", x1: "25 %", x2: "75 %", stroke: "#4477aa", strokeWidth: 7 }),
        Plot.dot(shown, { y: "job", x: "median", r: 4, fill: "#cc6f1c" }),
        Plot.tip(
          shown,
          Plot.pointerY({
            y: "job",
            x: "median",
            title: (row: Row) =>
              `${row.job}: in ${duration(3600 * Number(row.median))}\n90 %: ${duration(3600 * Number(row["5 %"]))} to ${duration(3600 * Number(row["95 %"]))}`,
          }),
        ),
      ],
    }),
  };
}
