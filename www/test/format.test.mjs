// Figures, times, problems and CSV, in the form for people.
import assert from "node:assert/strict";
import { test } from "node:test";
import { comment, csv } from "../src/format/csv.ts";
import { metric, symbolOf } from "../src/format/metric.ts";
import { asProblem } from "../src/format/problem.ts";
import {
  count,
  counted,
  doingInWords,
  duration,
  figure,
  instant,
  share,
} from "../src/format/words.ts";
import { CATALOG } from "./fixtures.mjs";

const each = (work, cases) => {
  for (const [given, wanted] of cases) assert.equal(work(given), wanted, String(given));
};

test("a figure has as many decimals as it deserves", () => {
  each(figure, [
    [0, "0"],
    [0.0123, "0.012"],
    [1.5, "1.50"],
    [12.345, "12.35"],
    [123.456, "123.5"],
    [-1234.6, "-1,235"],
    [undefined, "–"],
    [Number.NaN, "–"],
    [Number.POSITIVE_INFINITY, "–"],
  ]);
});

test("one thing is not many", () => {
  each(
    (number) => counted(number, "job"),
    [
      [0, "0 jobs"],
      [1, "1 job"],
      [1234, "1,234 jobs"],
    ],
  );
  assert.equal(counted(1, "node is", "nodes are"), "1 node is");
  assert.equal(counted(2, "node is", "nodes are"), "2 nodes are");
});

test("a length of time is in the two units that matter", () => {
  each(duration, [
    [0, "0 s"],
    [4.25, "4.3 s"],
    [59, "59 s"],
    [60, "1 min"],
    [3599, "59 min 59 s"],
    [90_000, "1 d 1 h"],
    [-61, "−1 min 1 s"],
    [86_400 * 1000, "1,000 d"],
    [undefined, "–"],
  ]);
});

test("an instant is a date where the trace has a calendar", () => {
  assert.equal(instant(3661, undefined), "day 1, 01:01:01");
  assert.equal(instant(86_400, null), "day 2, 00:00:00");
  assert.equal(instant(1, 0), "1970-01-01 00:00:01");
  assert.equal(instant(1e300, 0).startsWith("day "), true, "no date is that late");
});

test("shares and counts", () => {
  each(share, [
    [0.1234, "12.3 %"],
    [undefined, "–"],
  ]);
  assert.equal(count(1_234_567), "1,234,567");
});

test("a metric is written in the unit of its spec", () => {
  const spec = (id) => CATALOG.metrics.find((each) => each.id === id);
  assert.equal(metric(spec("wait"), "mean", 1234.5), "1,235");
  assert.equal(metric(spec("utilisation"), "value", 0.5), "50.0 %");
  assert.equal(metric(spec("jain"), "value", 0.5), "0.500");
  assert.equal(metric(spec("unfairness"), "share", 0.25), "25.0 %");
  assert.equal(metric(spec("unfairness"), "jobs", 1234), "1,234");
  assert.equal(metric(spec("unfairness"), "jobs", 2.5), "2.50");
  assert.equal(metric(spec("wait"), "mean", undefined), "–");
  assert.equal(symbolOf(spec("unfairness"), "mean"), "s");
  assert.equal(symbolOf(spec("unfairness"), "share"), "");
  assert.equal(symbolOf(spec("unfairness"), "jobs"), "jobs");
});

test("what a worker does is told with how long", () => {
  const doing = { kind: "drawing", jobs: 5000, of: 10_000, now: 0, seconds: 61.5 };
  assert.equal(doingInWords(doing, undefined), "drawing jobs: 5,000 of 10,000, 1 min 1 s");
});

test("text that a spreadsheet takes for a formula is guarded, numbers are not", () => {
  const rows = [
    ["=1+1", "+cmd", "-5", "-5e3", -5, "a,b", 'say "no"', undefined],
    ["x\ny", "@a", ".5", "", null, 0, "a;b", "\ta"],
  ];
  assert.equal(
    csv(rows),
    `'=1+1,'+cmd,-5,-5e3,-5,"a,b","say ""no""",\n"x\ny",'@a,.5,,,0,"a;b","'\ta"`,
  );
  assert.equal(comment("a\nb, =1"), "# a b, '=1");
});

test("whatever is thrown becomes a problem that says what to do", () => {
  const own = { what: "a", why: "b", next: "c" };
  assert.equal(asProblem(own), own);
  assert.match(
    asProblem(new RangeError("Array buffer allocation failed")).what,
    /too little memory/,
  );
  const gone = Object.assign(new Error("gone"), { name: "NotReadableError" });
  assert.match(asProblem(gone).what, /can no longer be read/);
  assert.match(asProblem(new Error("unreachable")).what, /simulator failed/);
  assert.match(asProblem("odd").what, /Something failed: odd\./);
});
