// Exercises: their form, the drawing board, the questions of the editor, answers in words.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { LIMITS } from "../src/engine/limits.ts";
import { readExercise, stageOf } from "../src/teach/format.ts";
import { KINDS, kindOf, made, USUAL } from "../src/teach/kinds.ts";
import { pack, stepOf } from "../src/teach/packing.ts";
import { inWords, isRight, verdict } from "../src/teach/questions.ts";
import { isAbout, without } from "../src/teach/renumber.ts";
import { swf } from "../src/teach/swf.ts";

const TOURS = new URL("../tours/", import.meta.url);

/** The smallest exercise. */
const SMALL = {
  schedscope_exercise: 1,
  title: "T",
  chapters: [{ title: "C", text: "", runs: [{ policy: "fcfs" }] }],
};

/** Reads an exercise with another first chapter; returns the reason why it cannot be read. */
function refused(change) {
  try {
    readExercise(JSON.stringify({ ...SMALL, chapters: [{ ...SMALL.chapters[0], ...change }] }));
  } catch (problem) {
    return problem.why;
  }
  return undefined;
}

test("every tour is an exercise that anybody could have written", () => {
  const names = readdirSync(TOURS);
  assert.equal(names.length, 4);
  for (const name of names) {
    const exercise = readExercise(readFileSync(new URL(name, TOURS), "utf8"));
    for (const at of exercise.chapters.keys())
      assert.ok(stageOf(exercise, at).jobs.length > 0, `${name}, chapter ${at + 1}`);
  }
});

test("a chapter takes over what it does not say from the chapters before", () => {
  const jobs = [{ arrives: 0, processors: 2, runs: 5 }];
  const runs = [{ policy: "easy" }];
  const exercise = {
    title: "T",
    chapters: [
      { processors: 4, jobs, machine: "torus", settings: { x: 2 }, runs },
      { name: "N", settings: {}, runs },
      { processors: 8, jobs: [], runs },
    ],
  };
  assert.deepEqual(stageOf(exercise, 1), {
    name: "N",
    processors: 4,
    jobs,
    machine: "torus",
    settings: {},
    runs,
  });
  assert.deepEqual(stageOf(exercise, 2).jobs, []);
  assert.equal(stageOf(exercise, 0).name, "T");
});

test("an exercise of another form is refused with the place", () => {
  assert.equal(refused({}), undefined);
  const job = { arrives: 0, processors: 1, runs: 1 };
  const asking = (question) => refused({ questions: [{ ask: "?", ...question }] });
  const cases = [
    [{ colour: 1 }, /chapters\[0\]\.colour is not a known field/],
    [{ jobs: [{ ...job, runs: 0 }] }, /jobs\[0\]\.runs is not a whole number from 1/],
    [{ jobs: [{ ...job, arrives: 1.5 }] }, /arrives is not a whole number/],
    [{ jobs: Array(LIMITS.exercise_jobs + 1).fill(job) }, /a list of at most 200 jobs/],
    [{ runs: [] }, /a list of 1 to 6 runs/],
    [{ view: "compare" }, /view is not one of timeline, torus, sharing/],
    [{ hidden: ["some"] }, /hidden\[0\] is not a number/],
    [{ show: { steps: "a" } }, /steps is not the letter of a run/],
  ];
  for (const [change, words] of cases) assert.match(refused(change), words);
  assert.match(asking({}), /questions\[0\] is not a question/);
  assert.match(asking({ number: { of: "colour", job: 1, run: "A" } }), /of is not one of start/);
  assert.match(asking({ jobs: { jobs: "earlier", run: "A" } }), /jobs\.by is not there/);
  assert.match(asking({ choice: [{ text: "a" }] }), /a list of 2 to 50 options/);
  assert.match(asking({ why: 0, run: "A" }), /why is not a whole number from 1 to 200/);
  assert.equal(asking({ choice: [{ text: "a", if: [[1, "<", 2]] }, { text: "b" }] }), undefined);
  assert.match(
    asking({ choice: [{ text: "a", if: [[1, "!", 2]] }, { text: "b" }] }),
    /if\[0\]\[1\] is not one of </,
  );
  const deep = (levels) =>
    JSON.stringify({
      ...SMALL,
      chapters: [{ ...SMALL.chapters[0], questions: [{ ask: "?", number: "deep" }] }],
    }).replace('"deep"', `${'{"plus":[1,'.repeat(levels)}1${"]}".repeat(levels)}`);
  assert.equal(readExercise(deep(1)).title, "T");
  assert.throws(() => readExercise(deep(9)), { why: /is not within 8 levels of measures/ });
  assert.throws(() => readExercise("{"), { why: /It is not JSON/ });
  assert.throws(() => readExercise(" ".repeat(LIMITS.exercise_bytes + 1)), {
    why: /more than 262,144 characters/,
  });
  assert.throws(() => readExercise("null"), { why: /exercise is not a group of fields/ });
  assert.throws(() => readExercise(JSON.stringify({ ...SMALL, schedscope_exercise: 2 })), {
    why: /schedscope_exercise is not 1/,
  });
  assert.throws(() => readExercise(`{"__proto__": 1, ${JSON.stringify(SMALL).slice(1)}`), {
    why: /__proto__ is not a known field/,
  });
});

test("lists and numbers of an exercise have upper bounds", () => {
  const chapters = (count) =>
    JSON.stringify({ ...SMALL, chapters: Array(count).fill(SMALL.chapters[0]) });
  const { exercise_chapters, exercise_runs, exercise_questions, exercise_number } = LIMITS;
  assert.equal(readExercise(chapters(exercise_chapters)).chapters.length, exercise_chapters);
  assert.throws(() => readExercise(chapters(exercise_chapters + 1)), {
    why: /chapters is not a list of 1 to 30 chapters/,
  });
  const many = (count, entry) => Array(count).fill(entry);
  const job = { arrives: 0, processors: 1, runs: 1 };
  const question = { ask: "?", number: 1 };
  const asking = (fields) => ({ questions: [{ ...question, ...fields }] });
  const choosing = (choice, fields) => ({ questions: [{ ask: "?", choice, ...fields }] });
  const option = { text: "a" };
  const named = (count) => Object.fromEntries(many(count, 1).map((one, at) => [`v${at}`, one]));
  const conditions = (count) => [{ ...option, if: many(count, [1, "<", 2]) }, option];
  const cases = [
    [exercise_runs, (most) => ({ runs: many(most, { policy: "fcfs" }) }), /1 to 6 runs/],
    [exercise_runs, (most) => ({ hidden: many(most, null) }), /at most 6 entries/],
    [exercise_questions, (most) => ({ questions: many(most, question) }), /at most 50 questions/],
    [exercise_questions, (most) => choosing(many(most, option)), /2 to 50 options/],
    [exercise_questions, (most) => asking({ values: named(most) }), /at most 50 entries/],
    [exercise_questions, (most) => choosing(conditions(most)), /at most 50 entries/],
    [exercise_number, (most) => ({ processors: most }), /from 1 to 1,000,000,000/],
    [exercise_number, (most) => ({ jobs: [{ ...job, arrives: most }] }), /from 0 to 1,000,000,000/],
    [exercise_number, (most) => ({ jobs: [{ ...job, processors: most }] }), /from 1 to 1,000/],
    [exercise_number, (most) => ({ jobs: [{ ...job, runs: most }] }), /from 1 to 1,000,000,000/],
    [exercise_number, (most) => ({ jobs: [{ ...job, claims: most }] }), /from 1 to 1,000,000,000/],
  ];
  for (const [most, change, words] of cases) {
    assert.equal(refused(change(most)), undefined, `${words}`);
    assert.match(refused(change(most + 1)), words);
  }
  // The length of the list of measures is checked before it is compared with that of the options.
  const measured = (count) => choosing(many(exercise_questions, option), { least: many(count, 1) });
  assert.equal(refused(measured(exercise_questions)), undefined);
  assert.match(refused(measured(exercise_questions + 1)), /least is not a list of 2 to 50 entries/);
});

test("jobs are packed where they arrive, in the first free rows", () => {
  const jobs = [
    { arrives: 10, processors: 2, runs: 10 },
    { arrives: 0, processors: 3, runs: 15 },
    { arrives: 0, processors: 1, runs: 5 },
    { arrives: 12, processors: 1, runs: 5 },
    { arrives: 15, processors: 3, runs: 5 },
  ];
  assert.deepEqual(
    pack(jobs).map(({ top }) => top),
    [3, 0, 3, 5, 0],
  );
  assert.equal(stepOf(60), 1);
  assert.equal(stepOf(61), 2);
  assert.equal(stepOf(1e12), 604_800);
});

test("every kind of question is read again as it was made, and keeps the author's words", () => {
  const options = [{ text: "a" }, { text: "b", right: true }];
  const asks = {
    ...USUAL,
    job: 3,
    run: "B",
    at: 20,
    set: "later",
    figure: "utilisation.value",
    options,
  };
  for (const [id, kind] of Object.entries(KINDS)) {
    const question = made(id, asks);
    assert.equal(refused({ questions: [question] }), undefined, id);
    const found = kindOf(question);
    assert.equal(found?.id, id);
    for (const field of kind.fields(asks)) assert.deepEqual(found.asks[field], asks[field], field);
    const changed = made(id, { ...found.asks, job: 4, run: "A" }, question);
    assert.equal(changed.ask, kind.ask({ ...found.asks, job: 4, run: "A" }));
    const worded = made(id, USUAL, { ...question, ask: "And now?", told: "So." });
    assert.deepEqual([worded.ask, worded.told], ["And now?", "So."]);
  }
  assert.equal(kindOf({ ask: "", number: { count: { jobs: "all", run: "A" } } }), undefined);
  for (const set of ["starting", "waiting", "running", "backfilled", "earlier", "later"])
    assert.equal(kindOf(made("jobs", { ...USUAL, set, run: "B" }))?.asks.set, set);
});

test("questions stay about their jobs and runs when one is removed", () => {
  const asks = { ...USUAL, job: 3, run: "B" };
  const moved = without(made("time", asks), { job: 2 });
  assert.equal(moved.ask, "When does job 2 start in run B?");
  assert.deepEqual(moved.number, { of: "start", job: 2, run: "B" });
  assert.equal(without(made("why", asks), { job: 4 }).why, 3);
  const rule = { ask: "?", choice: [{ text: "a", if: [[{ class: 3, run: "C" }, "<", 3]] }] };
  assert.deepEqual(without(rule, { run: "A" }).choice[0].if[0], [{ class: 3, run: "B" }, "<", 3]);
  assert.deepEqual(without(rule, { job: 1 }).choice[0].if[0], [{ class: 2, run: "C" }, "<", 3]);
  assert.equal(isAbout(rule, { job: 3 }), true);
  assert.equal(isAbout(rule, { job: 2 }), false);
  assert.equal(isAbout(rule, { run: "C" }), true);
});

test("the jobs of a chapter are a trace", () => {
  const jobs = [{ arrives: 3, processors: 2, runs: 5, claims: 9 }];
  assert.equal(
    swf({ processors: 4, jobs }),
    "; MaxProcs: 4\n1 3 -1 5 2 -1 -1 2 9 -1 1 1 1 -1 -1 -1 -1 -1\n",
  );
});

test("an answer is right within its margin, and nobody can be right", () => {
  const asked = (answer, ...given) => ({ question: { answer }, given });
  const hours = { kind: "number", unit: "h", right: 3, within: 0.5 };
  assert.equal(isRight(asked(hours, 3.4)), true);
  assert.equal(isRight(asked(hours, 3.6)), false);
  assert.equal(isRight(asked({ kind: "jobs", jobs: [], right: [] })), true);
  assert.equal(isRight(asked({ kind: "jobs", jobs: [], right: [1, 2] }, 1)), false);
  assert.equal(inWords({ kind: "jobs", jobs: [], right: [1, 2, 3] }), "jobs 1, 2 and 3");
  assert.equal(verdict(asked(hours)), "Answer: 3 h.");
  assert.equal(
    verdict(asked({ kind: "choice", options: ["a", "b"], right: [1] }, 0)),
    "Not quite: b.",
  );
});

test("an answer in words says what was given, and equal options are all right", () => {
  const choice = { kind: "choice", options: ["a", "b", "c"], right: [0, 2] };
  assert.equal(isRight({ question: { answer: choice }, given: [2] }), true);
  assert.equal(inWords(choice), "a and c");
  assert.equal(inWords(choice, [1]), "b");
  assert.equal(inWords(choice, [7]), "another option");
  const time = { kind: "number", unit: "s", right: 1.25, within: 0.01 };
  assert.equal(inWords(time), "1.25 s");
  assert.equal(
    isRight({ question: { answer: { ...time, right: 0.4, within: 0.1 } }, given: [0.3] }),
    true,
  );
  assert.equal(inWords(time, [12.345]), "12.345 s");
  assert.equal(inWords({ kind: "jobs", jobs: [], right: [] }, []), "no job");
});
