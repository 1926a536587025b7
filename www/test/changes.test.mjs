import assert from "node:assert/strict";
import { test } from "node:test";
import { changesBetween, changesOf } from "../src/runs/changes.ts";

test("changes are options of the scheduler and whole lines", () => {
  const old = "SchedulerParameters=bf_window=1440,bf_interval=30\nPriorityWeightAge=1000 # a day";
  const now = "PriorityWeightAge=1000; SchedulerParameters=bf_interval=30,bf_window=2880,defer";
  assert.deepEqual(changesOf(old, now), [
    { sign: "-", text: "bf_window=1440" },
    { sign: "+", text: "bf_window=2880" },
    { sign: "+", text: "defer" },
  ]);
  assert.deepEqual(changesOf(old, old), []);
  assert.deepEqual(changesOf("", "A=1"), [{ sign: "+", text: "A=1" }]);
});

test("runs differ in policy, settings and lines", () => {
  const setup = (policy, settings) => ({ policy, machine: "", preset: "", settings });
  assert.deepEqual(changesBetween(setup("fcfs", { a: 1 }), setup("easy", { a: 1, b: 2 })), [
    { sign: "-", text: "policy=fcfs" },
    { sign: "+", text: "policy=easy" },
    { sign: "+", text: "b=2" },
  ]);
  const conf = (window) => `PriorityWeightAge=5\nSchedulerParameters=bf_window=${window}`;
  assert.deepEqual(
    changesBetween(setup("slurm", { conf: conf(60) }), setup("slurm", { conf: conf(90) })),
    [
      { sign: "-", text: "bf_window=60" },
      { sign: "+", text: "bf_window=90" },
    ],
  );
});
