// The attempts of a job that was preempted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decided } from "../src/inspect/story.ts";
import { attemptAt, runsAt } from "../src/runs/attempts.ts";

const job = {
  lost: [
    { start: 10, end: 20, placement: { row: 0, ranges: [[0, 2]] } },
    { start: 40, end: 45, placement: { row: 0, ranges: [[4, 2]] } },
  ],
  start: 60,
  end: 90,
  placement: { row: 0, ranges: [[2, 2]] },
  suspensions: [],
};

test("a job is where its attempt is", () => {
  const first = (at) => attemptAt(job, at).placement.ranges[0][0];
  assert.deepEqual([10, 19, 40, 60, 100].map(first), [0, 0, 4, 2, 2]);
  assert.equal(attemptAt(job, 15).end, 20);
});

test("a job runs in its attempts, and waits between them", () => {
  const running = [5, 10, 19, 20, 39, 40, 45, 59, 60, 89, 90].filter((at) => runsAt(job, at));
  assert.deepEqual(running, [10, 19, 40, 60, 89]);
  const again = { ...job, start: undefined, end: undefined };
  assert.deepEqual(
    [15, 30, 70].filter((at) => runsAt(again, at)),
    [15],
  );
  assert.ok(runsAt({ ...job, end: undefined }, 1000));
  const suspended = { ...job, suspensions: [[70, 75]] };
  assert.deepEqual(
    [69, 70, 74, 75].filter((at) => runsAt(suspended, at)),
    [69, 75],
  );
});

test("a step tells the jobs that are preempted", () => {
  const none = { moved: [], started: [], requeued: [], suspended: [], resumed: [] };
  const step = { ...none, started: [{ number: 7 }], requeued: [{ number: 3 }] };
  assert.equal(decided(step), "job 3 is preempted and waits again; job 7 starts");
  const two = { ...none, requeued: [{ number: 3 }, { number: 5 }] };
  assert.equal(decided(two), "jobs 3 and 5 are preempted and wait again; no job starts");
  const suspends = { ...none, suspended: [{ number: 3 }], started: [{ number: 7 }] };
  assert.equal(decided(suspends), "job 3 is suspended; job 7 starts");
  const resumes = { ...none, resumed: [{ number: 3 }, { number: 4 }] };
  assert.equal(decided(resumes), "jobs 3 and 4 go on; no job starts");
});
