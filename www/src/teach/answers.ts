// Files of answers: what one reader answered to an exercise; and the files of a class, read together.
import { signal } from "@preact/signals";
import type { Problem } from "schedscope";
import { LIMITS } from "../engine/limits";
import { Stopped } from "../engine/workers";
import { list, number, object, upTo, wrong } from "../format/check";
import { asProblem } from "../format/problem";
import type { Seen } from "../state";
import { type Exercise, isExercise, readDocument, stageOf } from "./format";
import { isRight, type Put, put } from "./questions";
import { beside } from "./runs";
import { given, keyOf } from "./tour";

/** A file of answers. It holds the exercise, so that nobody has to find the version that it is of. */
interface Answers {
  schedscope_answers: 1;
  name: string;
  exercise: Exercise;
  /** For each chapter and question the first answer; null if there is none. */
  answers: (number[] | null)[][];
}

const answers = object({
  schedscope_answers: (value, place) => void (value === 1 || wrong(place, "1")),
  name: upTo(LIMITS.name_bytes),
  exercise: isExercise,
  answers: list(
    list((value, place) => {
      if (value !== null) list(number, LIMITS.exercise_jobs)(value, place);
    }, LIMITS.exercise_questions),
    LIMITS.exercise_chapters,
  ),
});

/** Returns the present answers to an exercise as the text of a file. */
export function written(name: string, exercise: Exercise): string {
  const file: Answers = {
    schedscope_answers: 1,
    name,
    exercise,
    answers: exercise.chapters.map(({ questions = [] }, chapter) =>
      questions.map((_, question) => {
        const found = given.value.get(keyOf(chapter, question));
        return found ? [...found.given] : null;
      }),
    ),
  };
  return `${JSON.stringify(file)}\n`;
}

/** Answers of one reader, with the file that they come from. */
export interface Student {
  name: string;
  file: string;
  answers: Answers["answers"];
}

/** The answers to one exercise. */
export interface Group {
  exercise: Exercise;
  students: Student[];
  /** The questions of each chapter with their right answers; undefined while the runs go on. */
  questions: Put[][] | undefined;
  problem: Problem | undefined;
}

interface Class {
  files: readonly File[];
  groups: Group[];
  /** Files that hold no answers, with the reason. */
  faults: { file: string; why: string }[];
}

const own = { classes: signal<Class | undefined>(undefined) };
export const { classes }: Seen<typeof own> = own;

/** The present reading. A later one ends it with its runs. */
let reading = new AbortController();

/** The files of the class that is being read, or has been. */
let wanted: readonly File[] = [];

/** Reads one more file of answers, also while the others are being read. */
export const readMore = (file: File): Promise<void> => readClass([...wanted, file]);

/**
 * Reads the files of a class, and simulates each exercise for its right answers.
 * Throws a Problem if there are too many files.
 */
export async function readClass(files: readonly File[]): Promise<void> {
  if (files.length > LIMITS.answers_files)
    throw {
      what: `There are ${files.length.toLocaleString("en")} files.`,
      why: `The page reads at most ${LIMITS.answers_files.toLocaleString("en")} files of answers together.`,
      next: "Choose a folder with fewer files.",
    } satisfies Problem;
  wanted = files;
  reading.abort();
  reading = new AbortController();
  const { signal } = reading;
  const groups = new Map<string, Group>();
  const faults: Class["faults"] = [];
  for (const file of [...files].sort((one, other) => (one.name < other.name ? -1 : 1))) {
    try {
      const found = await answersIn(file);
      const key = JSON.stringify(found.exercise);
      const group = groups.get(key) ?? {
        exercise: found.exercise,
        students: [],
        questions: undefined,
        problem: undefined,
      };
      groups.set(key, group);
      group.students.push({ name: found.name, file: file.name, answers: found.answers });
    } catch (error) {
      const { what, why } = asProblem(error);
      faults.push({ file: file.name, why: why || what });
    }
    if (signal.aborted) return;
  }
  // One exercise may take long to simulate: that of most files comes first.
  const sorted = [...groups.values()].sort(
    (one, other) => other.students.length - one.students.length,
  );
  own.classes.value = { files, groups: sorted, faults };
  for (const group of sorted) {
    const change = await solved(group.exercise, signal);
    if (signal.aborted) return;
    const { value: now } = classes;
    if (now)
      own.classes.value = {
        ...now,
        groups: now.groups.map((each) =>
          each.exercise === group.exercise ? { ...each, ...change } : each,
        ),
      };
  }
}

async function answersIn(file: File): Promise<Answers> {
  if (file.size > 4 * LIMITS.answers_bytes)
    throw {
      what: "The file is too large.",
      why: `A file of answers has at most ${LIMITS.answers_bytes.toLocaleString("en")} characters.`,
      next: "",
    } satisfies Problem;
  return readDocument(
    await file.text(),
    "file of answers",
    answers,
    LIMITS.answers_bytes,
  ) as Answers;
}

async function solved(
  exercise: Exercise,
  signal: AbortSignal,
): Promise<Pick<Group, "questions" | "problem">> {
  try {
    const questions: Put[][] = [];
    for (const [at, chapter] of exercise.chapters.entries()) {
      const asked = chapter.questions ?? [];
      questions.push(
        asked.length === 0
          ? []
          : await beside(stageOf(exercise, at), signal, (runs) =>
              Promise.all(asked.map((question) => put(question, runs, chapter))),
            ),
      );
    }
    return { questions, problem: undefined };
  } catch (error) {
    if (error instanceof Stopped) return { questions: undefined, problem: undefined };
    return { questions: undefined, problem: asProblem(error) };
  }
}

/** Forgets the class. */
export function closeClass(): void {
  wanted = [];
  reading.abort();
  own.classes.value = undefined;
}

/** Returns a student's answer to a question, and whether it is right. */
export function mark(
  { answers }: Student,
  question: Put,
  chapter: number,
  index: number,
): { given: readonly number[] | undefined; isRight: boolean } {
  const found = answers[chapter]?.[index] ?? undefined;
  return { given: found, isRight: isRight({ question, given: found }) };
}
