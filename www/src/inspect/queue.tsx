// The queue at an instant: rank, need, wait so far, expected start, and the reason of each job.
import type { StepFacts } from "schedscope";
import { count, counted, duration } from "../format/words";
import type * as s from "../state";
import { useLatest } from "../timeline/latest";
import { DataTable } from "../ui/table";
import { Because, because, JobLink } from "./job";
import { begin, clock } from "./story";

/** The waiting jobs after the decisions of a step. */
export function Queue({ step }: { step: StepFacts }) {
  return (
    <>
      <Holder step={step} />
      <DataTable
        label="Waiting jobs with reasons"
        rows={queueOf(step)}
        columns={[
          { name: "#", value: ({ rank }) => rank, show: ({ rank }) => count(rank) },
          {
            name: "Job",
            isHead: true,
            value: ({ job }) => job.number,
            show: ({ job }) => <JobLink job={job} />,
          },
          {
            name: "Processors",
            head: "Needs",
            value: ({ job }) => job.processors,
            show: ({ job }) => count(job.processors),
          },
          {
            name: "Waited (s)",
            head: "Waited",
            value: ({ submitted }) => step.at - submitted,
            show: ({ submitted }) => duration(step.at - submitted),
          },
          {
            name: "Starts in (s)",
            head: "Starts in",
            value: ({ start }) => (start === undefined ? undefined : start - step.at),
            show: ({ start }) => (start === undefined ? "–" : duration(start - step.at)),
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
    </>
  );
}

/** Number of waiting jobs that the table lists. */
const LISTED = 40;

/** Returns the begin of the queue, with ranks and with the starts of jobs that hold reservations. */
function queueOf({ waiting, reserved }: StepFacts) {
  const starts = new Map(reserved.map(({ job, start }) => [job.job, start]));
  return waiting
    .slice(0, LISTED)
    .map((entry, at) => ({ ...entry, rank: at + 1, start: starts.get(entry.job.job) }));
}

/** The job that most others wait for, with what it lacks. */
function Holder({ step }: { step: StepFacts }) {
  const held = new Map<number, number>();
  for (const { reason } of step.waiting)
    if (reason.kind === "behind" || reason.kind === "reserved")
      held.set(reason.job.job, (held.get(reason.job.job) ?? 0) + 1);
  const [first] = [...held].sort((one, other) => other[1] - one[1]);
  const holder = step.waiting.find(({ job }) => job.job === first?.[0]);
  if (!first || !holder) return null;
  const { job, reason } = holder;
  return (
    <p>
      <JobLink job={job} begins /> holds up {count(first[1])} {first[1] === 1 ? "other" : "others"}
      {step.unlisted > 0 && ` of the first ${count(step.waiting.length)}`}
      {reason.kind === "processors"
        ? `: it needs ${counted(job.processors, "processor")}, ${count(reason.free)} ${reason.free === 1 ? "is" : "are"} free.`
        : "."}
    </p>
  );
}

/** The queue of a run after its last decisions by an instant. */
export function Moment({ lane, at }: { lane: s.Lane; at: number }) {
  const part = useLatest(lane, [at, lane.drawn], () => (engine) => engine.part(at, 1));
  const step = part?.steps[0];
  if (!step) return <p class="quiet">Nothing has happened by {clock(at)}.</p>;
  const waits = step.waiting.length + step.unlisted;
  return (
    <>
      <p>
        {clock(step.at)}: {count(waits)} wait{waits === 1 ? "s" : ""},{" "}
        {counted(step.free, "processor")}
        are free.{" "}
        <button type="button" class="link" onClick={() => void begin(lane.id, false, step.at)}>
          Step through from here
        </button>
      </p>
      {step.waiting.length > 0 && <Queue step={step} />}
    </>
  );
}
