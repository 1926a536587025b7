// A run told instant by instant: events, starts (which the reader may predict), reservations, and
// the queue, with the reason why each job waits.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { OutlineFacts } from "schedscope";
import { count, counted, duration } from "../format/words";
import * as s from "../state";
import { Mark } from "../ui/mark";
import { JobLink } from "./job";
import { Queue } from "./queue";
import { clock, decided, happened, isQuestion, isRight, move, reveal, seek } from "./story";

export function Steps() {
  const now = s.stepping.value;
  const isTable = useSignal(true);
  const root = useRef<HTMLElement>(null);
  // The panel may be scrolled to something else when the steps begin.
  useEffect(() => root.current?.scrollIntoView({ block: "nearest" }), [now?.lane]);
  const step = now?.steps[now.at];
  if (!now || !step) return null;
  const index = s.lanes.value.findIndex((lane) => lane.id === now.lane);
  const policy = s.catalog.value?.policies.find(
    (policy) => policy.id === s.lanes.value[index]?.policy,
  );
  const last = now.steps.length - 1;
  const waits = step.waiting.length + step.unlisted;
  const candidates = [...step.started, ...step.waiting.map((waiting) => waiting.job)].sort(
    (a, b) => a.job - b.job,
  );
  const toggle = (job: number) => {
    const guess = new Set(now.guess);
    if (!guess.delete(job)) guess.add(job);
    s.changeStepping({ guess });
  };
  return (
    <section class="steps" aria-label="Step by step" ref={root}>
      <div class="bar">
        <h2>
          <Mark index={index} /> Step by step: run {s.letter(index)}, {policy?.name}
        </h2>
        <div class="group" role="group" aria-label="Steps">
          {now.isWhole && (
            <button
              type="button"
              class="small"
              disabled={now.at === 0}
              onClick={() => void move(0)}
            >
              First
            </button>
          )}
          <button
            type="button"
            class="small"
            disabled={now.isWhole && now.at === 0}
            onClick={() => void move(now.at - 1)}
          >
            Back
          </button>
          <button
            type="button"
            class="small primary"
            disabled={now.isWhole && now.at === last}
            onClick={() => void move(now.at + 1)}
          >
            Next
          </button>
          {now.isWhole && (
            <button
              type="button"
              class="small"
              disabled={now.at === last}
              onClick={() => void move(last)}
            >
              Last
            </button>
          )}
        </div>
        {now.isWhole && (
          <span class="quiet">
            {count(now.at + 1)} of {count(last + 1)}
          </span>
        )}
        <Seek />
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
        {now.isRevealed
          ? `Then ${decided(step)}; ${counted(step.free, "processor stays free", "processors stay free")}.`
          : ""}
      </p>
      {!now.isRevealed && (
        <fieldset>
          <legend>
            {counted(step.free_before, "processor is free", "processors are free")}. Which jobs
            start now?
          </legend>
          {candidates.map((job) => (
            <label key={job.job}>
              <input
                type="checkbox"
                checked={now.guess.has(job.job)}
                onChange={() => toggle(job.job)}
              />{" "}
              Job {job.number}: {counted(job.processors, "processor")} for {duration(job.estimate)}
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
      {now.isRevealed && <Logged lane={now.lane} at={step.at} />}
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
          <summary>{counted(waits, "waits", "wait")}</summary>
          <Queue step={step} />
        </details>
      )}
    </section>
  );
}

/** Goes to the steps in which the policy looks at one job. */
function Seek() {
  const number = useSignal("");
  const job = /^\d+$/.test(number.value.trim()) ? Number(number.value) : undefined;
  const go = (forwards: boolean) => job !== undefined && void seek(job, forwards);
  return (
    <form
      class="group seek"
      aria-label="Steps that consider a job"
      onSubmit={(event) => {
        event.preventDefault();
        go(true);
      }}
    >
      <label class="inline">
        Stop where job{" "}
        <input
          type="text"
          inputMode="numeric"
          size={5}
          value={number.value}
          onInput={(event) => (number.value = event.currentTarget.value)}
        />{" "}
        is considered
      </label>
      <button
        type="button"
        class="small"
        aria-label="To an earlier step with the job"
        disabled={job === undefined}
        onClick={() => go(false)}
      >
        ↑
      </button>
      <button
        type="submit"
        class="small"
        aria-label="To a later step with the job"
        disabled={job === undefined}
      >
        ↓
      </button>
    </form>
  );
}

/** The lines that an own policy has logged at this instant. */
function Logged({ lane, at }: { lane: number; at: number }) {
  const lines = s.logs.value.get(lane)?.lines.filter((line) => Math.abs(line.at - at) < 1e-6) ?? [];
  if (lines.length === 0) return null;
  return (
    <section aria-label="Log of the step">
      {lines.map(({ text }, line) => (
        <p key={line} class="step-log">
          {text}
        </p>
      ))}
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
