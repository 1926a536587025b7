// Tours and exercises: chapters that put real runs on the page, ask about their course, and answer
// from these runs. No right answer is written down; the code reads it from the engine.

import { batch, effect, signal } from "@preact/signals";
import type { JobFacts } from "schedscope";
import { Stopped } from "../engine/workers";
import { wanted as filter, filterBy } from "../explore/filter";
import { asProblem } from "../format/problem";
import * as lab from "../lab";
import * as s from "../state";
import type { Chapter, Exercise } from "./format";
import { stageOf } from "./format";
import { type Asked, isRight, put, verdict } from "./questions";
import { onPage } from "./runs";
import { act } from "./show";
import { swf } from "./swf";

/** An exercise; a tour has an id. */
export interface Course {
  id?: string;
  exercise: Exercise;
}

interface Touring extends Course {
  at: number;
  /** Undefined until the runs are done. */
  asked: Asked[] | undefined;
  /** True if the chapter cannot be shown. A message says why. */
  isFailed: boolean;
  jobs: JobFacts[];
}

/** The first answer to each question, by chapter and question, and whether it was right. */
type Given = ReadonlyMap<string, { given: readonly number[]; isRight: boolean }>;

const own = {
  touring: signal<Touring | undefined>(undefined),
  given: signal<Given>(new Map()),
  /** Number of answers that the reader has saved. */
  saved: signal(0),
};
export const { touring, given }: s.Seen<typeof own> = own;

/** The answers to exercises that the reader has left, by the text of the exercise. */
const kept = new Map<string, { given: Given; saved: number }>();

/** The text of the exercise that the present answers are to; undefined for a tour or a trial. */
let answered: string | undefined;

/** Tells that the present answers are saved. */
export function keepSaved(): void {
  own.saved.value = given.value.size;
}

const askBeforeLeaving = (event: Event): void => event.preventDefault();

// A student who leaves the page loses the answers to an exercise, so the browser asks.
effect(() => {
  const isUnsaved = given.value.size > own.saved.value && answered !== undefined;
  if (isUnsaved) addEventListener("beforeunload", askBeforeLeaving);
  else removeEventListener("beforeunload", askBeforeLeaving);
});

/** Returns the key of an answer. */
export const keyOf = (chapter: number, question: number): string => `${chapter} ${question}`;

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

/** The state of the page from before a tour that has ended, until it is back. */
let returning: s.Lesson | undefined;

/** Keeps the state of the page until the end of a lesson. */
export function keepPage(): void {
  const before = returning ?? pageNow();
  returning = undefined;
  s.beginLesson(before);
  filterBy("");
}

function pageNow(): s.Lesson {
  return {
    source: s.source.value,
    machine: s.machine.value,
    shared: s.shared.value,
    lanes: s.lanes.value.map(lab.setup),
    tab: s.tourWanted.value?.from ?? s.tab.value,
    colouring: s.colouring.value,
    filter: filter.value,
    zoom: s.zoom.value,
    selected: s.selected.value,
    rows: s.rowsWanted.value,
    isVersus: s.isVersus.value,
  };
}

/**
 * Begins a tour, at a chapter if given. The state of the page returns at the end. An exercise keeps
 * the first answers to it, also where the reader left it; a trial by its author does not.
 */
export async function begin(course: Course, chapter = 0, isTrial = false): Promise<void> {
  keepPage();
  if (answered !== undefined) kept.set(answered, { given: given.value, saved: own.saved.value });
  answered = course.id !== undefined || isTrial ? undefined : JSON.stringify(course.exercise);
  const found = answered === undefined ? undefined : kept.get(answered);
  batch(() => {
    own.given.value = found?.given ?? new Map();
    own.saved.value = found?.saved ?? 0;
  });
  await enter(course, chapter);
}

/** Goes to a chapter of the present tour if it is this one. Returns true if it is. */
export function enterAgain(of: { id: string } | { text: string }, chapter: number): boolean {
  const { value: now } = touring;
  if (!now || ("id" in of ? now.id !== of.id : JSON.stringify(now.exercise) !== of.text))
    return false;
  void enter(now, chapter);
  return true;
}

/**
 * Puts the jobs and runs of a chapter on the page. Returns the lanes; undefined if it cannot.
 * `isQuiet` shows no message meanwhile.
 */
export async function stage(
  exercise: Exercise,
  at: number,
  isQuiet = false,
): Promise<s.Lane[] | undefined> {
  const wanted = stageOf(exercise, at);
  const lanes = wanted.runs.map(lab.newLane);
  const isOpen = await lab.open(
    { kind: "text", name: wanted.name, text: swf(wanted) },
    wanted.settings,
    { lanes, machine: wanted.machine, isQuiet },
  );
  return isOpen ? lanes : undefined;
}

/** Ends the chapter on the page; an editor follows. */
export function stop(): void {
  entries += 1;
  own.touring.value = undefined;
}

/** Goes to a chapter. */
export async function enter({ id, exercise }: Course, wanted: number): Promise<void> {
  const entry = ++entries;
  const at = Math.max(0, Math.min(wanted, exercise.chapters.length - 1));
  const chapter = exercise.chapters[at]!;
  const view = chapter.view ?? "timeline";
  const course: Course = id === undefined ? { exercise } : { id, exercise };
  batch(() => {
    s.enterChapter(
      id === undefined
        ? { exercise: JSON.stringify(exercise), isEdited: false, chapter: at }
        : { id, chapter: at },
      view,
    );
    s.endStepping();
    s.colourBy("user");
    s.drawRows(chapter.rows ? "slots" : "shared");
    s.drawVersus(true);
    own.touring.value = { ...course, at, asked: undefined, isFailed: false, jobs: [] };
  });
  try {
    const lanes = await stage(exercise, at);
    if (entry !== entries) return;
    if (!lanes) return failed();
    s.showTab(view);
    const ids = lanes.map(({ id }) => id);
    await finished(ids);
    if (entry !== entries) return;
    const runs = onPage(ids);
    const jobs = await runs.jobs(runs.letters.at(-1)!);
    const questions = await Promise.all(
      (chapter.questions ?? []).map((question) => put(question, runs, chapter)),
    );
    if (entry !== entries) return;
    const veil = veilOf(chapter);
    // If everything is hidden, the axis would show the end of the run.
    if (veil?.every((from) => from < Number.POSITIVE_INFINITY))
      s.zoomTo({
        ...s.extent.value,
        to:
          Math.max(...jobs.map((job) => job.submitted)) +
          1.25 * jobs.reduce((sum, job) => sum + job.runtime, 0),
      });
    await act(chapter.show, runs, ids);
    if (entry !== entries) return;

    batch(() => {
      own.touring.value = {
        ...course,
        at,
        asked: questions.map((question) => ({ question, given: undefined })),
        isFailed: false,
        jobs,
      };
      s.cover(questions.length > 0 && veil ? { from: veil, tab: view } : undefined);
    });
    s.say(`Chapter ${at + 1} of ${exercise.chapters.length}: ${chapter.title}.`);
  } catch (error) {
    if (entry !== entries) return;
    if (!(error instanceof Stopped)) s.tell(asProblem(error));
    failed();
  }
}

function failed(): void {
  const { value: now } = touring;
  if (now) own.touring.value = { ...now, isFailed: true };
}

/** Returns the instants from which on each run is hidden; undefined if nothing is. */
function veilOf({ hidden, runs }: Chapter): number[] | undefined {
  return (
    hidden &&
    runs.map((_, at) => {
      const from = hidden[at];
      if (from === "all") return Number.NEGATIVE_INFINITY;
      return from ?? Number.POSITIVE_INFINITY;
    })
  );
}

/** Waits until these runs are done. Rejects if one fails, with its problem, or disappears. */
export function finished(ids: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = s.lanes.subscribe((lanes) => {
      const ours = ids.map((id) => lanes.find((lane) => lane.id === id));
      const isGone = ours.some(
        (lane) => !lane || lane.state === "failed" || lane.state === "cancelled",
      );
      if (!isGone && !ours.every((lane) => lane!.state === "done")) return;
      queueMicrotask(() => stop());
      if (isGone)
        reject(
          ours.find((lane) => lane?.problem)?.problem ??
            new Stopped("a run of the chapter is no longer there"),
        );
      else resolve();
    });
  });
}

/** Answers a question of the chapter; with nothing if the reader only wants the answer. */
export async function answer(number: number, values: readonly number[]): Promise<void> {
  const now = touring.value;
  if (!now?.asked?.[number]) return;
  const asked = now.asked.map((each, at) => (at === number ? { ...each, given: values } : each));
  const { question } = asked[number]!;
  const key = keyOf(now.at, number);
  // A reader who returns keeps the first answer. A tour does not count a reveal without an answer.
  const counts =
    (values.length > 0 || question.answer.kind === "jobs" || now.id === undefined) &&
    !given.value.has(key);
  const isLast = asked.every((each) => each.given);
  batch(() => {
    own.touring.value = { ...now, asked };
    if (counts)
      own.given.value = new Map(given.value).set(key, {
        given: values,
        isRight: isRight(asked[number]!),
      });
    if (!isLast || !s.veil.value) return;
    s.cover(undefined);
    s.zoomTo(undefined);
  });
  const entry = entries;
  const ids = s.lanes.value.map(({ id }) => id);
  try {
    await act(question.show, onPage(ids), ids);
    if (isLast && entry === entries)
      await act(now.exercise.chapters[now.at]!.afterwards, onPage(ids), ids);
    if (entry === entries)
      s.say(`${verdict(asked[number]!)} ${question.told.replace(/[*_]/g, "")}`);
  } catch (error) {
    if (!(error instanceof Stopped)) s.tell(asProblem(error));
  }
}

/**
 * Ends the tour. The previous state of the page returns, unless the reader keeps the chapter's
 * runs.
 */
export async function leave(keeps = false): Promise<void> {
  const before = s.lesson.value;
  if (!before) return;
  s.endStepping();
  if (keeps) {
    lab.keepBefore();
    s.endLesson();
    s.goTo(s.tab.value);
    return;
  }
  returning = before;
  // In one step: the address would name the chapter's runs without their tour otherwise.
  const isOpen = batch(() => {
    s.endLesson();
    s.goTo(before.tab);
    s.colourBy(before.colouring);
    s.drawRows(before.rows);
    s.drawVersus(before.isVersus);
    return lab.open(before.source ?? lab.SAMPLE, before.shared, {
      lanes: before.lanes.map(lab.newLane),
      machine: before.machine,
    });
  });
  const isBack = await isOpen;
  // Another tour, which began meanwhile, returns there.
  if (returning !== before) return;
  returning = undefined;
  if (!isBack) return lab.keepForLater(before);
  s.zoomTo(before.zoom);
  s.markSelected(before.selected);
  filterBy(before.filter);
}
