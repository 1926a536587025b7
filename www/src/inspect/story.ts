// Goes through a run instant by instant. The engine tells what happens; this file decides nothing.

import type { JobName, StepFacts } from "schedscope";
import { ask, Stopped } from "../engine/workers";
import { asProblem } from "../format/problem";
import { count, inList, instant } from "../format/words";
import * as s from "../state";
import { show } from "../timeline/navigate";

/** Most jobs of a run that is told as a whole. The engine has the same limit. */
const LONGEST = 500;

/** Steps of a part of a longer run. */
const PART = 60;

const FRESH = { guess: new Set<number>(), asked: 0, right: 0 };

/** Counts the times that the steps of a run were asked for. */
let begins = 0;

/**
 * Tells a finished run: a small one as a whole, from its first instant or from another; a longer one
 * in parts, from the instant that the reader looks at.
 */
export async function begin(id: number, predicts = false, from?: number): Promise<void> {
  const lane = s.laneOf(id);
  if (!lane?.hand) return;
  const begun = { ...FRESH, lane: id, predicts, isRevealed: !predicts };
  const mine = ++begins;
  // Another run may be told by now, or this one may be gone.
  const isLate = () => mine !== begins || s.laneOf(id)?.hand !== lane.hand;
  try {
    if (lane.whatIf || (lane.facts?.jobs ?? 0) > LONGEST) {
      const part = await partOf(lane, from ?? lookedAt());
      if (!part || isLate()) return;
      s.beginStepping({ ...begun, ...part, at: 0 });
      bringIntoView(part.steps[0]!.at);
    } else {
      const [steps, jobs] = await ask(lane.hand, (engine) =>
        Promise.all([engine.story(), engine.jobs(0, LONGEST)]),
      );
      if (isLate()) return;
      const first = from === undefined ? 0 : steps.findIndex((step) => step.at >= from);
      s.beginStepping({
        ...begun,
        steps,
        jobs: new Map(jobs.map((job) => [job.job, job])),
        running: [],
        isWhole: true,
        at: Math.max(0, first),
      });
    }
    speak();
  } catch (error) {
    if (!(error instanceof Stopped)) s.tell(asProblem(error));
  }
}

/** The instant that the reader looks at: the shown one, the selected job's, or the window's middle. */
function lookedAt(): number {
  const { from, to } = s.view.value;
  const job = [...s.jobFacts.value.values()].find((job) => job !== null);
  const isSeen = (at: number | undefined): at is number =>
    at !== undefined && at >= from && at <= to;
  return [s.instant.value, s.area.value?.from, job?.start].find(isSeen) ?? (from + to) / 2;
}

/** Returns the steps of a run from an instant on; undefined, with a message, if it cannot. */
async function partOf(
  lane: s.Lane,
  at: number,
): Promise<Pick<s.Stepping, "steps" | "jobs" | "running" | "isWhole"> | undefined> {
  if (!lane.hand) return undefined;
  const found = await ask(lane.hand, (engine) => engine.part(at, PART));
  if (!found || found.steps.length === 0) {
    s.tell({
      what: "This instant cannot be told step by step.",
      why: found
        ? "Nothing happens there."
        : "It lies before the change of the what-if, where the run is that of its original.",
      next: "Step through the original run, or choose a later instant.",
    });
    return undefined;
  }
  return {
    steps: found.steps,
    jobs: new Map(found.jobs.map((job) => [job.job, job])),
    running: found.running,
    isWhole: false,
  };
}

/** Goes to a step. Beyond the steps of a part, the next or the previous part follows. */
export async function move(to: number): Promise<void> {
  const now = s.stepping.value;
  if (!now) return;
  const lane = s.laneOf(now.lane);
  if (!now.isWhole && lane && (to < 0 || to >= now.steps.length)) {
    const last = now.steps.at(-1)!.at;
    try {
      // The instant before the first one; or the last one again, to go on from there.
      const part = await partOf(lane, to < 0 ? now.steps[0]!.at - 1e-6 : last);
      if (part && s.stepping.value === now) {
        const after = part.steps.findIndex((step) => step.at > last);
        s.changeStepping(part);
        if (to >= 0 && after < 0) return void s.say("Nothing happens later.");
        arrive(to < 0 ? 0 : after);
      }
    } catch (error) {
      if (!(error instanceof Stopped)) s.tell(asProblem(error));
    }
    return;
  }
  arrive(Math.min(Math.max(to, 0), now.steps.length - 1));
}

/** Reasons why a job waits that the policy gives without looking at the job. */
const UNSEEN = new Set(["behind", "not_tried", "start_delay", "recorded"]);

/** True if the policy looks at a job in a step: it starts the job, or tries it in vain. */
const considers = (step: StepFacts, number: number): boolean =>
  step.started.some((job) => job.number === number) ||
  step.waiting.some(({ job, reason }) => job.number === number && !UNSEEN.has(reason.kind));

/** Parts of a longer run in which a step is looked for. */
const PARTS = 50;

/** Goes to the next step in which the policy considers a job, or to the previous one. */
export async function seek(number: number, forwards: boolean): Promise<void> {
  for (let part = 0; part < PARTS; part += 1) {
    const now = s.stepping.value;
    if (!now) return;
    const found = now.steps
      .map((step, at) => ({ step, at }))
      .filter(({ at }) => (forwards ? at > now.at : at < now.at))
      .filter(({ step }) => considers(step, number));
    const to = forwards ? found[0] : found.at(-1);
    if (to) return move(to.at);
    if (now.isWhole) break;
    // The part that follows begins with a step that may be the one.
    await move(forwards ? now.steps.length : -1);
    const then = s.stepping.value;
    // The reader has ended the steps, or gone to another one meanwhile.
    if (!then || then.lane !== now.lane) return;
    if (then === now) break;
    if (then.steps === now.steps) return;
    if (considers(then.steps[then.at]!, number)) return;
  }
  s.say(`Job ${number} is not considered ${forwards ? "later" : "earlier"}.`);
  s.tell({
    what: `No ${forwards ? "later" : "earlier"} step considers job ${number}.`,
    why: "A policy considers a job when it starts it, or tries it in vain. A job behind others is not considered.",
    next: `Check the number, or look ${forwards ? "before" : "after"} this step.`,
  });
}

/** Moves the window so that an instant is in it, with its length as it is. */
function bringIntoView(at: number): void {
  const w = s.view.value;
  const length = w.to - w.from;
  if (at < w.from || at > w.to) show({ ...w, from: at - length / 2, to: at + length / 2 });
}

function arrive(at: number): void {
  const now = s.stepping.value;
  if (!now) return;
  if (!now.isWhole) bringIntoView(now.steps[at]!.at);
  s.changeStepping({
    at,
    isRevealed: !now.predicts || !isQuestion(now.steps[at]!),
    guess: new Set(),
  });
  speak();
}

/** True if the reader can predict something: a job waits or starts. */
export const isQuestion = (step: StepFacts): boolean =>
  step.started.length + step.waiting.length > 0;

export function reveal(): void {
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

export const isRight = (now: s.Stepping, step: StepFacts): boolean =>
  now.guess.size === step.started.length && step.started.every((job) => now.guess.has(job.job));

const list = (jobs: JobName[]): string =>
  `job${jobs.length === 1 ? "" : "s"} ${inList(jobs.map((job) => String(job.number)))}`;

export const happened = (step: StepFacts): string => {
  const parts = [
    step.ended.length > 0 && `${list(step.ended)} ended`,
    step.submitted.length > 0 && `${list(step.submitted)} arrived`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join("; ") : "the policy decides again";
};

export const decided = (step: StepFacts): string =>
  (step.requeued.length > 0
    ? `${list(step.requeued)} ${step.requeued.length === 1 ? "is preempted and waits" : "are preempted and wait"} again; `
    : "") +
  (step.suspended.length > 0
    ? `${list(step.suspended)} ${step.suspended.length === 1 ? "is" : "are"} suspended; `
    : "") +
  (step.resumed.length > 0
    ? `${list(step.resumed)} go${step.resumed.length === 1 ? "es" : ""} on; `
    : "") +
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
      `${now.isWhole ? `Step ${now.at + 1} of ${now.steps.length}, ` : ""}${clock(step.at)}: ${happened(step)}. ${now.isRevealed ? `${decided(step)}.` : "Predict which jobs start."}`,
    );
}

/** Returns an instant in words: plain seconds in small workloads without a calendar. */
export const clock = (at: number): string => {
  const { unix_start: unixStart } = s.workload.value?.provenance ?? {};
  return unixStart == null && s.extent.value.to < 10_000
    ? `${count(at)} s`
    : instant(at, unixStart);
};
