// Takes out of the files of `schedscope sweep` what a card shows, for the site to store.

import type { Analysis, CellResult, Interval } from "schedscope";
import type { Card } from "../src/papers/printed";
import type { Stored } from "../src/papers/stored";
import { chosen } from "../src/plans/kinds";

type StoredCell = Stored["cells"][number];

/** The figures of a plan that names none. */
const USUAL = ["wait.mean", "bounded_slowdown.mean", "utilisation.value"];

/** Figures of the chart of shares. */
const SHARES = ["utilisation.value", "lost.value", "unused.value"];

/** The part of a result that a chart of single runs draws. */
const PARTS = {
  distribution: "quantiles",
  quantiles: "quantiles",
  boxes: "quantiles",
  months: "months",
  monthbars: "months",
  classes: "classes",
  scatter: "sample",
  shares: "figures",
} as const;

/** Returns a number with nine digits: more than any page shows. */
const short = (value: number): number => Number(value.toPrecision(9));

const some = <T>(from: Record<string, T>, keys: Iterable<string>): Record<string, T> =>
  Object.fromEntries([...keys].flatMap((key) => (key in from ? [[key, from[key]!]] : [])));

/** Returns the names of all figures that a card shows as means over runs. */
function shownFigures(card: Card): Set<string> {
  const curves = card.charts.filter(({ kind = "curve" }) => !(kind in PARTS));
  return new Set([
    ...(card.plan.metrics?.length ? card.plan.metrics : USUAL),
    ...card.printed.map(({ figure }) => figure),
    ...curves.flatMap(({ metric = "wait.mean", x = "" }) =>
      x.includes(".") ? [metric, x] : [metric],
    ),
  ]);
}

/** Returns the parts of cells that the card's charts of single runs draw, by key. */
function drawnParts(card: Card, { points }: Analysis): Map<string, Set<string>> {
  const parts = new Map<string, Set<string>>();
  for (const { kind = "curve", at = {}, metric = "wait.mean" } of card.charts) {
    if (!(kind in PARTS)) continue;
    const part = PARTS[kind as keyof typeof PARTS];
    for (const { cells } of chosen(at, points)) {
      const key = cells[0] ?? "";
      const own = parts.get(key) ?? new Set();
      // A chart draws the quantiles of its metric alone.
      own.add(part === "quantiles" ? `quantiles ${metric.split(".")[0]}` : part);
      parts.set(key, own);
    }
  }
  return parts;
}

function cellOf(
  result: CellResult & { seed?: number },
  trace: number,
  parts: Set<string>,
): StoredCell {
  const groups = <T extends { figures: Record<string, number> }>(all: T[]): T[] =>
    all.map((group) => ({
      ...group,
      figures: Object.fromEntries(
        Object.entries(group.figures).map(([key, value]) => [key, short(value)]),
      ),
    }));
  const quantiles = Object.entries(result.quantiles ?? {}).filter(([key]) =>
    parts.has(`quantiles ${key.split(".")[0]}`),
  );
  return {
    key: result.key,
    trace,
    ...(result.seed === undefined ? {} : { seed: result.seed }),
    digest: result.digest,
    ...(parts.has("figures") ? { figures: some(result.figures, SHARES) } : {}),
    ...(parts.has("months") && result.months ? { months: groups(result.months) } : {}),
    ...(parts.has("classes") && result.classes
      ? {
          classes: Object.fromEntries(
            Object.entries(result.classes).map(([name, all]) => [name, groups(all)]),
          ),
        }
      : {}),
    ...(quantiles.length > 0
      ? { quantiles: Object.fromEntries(quantiles.map(([key, all]) => [key, all.map(short)])) }
      : {}),
    ...(parts.has("sample") && result.sample ? { sample: result.sample } : {}),
  };
}

/** Returns of a card's results, with their seeds, what the card shows. */
export function stored(
  card: Card,
  analysis: Analysis,
  results: (CellResult & { seed?: number })[],
): Stored {
  const figures = shownFigures(card);
  const parts = drawnParts(card, analysis);
  const traces = [
    ...new Map(results.map(({ sha256, trace }) => [sha256, [trace, sha256]])).values(),
  ] as [string, string][];
  const means = (all: Record<string, Interval>) =>
    Object.fromEntries(
      Object.entries(some(all, figures)).map(([key, { mean, ci95 }]) => [
        key,
        {
          mean: short(mean),
          ...(ci95 === undefined || ci95 === null ? {} : { ci95: short(ci95) }),
        },
      ]),
    );
  const hasDifferences = card.charts.some(({ kind }) => kind === "differences");
  return {
    schedscope_card: 1,
    version: results[0]!.version,
    engine: results[0]!.engine ?? "",
    traces,
    cells: results.map((result) =>
      cellOf(
        result,
        traces.findIndex(([, sha256]) => sha256 === result.sha256),
        parts.get(result.key) ?? new Set(),
      ),
    ),
    points: analysis.points.map((point) => ({
      ...point,
      offered_load: short(point.offered_load),
      figures: means(point.figures),
    })),
    differences: hasDifferences
      ? analysis.differences.map((one) => ({ ...one, figures: means(one.figures) }))
      : [],
    saturations: card.plan.loads ? analysis.saturations : [],
  };
}

