// The kinds of questions that the editor makes, with the words in which they are usually asked.
import { LIMITS } from "../engine/limits";
import { RANKINGS } from "../state";
import type { Jobs, Measure, Question, TIMES } from "./format";

type Time = (typeof TIMES)[number];

/** The parts of a question that the editor's fields change. */
export interface Asks {
  job: number;
  /** Letters of runs: the one that is asked about, and the one it is compared with. */
  run: string;
  than: string;
  /** An instant, in seconds. */
  at: number;
  time: Time;
  /** Key of a figure. */
  figure: string;
  set: "starting" | "waiting" | "running" | "backfilled" | "earlier" | "later";
  within: number;
  options: { text: string; right?: boolean }[];
}

export type Field = keyof Asks;

export const USUAL: Asks = {
  job: 1,
  run: "A",
  than: "A",
  at: 0,
  time: "start",
  figure: RANKINGS[0].key,
  set: "starting",
  within: 0.5,
  options: [{ text: "Yes", right: true }, { text: "No" }],
};

const figureNamed = (key: string) => RANKINGS.find((ranking) => ranking.key === key);

const ASKED: Record<Time, (job: number) => string> = {
  start: (job) => `When does job ${job} start`,
  end: (job) => `When does job ${job} end`,
  wait: (job) => `How long does job ${job} wait`,
  response: (job) => `How long is job ${job} in the system, from its arrival to its end,`,
  slowdown: (job) => `What is the slowdown of job ${job}`,
};

const jobsOf = ({ set, run, than, at }: Asks): Jobs => {
  if (set === "backfilled") return { jobs: set, run };
  if (set === "earlier" || set === "later") return { jobs: set, by: "start", run, than };
  return { jobs: set, at, run };
};

const SETS: Record<Asks["set"], (asks: Asks) => string> = {
  starting: ({ at, run }) => `Which jobs start at ${at} s in run ${run}?`,
  waiting: ({ at, run }) =>
    `Which jobs are waiting in run ${run} right after the events at ${at} s?`,
  running: ({ at, run }) =>
    `Which jobs are running in run ${run} right after the events at ${at} s?`,
  backfilled: ({ run }) =>
    `Which jobs start in run ${run} while a job that arrived earlier holds the first reservation?`,
  earlier: ({ run, than }) => `Which jobs start earlier in run ${run} than in run ${than}?`,
  later: ({ run, than }) => `Which jobs start later in run ${run} than in run ${than}?`,
};

/** The fields of a set of jobs beside its kind. */
const SET_FIELDS: Record<Asks["set"], Field[]> = {
  starting: ["at", "run"],
  waiting: ["at", "run"],
  running: ["at", "run"],
  backfilled: ["run"],
  earlier: ["run", "than"],
  later: ["run", "than"],
};

interface Kind {
  name: string;
  fields: (asks: Asks) => Field[];
  ask: (asks: Asks) => string;
  make: (asks: Asks) => Question;
  /** Reads the fields of a question of this kind; undefined if the question is of another one. */
  read: (question: Question) => Partial<Asks> | undefined;
}

/** Every kind by its name in the editor's list. */
export const KINDS: Record<string, Kind> = {
  time: {
    name: "When, or how long: a job",
    fields: () => ["time", "job", "run", "within"],
    ask: ({ time, job, run }) => `${ASKED[time](job)} in run ${run}?`,
    make: ({ time, job, run, within }) => ({
      ask: "",
      number: { of: time, job, run },
      unit: time === "slowdown" ? "" : "s",
      within,
    }),
    read: (question) => {
      const measure = "number" in question ? question.number : 0;
      return typeof measure === "object" && "of" in measure && measure.of in ASKED
        ? { time: measure.of as Time, job: measure.job, run: measure.run, ...within(question) }
        : undefined;
    },
  },
  jobs: {
    name: "Which jobs",
    fields: (asks) => ["set", ...SET_FIELDS[asks.set]],
    ask: (asks) => SETS[asks.set](asks),
    make: (asks) => ({ ask: "", jobs: jobsOf(asks) }),
    read: (question) => {
      if (!("jobs" in question) || question.among) return undefined;
      const { jobs } = question;
      if (!(jobs.jobs in SETS) || ("at" in jobs && typeof jobs.at !== "number")) return undefined;
      if ("by" in jobs && jobs.by !== "start") return undefined;
      const { jobs: set, ...rest } = jobs;
      return { set: set as Asks["set"], ...(rest as Partial<Asks>) };
    },
  },
  why: {
    name: "Why a job waits",
    fields: () => ["job", "run"],
    ask: ({ job, run }) =>
      `Why does job ${job} wait in run ${run}? Choose the reason that holds longest.`,
    make: ({ job, run }) => ({ ask: "", why: job, run }),
    read: (question) => ("why" in question ? { job: question.why, run: question.run } : undefined),
  },
  best: {
    name: "Which run is best",
    fields: () => ["figure"],
    ask: ({ figure }) => {
      const found = figureNamed(figure);
      return `Which run has the ${found?.isHigherBetter ? "highest" : found?.kind === "time" ? "shortest" : "lowest"} ${found?.phrase ?? figure}?`;
    },
    make: ({ figure }) => ({
      ask: "",
      best: figure,
      ...(figureNamed(figure)?.isHigherBetter ? { greatest: true } : {}),
    }),
    read: (question) =>
      "best" in question && figureNamed(question.best) ? { figure: question.best } : undefined,
  },
  figure: {
    name: "A figure of a run",
    fields: () => ["figure", "run", "within"],
    ask: ({ figure, run }) => `What is the ${figureNamed(figure)?.phrase ?? figure} in run ${run}?`,
    make: ({ figure, run, within }) => {
      const kind = figureNamed(figure)?.kind;
      const number: Measure =
        kind === "share" ? { over: [{ figure, run }, 0.01] } : { figure, run };
      return {
        ask: "",
        number,
        unit: kind === "time" ? "s" : kind === "share" ? "%" : "",
        within,
      };
    },
    read: (question) => {
      let measure = "number" in question ? question.number : 0;
      if (typeof measure === "object" && "over" in measure && measure.over[1] === 0.01)
        measure = measure.over[0];
      return typeof measure === "object" && "figure" in measure && figureNamed(measure.figure)
        ? { figure: measure.figure, run: measure.run, ...within(question) }
        : undefined;
    },
  },
  own: {
    name: "Options of your own",
    fields: () => ["options"],
    ask: () => "",
    make: ({ options }) => ({ ask: "", choice: options.slice(0, LIMITS.exercise_questions) }),
    read: (question) =>
      "choice" in question &&
      !question.least &&
      question.choice.every((option) => !option.if && !option.told)
        ? { options: question.choice }
        : undefined,
  },
};

const within = (question: Question): Partial<Asks> =>
  "within" in question && question.within !== undefined ? { within: question.within } : {};

/** Returns the kind of a question with its fields; undefined if the editor has no fields for it. */
export function kindOf(question: Question): { id: string; asks: Asks } | undefined {
  for (const [id, { read }] of Object.entries(KINDS)) {
    const found = read(question);
    if (found) return { id, asks: { ...USUAL, ...found } };
  }
  return undefined;
}

/**
 * Returns a question of a kind. Its words are the usual ones, unless the author has written others.
 */
export function made(id: string, asks: Asks, before?: Question): Question {
  const kind = KINDS[id]!;
  const old = before && kindOf(before);
  const isUsual =
    !before || before.ask === "" || (old && before.ask === KINDS[old.id]!.ask(old.asks));
  const { told, values, show } = before ?? {};
  return {
    ...kind.make(asks),
    ask: isUsual ? kind.ask(asks) : before.ask,
    ...(told === undefined ? {} : { told }),
    ...(values === undefined ? {} : { values }),
    ...(show === undefined ? {} : { show }),
  };
}
