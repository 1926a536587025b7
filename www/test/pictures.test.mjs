// The data behind pictures and charts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { leftOf, slanted } from "../src/charts/axes.ts";
import { hostAt, hostUnder, layoutOf, podAt } from "../src/machines/fat_tree/layout.ts";
import {
  compactness,
  nodeOf,
  nodes,
  number,
  owners,
  parts,
  rows,
} from "../src/machines/torus/boxes.ts";
import { compare } from "../src/papers/printed.ts";
import { isNumeric, metricName, metricsOf, seriesOf, usualX, varying } from "../src/plans/kinds.ts";
import * as s from "../src/state/index.ts";
import { ticks } from "../src/ui/ticks.ts";
import { CATALOG } from "./fixtures.mjs";

const TORUS = { extent: [4, 4, 8] };

test("a box that wraps is several ones in a picture, and rows of the timeline", () => {
  const box = { at: [3, 0, 0], extent: [2, 1, 1] };
  assert.equal(nodes(TORUS), 128);
  assert.equal(number(TORUS, [1, 2, 3]), 1 + 4 * (2 + 4 * 3));
  assert.deepEqual(
    parts(TORUS, box).map(({ at, extent }) => [...at, ...extent]),
    [
      [3, 0, 0, 1, 1, 1],
      [0, 0, 0, 1, 1, 1],
    ],
  );
  assert.deepEqual(rows(TORUS, box), [
    [0, 1],
    [3, 1],
  ]);
  assert.equal(compactness({ at: [0, 0, 0], extent: [2, 2, 2] }), 1);
});

test("each node knows its job", () => {
  const found = owners(TORUS, {
    residents: [{ box: { at: [0, 0, 0], extent: [4, 1, 1] } }],
    closed: [[2, 3]],
  });
  assert.deepEqual([...found.subarray(0, 6)], [0, 0, 0, 0, -2, -1]);
  assert.deepEqual(
    [0, 5, 127].map((at) => nodeOf(TORUS, at)),
    [
      [0, 0, 0],
      [1, 1, 0],
      [3, 3, 7],
    ],
  );
});

test("hosts of a fat tree are found where they are drawn", () => {
  const layout = layoutOf(16, 600);
  for (let host = 0; host < 16; host += 1) {
    const { left, top } = hostAt(layout, host);
    assert.equal(hostUnder(layout, left + 1, top + 1, 16), host, `host ${host}`);
  }
  assert.notDeepEqual(podAt(layout, 0), podAt(layout, 1));
  assert.equal(hostUnder(layout, -5, -5, 16), undefined);
});

test("ticks are few, at round times, in the trace's own calendar", () => {
  const days = ticks(0, 3 * 86_400, 4, undefined);
  assert.deepEqual(
    days.map(({ label }) => label),
    ["day 1", "day 2", "day 3", "day 4"],
  );
  const labels = (...given) => ticks(...given).map(({ label }) => label);
  assert.deepEqual(labels(0, 20, 4, undefined, 20), ["0 s", "5 s", "10 s", "15 s", "20 s"]);
  // The date is in the first label, and wherever it changes.
  assert.deepEqual(labels(0, 86_400, 5, 43_200), [
    "1 Jan, 12:00",
    "18:00",
    "2 Jan",
    "06:00",
    "12:00",
  ]);
  const at = (text) => Date.parse(`${text}Z`) / 1000;
  const between = (from, to, most) => labels(0, at(to) - at(from), most, at(from));
  assert.deepEqual(between("2023-12-30T00:00", "2024-01-02T12:00", 4), [
    "30 Dec 2023",
    "31 Dec",
    "1 Jan 2024",
    "2 Jan",
  ]);
  // Months begin on their first days, however long they are.
  assert.deepEqual(between("2023-11-20T05:00", "2024-03-05T00:00", 5), [
    "Dec 2023",
    "Jan 2024",
    "Feb",
    "Mar",
  ]);
  assert.deepEqual(between("2023-11-20T05:00", "2026-03-05T00:00", 3), ["2024", "2025", "2026"]);
  const far = 8e12;
  assert.ok(labels(0, 3e11, 6, far).length < 12);
  assert.ok(labels(0, 1e13, 6, far).every((label) => label.startsWith("day ")));
  assert.deepEqual(labels(100_000, 130_000, 4, undefined), ["day 2, 06:00", "12:00"]);
  assert.equal(ticks(0.0001, 0.0099, 20, undefined)[0].label.endsWith(".001"), true);
});

test("names that would run into each other are slanted", () => {
  assert.equal(slanted(["a", "b"], 400, "x").x.tickRotate, 0);
  const tight = slanted(["a long name", "another long name"], 200, "fx");
  assert.equal(tight.fx.tickRotate, -45);
  assert.equal(tight.fx.axis, "bottom");
  assert.ok(tight.marginBottom > 30);
  assert.equal(leftOf(["a".repeat(100)]), 220);
});

const POINTS = [
  { axes: { policy: "fcfs", load: 0.5, seed: 1 } },
  { axes: { policy: "easy", load: 0.7, seed: 1 } },
];

test("what varies among points is drawn across", () => {
  const axes = varying(POINTS);
  assert.deepEqual([...axes.keys()], ["policy", "load"]);
  assert.equal(isNumeric(axes.get("load")), true);
  assert.equal(isNumeric(axes.get("policy")), false);
  assert.equal(usualX(POINTS), "load");
  assert.equal(usualX([{ axes: { policy: "a" } }, { axes: { policy: "b" } }]), "policy");
  assert.equal(seriesOf(axes), "policy");
  assert.equal(seriesOf(new Map([["machine", ["a", "b"]]])), "machine");
});

test("metrics are called as their specs say", () => {
  s.knowCatalog(CATALOG);
  assert.equal(metricName("wait.mean"), "Wait, mean (s)");
  assert.equal(metricName("utilisation.value"), "Utilisation");
  assert.equal(metricName("unfairness.share"), "Unfairness, share");
  assert.equal(metricName("nothing.here"), "nothing.here");
  assert.equal(metricsOf("curve"), undefined);
  assert.ok(metricsOf("months").includes("wait.mean"));
});

test("printed figures are compared with ours: shares by points, times by per cent", () => {
  const points = [
    {
      axes: { policy: "a" },
      cells: ["k"],
      figures: { wait: { mean: 110, ci95: 12 }, used: { mean: 0.5, ci95: 0.02 } },
    },
    { axes: { policy: "b" }, cells: ["l"], figures: { wait: { mean: 55, ci95: null } } },
  ];
  const saturations = [
    { axes: { policy: "a" }, crossing: { mean: 0.8, ci95: 0.031 } },
    { axes: { policy: "b" } },
  ];
  const found = compare(
    [
      { at: { policy: "a" }, figure: "wait", value: 100, reason: "another trace" },
      { at: { policy: "a" }, figure: "used", value: 0.49 },
      { at: { policy: "b" }, figure: "wait", value: -0.5, from: { policy: "a" } },
      { at: { policy: "c" }, figure: "wait", value: 7 },
      { at: { policy: "a" }, figure: "saturation.crossing", value: 0.78 },
      { at: { policy: "b" }, figure: "saturation.crossing", value: 0.88 },
    ],
    { points, saturations },
  );
  assert.deepEqual(
    found.map(({ theirs, ours, difference, why }) => [theirs, ours, difference, why].join("|")),
    [
      "100|110.0 ± 12.00|+10.0 %|another trace",
      "49.0 %|50.0 % ± 2.0|+1.0 points|",
      "-50.0 %|-50.0 %|0.0 points|",
      "7|–|–|",
      "78.0 %|80.0 % ± 3.1|+2.0 points|",
      "88.0 %|–|–|",
    ],
  );
  assert.deepEqual(
    found.map(({ value, key }) => [value, key]),
    [
      [110, "k"],
      [0.5, "k"],
      [-0.5, "l"],
      [undefined, undefined],
      [0.8, undefined],
      [undefined, undefined],
    ],
  );
});
