// A run told instant by instant: events, starts (which the reader may predict), reservations, and
// the reasons why the other jobs wait. The engine tells all of it; this file decides nothing.

import { useSignal } from "@preact/signals";
import type { JobName, OutlineFacts, StepFacts } from "schedscope";
import { ask, Stopped } from "../engine/workers";
import { asProblem } from "../format/problem";
import { count, duration } from "../format/words";
import * as s from "../state";
import { Mark } from "../ui/mark";
import { DataTable } from "../ui/table";
import { Because, because, JobLink } from "./job";

/** Most jobs of a story. The engine has the same limit. */
const LONGEST = 500;

export const canStep = (lane: s.Lane): boolean =>
  lane.state === "done" &&
  !lane.whatIf &&
  lane.hand !== undefined &&
  (lane.facts?.jobs ?? Number.POSITIVE_INFINITY) <= LONGEST;

/** Tells a finished run, from its first instant on or from another. */
export async function begin(
  id: number,
  predicts = false,
  from = Number.NEGATIVE_INFINITY,
): Promise<void> {
  const lane = s.laneOf(id);
  if (!lane?.hand) return;
  try {
    const [steps, jobs] = await ask(lane.hand, (engine) =>
      Promise.all([engine.story(), engine.jobs(0, LONGEST)]),
    );
    s.beginStepping({
      lane: id,
      steps,
      jobs: new Map(jobs.map((job) => [job.job, job])),
      at: Math.max(
        0,
        steps.findIndex((step) => step.at >= from),
      ),
      predicts,
      isRevealed: !predicts,
      guess: new Set(),
      asked: 0,
      right: 0,
    });
    speak();
  } catch (error) {
    if (!(error instanceof Stopped)) s.tell(asProblem(error));
  }
}

function move(to: number): void {
  const now = s.stepping.value;
  if (!now) return;
  const at = Math.min(Math.max(to, 0), now.steps.length - 1);
  s.changeStepping({
    at,
    isRevealed: !now.predicts || !isQuestion(now.steps[at]!),
    guess: new Set(),
  });
  speak();
}

/** True if the reader can predict something: a job waits or starts. */
const isQuestion = (step: StepFacts): boolean => step.started.length + step.waiting.length > 0;

function reveal(): void {
  const now = s.stepping.value;
  const step = now?.steps[now.at];
  if (!now || !step) return;
  s.changeStepping({
    isRevealed: true,
    asked: now.asked + 1,
    right: now.right + (isRight(now, step) ? 1 : 0),
  });
  speak();
}

const isRight = (now: s.Stepping, step: StepFacts): boolean =>
  now.guess.size === step.started.length && step.started.every((job) => now.guess.has(job.job));

const list = (jobs: JobName[]): string => {
  const numbers = jobs.map((job) => String(job.number));
  return `job${numbers.length === 1 ? "" : "s"} ${numbers.length > 1 ? `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}` : numbers[0]}`;
};

const happened = (step: StepFacts): string => {
  const parts = [
    step.ended.length > 0 && `${list(step.ended)} ended`,
    step.submitted.length > 0 && `${list(step.submitted)} arrived`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join("; ") : "a reservation is due";
};

const decided = (step: StepFacts): string =>
  (step.moved.length > 0
    ? `${list(step.moved)} ${step.moved.length === 1 ? "is" : "are"} moved; `
    : "") +
  (step.started.length > 0
    ? `${list(step.started)} start${step.started.length === 1 ? "s" : ""}`
    : "no job starts");

/** Returns the instant in words, for screen readers. */
function speak(): void {
  const now = s.stepping.value;
  const step = now?.steps[now.at];
  if (now && step)
    s.say(
      `Step ${now.at + 1} of ${now.steps.length}, ${clock(step.at)}: ${happened(step)}. ${now.isRevealed ? `${decided(step)}.` : "Predict which jobs start."}`,
    );
}

/**
 * Returns a time in words: plain seconds up to 10,000 s, as small workloads have them, then a
 * length of time.
 */
const clock = (at: number): string => (Math.abs(at) < 10_000 ? `${count(at)} s` : duration(at));

export function Steps() {
  const now = s.stepping.value;
  const isTable = useSignal(true);
  const step = now?.steps[now.at];
  if (!now || !step) return null;
  const index = s.lanes.value.findIndex((lane) => lane.id === now.lane);
  const policy = s.catalog.value?.policies.find(
    (policy) => policy.id === s.lanes.value[index]?.policy,
  );
  const last = now.steps.length - 1;
  const candidates = [...step.started, ...step.waiting.map((waiting) => waiting.job)].sort(
    (a, b) => a.job - b.job,
  );
  const toggle = (job: number) => {
    const guess = new Set(now.guess);
    if (!guess.delete(job)) guess.add(job);
    s.changeStepping({ guess });
  };
  return (
    <section class="steps" aria-label="Step by step">
      <div class="bar">
        <h2>
          <Mark index={index} /> Step by step: run {s.letter(index)}, {policy?.name}
        </h2>
        <div class="group" role="group" aria-label="Steps">
          <button type="button" class="small" disabled={now.at === 0} onClick={() => move(0)}>
            First
          </button>
          <button
            type="button"
            class="small"
            disabled={now.at === 0}
            onClick={() => move(now.at - 1)}
          >
            Back
          </button>
          <button
            type="button"
            class="small primary"
            disabled={now.at === last}
            onClick={() => move(now.at + 1)}
          >
            Next
          </button>
          <button type="button" class="small" disabled={now.at === last} onClick={() => move(last)}>
            Last
          </button>
        </div>
        <span class="quiet">
          {count(now.at + 1)} of {count(last + 1)}
        </span>
        <label class="inline">
          <input
            type="checkbox"
            checked={now.predicts}
            onChange={() => s.changeStepping({ predicts: !now.predicts, isRevealed: now.predicts })}
          />{" "}
          Predict first
        </label>
        {now.asked > 0 && (
          <span class="quiet">
            {now.right} of {now.asked} right
          </span>
        )}
        <button type="button" class="small" onClick={() => s.endStepping()}>
          Close
        </button>
      </div>
      <p class="told">
        <b>{clock(step.at)}</b>: {happened(step)}.{" "}
        {now.isRevealed ? `Then ${decided(step)}; ${count(step.free)} processors stay free.` : ""}
      </p>
      {!now.isRevealed && (
        <fieldset>
          <legend>{count(step.free_before)} processors are free. Which jobs start now?</legend>
          {candidates.map((job) => (
            <label key={job.job}>
              <input
                type="checkbox"
                checked={now.guess.has(job.job)}
                onChange={() => toggle(job.job)}
              />{" "}
              Job {job.number}: {count(job.processors)} processors for {duration(job.estimate)}
            </label>
          ))}
          <div class="buttons">
            <button type="button" class="primary" onClick={reveal}>
              Reveal
            </button>{" "}
            <span class="quiet">Select no job if none starts.</span>
          </div>
        </fieldset>
      )}
      {now.isRevealed && now.predicts && isQuestion(step) && (
        <p class="verdict">{isRight(now, step) ? "Correct." : `Not quite: ${decided(step)}.`}</p>
      )}
      {now.isRevealed &&
        step.reserved
          .slice(0, 8)
          .map((outline) => <Reserved key={outline.job.job} outline={outline} />)}
      {now.isRevealed && step.reserved.length > 8 && (
        <p class="quiet">{count(step.reserved.length - 8)} more reservations</p>
      )}
      {now.isRevealed && step.waiting.length > 0 && (
        <details
          open={isTable.value}
          onToggle={(event) => (isTable.value = event.currentTarget.open)}
        >
          <summary>
            {count(step.waiting.length)} wait{step.waiting.length === 1 ? "s" : ""}
          </summary>
          <DataTable
            label="Waiting jobs with reasons"
            rows={step.waiting.slice(0, 40)}
            columns={[
              {
                name: "Job",
                isHead: true,
                value: ({ job }) => job.number,
                show: ({ job }) => <JobLink job={job} />,
              },
              {
                name: "Processors",
                value: ({ job }) => job.processors,
                show: ({ job }) => count(job.processors),
              },
              {
                name: "Estimate (s)",
                head: "Estimate",
                value: ({ job }) => job.estimate,
                show: ({ job }) => duration(job.estimate),
              },
              {
                name: "Reason",
                class: "words",
                value: ({ reason, job }) => because(reason, job.processors),
                show: ({ reason, job }) => <Because reason={reason} processors={job.processors} />,
              },
            ]}
          />
        </details>
      )}
    </section>
  );
}

function Reserved({ outline: { job, start, extra } }: { outline: OutlineFacts }) {
  return (
    <p>
      <JobLink job={job} begins /> holds a reservation for <b>{clock(start)}</b>
      {extra != null ? (
        <>
          , its shadow time, with <b>{count(extra)} extra</b> processor{extra === 1 ? "" : "s"}
        </>
      ) : (
        ""
      )}
      .
    </p>
  );
}
