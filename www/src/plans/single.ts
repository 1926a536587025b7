// Charts of single runs: distributions, months, classes, jobs, and shares of the capacity.

import * as Plot from "@observablehq/plot";
import { GROUPINGS, leftOf, slanted } from "../charts/axes";
import type { Row, Spec } from "../charts/chart";
import {
  type Choice,
  CLASS_METRICS,
  caption,
  chosen,
  type Drawn,
  type Found,
  JOB_AXES,
  metricName,
  resultOf,
  scale,
  seriesOf,
  show,
  varying,
} from "./kinds";

/** Returns charts of single runs, one for each policy, at chosen values of all other axes. */
export function ofRuns(found: Found, choice: Choice): Spec | string {
  const axes = varying(found.points);
  const series = seriesOf(axes);
  const runs = chosen(choice.at, found.points).flatMap((point) => {
    const result = resultOf(found, point);
    return result ? [{ name: String(point.axes[series]), result }] : [];
  });
  if (runs.length === 0) return "There is no result at these values yet.";
  const place = [...axes.entries()]
    .filter(([name]) => name !== series)
    .map(([name, values]) => `${name} ${choice.at[name] ?? values[0]}`)
    .join(", ");
  const made = build(choice, runs);
  if (typeof made === "string") return made;
  return {
    ...made,
    title: place ? `${made.title} (${place})` : made.title,
    caption: caption(
      found,
      runs.map(({ result }) => result),
      made.caption,
    ),
  };
}

type Runs = { name: string; result: Drawn }[];

function build(choice: Choice, runs: Runs): Spec | string {
  const series = runs.map(({ name }) => name);
  const metric = choice.metric.split(".")[0]!;
  const job = ["wait", "response", "bounded_slowdown"].includes(metric) ? metric : "wait";
  switch (choice.kind) {
    case "distribution":
    case "quantiles":
      return quantiles(choice, runs, series, job);
    case "boxes":
      return boxes(choice, runs, series, job);
    case "months":
    case "monthbars":
    case "classes":
      return classes(choice, runs, series);
    case "scatter":
      return scatter(choice, runs, series);
    default:
      return shares(runs, series);
  }
}

const LACKING = (what: string) =>
  `The plan does not keep ${what}: add it under “Kept of each run”, and run it again.`;

/** The name under which a result has the percentiles of the chosen jobs. */
const halfOf = ({ grouping }: Choice, job: string): string =>
  grouping === "shorter" || grouping === "longer" ? `${job}.${grouping}` : job;

const halfName = ({ grouping }: Choice): string =>
  grouping === "shorter" || grouping === "longer"
    ? `, ${grouping} half of the jobs by run time`
    : "";

function quantiles(choice: Choice, runs: Runs, series: string[], job: string): Spec | string {
  const key = halfOf(choice, job);
  const rows: Row[] = runs.flatMap(({ name, result }) =>
    (result.quantiles?.[key] ?? []).map((value, percent) => ({
      series: name,
      percent,
      [job]: value,
      cell: result.key,
    })),
  );
  if (rows.length === 0) return LACKING("quantiles");
  const isCdf = choice.kind === "distribution";
  const [x, y] = isCdf ? [job, "percent"] : ["percent", job];
  const label = metricName(`${job}.mean`).replace(", mean", "");
  return {
    title:
      (isCdf ? `${label}: share of jobs up to a value` : `${label}: quantiles`) + halfName(choice),
    caption: "",
    series,
    rows,
    columns: ["series", "percent", job],
    free: isCdf ? { x: [job] } : { y: [job] },
    plot: (shown, look) => ({
      x: scale(
        isCdf && choice.logX,
        isCdf ? label : "percent of jobs",
        shown.map((row) => Number(row[x])),
      ),
      y: scale(
        !isCdf && choice.logY,
        isCdf ? "percent of jobs" : label,
        shown.map((row) => Number(row[y])),
      ),
      marks: [
        ...look.shown.map((name) =>
          Plot.line(
            shown.filter((row) => row.series === name),
            {
              x,
              y,
              stroke: look.colour(name),
              strokeWidth: 2,
              strokeDasharray: look.dash(name),
              ...(isCdf ? { curve: "step-after" as const } : {}),
            },
          ),
        ),
        Plot.tip(
          shown,
          Plot.pointer({
            x,
            y,
            title: (row: Row) =>
              `${row.series}\n${row.percent} % of the jobs: up to ${show(row[job])}`,
          }),
        ),
      ],
    }),
  };
}

function boxes(choice: Choice, runs: Runs, series: string[], job: string): Spec | string {
  const rows: Row[] = runs.flatMap(({ name, result }) => {
    const q = result.quantiles?.[halfOf(choice, job)];
    return q && q.length === 101
      ? [
          {
            series: name,
            p5: q[5]!,
            p25: q[25]!,
            median: q[50]!,
            p75: q[75]!,
            p95: q[95]!,
            cell: result.key,
          },
        ]
      : [];
  });
  if (rows.length === 0) return LACKING("quantiles");
  const label = metricName(`${job}.mean`).replace(", mean", "");
  return {
    title: `${label}: box plot${halfName(choice)}`,
    caption: " Boxes: quartiles and median; whiskers: 5 and 95 %.",
    series,
    rows,
    columns: ["series", "p5", "p25", "median", "p75", "p95"],
    free: { y: ["p5", "p95"] },
    plot: (shown, look) => ({
      x: { label: null, domain: look.shown },
      y: scale(
        choice.logY,
        label,
        shown.flatMap((row) => [Number(row.p5), Number(row.p95)]),
      ),
      marks: [
        Plot.ruleX(shown, { x: "series", y1: "p5", y2: "p95", stroke: "currentColor" }),
        Plot.barY(shown, {
          x: "series",
          y1: "p25",
          y2: "p75",
          fill: "series",
          insetLeft: 12,
          insetRight: 12,
        }),
        Plot.tickY(shown, {
          x: "series",
          y: "median",
          stroke: "currentColor",
          strokeWidth: 2,
          insetLeft: 12,
          insetRight: 12,
        }),
        Plot.tip(
          shown,
          Plot.pointerX({
            x: "series",
            y: "median",
            title: (row: Row) =>
              `${row.series}\nmedian ${show(row.median)}\nquartiles ${show(row.p25)} to ${show(row.p75)}`,
          }),
        ),
      ],
    }),
  };
}

function classes(choice: Choice, runs: Runs, series: string[]): Spec | string {
  const metric = CLASS_METRICS.includes(choice.metric) ? choice.metric : "wait.mean";
  const isMonths = choice.kind !== "classes";
  const what = isMonths ? "month" : choice.grouping in GROUPINGS ? choice.grouping : "size";
  const rows: Row[] = runs.flatMap(({ name, result }) =>
    (isMonths ? (result.months ?? []) : (result.classes?.[what] ?? [])).map((group) => ({
      series: name,
      [what]: group.name,
      jobs: group.jobs,
      [metric]: metric === "jobs" || metric === "work" ? group[metric] : group.figures[metric],
      cell: result.key,
    })),
  );
  if (rows.length === 0) return LACKING(isMonths ? "months" : "classes");
  const names = [...new Set(rows.map((row) => row[what]))] as string[];
  const title = (row: Row) =>
    `${row.series}, ${row[what]}\n${metricName(metric)} ${show(row[metric])}\n${show(row.jobs)} jobs`;
  const common = { caption: "", rows, columns: [...new Set(["series", what, "jobs", metric])] };
  if (choice.kind === "months")
    return {
      ...common,
      title: `${metricName(metric)} by month`,
      series: [],
      free: { y: [metric] },
      height: 60 + 34 * series.length + 60,
      plot: (shown) => ({
        marginLeft: leftOf(series),
        marginBottom: 70,
        padding: 0,
        x: { domain: names, label: null, tickRotate: -45 },
        y: { domain: series, label: null },
        color: {
          ...scale(
            choice.logY,
            metricName(metric),
            shown.map((row) => Number(row[metric])),
          ),
          scheme: "cividis",
          legend: true,
        },
        marks: [
          Plot.cell(shown, { x: what, y: "series", fill: metric, inset: 0.5 }),
          Plot.tip(shown, Plot.pointer({ x: what, y: "series", title })),
        ],
      }),
    };
  return {
    ...common,
    title: `${metricName(metric)} by ${what.replace("_", " ")}`,
    series,
    plot: (shown, look) => ({
      ...slanted(names, look.width, "fx"),
      x: { axis: null, domain: look.shown },
      y: scale(choice.logY, metricName(metric), [0, ...shown.map((row) => Number(row[metric]))]),
      marks: [
        Plot.barY(shown, { fx: what, x: "series", y: metric, fill: "series" }),
        Plot.ruleY([0]),
        Plot.tip(shown, Plot.pointerX({ fx: what, x: "series", y: metric, title })),
      ],
    }),
  };
}

function scatter(choice: Choice, runs: Runs, series: string[]): Spec | string {
  const x = choice.jobX;
  const y = choice.metric.startsWith("bounded_slowdown") ? "bounded_slowdown" : "wait";
  const rows: Row[] = runs.flatMap(({ name, result }) =>
    (result.sample ?? []).map((job) => ({ series: name, ...job, cell: result.key })),
  );
  if (rows.length === 0) return LACKING("jobs");
  const label = y === "wait" ? "Wait (s)" : "Bounded slowdown";
  return {
    title: `${label.replace(" (s)", "")} against ${JOB_AXES[x as keyof typeof JOB_AXES].replace(" (s)", "").toLowerCase()}`,
    caption: " Up to 1,000 jobs of each run, evenly drawn.",
    series,
    rows,
    columns: [
      "series",
      "number",
      "submitted",
      "processors",
      "estimate",
      "runtime",
      "wait",
      "bounded_slowdown",
    ],
    free: { x: [x], y: [y] },
    // Policies stand side by side: where they agree, the last one would hide the others.
    plot: (shown, look) => ({
      ...slanted(look.shown, look.width, "fx"),
      x: {
        ...scale(
          choice.logX,
          JOB_AXES[x as keyof typeof JOB_AXES],
          shown.map((row) => Number(row[x])),
        ),
        tickFormat: "~s",
        ...(choice.logX ? {} : { ticks: look.width / look.shown.length < 180 ? 2 : 4 }),
      },
      y: scale(
        choice.logY,
        label,
        shown.map((row) => Number(row[y])),
      ),
      marks: [
        Plot.frame({ strokeOpacity: 0.2 }),
        ...look.shown.map((name) =>
          Plot.dot(
            shown.filter((row) => row.series === name),
            {
              fx: "series",
              x,
              y,
              stroke: look.colour(name),
              strokeOpacity: 0.75,
              symbol: look.symbol(name),
              r: 2.5,
            },
          ),
        ),
        Plot.tip(
          shown,
          Plot.pointer({
            fx: "series",
            x,
            y,
            title: (row: Row) =>
              `${row.series}, job ${row.number}\n${show(row.processors)} processors, waited ${show(row.wait)} s`,
          }),
        ),
      ],
    }),
  };
}

const SHARES = {
  utilisation: "used",
  lost: "lost (free while jobs waited)",
  unused: "unused (no job waited)",
};

function shares(runs: Runs, names: string[]): Spec {
  const rows: Row[] = runs.flatMap(({ name, result }) =>
    Object.entries(SHARES).map(([id, what]) => ({
      policy: name,
      series: what,
      share: result.figures[`${id}.value`],
      cell: result.key,
    })),
  );
  return {
    title: "Where the capacity went",
    caption: "",
    series: Object.values(SHARES),
    rows,
    columns: ["policy", "series", "share"],
    height: 60 + 40 * names.length,
    plot: (shown) => ({
      marginLeft: leftOf(names),
      x: { label: "share of the capacity (%)", percent: true, grid: true },
      y: { label: null, domain: names },
      marks: [
        Plot.barX(
          shown,
          Plot.stackX({
            y: "policy",
            x: "share",
            z: "series",
            fill: "series",
            order: Object.values(SHARES),
          }),
        ),
        Plot.tip(
          shown,
          Plot.pointerY(
            Plot.stackX({
              y: "policy",
              x: "share",
              z: "series",
              order: Object.values(SHARES),
              title: (row: Row) =>
                `${row.policy}: ${row.series}\n${(100 * Number(row.share)).toFixed(1)} %`,
            }),
          ),
        ),
      ],
    }),
  };
}
