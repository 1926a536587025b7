// Charts of the plan's points: means over seeds against a swept value.

import * as Plot from "@observablehq/plot";
import type { Point } from "schedscope";
import { slanted } from "../charts/axes";
import type { Look, Row, Spec } from "../charts/chart";
import {
  allResults,
  type Choice,
  caption,
  type Found,
  isNumeric,
  metricName,
  nameOf,
  scale,
  show,
  unfinished,
  varying,
} from "./kinds";

/** Returns a metric against a swept value. */
export function curve(found: Found, { metric, x, logX, logY, at }: Choice): Spec {
  const { points } = found;
  const axes = varying(points);
  const names = [...axes.keys()].filter(
    (name) => name !== x && !(x.includes(".") && name === "load") && at[name] === undefined,
  );
  // A figure can be an axis too: waits against the utilisation that they cost.
  const isFigure = x.includes(".");
  const across = (point: Point) =>
    x === "load"
      ? point.offered_load
      : isFigure
        ? (point.figures[x]?.mean ?? Number.NaN)
        : point.axes[x]!;
  const order = (one: Point, other: Point) =>
    Number(one.axes.load ?? 0) - Number(other.axes.load ?? 0);
  const chosen = points
    .filter((point) => Object.entries(at).every(([name, value]) => point.axes[name] === value))
    .sort(isFigure ? order : () => 0);
  const rows: Row[] = chosen.flatMap((point) => {
    const value = point.figures[metric];
    if (!value) return [];
    return [
      {
        series: nameOf(point.axes, names.length > 0 ? names : ["policy"]),
        [x]: across(point),
        [metric]: value.mean,
        ci95: value.ci95 ?? undefined,
        runs: point.cells.length,
        cell: point.cells[0],
      },
    ];
  });
  const interval = rows.some((row) => row.ci95 !== undefined)
    ? rows.some((row) => Number(row.runs) > 1)
      ? " Bands: 95 % confidence over seeds (Student)."
      : " Bands: 95 % confidence by batch means."
    : "";
  return chart(rows, {
    title: `${metricName(metric)} against ${isFigure ? metricName(x).toLowerCase() : x}${Object.entries(
      at,
    )
      .map(([name, value]) => `, ${name} ${value}`)
      .join("")}`,
    x,
    y: metric,
    logX,
    logY,
    caption: caption(found, allResults(found), interval + unfinished(found)),
    numeric: isFigure || isNumeric(axes.get(x)),
    extra: ["ci95", "runs"],
  });
}

/** Returns differences from the first policy. */
export function differences(found: Found, { metric, x, logX }: Choice): Spec | string {
  const pairs = found.differences;
  if (pairs.length === 0) return "A difference needs two policies on the same jobs.";
  const axes = varying(pairs);
  const points = new Map(found.points.map((point) => [JSON.stringify(point.axes), point]));
  const names = [...axes.keys()].filter((name) => name !== x);
  const rows: Row[] = pairs.flatMap((difference) => {
    const value = difference.figures[metric];
    const point = points.get(JSON.stringify(difference.axes));
    if (!value) return [];
    const across = x === "load" && point ? point.offered_load : difference.axes[x]!;
    return [
      {
        series: nameOf(difference.axes, names.length > 0 ? names : ["policy"]),
        [x]: across,
        [metric]: value.mean,
        ci95: value.ci95 ?? undefined,
        pairs: difference.pairs,
        cell: point?.cells[0],
      },
    ];
  });
  const more = ` Minus ${pairs[0]!.baseline}, on the same jobs; bands: 95 % confidence of the difference.`;
  const made = chart(rows, {
    title: `${metricName(metric)}: difference from ${pairs[0]!.baseline}`,
    x,
    y: metric,
    logX,
    logY: false,
    caption: caption(found, allResults(found), more + unfinished(found)),
    numeric: isNumeric(axes.get(x)),
    extra: ["ci95", "pairs"],
    zero: true,
  });
  // Each policy keeps its colour from the other charts.
  const all = [
    ...new Set(
      found.points.map((point) => nameOf(point.axes, names.length > 0 ? names : ["policy"])),
    ),
  ];
  return { ...made, palette: made.series.every((name) => all.includes(name)) ? all : made.series };
}

interface Content {
  title: string;
  x: string;
  y: string;
  logX: boolean | undefined;
  logY: boolean | undefined;
  caption: string;
  numeric: boolean;
  extra: string[];
  zero?: boolean;
}

/** Returns lines with bands if the values along the chart are numbers, else bars with whiskers. */
function chart(
  rows: Row[],
  { title, x, y, logX, logY, caption, numeric, extra, zero }: Content,
): Spec {
  const series = [...new Set(rows.map((row) => String(row.series)))];
  const low = (row: Row) => Number(row[y]) - Number(row.ci95 ?? 0);
  const high = (row: Row) => Number(row[y]) + Number(row.ci95 ?? 0);
  // A logarithmic band that reaches zero ends below all values.
  const least = Math.min(...rows.map((row) => Number(row[y])));
  const floor = least > 0 ? least / 2 : 0;
  const lines = (shown: Row[], look: Look): Plot.PlotOptions => ({
    x: scale(
      logX,
      x === "load" ? "offered load" : x.includes(".") ? metricName(x) : x,
      shown.map((row) => Number(row[x])),
    ),
    y: scale(
      logY,
      zero ? `difference of ${metricName(y)}` : metricName(y),
      shown.map((row) => Number(row[y])),
    ),
    marks: [
      ...(zero ? [Plot.ruleY([0])] : []),
      ...look.shown.flatMap((name) => {
        const own = shown
          .filter((row) => row.series === name)
          .sort((a, b) => Number(a[x]) - Number(b[x]));
        return [
          Plot.areaY(own, {
            x,
            y1: (row: Row) => (logY && low(row) <= 0 ? floor : low(row)),
            y2: high,
            fill: look.colour(name),
            fillOpacity: 0.16,
          }),
          Plot.line(own, {
            x,
            y,
            stroke: look.colour(name),
            strokeWidth: 2,
            strokeDasharray: look.dash(name),
          }),
          Plot.dot(own, {
            x,
            y,
            stroke: look.colour(name),
            fill: look.colour(name),
            symbol: look.symbol(name),
            r: 3.5,
          }),
        ];
      }),
      Plot.tip(
        shown,
        Plot.pointer({
          x,
          y,
          title: (row: Row) =>
            `${row.series}\n${x} ${show(row[x])}\n${metricName(y)} ${show(row[y])}${row.ci95 === undefined ? "" : ` ± ${show(row.ci95)}`}`,
        }),
      ),
    ],
  });
  const isAlone = rows.every((row) => row.series === row[x]);
  const bars = (shown: Row[], look: Look): Plot.PlotOptions => {
    const across = isAlone ? { x: "series" } : { fx: (row: Row) => String(row[x]), x: "series" };
    return {
      ...(isAlone
        ? slanted(look.shown, look.width, "x")
        : {
            ...slanted([...new Set(shown.map((row) => String(row[x])))], look.width, "fx"),
            x: { domain: look.shown, axis: null },
          }),
      y: {
        ...scale(logY, zero ? `difference of ${metricName(y)}` : metricName(y), [
          0,
          ...shown.map((row) => Number(row[y])),
        ]),
      },
      marks: [
        Plot.barY(shown, { ...across, y, fill: "series" }),
        Plot.ruleX(
          shown.filter((row) => row.ci95 !== undefined),
          { ...across, y1: low, y2: high, strokeWidth: 1.5 },
        ),
        Plot.ruleY([0]),
        Plot.tip(
          shown,
          Plot.pointerX({
            ...across,
            y,
            title: (row: Row) =>
              `${row.series}\n${metricName(y)} ${show(row[y])}${row.ci95 === undefined ? "" : ` ± ${show(row.ci95)}`}`,
          }),
        ),
      ],
    };
  };
  return {
    title,
    caption,
    series,
    rows,
    columns: ["series", ...(x === "series" ? [] : [x]), y, ...extra],
    ...(numeric ? { free: { x: [x], ...(zero ? {} : { y: [y] }) } } : {}),
    plot: numeric ? lines : bars,
  };
}
