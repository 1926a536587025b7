// The form of exercises: chapters with jobs, runs and questions, as JSON. The guided tours have the
// same form. docs/formats/exercise.md describes it.
import type { Colouring, Problem, Settings } from "schedscope";
import { LIMITS } from "../engine/limits";
import {
  type Check,
  flag,
  isObject,
  list,
  Misfit,
  number,
  object,
  settingsWithin,
  upTo,
  wrong,
} from "../format/check";

/** A job. Times are in seconds. */
export interface Line {
  arrives: number;
  processors: number;
  runs: number;
  /** Estimate; equal to the run time by default. */
  claims?: number;
  /** Number of its program in the library of programs. */
  program?: number;
}

/** A run of a chapter by its letter, which the page shows beside it. */
type Letter = string;

export const TIMES = ["start", "end", "wait", "response", "slowdown"] as const;

type JobValue = (typeof TIMES)[number] | "arrives" | "processors" | "runs" | "claims";

/** A number that the engine tells about the runs. */
export type Measure =
  | number
  | { of: JobValue; job: number; run: Letter }
  | { figure: string; run: Letter }
  | { count: Jobs }
  | { promised: "start" | "extra"; at: Measure; run: Letter }
  | { nodes: "free" | "largest box"; at: Measure; run: Letter }
  | { box: number; run: Letter }
  | { slot: number; at: Measure; run: Letter }
  | {
      spent: "computing" | "spinning" | "off";
      processor: number;
      from: number;
      to: number;
      job?: number;
      run: Letter;
    }
  | { class: number; processor: number; at: number; run: Letter }
  | { plus: [Measure, Measure] }
  | { minus: [Measure, Measure] }
  | { over: [Measure, Measure] };

/** A set of jobs that the engine tells. */
export type Jobs =
  | { jobs: "all" | "backfilled" | "waiting long" | "most slowed"; run: Letter }
  | { jobs: "starting" | "waiting" | "running" | "moved"; at: Measure; run: Letter }
  | { jobs: "earlier" | "later"; by: "start" | "end"; run: Letter; than: Letter };

/** The starts or ends that differ between two runs, in words. */
export interface Changes {
  changes: "start" | "end";
  run: Letter;
  than: Letter;
}

export type Compared = "<" | "<=" | "=" | ">=" | ">";

/**
 * An option. It is the right one if all its conditions hold in the runs; one without conditions is
 * right if no other is. `right` marks one that the author knows to be right, whatever the runs do.
 */
interface Option {
  text: string;
  if?: [Measure, Compared, Measure][];
  right?: boolean;
  /** Explanation, if this option is the right one. */
  told?: string;
}

/** An action of the page on its views. */
export interface Show {
  instant?: Measure;
  /** The run whose machine is shown. */
  run?: Letter;
  /** The run that is told step by step. */
  steps?: Letter;
  /** True if the reader predicts each step. */
  predict?: boolean;
  microscope?: { processor: number; seconds: number };
  colours?: Colouring;
}

/** Kinds of questions: a number, a set of jobs, one of several options, one of the runs, a reason. */
type Answered =
  | { number: Measure; unit?: string; within?: number }
  | { jobs: Jobs; among?: Jobs }
  | { choice: Option[]; least?: Measure[] }
  | { best: string; greatest?: boolean }
  | { why: number; run: Letter };

export type Question = Answered & {
  ask: string;
  /** Explanation, shown with the answer. */
  told?: string;
  /** Values for `{name}` in the texts. */
  values?: Record<string, Measure | Jobs | Changes>;
  /** The page's action when the question is answered. */
  show?: Show;
};

/** Views that a chapter can be on. */
const VIEWS = ["timeline", "torus", "sharing"] as const;

export interface Chapter {
  title: string;
  text: string;
  /** Name of the jobs on the page. */
  name?: string;
  processors?: number;
  jobs?: Line[];
  machine?: string;
  /** Settings that all runs share. */
  settings?: Settings;
  runs: { policy: string; machine?: string; settings?: Settings }[];
  /** True if the rows of a matrix are drawn one below the other. */
  rows?: boolean;
  view?: (typeof VIEWS)[number];
  /**
   * For each run the instant from which on it is hidden until all questions are answered; "all" if
   * it is hidden wholly, null if it is visible.
   */
  hidden?: (number | "all" | null)[];
  show?: Show;
  questions?: Question[];
  /** The page's action when all questions are answered. */
  afterwards?: Show;
}

export interface Exercise {
  schedscope_exercise: 1;
  title: string;
  about?: string;
  chapters: Chapter[];
}

/** Most levels of measures within measures. */
const DEPTH = 8;

const text = upTo(LIMITS.exercise_bytes);

const name = upTo(LIMITS.name_bytes);

const whole =
  (least: number, most: number): Check =>
  (value, place) => {
    if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
      wrong(
        place,
        `a whole number from ${least.toLocaleString("en")} to ${most.toLocaleString("en")}`,
      );
  };

const oneOf =
  (words: readonly string[]): Check =>
  (value, place) =>
    void (
      words.includes(value as string) ||
      wrong(place, words.length === 1 ? `"${words[0]}"` : `one of ${words.join(", ")}`)
    );

const seconds = whole(0, LIMITS.exercise_number);

const letter: Check = (value, place) =>
  void (
    (typeof value === "string" && /^[A-Z]$/.test(value)) ||
    wrong(place, "the letter of a run")
  );

const jobNumber = whole(1, LIMITS.exercise_jobs);

/** Checks an object of one of several forms, each recognised by a field of its own. */
const byField =
  (forms: Record<string, Check>, what: string): Check =>
  (value, place) => {
    const key = isObject(value) && Object.keys(forms).find((key) => key in value);
    if (!key) wrong(place, what);
    forms[key]!(value, place);
  };

const two =
  (check: Check): Check =>
  (value, place) => {
    if (!Array.isArray(value) || value.length !== 2) wrong(place, "a list of two");
    for (const [at, each] of value.entries()) check(each, `${place}[${at}]`);
  };

function measureTo(depth: number): Check {
  return (value, place) => {
    if (typeof value === "number") return number(value, place);
    if (depth === 0) wrong(place, `within ${DEPTH} levels of measures`);
    const inner = measureTo(depth - 1);
    byField(
      {
        of: object({
          of: oneOf([...TIMES, "arrives", "processors", "runs", "claims"]),
          job: jobNumber,
          run: letter,
        }),
        figure: object({ figure: name, run: letter }),
        count: object({ count: jobsTo(depth - 1) }),
        promised: object({ promised: oneOf(["start", "extra"]), at: inner, run: letter }),
        nodes: object({ nodes: oneOf(["free", "largest box"]), at: inner, run: letter }),
        box: object({ box: jobNumber, run: letter }),
        slot: object({ slot: jobNumber, at: inner, run: letter }),
        spent: object(
          {
            spent: oneOf(["computing", "spinning", "off"]),
            processor: seconds,
            from: number,
            to: number,
            run: letter,
          },
          { job: jobNumber },
        ),
        class: object({ class: jobNumber, processor: seconds, at: number, run: letter }),
        plus: object({ plus: two(inner) }),
        minus: object({ minus: two(inner) }),
        over: object({ over: two(inner) }),
      },
      "a number or a known measure",
    )(value, place);
  };
}

function jobsTo(depth: number): Check {
  const at = (value: unknown, place: string) => measureTo(depth)(value, place);
  return (value, place) => {
    const kind = isObject(value) ? value.jobs : undefined;
    if (kind === "earlier" || kind === "later")
      object({ jobs: name, by: oneOf(["start", "end"]), run: letter, than: letter })(value, place);
    else if (["starting", "waiting", "running", "moved"].includes(kind as string))
      object({ jobs: name, at, run: letter })(value, place);
    else
      object({ jobs: oneOf(["all", "backfilled", "waiting long", "most slowed"]), run: letter })(
        value,
        place,
      );
  };
}

const measure = measureTo(DEPTH);

const jobs = jobsTo(DEPTH);

const settings = settingsWithin(LIMITS);

const condition: Check = (value, place) => {
  if (!Array.isArray(value) || value.length !== 3) wrong(place, "a condition");
  measure(value[0], `${place}[0]`);
  oneOf(["<", "<=", "=", ">=", ">"])(value[1], `${place}[1]`);
  measure(value[2], `${place}[2]`);
};

const show = object(
  {},
  {
    instant: measure,
    run: letter,
    steps: letter,
    predict: flag,
    microscope: object({ processor: seconds, seconds: number }),
    colours: oneOf(["user", "job", "size", "wait", "slowdown", "difference", "class"]),
  },
);

const textValue = (value: unknown, place: string): void => {
  if (isObject(value) && "changes" in value)
    object({ changes: oneOf(["start", "end"]), run: letter, than: letter })(value, place);
  else if (isObject(value) && "jobs" in value) jobs(value, place);
  else measure(value, place);
};

const values: Check = (value, place) => {
  if (!isObject(value)) wrong(place, "a group of fields");
  const entries = Object.entries(value);
  list(() => {}, LIMITS.exercise_questions)(entries, place);
  for (const [key, each] of entries) textValue(each, `${place}.${key}`);
};

const option = object(
  { text: name },
  { if: list(condition, LIMITS.exercise_questions), right: flag, told: text },
);

const margin: Check = (value, place) =>
  void ((typeof value === "number" && value >= 0) || wrong(place, "a number from 0 on"));

const also = { ask: text };

const mayAlso = { told: text, values, show };

const question = byField(
  {
    number: object({ ...also, number: measure }, { ...mayAlso, unit: name, within: margin }),
    jobs: object({ ...also, jobs }, { ...mayAlso, among: jobs }),
    choice: (value, place) => {
      object(
        { ...also, choice: list(option, LIMITS.exercise_questions, 2, "options") },
        { ...mayAlso, least: list(measure, LIMITS.exercise_questions, 2) },
      )(value, place);
      const { choice, least } = value as { choice: unknown[]; least?: unknown[] };
      if (least && least.length !== choice.length)
        wrong(`${place}.least`, "a list of as many measures as options");
    },
    best: object({ ...also, best: name }, { ...mayAlso, greatest: flag }),
    why: object({ ...also, why: jobNumber, run: letter }, mayAlso),
  },
  "a question with number, jobs, choice, best or why",
);

const line = object(
  {
    arrives: seconds,
    processors: whole(1, LIMITS.exercise_number),
    runs: whole(1, LIMITS.exercise_number),
  },
  { claims: whole(1, LIMITS.exercise_number), program: whole(1, LIMITS.exercise_number) },
);

const chapter = object(
  {
    title: name,
    text,
    runs: list(
      object({ policy: name }, { machine: name, settings }),
      LIMITS.exercise_runs,
      1,
      "runs",
    ),
  },
  {
    name,
    processors: whole(1, LIMITS.exercise_number),
    jobs: list(line, LIMITS.exercise_jobs, 0, "jobs"),
    machine: name,
    settings,
    rows: flag,
    view: oneOf(VIEWS),
    hidden: list((value, place) => {
      if (value !== null && value !== "all") number(value, place);
    }, LIMITS.exercise_runs),
    show,
    questions: list(question, LIMITS.exercise_questions, 0, "questions"),
    afterwards: show,
  },
);

const exercise = object(
  {
    schedscope_exercise: (value, place) => void (value === 1 || wrong(place, "1")),
    title: name,
    chapters: list(chapter, LIMITS.exercise_chapters, 1, "chapters"),
  },
  { about: text },
);

/**
 * Reads a document of a kind, for example an exercise.
 * Throws a Problem if it has another form.
 */
export function readDocument(content: string, what: string, check: Check, most: number): unknown {
  const problem = (why: string): Problem => ({
    what: `This is no ${what} that the page can read.`,
    why,
    next: `Check the file, or ask its author for the ${what} again.`,
  });
  if (content.length > most)
    throw problem(`It has more than ${most.toLocaleString("en")} characters.`);
  let found: unknown;
  try {
    found = JSON.parse(content);
  } catch (error) {
    throw problem(`It is not JSON: ${(error as Error).message}.`);
  }
  try {
    check(found, what);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw problem(`${error.place} is not ${error.wanted}.`);
  }
  return found;
}

/**
 * Reads an exercise.
 * Throws a Problem if the text is none.
 */
export const readExercise = (content: string): Exercise =>
  readDocument(content, "exercise", exercise, LIMITS.exercise_bytes) as Exercise;

/** Checks an exercise within another document. */
export const isExercise: Check = exercise;

/** The jobs, machine and runs of a chapter, with what it takes over from the chapters before. */
export interface Stage {
  name: string;
  processors: number;
  jobs: Line[];
  machine: string;
  settings: Settings;
  runs: Chapter["runs"];
}

/** Returns the stage of a chapter, by its number from 0. */
export function stageOf({ title, chapters }: Exercise, at: number): Stage {
  const stage: Stage = {
    name: title,
    processors: 1,
    jobs: [],
    machine: "flat",
    settings: {},
    runs: [],
  };
  for (const { name, processors, jobs, machine, settings } of chapters.slice(0, at + 1)) {
    if (name !== undefined) stage.name = name;
    if (processors !== undefined) stage.processors = processors;
    if (jobs !== undefined) stage.jobs = jobs;
    if (machine !== undefined) stage.machine = machine;
    if (settings !== undefined) stage.settings = settings;
  }
  return { ...stage, runs: chapters[at]!.runs };
}
