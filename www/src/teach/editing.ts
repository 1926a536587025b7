// The exercise that is being made. Its jobs and runs are on the page, and its right answers come
// from these runs after every change.
import { batch, effect, signal } from "@preact/signals";
import type { Settings } from "schedscope";
import { LIMITS } from "../engine/limits";
import { ask, Stopped } from "../engine/workers";
import { asProblem } from "../format/problem";
import { inList } from "../format/words";
import * as lab from "../lab";
import * as s from "../state";
import { type Chapter, type Exercise, type Question, stageOf } from "./format";
import { inWords, put } from "./questions";
import { isAbout, without } from "./renumber";
import { Missing, onPage } from "./runs";
import { begin, finished, keepPage, leave, stage, stop } from "./tour";

interface Editing {
  exercise: Exercise;
  /** The chapter that is shown, from 0. */
  at: number;
  /** Sentence that says what the exercise did not take over from the page. */
  note: string | undefined;
  /** For each question its right answer, or the reason why it has none; empty while runs go on. */
  answers: { words: string; isFault: boolean }[];
}

const own = {
  editing: signal<Editing | undefined>(undefined),
  /** The exercise that its author tries as a student would. */
  tried: signal<{ exercise: Exercise; at: number } | undefined>(undefined),
};
export const { editing, tried }: s.Seen<typeof own> = own;

/** Milliseconds without a change before the runs start again. */
const QUIET = 350;

/** Counts the changes. Answers to an earlier one are dropped. */
let changes = 0;

/** The stage on the page, as text. */
let staged = "";

let timer: ReturnType<typeof setTimeout> | undefined;

/** The ids of the lanes on the page. */
let ids: number[] = [];

// A trace of the reader's own, a link or another exercise ends the editor.
effect(() => {
  const { value: taught } = s.tour;
  if (taught && "isEdited" in taught && taught.isEdited) return;
  const now = tried.peek();
  const isTrial =
    now && taught && "exercise" in taught && taught.exercise === JSON.stringify(now.exercise);
  changes += 1;
  clearTimeout(timer);
  batch(() => {
    own.editing.value = undefined;
    if (!isTrial && s.lesson.value !== undefined && taught) own.tried.value = undefined;
    if (!s.lesson.value) own.tried.value = undefined;
  });
});

/** Returns an exercise to begin with. */
export const empty = (): Exercise => ({
  schedscope_exercise: 1,
  title: "An exercise",
  chapters: [
    {
      title: "Predict the schedule",
      text: "",
      processors: 8,
      jobs: [],
      runs: [{ policy: "fcfs" }],
      hidden: ["all"],
      questions: [],
    },
  ],
});

/**
 * Returns an exercise with the jobs, the machine and the runs of the page; undefined if the page
 * has too many of them.
 */
export async function fromPage(): Promise<Exercise | undefined> {
  const lane = s.lanes.value.find(({ state, hand }) => state === "done" && hand);
  const facts = s.workload.value;
  if (!lane?.hand || !facts || !canTakePage()) return undefined;
  const jobs = await ask(lane.hand, (engine) => engine.jobs(0, LIMITS.exercise_jobs));
  const first = jobs.reduce((least, { submitted }) => Math.min(least, submitted), Infinity);
  const [chapter] = empty().chapters;
  const ofMachine = new Set(lab.machineNamed(s.machine.value)?.params.map(({ key }) => key));
  // The jobs are those that the workload's settings have made.
  const groups = s.catalog.value?.groups;
  const ofWorkload = new Set(
    [...(groups?.reading ?? []), ...(groups?.workload ?? [])].map(({ key }) => key),
  );
  const only = (settings: Settings, isWanted: (key: string) => boolean): Settings =>
    Object.fromEntries(Object.entries(settings).filter(([key]) => isWanted(key)));
  return {
    ...empty(),
    chapters: [
      {
        ...chapter!,
        processors: facts.processors,
        machine: s.machine.value,
        settings: only(s.shared.value, (key) => ofMachine.has(key)),
        jobs: jobs.map((job) => {
          const [runs, claims] = [job.runtime, job.estimate].map((time) =>
            Math.max(1, Math.round(time)),
          ) as [number, number];
          return {
            arrives: Math.round(job.submitted - first),
            processors: job.processors,
            runs,
            ...(claims === runs ? {} : { claims }),
          };
        }),
        runs: s.lanes.value.map(({ policy, machine, settings }) => ({
          policy,
          ...(machine ? { machine } : {}),
          settings: only(settings, (key) => !ofWorkload.has(key)),
        })),
        hidden: s.lanes.value.map(() => "all" as const),
      },
    ],
  };
}

/** Sentence about what an exercise does not take over from the page. */
export const NOT_TAKEN =
  "Jobs have their arrivals, sizes, run times and estimates from the page, in whole seconds from the first arrival. Users, programs, demands, dependencies, and requests for nodes, GPUs, memory and partitions are not taken over, and neither are settings of the workload.";

/** True if the jobs and runs of the page are few enough for an exercise. */
export const canTakePage = (): boolean =>
  (s.workload.value?.jobs ?? Infinity) <= LIMITS.exercise_jobs &&
  s.lanes.value.length <= LIMITS.exercise_runs &&
  s.lanes.value.every(({ preset, whatIf }) => !preset && !whatIf) &&
  s.lanes.value.some(({ state }) => state === "done");

/** Shows an exercise for editing, at a chapter. */
export async function edit(exercise: Exercise, at = 0, note?: string): Promise<void> {
  keepPage();
  stop();
  const chapter = Math.max(0, Math.min(at, exercise.chapters.length - 1));
  batch(() => {
    own.tried.value = undefined;
    s.leaveChapter();
    s.endStepping();
    s.showTab("timeline");
    s.colourBy("user");
    s.drawRows("shared");
  });
  staged = "";
  take(exercise, chapter, note);
  await restage(changes);
}

function take(exercise: Exercise, at: number, note = editing.value?.note): void {
  changes += 1;
  own.editing.value = { exercise, at, note, answers: [] };
  s.editExercise(JSON.stringify(exercise), at);
}

/** Changes the exercise, or goes to another of its chapters. */
export function change(exercise: Exercise, at = editing.value?.at ?? 0): void {
  take(exercise, at);
  clearTimeout(timer);
  const now = changes;
  timer = setTimeout(() => void restage(now), QUIET);
}

/** Changes the shown chapter. */
export function changeChapter(change_: Partial<Chapter>): void {
  const now = editing.value;
  if (!now) return;
  const { exercise, at } = now;
  change({
    ...exercise,
    chapters: exercise.chapters.map((chapter, index) =>
      index === at ? { ...chapter, ...change_ } : chapter,
    ),
  });
}

/** Removes a part, with an offer to bring it back. */
export function remove(words: string, exercise: Exercise, at?: number): void {
  const before = editing.value;
  if (!before) return;
  change(exercise, at);
  s.say(words);
  s.offerUndo({ words, undo: () => editing.value && change(before.exercise, before.at) });
}

/** Removes a job of the shown chapter. Questions about later jobs stay about them. */
export function removeJob(index: number): void {
  const { exercise, at } = editing.value!;
  const jobs = stageOf(exercise, at).jobs.toSpliced(index, 1);
  const behind = exercise.chapters.findIndex(({ jobs }, each) => each > at && jobs !== undefined);
  const end = behind < 0 ? exercise.chapters.length : behind;
  const removed = { job: index + 1 };
  remove(words(`Job ${index + 1} was removed.`, removed), {
    ...exercise,
    chapters: exercise.chapters.map((chapter, each) => ({
      ...chapter,
      ...(each === at ? { jobs } : {}),
      ...(each >= at && each < end ? ofQuestions(chapter, removed) : {}),
    })),
  });
}

/** Removes a run of the shown chapter. Questions about later runs stay about them. */
export function removeRun(index: number): void {
  const { exercise, at } = editing.value!;
  const chapter = exercise.chapters[at]!;
  const { runs, hidden = [] } = chapter;
  const removed = { run: s.letter(index) };
  remove(words(`Run ${removed.run} was removed.`, removed), {
    ...exercise,
    chapters: exercise.chapters.with(at, {
      ...chapter,
      runs: runs.toSpliced(index, 1),
      hidden: runs.map((_, each) => hidden[each] ?? null).toSpliced(index, 1),
      ...ofQuestions(chapter, removed),
    }),
  });
}

const ofQuestions = (
  { questions }: Chapter,
  removed: Parameters<typeof without>[1],
): Pick<Chapter, "questions"> =>
  questions ? { questions: questions.map((question) => without(question, removed)) } : {};

/** Returns the sentence about a removal, with the questions that were about what is gone. */
function words(sentence: string, removed: Parameters<typeof isAbout>[1]): string {
  const { exercise, at } = editing.value!;
  const about = (exercise.chapters[at]!.questions ?? []).flatMap((question, index) =>
    isAbout(question, removed) ? [String(index + 1)] : [],
  );
  if (about.length === 0) return sentence;
  return `${sentence} Look at question${about.length === 1 ? "" : "s"} ${inList(about)} again.`;
}

/** Puts the jobs and runs on the page, unless they are there, and asks for the right answers. */
async function restage(now: number): Promise<void> {
  const found = editing.value;
  if (!found || now !== changes) return;
  const { exercise, at } = found;
  const wanted = stageOf(exercise, at);
  const text = JSON.stringify(wanted);
  try {
    if (wanted.jobs.length === 0) {
      staged = "";
      lab.restoreRuns([]);
      return;
    }
    if (text !== staged) {
      staged = "";
      // A message above the form would move what its author is about to click.
      const lanes = await stage(exercise, at, true);
      if (now !== changes || !lanes) return;
      ids = lanes.map(({ id }) => id);
      staged = text;
    }
    await finished(ids);
    const chapter = exercise.chapters[at]!;
    const runs = onPage(ids);
    const answers = await Promise.all(
      (chapter.questions ?? []).map((question) => answerInWords(question, runs, chapter)),
    );
    const { value: latest } = editing;
    if (now === changes && latest) own.editing.value = { ...latest, answers };
  } catch (error) {
    if (now === changes && !(error instanceof Stopped)) s.tell(asProblem(error));
  }
}

async function answerInWords(
  question: Question,
  runs: ReturnType<typeof onPage>,
  chapter: Chapter,
): Promise<Editing["answers"][number]> {
  try {
    return { words: inWords((await put(question, runs, chapter)).answer), isFault: false };
  } catch (error) {
    if (error instanceof Stopped) throw error;
    const { what, why } = asProblem(error);
    return { words: error instanceof Missing ? why : `${what} ${why}`, isFault: true };
  }
}

/** Shows the exercise as a student sees it. */
export async function tryOut(): Promise<void> {
  const now = editing.value;
  if (!now) return;
  clearTimeout(timer);
  changes += 1;
  batch(() => {
    own.tried.value = { exercise: now.exercise, at: now.at };
    own.editing.value = undefined;
  });
  await begin({ exercise: now.exercise }, now.at, true);
}

/** Returns from trying the exercise to its editor. */
export async function editAgain(): Promise<void> {
  const now = tried.value;
  if (now) await edit(now.exercise, now.at);
}

/** Leaves the editor. The browser's Back brings the exercise back. */
export async function leaveEditor(): Promise<void> {
  clearTimeout(timer);
  changes += 1;
  own.editing.value = undefined;
  await leave();
}
