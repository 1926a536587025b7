// Names and settings of runs, and the address of the page.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { filterBy } from "../src/explore/filter.ts";
import { cancel, knowMachines, newLane, plain, runsOn, scenario } from "../src/lab/index.ts";
import { read, write } from "../src/link/format.ts";
import { now } from "../src/link/here.ts";
import { nameOf } from "../src/runs/name.ts";
import { origin, sourceName } from "../src/runs/origin.ts";
import { sentence } from "../src/runs/sentence.ts";
import { doubted } from "../src/runs/size.ts";
import { changes, inWords } from "../src/runs/whatif.ts";
import { apart, candidatesOf, free, ofCandidates, policyOf } from "../src/settings/candidates.ts";
import * as s from "../src/state/index.ts";
import { CATALOG, WORKLOAD } from "./fixtures.mjs";

const MODEL = { kind: "model", model: "lublin", name: "Mine", settings: { jobs: 5 } };

beforeEach(() => {
  s.knowCatalog(CATALOG);
  s.putTrace(MODEL, WORKLOAD, {});
  s.chooseMachine("flat");
  s.putLanes([newLane({ policy: "fcfs" }), newLane({ policy: "easy" })]);
  s.forgetWindows();
  s.selectArea(undefined);
  s.showInstant(undefined);
  s.markSelected(undefined);
  s.showTab("timeline");
  s.colourBy("user");
  filterBy("");
  knowMachines({ torus: { processors: (setting) => setting("x") * setting("y") * setting("z") } });
});

test("settings of other machines are left out of a scenario", () => {
  s.shareSettings({ x: 2, load: 0.7 });
  const lane = newLane({ policy: "easy", settings: { depth: 3 } });
  assert.deepEqual(scenario(lane).settings, { load: 0.7, depth: 3 });
  s.chooseMachine("torus");
  assert.deepEqual(scenario(lane).settings, { x: 2, load: 0.7, depth: 3 });
});

test("a flat machine beside a torus is as large", () => {
  s.chooseMachine("torus");
  s.shareSettings({ x: 2 });
  assert.equal(scenario(newLane({ policy: "easy", machine: "flat" })).settings.processors, 64);
  assert.equal(scenario(newLane({ policy: "easy" })).settings.processors, undefined);
});

test("what a workload would be is asked without changing what runs share", () => {
  const asked = plain({ machine: "torus", shared: { x: 3 } });
  assert.deepEqual([asked.machine, asked.settings], ["torus", { x: 3 }]);
  assert.deepEqual([s.machine.value, s.shared.value], ["flat", {}]);
});

test("who can run where", () => {
  assert.equal(runsOn("adaptive", "torus"), false);
  assert.equal(runsOn("easy", "torus"), true);
  assert.equal(runsOn("unknown", "flat"), true, "the engine refuses it with a reason");
});

test("candidates are policies with a digit, and settings of their own", () => {
  const param = CATALOG.policies[2].params[0];
  assert.equal(policyOf("easy2").id, "easy");
  assert.equal(policyOf("nobody"), undefined);
  assert.deepEqual(candidatesOf(param, {}, "flat"), ["fcfs", "easy2"]);
  assert.deepEqual(candidatesOf(param, { candidates: "easy + fcfs" }), ["easy", "fcfs"]);
  assert.equal(free("easy", ["easy", "easy2"]), "easy3");
  assert.deepEqual(apart({ "easy2.depth": 5, load: 1 }, "easy2"), [{ load: 1 }, { depth: 5 }]);
  const settings = { "easy2.depth": 5, "sjf.x": 1, load: 1 };
  assert.deepEqual(ofCandidates("adaptive", settings, "flat"), { "easy2.depth": 5, load: 1 });
});

test("a run is called by its policy and what was changed of it", () => {
  const lane = newLane({
    policy: "easy",
    machine: "torus",
    preset: "alea",
    settings: { depth: 3 },
    whatIf: { at: 60, policy: "fcfs" },
  });
  assert.equal(nameOf(lane), "EASY (on Torus, alea, depth=3, under FCFS from day 1, 00:01:00 on)");
  assert.equal(nameOf(newLane({ policy: "fcfs" })), "FCFS");
});

test("a run with a file of lines is called by the file or, after another one, by its changes", () => {
  const text = "PriorityWeightAge=5\nPreemptMode=OFF\nSchedulerParameters=bf_interval=30";
  const named = (...settings) => {
    s.lanes.value = settings.map((settings) => newLane({ policy: "slurm", settings }));
    return s.lanes.value.map(nameOf);
  };
  const one = { conf: text, accounts: "Cluster - 'one'" };
  const again = "PriorityWeightAge=5\nPreemptMode=OFF\nSchedulerParameters=bf_interval=60,defer";
  const shorter = "PriorityWeightAge=7\nSchedulerParameters=defer,bf_window=60";
  assert.deepEqual(
    named(
      one,
      one,
      { conf: again },
      { conf: text.replace("PreemptMode=OFF\n", "") },
      { conf: shorter },
    ),
    [
      "Slurm (slurm.conf, accounts)",
      "Slurm (slurm.conf, accounts)",
      "Slurm (bf_interval=60, defer)",
      "Slurm (without PreemptMode=OFF)",
      "Slurm (PriorityWeightAge=7, 4 further changes)",
    ],
  );
});

test("what if, in words", () => {
  assert.equal(changes({ at: 0 }), "the policy restarted");
  assert.equal(
    inWords({
      at: 0,
      without_users: [3, 4],
      jobs: [{ number: 9, estimate: 60 }],
      closed: { first: 0, count: 10, seconds: 3600 },
    }),
    "without users 3, 4; job 9 with an estimate of 1 min; processors 0 to 9 out of service for 1 h from day 1, 00:00:00 on",
  );
});

test("captions say where figures come from, and whether the size is a guess", () => {
  assert.equal(sourceName("other"), "Mine");
  assert.equal(
    origin(WORKLOAD.provenance),
    "Mine (sha256 0123456789ab). Seed 1. Schedscope 1.2.3.",
  );
  const size = { processors: 100, source: "widest_job", doubts: [{ text: "It is odd." }] };
  s.knowWorkload({ ...WORKLOAD, report: { ...WORKLOAD.report, size } });
  assert.match(origin(WORKLOAD.provenance), /size, 100 processors, is a guess/);
  assert.equal(doubted.value, size);
});

test("the result is one sentence", () => {
  assert.equal(sentence(), "");
  const done = (id, wait) =>
    s.updateLane(id, {
      state: "done",
      facts: WORKLOAD,
      result: {
        figures: { "wait.mean": wait, "utilisation.value": 0.5 },
        end: 1,
        digest: "x",
        pending: 0,
      },
    });
  const [a, b] = s.lanes.value;
  done(a.id, 120);
  assert.equal(
    sentence(),
    "Under FCFS a job waits 2 min on average, and 50.0 % of the machine is used.",
  );
  done(b.id, 60);
  assert.equal(
    sentence(),
    "On the same 10 jobs, the mean wait is 2 min under FCFS and 1 min under EASY: 2.00 times less.",
  );
  const gap = (mean, ci95, jobs = 40) =>
    s.knowGaps({
      key: "wait.mean",
      from: "a",
      by: new Map([["b", { jobs, mean, ci95, median: 0, smaller: 1, larger: 0 }]]),
    });
  for (const [{ id }, digest] of [
    [a, "a"],
    [b, "b"],
  ]) {
    const { result } = s.laneOf(id);
    s.updateLane(id, { result: { ...result, digest } });
  }
  gap(-60, 5);
  assert.match(sentence(), /: 2\.00 times less \(by 1\.00 ± 0\.08 min\)\.$/);
  gap(-60, 70);
  assert.match(sentence(), /\(by 1\.00 ± 1\.17 min, which chance may explain\)\.$/);
  gap(-60, 0, 39);
  assert.match(sentence(), /: 2\.00 times less\.$/);
  // Other policies start jobs that a limit keeps waiting for ever.
  s.updateLane(b.id, { result: { ...s.laneOf(b.id).result, pending: 2 } });
  assert.match(
    sentence(),
    /^On the jobs that start, the mean wait is 2 min under FCFS and 1 min under EASY\. Under EASY 2 of 10 jobs never start, and the job metrics leave them out\.$/,
  );
  s.updateLane(b.id, { result: { ...s.laneOf(b.id).result, pending: 0 } });
  s.rankBy("utilisation.value");
  assert.equal(
    sentence(),
    "On the same 10 jobs, the utilisation is 50.0 % under FCFS and 50.0 % under EASY: the same.",
  );
  s.rankBy(undefined);
  done(a.id, 120);
  done(b.id, 60);
  // From three runs on, the best comes first. Runs with its schedule are said to have it.
  for (const [index, wait] of [60, 180, 240, 300].entries()) {
    const lane = newLane({ policy: "easy", settings: { depth: index + 2 } });
    s.appendLane(lane);
    done(lane.id, wait);
    s.updateLane(lane.id, {
      result: { figures: { "wait.mean": wait }, end: 1, digest: wait === 60 ? "x" : `${wait}` },
    });
  }
  assert.equal(
    sentence(),
    "On the same 10 jobs, the mean wait is least under EASY: 1 min. EASY (depth=2): the same schedule; FCFS: the same schedule; EASY (depth=3): 3 min; and 2 more.",
  );
});

test("the address says what is not as usual, and nothing else", () => {
  assert.deepEqual(now(), { trace: MODEL });
  s.chooseMachine("torus");
  s.shareSettings({ load: 0.5, demands: "file" });
  s.putLanes([newLane({ policy: "easy", settings: { depth: 2 } })]);
  s.zoomTo({ from: 1, to: 2, top: 3, bottom: 4 });
  s.selectArea({ from: 5, to: 6, top: 7, bottom: 8 });
  s.showInstant(9);
  s.markSelected(10);
  s.colourBy("wait");
  s.showTab("compare");
  s.drawRows("slots");
  s.drawVersus(false);
  filterBy("user:7");
  const wanted = {
    trace: MODEL,
    machine: "torus",
    shared: { load: 0.5 },
    runs: [{ policy: "easy", settings: { depth: 2 } }],
    tab: "compare",
    window: [1, 2, 3, 4],
    area: [5, 6, 7, 8],
    instant: 9,
    job: 10,
    colours: "wait",
    filter: "user:7",
    rows: true,
    noBands: true,
  };
  assert.deepEqual(now(), wanted);
  s.drawRows("shared");
  s.drawVersus(true);
});

test("what the address says is read again", async () => {
  s.showTab("sweep");
  s.knowPlan('{"schedscope_plan":1}');
  const said = now();
  assert.deepEqual(await read(await write(said)), said);
});

test("in a tour, the address names the tour and nothing else", () => {
  s.enterChapter({ id: "torus", chapter: 1 }, "torus");
  assert.deepEqual(now(), { tour: "torus", chapter: 2 });
  s.enterChapter({ exercise: "{}", isEdited: false, chapter: 0 }, "timeline");
  assert.deepEqual(now(), { exercise: "{}" });
  s.editExercise("{}", 3);
  assert.deepEqual(now(), { exercise: "{}", chapter: 4, isEdited: true });
  s.leaveChapter();
});

test("a worker that answers a cancel late is kept; a silent one is stopped", async (t) => {
  globalThis.document ??= { documentElement: { dataset: {} } };
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const settled = () => new Promise(setImmediate);
  const [{ id }] = s.lanes.value;
  for (const isLate of [true, false]) {
    let [answer, stops] = [() => {}, 0];
    const hand = {
      engine: { cancel: () => new Promise((resolve) => (answer = resolve)) },
      failed: new Promise(() => {}),
      stop: () => (stops += 1),
    };
    s.updateLane(id, { state: "running", hand, notice: undefined });
    const cancelled = cancel(id);
    t.mock.timers.tick(200);
    await settled();
    assert.equal(s.laneOf(id).state, "cancelled", "the reader does not wait for the worker");
    assert.deepEqual([s.laneOf(id).hand, stops], [hand, 0]);
    if (isLate) answer();
    else t.mock.timers.tick(3000);
    await cancelled;
    const [kept, notice] = [isLate ? hand : undefined, s.laneOf(id).notice ?? ""];
    assert.deepEqual([s.laneOf(id).hand, stops], [kept, isLate ? 0 : 1]);
    assert.match(notice, isLate ? /^$/ : /^The worker did not answer/);
  }
});
