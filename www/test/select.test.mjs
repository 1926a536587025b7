// A job is selected in all runs, whichever answers first.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { newLane, removeLane, runAll, select, selectFound } from "../src/lab/index.ts";
import * as s from "../src/state/index.ts";
import { CATALOG, WORKLOAD } from "./fixtures.mjs";

globalThis.document ??= { documentElement: { dataset: {} } };

/** A run whose worker answers when it is told to. */
function run(policy) {
  const answers = [];
  const engine = {
    job: (record) => new Promise((resolve) => answers.push(() => resolve({ job: record, policy }))),
  };
  const hand = { engine, failed: new Promise(() => {}), stop: () => {} };
  const lane = { ...newLane({ policy }), state: "done", facts: WORKLOAD, hand };
  const answer = () => {
    answers.shift()();
    return new Promise(setImmediate);
  };
  return { lane, answer };
}

const known = () => [...s.jobFacts.value].map(([, { policy, job }]) => `${policy} ${job}`);

let [one, other] = [];

beforeEach(async () => {
  s.knowCatalog(CATALOG);
  s.putTrace({ kind: "text", name: "a", text: "" }, WORKLOAD, {});
  [one, other] = [run("fcfs"), run("easy")];
  s.putLanes([one.lane, other.lane]);
  await select(undefined);
});

test("a run that answers late holds back no other", async () => {
  void select(7);
  await one.answer();
  assert.deepEqual(known(), ["fcfs 7"]);
  await other.answer();
  assert.deepEqual(known(), ["fcfs 7", "easy 7"]);
});

test("the facts of another job stay until the first answer, and no longer", async () => {
  void select(7);
  await one.answer();
  await other.answer();
  void select(8);
  assert.deepEqual(known(), ["fcfs 7", "easy 7"]);
  await other.answer();
  assert.deepEqual(known(), ["easy 8"]);
});

test("an answer to an earlier selection is dropped", async () => {
  void select(7);
  void select(8);
  await one.answer();
  assert.deepEqual(known(), []);
  await one.answer();
  assert.deepEqual(known(), ["fcfs 8"]);
});

test("an answer of a worker that was replaced is dropped", async () => {
  void select(7);
  s.updateLane(one.lane.id, { hand: undefined });
  await one.answer();
  assert.deepEqual(known(), []);
});

test("a job that is found late does not replace one that was selected meanwhile", async () => {
  let find;
  const found = selectFound(new Promise((resolve) => (find = resolve)));
  void select(8);
  find({ record: 7 });
  assert.equal(await found, undefined);
  assert.equal(s.selected.value, 8);
  assert.equal(await selectFound(Promise.resolve(null)), null);
  assert.equal(s.selected.value, 8);
});

test("a job that is selected twice keeps nothing of the job before", async () => {
  void select(7);
  await one.answer();
  await other.answer();
  void select(8);
  void select(8);
  await other.answer();
  assert.deepEqual(known(), ["easy 8"]);
});

test("a search that finds nothing drops no answer", async () => {
  void select(8);
  assert.equal(await selectFound(Promise.resolve(null)), null);
  await one.answer();
  assert.deepEqual(known(), ["fcfs 8"]);
});

test("of two searches the later one counts", async () => {
  let find;
  const early = selectFound(new Promise((resolve) => (find = resolve)));
  const late = selectFound(Promise.resolve({ record: 9 }));
  find({ record: 7 });
  assert.equal(await early, undefined);
  assert.equal(s.selected.value, 9);
  await one.answer();
  await other.answer();
  await late;
});

test("a run that begins anew tells nothing of the selected job", async () => {
  void select(7);
  await one.answer();
  await other.answer();
  s.updateLane(other.lane.id, { stale: true });
  runAll();
  assert.deepEqual(known(), ["fcfs 7"]);
});

test("a run that comes back after settings have changed is not up to date", () => {
  const come = (change) => {
    s.putLanes([one.lane, other.lane]);
    removeLane(other.lane.id);
    change();
    s.undoRemoval();
    return s.laneOf(other.lane.id).stale;
  };
  assert.equal(
    come(() => {}),
    false,
  );
  assert.equal(
    come(() => s.shareSettings({ load: 0.5 })),
    true,
  );
});
