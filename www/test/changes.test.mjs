import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf } from "../src/experiment/conflines.ts";

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
