// Guided tours: chapters that put real runs on the page, ask about their course, and answer from
// these runs. The texts are data in `tours/`. No right answer is written down; the code reads it
// from the engine.

import { batch, effect, signal } from "@preact/signals";
import * as Comlink from "comlink";
import type { ComponentChild } from "preact";
import type { Colouring, JobFacts, Settings, StepFacts } from "schedscope";
import type { MatrixFacts, Probed } from "../engine/protocol";
import { ask, Stopped } from "../engine/workers";
import { wanted as filter, filterBy } from "../explore/filter";
import { asProblem } from "../format/problem";
import * as lab from "../lab";
import * as s from "../state";

/** The trace and runs that a chapter puts on the page. */
export interface Stage {
  name: string;
  /** The jobs, as SWF. */
  trace: string;
  machine?: string;
  shared?: Settings;
  runs: (Partial<s.Setup> & { policy: string })[];
  /** True if the rows of a matrix are drawn one below the other. */
  rows?: boolean;
}

/** Kinds of answers: one of several, a number, or a set of jobs. */
type Answer =
  | { kind: "choice"; options: string[]; right: number }
  | { kind: "number"; unit: string; right: number; within: number }
  | { kind: "jobs"; jobs: JobFacts[]; right: number[] };

interface Question {
  ask: string;
  answer: Answer;
  /** Explanation, shown with the answer. */
  told: string;
  /** Shows more with the answer. */
  afterwards?: () => void | Promise<void>;
}

interface Chapter {
  title: string;
  text: ComponentChild;
  stage: Stage;
  tab: s.Tab;
  /** Instants from which on each run is hidden until all questions are answered. */
  veil?: number[];
  /** Called when the runs are done. */
  show?: (runs: Runs) => void | Promise<void>;
  questions?: (runs: Runs) => Promise<Question[]>;
  /** Called when all questions are answered. */
  afterwards?: (runs: Runs) => void | Promise<void>;
}

export interface Tour {
  id: string;
  title: string;
  /** Subject of the tour, in a sentence. */
  about: string;
  chapters: Chapter[];
}

/** Facts that the finished runs of a chapter report. */
export class Runs {
  private readonly found: JobFacts[][] = [];

  constructor(private readonly ids: number[]) {}

  lane(run: number): s.Lane {
    const lane = s.lanes.value.find(({ id }) => id === this.ids[run]);
    if (!lane) throw new Stopped("the run is no longer there");
    return lane;
  }

  /** Asks the engine of a run. */
  ask<T>(run: number, work: Parameters<typeof ask<T>>[1]): Promise<T> {
    const { hand } = this.lane(run);
    if (!hand) throw new Stopped("the run is no longer there");
    return ask(hand, work);
  }

  /** All jobs, by number. */
  async jobs(run: number): Promise<JobFacts[]> {
    this.found[run] ??= (await this.ask(run, (engine) => engine.jobs(0, MOST))).sort(
      (one, other) => one.number - other.number,
    );
    return this.found[run];
  }

  /** Returns a job by its number. */
  async job(run: number, number: number): Promise<JobFacts> {
    const found = (await this.jobs(run)).find((job) => job.number === number);
    if (!found) throw new Error(`there is no job ${number}`);
    return found;
  }

  story = (run: number): Promise<StepFacts[]> => this.ask(run, (engine) => engine.story());

  /** Returns the events of an instant. */
  async step(run: number, at: number): Promise<StepFacts> {
    const found = (await this.story(run)).find((step) => step.at === at);
    if (!found) throw new Error(`nothing happened at ${at} s`);
    return found;
  }

  matrix = (run: number, at: number, colouring: Colouring = "user"): Promise<MatrixFacts> =>
    this.ask(run, (engine) => engine.matrix(at, colouring, "light"));

  async probe(run: number, processor: number, from: number, to: number): Promise<Probed> {
    const found = await this.ask(run, (engine) =>
      engine.microscope(
        processor,
        from,
        to,
        Comlink.proxy(() => {}),
      ),
    );
    if (!found) throw new Error("the machine does not see processes");
    return found;
  }

  /** Returns a figure of the run, for example `wait.mean`. */
  figure(run: number, key: string): number {
    const found = this.lane(run).result?.figures[key];
    if (found === undefined) throw new Error(`there is no figure ${key}`);
    return found;
  }
}

/** Most jobs of a chapter. */
const MOST = 500;

/** A question, and the reader's answer if there is one. */
export interface Asked {
  question: Question;
  given: ReadonlySet<number> | undefined;
}

interface Touring {
  tour: Tour;
  at: number;
  /** Undefined until the runs are done. */
  asked: Asked[] | undefined;
  jobs: JobFacts[];
}

const own = {
  touring: signal<Touring | undefined>(undefined),
  /** The questions answered right, by chapter and question. */
  score: signal<ReadonlyMap<string, boolean>>(new Map()),
};
export const { touring, score }: s.Seen<typeof own> = own;

/** Counts the entered chapters. Answers to an earlier one are dropped. */
let entries = 0;

// A trace of the reader's own, or a link, ends a tour.
effect(() => {
  if (s.lesson.value) return;
  entries += 1;
  batch(() => {
    own.touring.value = undefined;
    s.leaveChapter();
  });
});

/** Begins a tour, at a chapter if given. The state of the page returns at the end. */
export async function begin(tour: Tour, chapter = 0): Promise<void> {
  s.beginLesson({
    source: s.source.value,
    machine: s.machine.value,
    shared: s.shared.value,
    lanes: s.lanes.value.map(lab.setup),
    tab: s.tourWanted.value?.from ?? s.tab.value,
    colouring: s.colouring.value,
    filter: filter.value,
    zoom: s.zoom.value,
    selected: s.selected.value,
    isShared: s.isShared.value,
    isVersus: s.isVersus.value,
  });
  own.score.value = new Map();
  filterBy("");
  await enter(tour, chapter);
}

/** Goes to a chapter. */
export async function enter(tour: Tour, at: number): Promise<void> {
  const entry = ++entries;
  const chapter = tour.chapters[Math.max(0, Math.min(at, tour.chapters.length - 1))]!;
  const index = tour.chapters.indexOf(chapter);
  const { stage } = chapter;
  const lanes = stage.runs.map(lab.newLane);
  batch(() => {
    s.enterChapter(tour.id, index, chapter.tab);
    s.endStepping();
    s.colourBy("user");
    s.drawShared(!stage.rows);
    s.drawVersus(true);
    own.touring.value = { tour, at: index, asked: undefined, jobs: [] };
  });
  try {
    const isOpen = await lab.open(
      { kind: "text", name: stage.name, text: stage.trace },
      stage.shared ?? {},
      { lanes, machine: stage.machine ?? "flat" },
    );
    if (!isOpen || entry !== entries) return;
    s.showTab(chapter.tab);
    await finished(lanes.map(({ id }) => id));
    if (entry !== entries) return;
    const runs = new Runs(lanes.map(({ id }) => id));
    const jobs = await runs.jobs(lanes.length - 1);
    const questions = (await chapter.questions?.(runs)) ?? [];
    if (entry !== entries) return;
    // If everything is hidden, the axis would show the end of the run.
    const hides =
      chapter.veil?.every(Number.isFinite) ||
      chapter.veil?.every((from) => from === Number.NEGATIVE_INFINITY);
    if (hides)
      s.zoomTo({
        ...s.extent.value,
        to:
          Math.max(...jobs.map((job) => job.submitted)) +
          1.25 * jobs.reduce((sum, job) => sum + job.runtime, 0),
      });
    await chapter.show?.(runs);
    if (entry !== entries) return;
    batch(() => {
      own.touring.value = {
        tour,
        at: index,
        asked: questions.map((question) => ({ question, given: undefined })),
        jobs,
      };
      s.cover(
        questions.length > 0 && chapter.veil ? { from: chapter.veil, tab: chapter.tab } : undefined,
      );
    });
    s.say(`Chapter ${index + 1} of ${tour.chapters.length}: ${chapter.title}.`);
  } catch (error) {
    if (entry === entries && !(error instanceof Stopped)) s.tell(asProblem(error));
  }
}

/** Waits until these runs are done. Rejects if one fails or disappears. */
function finished(ids: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = s.lanes.subscribe((lanes) => {
      const ours = ids.map((id) => lanes.find((lane) => lane.id === id));
      const isGone = ours.some(
        (lane) => !lane || lane.state === "failed" || lane.state === "cancelled",
      );
      if (!isGone && !ours.every((lane) => lane!.state === "done")) return;
      queueMicrotask(() => stop());
      if (isGone) reject(new Stopped("a run of the chapter is no longer there"));
      else resolve();
    });
  });
}

/** True if the answer is right. A number may be a little off. */
export function isRight({ question: { answer }, given }: Asked): boolean {
  if (!given) return false;
  if (answer.kind === "jobs")
    return given.size === answer.right.length && answer.right.every((job) => given.has(job));
  const [value] = given;
  if (value === undefined) return false;
  return answer.kind === "choice"
    ? value === answer.right
    : Math.abs(value - answer.right) <= answer.within;
}

/** Answers a question of the chapter; with undefined if the reader only wants the answer. */
export async function answer(number: number, given: ReadonlySet<number>): Promise<void> {
  const now = touring.value;
  if (!now?.asked?.[number]) return;
  const asked = now.asked.map((each, at) => (at === number ? { ...each, given } : each));
  const { question } = asked[number]!;
  const key = `${now.at} ${number}`;
  // A reader who only wants the answer is not counted. A reader who returns keeps the first answer.
  const counts = (given.size > 0 || question.answer.kind === "jobs") && !score.value.has(key);
  const isLast = asked.every((each) => each.given);
  batch(() => {
    own.touring.value = { ...now, asked };
    if (counts) own.score.value = new Map(score.value).set(key, isRight(asked[number]!));
    if (!isLast || !s.veil.value) return;
    s.cover(undefined);
    s.zoomTo(undefined);
  });
  const entry = entries;
  try {
    await question.afterwards?.();
    if (isLast && entry === entries)
      await now.tour.chapters[now.at]!.afterwards?.(new Runs(s.lanes.value.map(({ id }) => id)));
    if (entry === entries) s.say(`${verdict(asked[number]!)} ${question.told}`);
  } catch (error) {
    if (!(error instanceof Stopped)) s.tell(asProblem(error));
  }
}

/** Returns the right answer in words. */
export function inWords(answer: Answer): string {
  if (answer.kind === "choice") return answer.options[answer.right]!;
  if (answer.kind === "number")
    return `${Math.round(answer.right * 10) / 10}${answer.unit === "%" ? " %" : answer.unit ? ` ${answer.unit}` : ""}`;
  const numbers = answer.right.map(String);
  if (numbers.length === 0) return "none";
  return `job${numbers.length === 1 ? "" : "s"} ${numbers.length > 1 ? `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}` : numbers[0]}`;
}

export function verdict(asked: Asked): string {
  const right = inWords(asked.question.answer);
  if (asked.given?.size === 0 && asked.question.answer.kind !== "jobs") return `Answer: ${right}.`;
  return isRight(asked) ? `Correct: ${right}.` : `Not quite: ${right}.`;
}

/**
 * Ends the tour. The previous state of the page returns, unless the reader keeps the chapter's
 * runs.
 */
export async function leave(keeps = false): Promise<void> {
  const before = s.lesson.value;
  if (!before) return;
  s.endStepping();
  if (keeps) lab.keepBefore();
  s.endLesson();
  s.goTo(keeps ? s.tab.value : before.tab);
  if (keeps) return;
  batch(() => {
    s.colourBy(before.colouring);
    s.drawShared(before.isShared);
    s.drawVersus(before.isVersus);
  });
  const isOpen = await lab.open(before.source ?? lab.SAMPLE, before.shared, {
    lanes: before.lanes.map(lab.newLane),
    machine: before.machine,
  });
  if (!isOpen) return;
  s.zoomTo(before.zoom);
  s.markSelected(before.selected);
  filterBy(before.filter);
}
