// The kinds of charts of a plan's results: what a reader can choose, and what all kinds share.

import type * as Plot from "@observablehq/plot";
import type { Analysis, CellResult, Point } from "schedscope";
import type { Row } from "../charts/chart";
import { symbolOf } from "../format/metric";
import { count } from "../format/words";
import * as s from "../state";

export const KINDS = {
  curve: "Metric against a swept value",
  differences: "Difference from the first policy",
  map: "Best policy over two values, as a map",
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
  /** The axis of the plan up a map. */
  y: string;
  /** Values of the other axes for maps and for charts of single runs. */
  at: Record<string, string>;
  grouping: string;
  jobX: string;
  /** Logarithmic axes. Undefined: the values decide. */
  logX?: boolean;
  logY?: boolean;
}

/** The parts of a result that charts draw. */
export type Drawn = Pick<
  CellResult,
  "key" | "version" | "trace" | "sha256" | "figures" | "months" | "classes" | "quantiles" | "sample"
>;

/** The results of a plan, as charts and tables show them. */
export interface Found extends Analysis {
  /** Results of the finished cells, by key. */
  results: ReadonlyMap<string, Drawn>;
  /** Seeds of the cells that have one, by key. */
  seeds: ReadonlyMap<string, number>;
  /** Number of experiments in the plan. Several cells can be one experiment. */
  all: number;
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

/** The figure of a whole sweep of loads. */
export const SATURATION = "saturation.crossing";

/** Figures of a class of jobs, or of a sweep of loads, that are no metrics of a run. */
const OF_CLASSES = {
  jobs: "Jobs",
  work: "Work (processor-seconds)",
  [SATURATION]: "Saturation: offered load",
};

export const metricName = (key: string): string => {
  if (key in OF_CLASSES) return OF_CLASSES[key as keyof typeof OF_CLASSES];
  const [id, figure] = key.split(".");
  const { metrics = [], monthly = [] } = s.catalog.value ?? {};
  const spec = [...metrics, ...monthly].find((spec) => spec.id === id);
  if (!spec) return key;
  const unit = symbolOf(spec, figure ?? "");
  return `${spec.name}${figure === "value" ? "" : `, ${figure}`}${unit && ` (${unit})`}`;
};

export const nameOf = (axes: Axes, names: string[]): string =>
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
export function caption(found: Found, results: Drawn[], more = ""): string {
  const traces = [...new Map(results.map((result) => [result.sha256, result.trace])).entries()];
  const named =
    traces
      .slice(0, 3)
      .map(([sha, name]) => `${name} (sha256 ${sha.slice(0, 12)})`)
      .join("; ") + (traces.length > 3 ? ` and ${traces.length - 3} more` : "");
  const seeds = [...new Set(results.flatMap(({ key }) => found.seeds.get(key) ?? []))].sort(
    (a, b) => a - b,
  );
  const isRow =
    seeds.length > 2 && seeds.every((seed, at) => at === 0 || seed === seeds[at - 1]! + 1);
  const seeded =
    seeds.length === 0
      ? ""
      : seeds.length === 1
        ? ` Seed ${seeds[0]}.`
        : isRow
          ? ` Seeds ${seeds[0]} to ${seeds.at(-1)}.`
          : ` Seeds ${seeds.join(", ")}.`;
  return `${named}.${seeded}${more} Schedscope ${results[0]?.version ?? ""}.`;
}

/** Ratio of the largest value to the smallest from which an axis is logarithmic by itself. */
const WIDE = 50;

/** True if values lie so far apart that a linear axis would draw most of them as one line. */
export function areWide(values: number[]): boolean {
  const known = values.filter(Number.isFinite);
  const least = Math.min(...known);
  return known.length > 0 && least > 0 && Math.max(...known) >= WIDE * least;
}

/** Numbers from here on are too long for the margin of a chart, unless they have a prefix such as k. */
const LONG = 100_000;

/**
 * Returns a scale: logarithmic if all values are above 0; else symmetric, so that zeros stay, with
 * decades as ticks.
 */
export function scale(log: boolean | undefined, name: string, values: number[]): Plot.ScaleOptions {
  const known = values.filter(Number.isFinite);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  if (!log || known.length === 0 || most <= 0)
    return { label: name, grid: true, ...(most >= LONG ? { tickFormat: "~s" } : {}) };
  const label = `${name}, log scale`;
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

export const resultOf = (found: Found, point: { cells: string[] }): Drawn | undefined =>
  found.results.get(point.cells[0] ?? "");

export const allResults = (found: Found): Drawn[] => [...found.results.values()];

/** Note on charts that lack some results. */
export const unfinished = ({ results, all }: Found): string =>
  results.size < all ? ` ${results.size} of ${all} cells.` : "";

/** The points of a chart of single runs: one for each policy, at chosen values of all other axes. */
export function chosen(at: Choice["at"], points: Point[]): Point[] {
  const axes = varying(points);
  const series = seriesOf(axes);
  return points.filter((point) =>
    [...axes.entries()].every(
      ([name, values]) =>
        name === series || String(point.axes[name]) === (at[name] ?? String(values[0])),
    ),
  );
}

export const show = (value: Row[string]): string =>
  typeof value === "number"
    ? Number.isInteger(value)
      ? count(value)
      : value.toPrecision(5)
    : String(value ?? "");

/** The series of charts of single runs: policies, or machines under one policy. */
export const seriesOf = (axes: Map<string, (string | number)[]>): string =>
  !axes.has("policy") && axes.has("machine") ? "machine" : "policy";

/** Groups of jobs that a distribution can show. */
export const HALVES = {
  all: "All",
  shorter: "The shorter half, by run time",
  longer: "The longer half",
};

export const JOB_AXES = {
  submitted: "Arrival (s)",
  processors: "Requested processors",
  estimate: "Estimate (s)",
  runtime: "Run time (s)",
};

/** Figures that results keep for classes and months. */
export const CLASS_METRICS = [
  "wait.mean",
  "wait.median",
  "response.mean",
  "bounded_slowdown.mean",
  "jobs",
  "work",
];
