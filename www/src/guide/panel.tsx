// The panel of a tour beside the pictures, with its texts and questions; and the list of tours.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Problem } from "schedscope";
import { LIMITS } from "../engine/limits";
import { saveBlob, stem } from "../files/save";
import { count } from "../format/words";
import { fail } from "../lab";
import * as s from "../state";
import { readMore, written } from "../teach/answers";
import { canTakePage, edit, editAgain, empty, fromPage, NOT_TAKEN, tried } from "../teach/editing";
import { type Exercise, readExercise, stageOf } from "../teach/format";
import { jobsInWords } from "../teach/measures";
import { begin, enter, enterAgain, given, keepSaved, leave, touring } from "../teach/tour";
import { Prose } from "./prose";
import { Question } from "./question";
import { TOURS } from "./tours";

/**
 * Begins the tour that a link names.
 * Throws a Problem if no tour has that name.
 */
export async function beginTour(id: string, chapter = 1): Promise<void> {
  const tour = TOURS.find((tour) => tour.id === id);
  if (!tour)
    throw {
      what: `There is no tour “${id}”.`,
      why: `The tours are ${TOURS.map(({ id }) => id).join(", ")}.`,
      next: "Choose one under “Teach me”.",
    } satisfies Problem;
  if (!enterAgain({ id }, Math.round(chapter) - 1)) await begin(tour, Math.round(chapter) - 1);
}

/**
 * Begins an exercise, or goes on making it.
 * Throws a Problem if the text is none.
 */
export async function beginExercise(text: string, chapter = 1, isEdited = false): Promise<void> {
  const exercise = readExercise(text);
  const at = Math.round(chapter) - 1;
  if (isEdited) await edit(exercise, at);
  else if (!enterAgain({ text: JSON.stringify(exercise) }, at)) await begin({ exercise }, at);
}

export function Tours() {
  return (
    <section class="tours" aria-label="Tours">
      <div class="bar">
        <h2>Teach me</h2>
        <span class="quiet">
          Each tour takes about ten minutes. Your runs come back afterwards.
        </span>
        <button type="button" class="small" onClick={s.wantTour}>
          Not now
        </button>
      </div>
      <ol>
        {TOURS.map(({ id, exercise }) => (
          <li key={id}>
            <h3>{exercise.title}</h3>
            <p>{exercise.about}</p>
            <button
              type="button"
              class="primary"
              aria-label={`Begin: ${exercise.title}`}
              onClick={() => void begin({ id, exercise })}
            >
              Begin
            </button>{" "}
            <span class="quiet">{exercise.chapters.length} chapters</span>
          </li>
        ))}
      </ol>
      <Exercises />
    </section>
  );
}

/** Ways to make, open and evaluate exercises of one's own. */
function Exercises() {
  const input = useRef<HTMLInputElement>(null);
  const make = (exercise: Promise<Exercise | undefined>, note?: string) =>
    void exercise.then((found) => found && edit(found, 0, note)).catch(fail);
  return (
    <section class="exercises" aria-label="Exercises">
      <h2>Exercises of your own</h2>
      <p>
        Draw or type a few jobs, ask what will happen, and share the exercise by a link. Each
        student saves the answers as a file; you read the files of a class here.
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => make(Promise.resolve(empty()))}>
          Make an exercise
        </button>
        {canTakePage() && (
          <button type="button" onClick={() => make(fromPage(), NOT_TAKEN)}>
            Use the page's jobs
          </button>
        )}
        <button type="button" onClick={() => input.current?.click()}>
          Open an exercise…
        </button>
        <button type="button" onClick={s.readAnswers}>
          Read a class's answers
        </button>
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept=".json"
        aria-label="Exercise file"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (file) void takeExercise(file).catch(fail);
        }}
      />
    </section>
  );
}

/**
 * Begins the exercise in a file.
 * Throws a Problem if the file holds none.
 */
export async function takeExercise(file: File): Promise<void> {
  if (file.size > 4 * LIMITS.exercise_bytes)
    throw {
      what: `${file.name} is no exercise.`,
      why: `An exercise has at most ${LIMITS.exercise_bytes.toLocaleString("en")} characters.`,
      next: "Choose another file.",
    } satisfies Problem;
  await begin({ exercise: readExercise(await file.text()) });
}

/**
 * Reads a file of answers on the page for a class.
 * Throws a Problem if the file cannot be read.
 */
export async function takeAnswers(file: File): Promise<void> {
  s.readAnswers();
  await readMore(file);
}

export function TourGuide() {
  const now = touring.value;
  const title = useRef<HTMLHeadingElement>(null);
  const chapter = now?.exercise.chapters[now.at];
  // The focus follows from chapter to chapter, and at once: later it would be taken from a reader
  // who already types.
  useLayoutEffect(() => title.current?.focus({ preventScroll: false }), [chapter]);
  if (!now || !chapter) return null;
  const { exercise, at, asked, jobs } = now;
  const last = exercise.chapters.length - 1;
  const present = new Set(jobs.map(({ number }) => number));
  const left = asked
    ? stageOf(exercise, at)
        .jobs.map((_, index) => index + 1)
        .filter((number) => !present.has(number))
    : [];
  const next = asked?.findIndex((each) => !each.given) ?? -1;
  const answers = [...given.value.values()];
  const right = answers.filter(({ isRight }) => isRight).length;
  const isOver = asked !== undefined && next < 0;
  return (
    <section class="guide" aria-label="Tour">
      <p class="quiet">
        {exercise.title}: chapter {at + 1} of {last + 1}
        {answers.length > 0 && ` · ${right} of ${answers.length} right`}
      </p>
      <h2 ref={title} tabIndex={-1}>
        {chapter.title}
      </h2>
      <div class="told">
        <Prose text={chapter.text} />
      </div>
      {jobs.length > 0 && <Jobs />}
      {left.length > 0 && (
        <p class="notice">
          The machine is too small for {jobsInWords(left)}, and the runs leave{" "}
          {left.length === 1 ? "it" : "them"} out.
        </p>
      )}
      {!asked && (
        <p class="quiet">
          {now.isFailed ? "This chapter cannot be shown." : "Waiting for the runs…"}
        </p>
      )}
      {asked?.map(
        (each, number) =>
          (next < 0 || number <= next) && (
            <Question key={`${at} ${number}`} asked={each} number={number} />
          ),
      )}
      <div class="buttons">
        <button type="button" disabled={at === 0} onClick={() => void enter(now, at - 1)}>
          Back
        </button>
        {at < last && (
          <button
            type="button"
            class={isOver ? "primary" : ""}
            onClick={() => void enter(now, at + 1)}
          >
            Next chapter
          </button>
        )}
        <span class="spring" />
        {tried.value && (
          <button type="button" onClick={() => void editAgain()}>
            Back to the editor
          </button>
        )}
        <button type="button" onClick={() => void leave()}>
          {now.id === undefined ? "Leave the exercise" : "Leave the tour"}
        </button>
      </div>
      {now.id === undefined && <Saving isOver={at === last && isOver} />}
      {now.id !== undefined && at === last && isOver && (
        <div class="buttons">
          <button type="button" class="primary" onClick={() => void leave().then(s.wantTour)}>
            Choose another tour
          </button>
          <button type="button" onClick={() => void leave(true)}>
            Keep these runs
          </button>
        </div>
      )}
    </section>
  );
}

/** Saves the answers to an exercise as a file. */
function Saving({ isOver }: { isOver: boolean }) {
  const name = useSignal("");
  const { exercise } = touring.value!;
  const of = exercise.chapters.reduce((sum, { questions = [] }) => sum + questions.length, 0);
  if (of === 0) return null;
  const save = (event: Event) => {
    event.preventDefault();
    const words = `${exercise.title} ${name.value}`.trim();
    saveBlob(
      new Blob([written(name.value.trim(), exercise)], { type: "application/json" }),
      `${stem(words) || "exercise"}.answers.json`,
    );
    keepSaved();
    s.say("The answers are saved as a file.");
  };
  return (
    <form class="save-answers" onSubmit={save}>
      <label>
        Your name, as your teacher should read it
        <input
          type="text"
          maxLength={LIMITS.name_bytes}
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <button type="submit" class={isOver ? "primary" : ""} disabled={given.value.size === 0}>
          Save my answers
        </button>
        <span class="quiet">
          {given.value.size} of {of} answered. The file stays on your computer until you send it.
        </span>
      </div>
    </form>
  );
}

/** The chapter's jobs, in order of submission. */
function Jobs() {
  const jobs = touring.value?.jobs ?? [];
  const claims = jobs.some((job) => job.estimate !== job.runtime);
  return (
    <details open>
      <summary>The jobs</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="The jobs">
        <table>
          <thead>
            <tr>
              <th scope="col">Job</th>
              <th scope="col">Arrival</th>
              <th scope="col">Processors</th>
              <th scope="col">Run time</th>
              {claims && <th scope="col">Estimate</th>}
            </tr>
          </thead>
          <tbody>
            {jobs.map((job) => (
              <tr key={job.number}>
                <th scope="row">{job.number}</th>
                <td>{count(job.submitted)} s</td>
                <td>{count(job.processors)}</td>
                <td>{count(Math.round(job.runtime))} s</td>
                {claims && <td>{count(Math.round(job.estimate))} s</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
