// The figures that the metrics table shows, and its order.
import { signal } from "@preact/signals";
import type { MetricSpec } from "schedscope";
import type { Table } from "../files/table";
import { metric, symbolOf } from "../format/metric";
import { nameOf } from "../runs/name";
import * as s from "../state";

/** The columns of the short table. */
const SHORT = [
  "wait.mean",
  "wait.median",
  "wait.p95",
  "bounded_slowdown.mean",
  "utilisation.value",
  "lost.value",
  "queue.mean",
  "makespan.value",
  "unfairness.mean",
];

export interface Column {
  key: string;
  spec: MetricSpec;
  name: string;
  figure: string;
}

/** Returns the columns that the table shows. */
export function columns(): Column[] {
  const keys = isWhole.value ? undefined : SHORT;
  const all = (s.catalog.value?.metrics ?? []).flatMap((spec) =>
    spec.figures.map((name) => ({
      key: `${spec.id}.${name}`,
      spec,
      figure: name,
      name: name === "value" ? spec.name : `${spec.name}, ${name}`,
    })),
  );
  return keys ? keys.flatMap((key) => all.filter((column) => column.key === key)) : all;
}

const own = {
  /** True if the table has all figures. */
  isWhole: signal(false),
  /** The column that orders the runs, if the reader chose one. */
  sort: signal<{ key: string; descending: boolean } | undefined>(undefined),
};
export const { isWhole, sort }: s.Seen<typeof own> = own;

export function showWhole(isWanted: boolean): void {
  own.isWhole.value = isWanted;
}

/** Orders the runs by a column: upwards, downwards, and no longer. */
export function orderBy(key: string): void {
  own.sort.value =
    sort.value?.key === key
      ? sort.value.descending
        ? undefined
        : { key, descending: true }
      : { key, descending: false };
}

export const value = (lane: s.Lane, key: string): number | undefined => lane.result?.figures[key];

const compare = (a: number | undefined, b: number | undefined): number =>
  (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY);

/** Returns the runs in the order of the table. */
export function sorted(): { lane: s.Lane; index: number }[] {
  const lanes = s.lanes.value.map((lane, index) => ({ lane, index }));
  const by = sort.value;
  return by
    ? lanes.sort(
        (x, y) => compare(value(x.lane, by.key), value(y.lane, by.key)) * (by.descending ? -1 : 1),
      )
    : lanes;
}

/** Returns the table for a file. */
export function table(): Table {
  const shown = columns();
  return {
    title: "Metrics",
    head: ["run", "policy", ...shown.map((column) => column.key)],
    rows: sorted().map(({ lane, index }) => [
      s.letter(index),
      nameOf(lane),
      ...shown.map((column) => value(lane, column.key)),
    ]),
    words: 2,
  };
}

/** Returns the figures for a reader on paper: a row for each figure, with its unit, and a column for each run. */
export function readable(): Table {
  const runs = sorted();
  return {
    title: "Figures",
    head: ["", ...runs.map(({ index }) => s.letter(index))],
    rows: columns().map(({ key, spec, figure, name }) => {
      const unit = symbolOf(spec, figure);
      return [
        unit ? `${name} (${unit})` : name,
        ...runs.map(({ lane }) => metric(spec, figure, value(lane, key))),
      ];
    }),
  };
}
