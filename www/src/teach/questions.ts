// A question with its right answer, which comes from the runs.
import type { JobFacts } from "schedscope";
import { inList } from "../format/words";
import { newLane } from "../lab";
import { nameOf } from "../runs/name";
import { grouped, KINDS } from "../runs/why";
import { letter } from "../state";
import type { Chapter, Question, Show } from "./format";
import { filler, hold, jobsInWords, jobsOf, measured, plain } from "./measures";
import { Missing, type Runs } from "./runs";

/**
 * Kinds of answers: one of several, a number, or a set of jobs. Several options are right if they
 * are equally good.
 */
type Answer =
  | { kind: "choice"; options: string[]; right: number[] }
  | { kind: "number"; unit: string; right: number; within: number }
  | { kind: "jobs"; jobs: JobFacts[]; right: number[] };

/** A question as it is put to the reader. */
export interface Put {
  ask: string;
  answer: Answer;
  /** Explanation, shown with the answer. */
  told: string;
  show: Show | undefined;
}

/** A question, and the reader's answer if there is one: the chosen options or jobs, or a number. */
export interface Asked {
  question: Put;
  given: readonly number[] | undefined;
}

/** Kinds of reasons as options. Files of answers hold their numbers, so their order stays. */
const REASONS = [
  "processors",
  "partition",
  "behind",
  "reserved",
  "not_chosen",
  "not_tried",
  "start_delay",
  "recorded",
  "nodes",
  "slurm",
  "lost",
] as const satisfies (keyof typeof KINDS)[];

/** The share of a number by which rounding may miss the margin. */
const ROUNDING = 1e-9;

/** Most digits after the point in an answer. */
const MOST_DIGITS = 6;

/** Returns the indices of the least values. */
function leastOf(values: number[]): number[] {
  const least = Math.min(...values);
  return values.flatMap((value, at) => (value === least ? [at] : []));
}

async function answerOf(
  question: Question,
  runs: Runs,
  stage: Pick<Chapter, "runs">,
): Promise<{ answer: Answer; told?: string | undefined }> {
  if ("number" in question) {
    const { number, unit = "", within = 0.5 } = question;
    return { answer: { kind: "number", unit, right: await measured(runs, number), within } };
  }
  if ("jobs" in question) {
    const right = await jobsOf(runs, question.jobs);
    const jobs = question.among
      ? await jobsOf(runs, question.among)
      : await runs.jobs(question.jobs.run);
    return { answer: { kind: "jobs", jobs, right: right.map(({ number }) => number) } };
  }
  if ("choice" in question) {
    const options = question.choice.map(({ text }) => text);
    const marked = question.least
      ? leastOf(await Promise.all(question.least.map((each) => measured(runs, each))))
      : question.choice.flatMap(({ right }, at) => (right ? [at] : []));
    if (marked.length > 0)
      return {
        answer: { kind: "choice", options, right: marked },
        told: question.choice[marked[0]!]!.told,
      };
    if (question.choice.filter((option) => !option.if).length > 1)
      throw new Missing("No option is marked as the right one.");
    let right = question.choice.findIndex((option) => !option.if);
    for (const [at, option] of question.choice.entries())
      if (option.if && (await hold(runs, option.if))) {
        right = at;
        break;
      }
    if (right < 0) throw new Missing("None of the options is the right one.");
    return {
      answer: { kind: "choice", options, right: [right] },
      told: question.choice[right]!.told,
    };
  }
  if ("best" in question) {
    const values = runs.letters.map((run) => runs.figure(run, question.best));
    return {
      answer: {
        kind: "choice",
        options: stage.runs.map((run, at) => `${letter(at)}: ${nameOf(newLane(run))}`),
        right: leastOf(question.greatest ? values.map((value) => -value) : values),
      },
    };
  }
  const job = await runs.job(question.run, question.why);
  const found = await runs.ask(question.run, (engine) => engine.why(job.job));
  const kinds = grouped(found?.causes ?? []);
  const options = ["It does not wait", ...REASONS.map((kind) => KINDS[kind])];
  const right = kinds
    .filter(({ total }) => total === kinds[0]?.total)
    .map(({ kind }) => REASONS.indexOf(kind) + 1);
  return { answer: { kind: "choice", options, right: right.length > 0 ? right : [0] } };
}

/**
 * Checks that somebody can give the right answer.
 * Throws Missing if nobody can.
 */
function check(answer: Answer): void {
  if (answer.kind === "number" && !Number.isFinite(answer.right))
    throw new Missing("The number that it asks for does not exist: a job may never start.");
  if (answer.kind === "choice" && answer.right.length === 0)
    throw new Missing("The figures that it compares do not exist.");
  const offered = answer.kind === "jobs" && new Set(answer.jobs.map(({ number }) => number));
  if (offered && !answer.right.every((number) => offered.has(number)))
    throw new Missing("Some of the right jobs are not among those that can be chosen.");
}

/** Returns a question with its right answer and its texts. */
export async function put(
  question: Question,
  runs: Runs,
  stage: Pick<Chapter, "runs">,
): Promise<Put> {
  const { answer, told } = await answerOf(question, runs, stage);
  check(answer);
  const fill = filler(runs, question.values);
  return {
    ask: await fill(question.ask),
    answer,
    told: await fill(told ?? question.told ?? ""),
    show: question.show,
  };
}

/** True if the answer is right. A number may be a little off. */
export function isRight({ question: { answer }, given }: Asked): boolean {
  if (!given) return false;
  if (answer.kind === "jobs")
    return given.length === answer.right.length && answer.right.every((job) => given.includes(job));
  const [value] = given;
  if (value === undefined) return false;
  return answer.kind === "choice"
    ? answer.right.includes(value)
    : Math.abs(value - answer.right) <= answer.within + ROUNDING * Math.abs(answer.right);
}

const withUnit = (value: number, unit: string, digits: number): string =>
  `${plain(value, digits)}${unit ? ` ${unit}` : ""}`;

/** Returns the digits after the point that tell a number from those that are not right. */
const digitsFor = (within: number): number =>
  within >= 1 ? 1 : Math.min(MOST_DIGITS, Math.max(2, Math.ceil(-Math.log10(within || 1e-9)) + 1));

/** Returns an answer in words: the right one, or a reader's. */
export function inWords(answer: Answer, given?: readonly number[]): string {
  if (answer.kind === "choice")
    return inList((given ?? answer.right).map((at) => answer.options[at] ?? "another option"));
  if (answer.kind === "number") {
    if (!given) return withUnit(answer.right, answer.unit, digitsFor(answer.within));
    return given[0] === undefined ? "" : withUnit(given[0], answer.unit, MOST_DIGITS);
  }
  return jobsInWords([...(given ?? answer.right)]);
}

export function verdict(asked: Asked): string {
  const right = inWords(asked.question.answer);
  if (asked.given?.length === 0 && asked.question.answer.kind !== "jobs")
    return `Answer: ${right}.`;
  return isRight(asked) ? `Correct: ${right}.` : `Not quite: ${right}.`;
}
