// The panel of a tour beside the pictures, with its texts and questions; and the list of tours.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Problem } from "schedscope";
import { count } from "../format/words";
import * as s from "../state";
import {
  type Asked,
  answer,
  begin,
  enter,
  isRight,
  leave,
  score,
  touring,
  verdict,
} from "../teach/tour";
import { backfilling } from "../tours/backfilling";
import { coscheduling } from "../tours/coscheduling";
import { matrix } from "../tours/matrix";
import { torus } from "../tours/torus";

const TOURS = [backfilling, torus, matrix, coscheduling];

/**
 * Begins the tour that a link names.
 * Throws a Problem if no tour has that name.
 */
export function beginTour(id: string, chapter = 1): Promise<void> {
  const tour = TOURS.find((tour) => tour.id === id);
  if (!tour)
    throw {
      what: `There is no tour “${id}”.`,
      why: `The tours are ${TOURS.map(({ id }) => id).join(", ")}.`,
      next: "Choose one under “Teach me”.",
    } satisfies Problem;
  return begin(tour, Math.round(chapter) - 1);
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
        {TOURS.map((tour) => (
          <li key={tour.id}>
            <h3>{tour.title}</h3>
            <p>{tour.about}</p>
            <button
              type="button"
              class="primary"
              aria-label={`Begin: ${tour.title}`}
              onClick={() => void begin(tour)}
            >
              Begin
            </button>{" "}
            <span class="quiet">{tour.chapters.length} chapters</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

export function TourGuide() {
  const now = touring.value;
  const title = useRef<HTMLHeadingElement>(null);
  const chapter = now?.tour.chapters[now.at];
  // The focus follows from chapter to chapter, and at once: later it would be taken from a reader
  // who already types.
  useLayoutEffect(() => title.current?.focus({ preventScroll: false }), [chapter]);
  if (!now || !chapter) return null;
  const { tour, at, asked, jobs } = now;
  const last = tour.chapters.length - 1;
  const next = asked?.findIndex((each) => !each.given) ?? -1;
  const [right, of] = [[...score.value.values()].filter(Boolean).length, score.value.size];
  const isOver = asked !== undefined && next < 0;
  return (
    <section class="guide" aria-label="Tour">
      <p class="quiet">
        {tour.title}: chapter {at + 1} of {last + 1}
        {of > 0 && ` · ${right} of ${of} right`}
      </p>
      <h2 ref={title} tabIndex={-1}>
        {chapter.title}
      </h2>
      <div class="told">{chapter.text}</div>
      {jobs.length > 0 && <Jobs />}
      {!asked && <p class="quiet">Waiting for the runs…</p>}
      {asked?.map(
        (each, number) =>
          (next < 0 || number <= next) && (
            <Question key={`${at} ${number}`} asked={each} number={number} />
          ),
      )}
      <div class="buttons">
        <button type="button" disabled={at === 0} onClick={() => void enter(tour, at - 1)}>
          Back
        </button>
        {at < last && (
          <button
            type="button"
            class={isOver ? "primary" : ""}
            onClick={() => void enter(tour, at + 1)}
          >
            Next chapter
          </button>
        )}
        <span class="spring" />
        <button type="button" onClick={() => void leave()}>
          Leave the tour
        </button>
      </div>
      {at === last && isOver && (
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

function Question({ asked, number }: { asked: Asked; number: number }) {
  const chosen = useSignal<ReadonlySet<number>>(new Set());
  /** Reads a number as the reader types it. */
  const typed = useSignal("");
  const isWrong = useSignal(false);
  const told = useRef<HTMLDivElement>(null);
  const { question, given } = asked;
  const { answer: wanted } = question;
  const name = `question-${number}`;
  const shown = given ?? chosen.value;
  const only = (value: number) => (chosen.value = new Set([value]));
  const toggle = (job: number) => {
    const now = new Set(chosen.value);
    if (!now.delete(job)) now.add(job);
    chosen.value = now;
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (wanted.kind !== "number") return void answer(number, chosen.value);
    const text = typed.value.trim().replace(",", ".");
    const value = Number(text);
    isWrong.value = text !== "" && !Number.isFinite(value);
    if (!isWrong.value) void answer(number, new Set(text === "" ? [] : [value]));
  };
  // The focus, and with it a screen reader, moves to the answer, and at once.
  useLayoutEffect(() => {
    if (!given) return;
    told.current?.focus({ preventScroll: true });
    told.current?.scrollIntoView({ block: "nearest" });
  }, [given !== undefined]);
  return (
    <form onSubmit={submit}>
      <fieldset disabled={given !== undefined}>
        <legend>{question.ask}</legend>
        {wanted.kind === "choice" &&
          wanted.options.map((option, value) => (
            <label key={option}>
              <input
                type="radio"
                name={name}
                checked={shown.has(value)}
                onChange={() => only(value)}
              />{" "}
              {option}
            </label>
          ))}
        {wanted.kind === "jobs" &&
          wanted.jobs.map((job) => (
            <label key={job.number}>
              <input
                type="checkbox"
                checked={shown.has(job.number)}
                onChange={() => toggle(job.number)}
              />{" "}
              Job {job.number}: {count(job.processors)} processor{job.processors === 1 ? "" : "s"}{" "}
              for {count(job.estimate)} s
            </label>
          ))}
        {wanted.kind === "number" && (
          <label class="inline">
            <span class="unseen">{question.ask}</span>{" "}
            <input
              type="text"
              inputMode="decimal"
              autocomplete="off"
              aria-invalid={isWrong.value}
              value={typed.value}
              onInput={(event) => (typed.value = event.currentTarget.value)}
            />{" "}
            {wanted.unit}
          </label>
        )}
        {isWrong.value && (
          <p class="notice bad" role="alert">
            “{typed.value}” is not a number.
          </p>
        )}
      </fieldset>
      {!given && (
        <div class="buttons">
          <button type="submit" class="primary">
            Reveal
          </button>{" "}
          <span class="quiet">
            {wanted.kind === "jobs"
              ? "Select no job if the answer is none."
              : "Reveals the answer even if you give none."}
          </span>
        </div>
      )}
      {given && (
        <div ref={told} class="answer" tabIndex={-1}>
          <p class={isRight(asked) ? "verdict right" : "verdict"}>{verdict(asked)}</p>
          <p>{question.told}</p>
        </div>
      )}
    </form>
  );
}
