// A map of a plan's points: which series is best, over two swept values.

import * as Plot from "@observablehq/plot";
import { leftOf, slanted } from "../charts/axes";
import type { Row, Spec } from "../charts/chart";
import { isShare } from "../format/metric";
import * as s from "../state";
import {
  allResults,
  type Choice,
  caption,
  type Found,
  metricName,
  SATURATION,
  seriesOf,
  show,
  unfinished,
  varying,
} from "./kinds";

type Axes = Record<string, string | number>;
type Mean = { mean: number; ci95?: number | null };

/** Axes that a map can have: those with several values, without the series. */
export function mapAxes(found: Found, metric: string): Map<string, (string | number)[]> {
  const axes = varying(found.points);
  axes.delete(seriesOf(axes));
  if (metric === SATURATION) axes.delete("load");
  return axes;
}

const betterOf = (metric: string): string | undefined =>
  metric === SATURATION
    ? "higher"
    : s.catalog.value?.metrics.find(({ id }) => id === metric.split(".")[0])?.better;

/** Returns the best series at each pair of values, or the reason why there is no map. */
export function map(found: Found, choice: Choice): Spec | string {
  const { metric } = choice;
  const axes = mapAxes(found, metric);
  const series = seriesOf(varying(found.points));
  const [x, y] = mapped(choice, axes);
  if (x === undefined || y === undefined)
    return "A map needs two values that the plan varies, beside its policies.";
  const better = betterOf(metric);
  if (better !== "lower" && better !== "higher")
    return "This metric does not say which of two values is better.";
  const place = [...axes].flatMap(([name, values]) =>
    name === x || name === y ? [] : [[name, choice.at[name] ?? String(values[0])] as const],
  );
  const known: { axes: Axes; value: Mean | undefined; cell?: string; runs?: number }[] =
    metric === SATURATION
      ? found.saturations.map(({ axes, crossing }) => ({ axes, value: crossing }))
      : found.points.map(({ axes, figures, cells }) => ({
          axes,
          value: figures[metric],
          cell: cells[0]!,
          runs: cells.length,
        }));
  const rows: Row[] = known.flatMap(({ axes, value, cell, runs }) =>
    value && place.every(([name, at]) => String(axes[name]) === at)
      ? [
          {
            series: String(axes[series]),
            [x]: axes[x]!,
            [y]: axes[y]!,
            [metric]: value.mean,
            ci95: value.ci95 ?? undefined,
            runs,
            cell,
          },
        ]
      : [],
  );
  if (rows.length === 0) return "There is no result at these values yet.";
  const specOf = s.catalog.value?.metrics.find(({ id }) => id === metric.split(".")[0]);
  const inPoints = metric === SATURATION || (specOf && isShare(specOf, metric.split(".")[1] ?? ""));
  const lead = (best: Row): string =>
    best.second === undefined
      ? ""
      : inPoints
        ? `${(100 * Math.abs(Number(best[metric]) - Number(best.behind))).toFixed(1)} points`
        : `${(100 * Math.abs(1 - Number(best[metric]) / Number(best.behind))).toFixed(0)} %`;
  const where = place.map(([name, at]) => `, ${name} ${at}`).join("");
  const [across, up] = [axes.get(x)!, [...axes.get(y)!].reverse()];
  const words = (best: Row) =>
    [
      `${best.series} is best: ${show(best[metric])}${best.ci95 === undefined ? "" : ` ± ${show(best.ci95)}`}`,
      ...(best.second ? [`then ${best.second}: ${show(best.behind)}`] : []),
      `${x} ${show(best[x])}, ${y} ${show(best[y])}`,
    ].join("\n");
  return {
    title: `Best ${metricName(metric).toLowerCase()} over ${x} and ${y}${where}`,
    caption: caption(
      found,
      allResults(found),
      ` Numbers: lead over the second best.${unfinished(found)}`,
    ),
    series: [...new Set(rows.map((row) => String(row.series)))],
    rows,
    columns: ["series", x, y, metric, "ci95", ...(metric === SATURATION ? [] : ["runs"])],
    height: 90 + 44 * up.length,
    plot: (shown, look) => {
      const squares = bests(shown, [x, y, metric], better);
      const left = Math.max(50, leftOf(up.map(String)));
      // Names that do not fit into their squares are left to the legend.
      const room = (look.width - left) / across.length;
      const longest = Math.max(...look.shown.map((name) => name.length));
      const text = (best: Row) =>
        room > 9 * longest + 12 ? `${best.series}\n${lead(best)}` : lead(best);
      return {
        ...slanted(across.map(String), look.width, "x"),
        marginLeft: left,
        x: { domain: across, label: x, type: "band", padding: 0 },
        y: { domain: up, label: y, type: "band", padding: 0 },
        marks: [
          Plot.cell(squares, { x, y, fill: "series", fillOpacity: 0.35, inset: 1 }),
          Plot.text(squares, { x, y, text, fill: "currentColor" }),
          Plot.tip(squares, Plot.pointer({ x, y, title: words })),
        ],
      };
    },
  };
}

/** The axes along and up the map: the chosen ones, else the first two. */
export function mapped(
  { x, y }: Choice,
  axes: Map<string, unknown>,
): [string | undefined, string | undefined] {
  const names = [...axes.keys()];
  const along = axes.has(x) ? x : names.find((name) => name !== y);
  const up = axes.has(y) && y !== along ? y : names.find((name) => name !== along);
  return [along, up];
}

/** Returns the best row of each square, with the best of the others as `second` and `behind`. */
function bests(rows: Row[], [x, y, metric]: [string, string, string], better: string): Row[] {
  const squares = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify([row[x], row[y]]);
    squares.set(key, [...(squares.get(key) ?? []), row]);
  }
  const sign = better === "lower" ? 1 : -1;
  return [...squares.values()].map((all) => {
    const [best, next] = all.sort((a, b) => sign * (Number(a[metric]) - Number(b[metric])));
    return { ...best!, second: next?.series, behind: next?.[metric] };
  });
}
