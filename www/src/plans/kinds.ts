// The kinds of charts: from a plan's results to rows, marks and scales.

import * as Plot from "@observablehq/plot";
import type { CellResult, Point } from "schedscope";
import { GROUPINGS, leftOf, slanted } from "../charts/axes";
import type { Look, Row, Spec } from "../charts/chart";
import { symbolOf } from "../format/metric";
import { count } from "../format/words";
import * as s from "../state";
import * as plans from "./plans";

export const KINDS = {
  curve: "Metric against a swept value",
  differences: "Difference from the first policy",
  distribution: "Distribution (CDF)",
  quantiles: "Quantiles",
  boxes: "Box plot",
  months: "Months, as a heat map",
  monthbars: "Months, as bars",
  classes: "By class of jobs",
  scatter: "Jobs, one by one",
  shares: "Where the capacity went",
} as const;

export type Kind = keyof typeof KINDS;

export interface Choice {
  kind: Kind;
  /** Figure, such as `wait.mean`. */
  metric: string;
  /** The axis of the plan along the chart. */
  x: string;
  /** Values of the other axes for a chart of single runs. */
  at: Record<string, string>;
  grouping: string;
  jobX: string;
  logX: boolean;
  logY: boolean;
}

type Axes = Record<string, string | number>;

/** Axes of the plan's points that have several values, each with its values. */
export function varying(points: { axes: Axes }[]): Map<string, (string | number)[]> {
  const found = new Map<string, (string | number)[]>();
  for (const name of Object.keys(points[0]?.axes ?? {})) {
    const values = [...new Set(points.map((point) => point.axes[name]!))];
    if (values.length > 1) found.set(name, values);
  }
  return found;
}

export const isNumeric = (values: (string | number)[] | undefined): boolean =>
  values?.every((value) => typeof value === "number") ?? false;

/**
 * Returns the default axis along the chart: the load, else the first number with several values,
 * else the policy.
 */
export function usualX(points: Point[]): string {
  const axes = varying(points);
  if (axes.has("load")) return "load";
  return [...axes.keys()].find((name) => isNumeric(axes.get(name))) ?? "policy";
}

export const metricName = (key: string): string => {
  const [id, figure] = key.split(".");
  const { metrics = [], monthly = [] } = s.catalog.value ?? {};
  const spec = [...metrics, ...monthly].find((spec) => spec.id === id);
  if (!spec) return key;
  const unit = symbolOf(spec, figure ?? "");
  return `${spec.name}${figure === "value" ? "" : `, ${figure}`}${unit && ` (${unit})`}`;
};

const nameOf = (axes: Axes, names: string[]): string =>
  names
    .map((name) =>
      name === "policy" || name === "workload" || name === "machine"
        ? String(axes[name])
        : `${name} ${axes[name]}`,
    )
    .join(", ");

/** Metrics that each kind of chart can show; undefined allows any. */
export function metricsOf(kind: Kind): string[] | undefined {
  if (["months", "monthbars", "classes"].includes(kind)) return CLASS_METRICS;
  if (["distribution", "quantiles", "boxes"].includes(kind))
    return ["wait.mean", "response.mean", "bounded_slowdown.mean"];
  return kind === "scatter" ? ["wait.mean", "bounded_slowdown.mean"] : undefined;
}

/** Returns the origin of the figures. */
function caption(results: CellResult[], more = ""): string {
  const traces = [...new Map(results.map((result) => [result.sha256, result.trace])).entries()];
  const named =
    traces
      .slice(0, 3)
      .map(([sha, name]) => `${name} (sha256 ${sha.slice(0, 12)})`)
      .join("; ") + (traces.length > 3 ? ` and ${traces.length - 3} more` : "");
  const keys = new Set(results.map((result) => result.key));
  const cells = plans.facts.value?.cells ?? [];
  const seeds = [
    ...new Set(
      cells
        .filter((cell) => keys.has(cell.key))
        .flatMap((cell) => cell.source.model?.settings?.seed ?? cell.axes.seed ?? []),
    ),
  ]
    .map(Number)
    .sort((a, b) => a - b);
  const isRow =
    seeds.length > 2 && seeds.every((seed, at) => at === 0 || seed === seeds[at - 1]! + 1);
  const usual = cells.some((cell) => cell.source.model) ? " Seed 1." : "";
  const seeded =
    seeds.length === 0
      ? usual
      : seeds.length === 1
        ? ` Seed ${seeds[0]}.`
        : isRow
          ? ` Seeds ${seeds[0]} to ${seeds.at(-1)}.`
          : ` Seeds ${seeds.join(", ")}.`;
  return `${named}.${seeded}${more} Schedscope ${results[0]?.version ?? ""}.`;
}

/**
 * Returns a scale: logarithmic if all values are above 0; else symmetric, so that zeros stay, with
 * decades as ticks.
 */
function scale(log: boolean, label: string, values: number[]): Plot.ScaleOptions {
  const known = values.filter(Number.isFinite);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  if (!log || known.length === 0 || most <= 0) return { label, grid: true };
  if (least > 0)
    return { type: "log", label, grid: true, ...(most / least > 10 ? { tickFormat: "~s" } : {}) };
  const smallest = Math.min(...known.filter((value) => value > 0));
  const constant = 10 ** Math.floor(Math.log10(smallest));
  const decades = Array.from(
    { length: Math.max(1, Math.floor(Math.log10(most / constant)) + 1) },
    (_, at) => constant * 10 ** at,
  );
  return {
    type: "symlog",
    constant,
    label,
    grid: true,
    ticks: [0, ...decades],
    tickFormat: "~s",
  } as Plot.ScaleOptions;
}

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

const resultOf = (point: { cells: string[] }): CellResult | undefined =>
  plans.results.value.get(point.cells[0] ?? "");

const allResults = (): CellResult[] => {
  const missing = new Set(plans.missingCells.value.map((cell) => cell.key));
  return [...plans.results.value.values()].filter((result) => !missing.has(result.key));
};

/** Note on charts that lack some results. */
const unfinished = (): string => {
  const [missing, all] = [plans.missingCells.value.length, plans.uniqueCells.value.length];
  return missing > 0 ? ` ${all - missing} of ${all} cells.` : "";
};

function curve({ metric, x, logX, logY, at }: Choice, points: Point[]): Spec {
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
    caption: caption(allResults(), interval + unfinished()),
    numeric: isFigure || isNumeric(axes.get(x)),
    extra: ["ci95", "runs"],
  });
}

function differences({ metric, x, logX }: Choice): Spec | string {
  const found = plans.analysis.value?.differences ?? [];
  if (found.length === 0) return "A difference needs two policies on the same jobs.";
  const axes = varying(found);
  const points = new Map(
    (plans.analysis.value?.points ?? []).map((point) => [JSON.stringify(point.axes), point]),
  );
  const names = [...axes.keys()].filter((name) => name !== x);
  const rows: Row[] = found.flatMap((difference) => {
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
  const more = ` Minus ${found[0]!.baseline}, on the same jobs; bands: 95 % confidence of the difference.`;
  const made = chart(rows, {
    title: `${metricName(metric)}: difference from ${found[0]!.baseline}`,
    x,
    y: metric,
    logX,
    logY: false,
    caption: caption(allResults(), more + unfinished()),
    numeric: isNumeric(axes.get(x)),
    extra: ["ci95", "pairs"],
    zero: true,
  });
  // Each policy keeps its colour from the other charts.
  const all = [
    ...new Set(
      (plans.analysis.value?.points ?? []).map((point) =>
        nameOf(point.axes, names.length > 0 ? names : ["policy"]),
      ),
    ),
  ];
  return { ...made, palette: made.series.every((name) => all.includes(name)) ? all : made.series };
}

interface Drawn {
  title: string;
  x: string;
  y: string;
  logX: boolean;
  logY: boolean;
  caption: string;
  numeric: boolean;
  extra: string[];
  zero?: boolean;
}

/** Returns lines with bands if the values along the chart are numbers, else bars with whiskers. */
function chart(
  rows: Row[],
  { title, x, y, logX, logY, caption, numeric, extra, zero }: Drawn,
): Spec {
  const series = [...new Set(rows.map((row) => String(row.series)))];
  const low = (row: Row) => Number(row[y]) - Number(row.ci95 ?? 0);
  const high = (row: Row) => Number(row[y]) + Number(row.ci95 ?? 0);
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
            y1: (row: Row) => (logY ? Math.max(0, low(row)) : low(row)),
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
    plot: numeric ? lines : bars,
  };
}

const show = (value: Row[string]): string =>
  typeof value === "number"
    ? Number.isInteger(value)
      ? count(value)
      : value.toPrecision(5)
    : String(value ?? "");

/** The series of charts of single runs: policies, or machines under one policy. */
export const seriesOf = (axes: Map<string, (string | number)[]>): string =>
  !axes.has("policy") && axes.has("machine") ? "machine" : "policy";

/** Returns charts of single runs, one for each policy, at chosen values of all other axes. */
function ofRuns(choice: Choice, points: Point[]): Spec | string {
  const axes = varying(points);
  const series = seriesOf(axes);
  const chosen = points.filter((point) =>
    [...axes.entries()].every(
      ([name, values]) =>
        name === series || String(point.axes[name]) === (choice.at[name] ?? String(values[0])),
    ),
  );
  const runs = chosen.flatMap((point) => {
    const result = resultOf(point);
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
      runs.map(({ result }) => result),
      made.caption,
    ),
  };
}

type Runs = { name: string; result: CellResult }[];

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

/** Figures that results keep for classes and months. */
const CLASS_METRICS = ["wait.mean", "wait.median", "response.mean", "bounded_slowdown.mean"];

/** Groups of jobs that a distribution can show. */
export const HALVES = {
  all: "All",
  shorter: "The shorter half, by run time",
  longer: "The longer half",
};

function classes(choice: Choice, runs: Runs, series: string[]): Spec | string {
  const metric = CLASS_METRICS.includes(choice.metric) ? choice.metric : "wait.mean";
  const isMonths = choice.kind !== "classes";
  const what = isMonths ? "month" : choice.grouping in GROUPINGS ? choice.grouping : "size";
  const rows: Row[] = runs.flatMap(({ name, result }) =>
    (isMonths ? (result.months ?? []) : (result.classes?.[what] ?? [])).map((group) => ({
      series: name,
      [what]: group.name,
      jobs: group.jobs,
      [metric]: group.figures[metric],
      cell: result.key,
    })),
  );
  if (rows.length === 0) return LACKING(isMonths ? "months" : "classes");
  const names = [...new Set(rows.map((row) => row[what]))] as string[];
  const title = (row: Row) =>
    `${row.series}, ${row[what]}\n${metricName(metric)} ${show(row[metric])}\n${show(row.jobs)} jobs`;
  const common = { caption: "", rows, columns: ["series", what, "jobs", metric] };
  if (choice.kind === "months")
    return {
      ...common,
      title: `${metricName(metric)} by month`,
      series: [],
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

export const JOB_AXES = {
  submitted: "Arrival (s)",
  processors: "Requested processors",
  estimate: "Estimate (s)",
  runtime: "Run time (s)",
};

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
