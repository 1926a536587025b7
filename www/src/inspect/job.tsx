// The selected job in every run: its times, its partners, the causes of its wait.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JobFacts, JobList, JobName, PlacementFacts, Reason, WaitFacts } from "schedscope";
import { ask } from "../engine/workers";
import { count, duration, figure, instant } from "../format/words";
import { select } from "../lab";
import { type CauseFacts, grouped, KINDS, sum, inWords as whyInWords } from "../runs/why";
import * as s from "../state";
import { showSpan } from "../timeline/navigate";
import { Mark } from "../ui/mark";
import { DataTable } from "../ui/table";
import { Ranks } from "./ranks";
import { begin, clock } from "./story";

const known = (value: number): string => (value < 0 ? "unknown" : count(value));

/** Ids of attributes that have numbers of their own among the facts. */
const FIELDS = ["user", "group", "app", "queue"];

/** Returns a name with its number: `ann (1)`; without a name, the number. */
function named(job: JobFacts, field: string, number: number): string {
  const name = job.told.find(({ id }) => id === field)?.text;
  return name === undefined ? known(number) : `${name} (${number})`;
}

/** Returns a job's processors in words: `0-3 5`, or `0-3 5 in slot 2`. */
function processors({ row, ranges }: PlacementFacts, lane: s.Lane): string {
  const words = ranges
    .map(([first, count]) => (count === 1 ? `${first}` : `${first}-${first + count - 1}`))
    .join(" ");
  return lane.slots === 1 ? words : `${words} in slot ${row + 1}`;
}

/** A fact about a job in one run: the text on the page, and the value in a file. */
interface Fact {
  name: string;
  /** Name in files, with its unit. */
  file?: string;
  show: (job: JobFacts, lane: s.Lane, unixStart: number | null | undefined) => string;
  value: (job: JobFacts, lane: s.Lane) => number | string | undefined;
}

const placed = (job: JobFacts, lane: s.Lane): string | undefined =>
  job.placement?.ranges.length ? processors(job.placement, lane) : undefined;
const moved = ({ moves }: JobFacts): string =>
  moves > 0 ? ` at its start; it moved ${moves === 1 ? "once" : `${moves} times`}` : "";

/** Returns the preemptions of a job in words, with the time that it ran in vain. */
function preempted(job: JobFacts): string {
  const { lost, outcome, requeues } = job;
  const ends = [suspended(job), outcome === "preempted" && "cancelled at its end"];
  const others = ends.filter(Boolean).join("; ");
  if (requeues === 0) return others || "never";
  const vain = lost.reduce((sum, { start, end }) => sum + end - start, 0);
  const times = requeues === 1 ? "requeued once" : `requeued ${count(requeues)} times`;
  const least = lost.length < requeues ? "at least " : "";
  const words = `${times}, after ${least}${duration(vain)} in vain`;
  return others ? `${words}; ${others}` : words;
}

/** Returns how often a job was suspended, and for how long, in words; empty if it never was. */
function suspended({ suspensions }: JobFacts): string {
  if (suspensions.length === 0) return "";
  const times = suspensions.length === 1 ? "once" : `${count(suspensions.length)} times`;
  const time = suspensions.reduce((sum, [from, to]) => sum + to - from, 0);
  return `suspended ${times}, for ${duration(time)}`;
}

/** True if a job was preempted in a run. */
const isPreempted = ({ outcome, requeues, suspensions }: JobFacts): boolean =>
  requeues > 0 || suspensions.length > 0 || outcome === "preempted";

/** Returns the seconds from the recorded start to the start in a run. */
function againstLog(job: JobFacts): number | undefined {
  return job.recorded === undefined || job.start === undefined
    ? undefined
    : job.start - job.recorded;
}

const sooner = (seconds: number): string =>
  seconds === 0
    ? "started as recorded"
    : `started ${duration(Math.abs(seconds))} ${seconds < 0 ? "earlier" : "later"}`;

/** Returns the submission in words. In a closed loop it differs from run to run. */
function submission(job: JobFacts, unixStart: number | null | undefined): string {
  const { follows, submitted } = job;
  const at = instant(submitted, unixStart);
  return follows ? `${at}, ${duration(follows.think)} after job ${follows.number} ended` : at;
}

const SUBMITTED: Fact = {
  name: "Submitted",
  file: "Submitted (s)",
  show: (job, _, unixStart) => submission(job, unixStart),
  value: ({ submitted }) => submitted,
};

const notYet = (lane: s.Lane): string => (lane.state === "done" ? "never" : "not yet");

/** Returns the facts about a job in one run. */
const FACTS: Fact[] = [
  {
    name: "Wait",
    file: "Wait (s)",
    show: (job) => duration(job.wait),
    value: (job) => job.wait,
  },
  {
    name: "Start",
    file: "Start (s)",
    show: (job, lane, unixStart) =>
      job.start === undefined ? notYet(lane) : instant(job.start, unixStart),
    value: (job) => job.start,
  },
  {
    name: "Against the log",
    file: "Start minus recorded start (s)",
    show: (job) => (againstLog(job) === undefined ? "–" : sooner(againstLog(job)!)),
    value: againstLog,
  },
  {
    name: "Preempted",
    file: "Requeues",
    show: (job) => preempted(job),
    value: ({ requeues }) => requeues,
  },
  {
    name: "End",
    file: "End (s)",
    show: (job, lane, unixStart) =>
      job.end === undefined ? notYet(lane) : instant(job.end, unixStart),
    value: (job) => job.end,
  },
  {
    name: "Bounded slowdown",
    show: (job) => figure(job.bounded_slowdown),
    value: (job) => job.bounded_slowdown,
  },
  {
    name: "Processors",
    show: (job, lane) => {
      const words = placed(job, lane);
      return words === undefined ? "–" : `${words}${moved(job)}`;
    },
    value: placed,
  },
];

export function Job({ job }: { job: JobFacts }) {
  const unixStart = s.workload.value?.provenance.unix_start;
  const everywhere = [...s.jobFacts.value.values()].filter((job) => job !== null);
  const isClosed = everywhere.some(({ follows }) => follows !== undefined);
  const zoomTo = () =>
    showSpan(
      Math.min(...everywhere.map(({ submitted }) => submitted)),
      Math.max(...everywhere.map((job) => job.end ?? s.extent.value.to)),
    );
  return (
    <div class="job" data-job={job.number}>
      <h3>Job {job.number}: why it waited</h3>
      {s.lanes.value.map((lane, index) => (
        <Why key={lane.id} lane={lane} index={index} />
      ))}
      <div class="buttons">
        <button type="button" class="small" onClick={zoomTo}>
          Zoom to job
        </button>
        <button type="button" class="small" onClick={() => void select(undefined)}>
          Clear selection
        </button>
      </div>
      <h3>What it is</h3>
      <dl class="facts">
        <dt>Number</dt>
        <dd>{job.number}</dd>
        {!isClosed && (
          <>
            <dt>Submitted</dt>
            <dd>{instant(job.submitted, unixStart)}</dd>
          </>
        )}
        {job.recorded !== undefined && (
          <>
            <dt>Recorded start</dt>
            <dd>
              {instant(job.recorded, unixStart)}, after {duration(job.recorded - job.submitted)}
            </dd>
          </>
        )}
        <dt>Processors</dt>
        <dd>{count(job.processors)}</dd>
        <dt>Estimate</dt>
        <dd>{duration(job.estimate)}</dd>
        <dt>Run time</dt>
        <dd>
          {duration(job.runtime)}
          {job.outcome === "killed" && ", killed at its estimate"}
          {job.outcome === "preempted" && ", cancelled by preemption"}
        </dd>
        <dt>User</dt>
        <dd>{named(job, "user", job.user)}</dd>
        <dt>Group</dt>
        <dd>{named(job, "group", job.group)}</dd>
        <dt>Application</dt>
        <dd>{named(job, "app", job.application)}</dd>
        <dt>Queue</dt>
        <dd>{named(job, "queue", job.queue)}</dd>
        {job.told
          .filter(({ id }) => !FIELDS.includes(id))
          .map(({ id, name, kind, text }) => [
            <dt key={`${id} name`}>{name}</dt>,
            <dd key={id} class="told">
              {kind === "moments"
                ? instant(Number(text), unixStart)
                : kind === "numbers"
                  ? count(Number(text))
                  : text}
            </dd>,
          ])}
      </dl>
      <h3>In every run</h3>
      <DataTable
        label="The job in every run"
        class="job-runs"
        rows={[
          ...(isClosed ? [SUBMITTED] : []),
          ...FACTS.filter(({ value }) => job.recorded !== undefined || value !== againstLog).filter(
            ({ name }) => name !== "Preempted" || everywhere.some(isPreempted),
          ),
        ]}
        columns={[
          {
            name: "Fact",
            isHead: true,
            head: <span class="unseen">Fact</span>,
            value: ({ name, file }) => file ?? name,
            show: ({ name }) => name,
          },
          ...s.lanes.value.map((lane, index) => {
            const here = s.jobFacts.value.get(lane.id);
            return {
              name: s.letter(index),
              head: (
                <>
                  <Mark index={index} /> {s.letter(index)}
                </>
              ),
              value: ({ value }: Fact) => (here ? value(here, lane) : undefined),
              show: ({ show }: Fact) => (here ? show(here, lane, unixStart) : "–"),
            };
          }),
        ]}
      />
      {s.lanes.value.map((lane, index) => (
        <Partners key={lane.id} lane={lane} index={index} />
      ))}
    </div>
  );
}

/** Button with a job's number, which selects the job. */
export function JobLink({
  job,
  begins = false,
}: {
  job: { number: number; record: number };
  begins?: boolean;
}) {
  return (
    <button type="button" class="link" onClick={() => void select(job.record)}>
      {begins ? "Job" : "job"} {job.number}
    </button>
  );
}

/**
 * Returns a cause of waiting: words, and the job number that ends them.
 */
function cause(reason: Reason, processors: number): { words: string; job?: JobName } {
  switch (reason.kind) {
    case "processors":
      return {
        words:
          processors === 1
            ? "no free processor"
            : `fewer than ${count(processors)} free processors`,
      };
    case "partition":
      return { words: "enough free processors, but no free partition that fits" };
    case "nodes":
      return {
        words:
          reason.resource === "cores"
            ? "enough free cores, but not on nodes that serve it"
            : reason.resource === "gpu"
              ? "enough free cores, but too few GPUs left beside them"
              : `enough free cores, but too little ${reason.resource} left beside them`,
      };
    case "start_delay":
      return { words: "start delay of the machine" };
    case "behind":
      return { words: "it may not pass", job: reason.job };
    case "reserved":
      return {
        words: "enough free processors, but its start would delay the reservation of",
        job: reason.job,
      };
    case "recorded":
      return { words: "the log has a later start, and does not say why" };
    case "slurm":
      return { words: `Slurm's reason: ${reason.word}` };
    case "lost":
      return { words: "it ran in vain: it was preempted and started anew" };
    case "not_chosen":
      return { words: "other jobs used the processors better" };
    default:
      return { words: "not considered by the policy" };
  }
}

/** Returns the cause as a text in a file. */
export function because(reason: Reason, processors: number): string {
  const { words, job } = cause(reason, processors);
  return job ? `${words} job ${job.number}` : words;
}

export function Because({ reason, processors }: { reason: Reason; processors: number }) {
  const { words, job } = cause(reason, processors);
  return (
    <>
      {words}
      {job && (
        <>
          {" "}
          <JobLink job={job} />
        </>
      )}
    </>
  );
}

/**
 * The jobs that shared nodes with the job in one run, and the time that sharing cost and gained.
 */
function Partners({ lane, index }: { lane: s.Lane; index: number }) {
  const job = s.jobFacts.value.get(lane.id);
  if (!job || !lane.atOnce || job.start === undefined) return null;
  const { partners } = job;
  const unixStart = s.workload.value?.provenance.unix_start;
  const longer = job.end === undefined ? undefined : job.end - job.start - job.runtime;
  return (
    <section class="partners" aria-label={`Partners in run ${s.letter(index)}`}>
      <h3>
        <Mark index={index} /> {s.letter(index)}: partners
      </h3>
      {partners.length === 0 ? (
        <p class="quiet">It had its nodes to itself.</p>
      ) : (
        <>
          {longer !== undefined && (
            <p>
              {longer > 0.5
                ? `Sharing made it ${duration(longer)} longer.`
                : "Sharing cost it no time."}
            </p>
          )}
          <ul>
            {partners.map((partner) => (
              <li key={`${partner.job} ${partner.from} ${partner.nodes}`}>
                <JobLink job={partner} begins /> on {count(partner.nodes)} node
                {partner.nodes === 1 ? "" : "s"} for {duration(partner.to - partner.from)} from{" "}
                {instant(partner.from, unixStart)},{" "}
                {partner.lost === undefined || partner.won === undefined
                  ? `one of several at a time: beside it alone, at 1/${partner.slowdown.toFixed(2)} of its pace; a job is as slow as its slowest node.`
                  : `${partner.slowdown > 1.005 ? `at 1/${partner.slowdown.toFixed(2)} of its pace: ${duration(partner.lost)} lost` : "at its full pace"}; the two did ${duration(Math.abs(partner.won))} ${partner.won >= 0 ? "more" : "less"} than one after the other.`}
              </li>
            ))}
          </ul>
          {job.partner_count > partners.length && (
            <p class="quiet">
              Shows the first {partners.length} of {count(job.partner_count)} partners.
            </p>
          )}
        </>
      )}
    </section>
  );
}

/** The causes of the job's wait in one run, and the time of each. */
function Why({ lane, index }: { lane: s.Lane; index: number }) {
  const facts = s.jobFacts.value.get(lane.id);
  const answer = useSignal<WaitFacts | undefined>(undefined);
  const { hand } = lane;
  const isLeft = facts?.job !== undefined && facts.start === undefined;
  // A job that never starts waits up to the end of the run, which its causes know.
  const wait = isLeft ? sum(answer.value?.causes ?? []) : (facts?.wait ?? 0);
  useEffect(() => {
    answer.value = undefined;
    if (!hand || !facts || (wait <= 0 && !isLeft) || lane.state !== "done") return;
    let isLatest = true;
    ask(hand, (engine) => engine.why(facts.job)).then(
      (found) => isLatest && (answer.value = found ?? undefined),
      () => {},
    );
    return () => void (isLatest = false);
  }, [facts, hand, lane.state]);
  if (!facts || lane.state !== "done") return null;
  const name = (
    <>
      <Mark index={index} /> <b>{s.letter(index)}</b>
    </>
  );
  if (wait <= 0 && !isLeft) return <p>{name} It did not wait.</p>;
  if (!answer.value)
    return (
      <p>
        {name} <span class="quiet">loading…</span>
      </p>
    );
  const { causes, ahead, overtakers, ranks } = answer.value;
  return (
    <div class="why" data-run={s.letter(index)}>
      <p>
        {name}{" "}
        {isLeft
          ? `It never starts. Up to the end of the run it waits ${duration(wait)}`
          : `It waited ${duration(wait)} to run ${duration(facts.runtime)}`}
        : {whyInWords(causes, wait)}.
      </p>
      <ul>
        {grouped(causes).map(({ kind, total, causes }, at) =>
          causes.length === 1 ? (
            <li key={kind}>
              <Share of={total / wait} />
              <Cause cause={causes[0]!} lane={lane} processors={facts.processors} />
            </li>
          ) : (
            <li key={kind}>
              <Share of={total / wait} />
              <details open={at === 0}>
                <summary>
                  {duration(total)} {KINDS[kind]}
                </summary>
                <ul>
                  {causes.slice(0, CAUSES).map((cause, at) => (
                    <li key={at}>
                      <Cause cause={cause} lane={lane} processors={facts.processors} />
                    </li>
                  ))}
                  {causes.length > CAUSES && (
                    <li class="quiet">
                      {causes.length - CAUSES} more ({duration(sum(causes.slice(CAUSES)))})
                    </li>
                  )}
                </ul>
              </details>
            </li>
          ),
        )}
      </ul>
      <Some
        list={ahead}
        none="No job waited when it arrived."
        some="waited already when it arrived"
      />
      <Some list={overtakers} none="No job overtook it." some="arrived later and started earlier" />
      <Ranks ranks={ranks} link={(job) => <JobLink job={job} />} />
    </div>
  );
}

/** A share of the wait as a bar. */
const Share = ({ of }: { of: number }) => (
  <span class="share" aria-hidden="true">
    <span style={{ width: `${100 * of}%` }} />
  </span>
);

/** A cause with its time, and the instant from which it held. */
function Cause({
  cause,
  lane,
  processors,
}: {
  cause: CauseFacts;
  lane: s.Lane;
  processors: number;
}) {
  return (
    <>
      {duration(cause.total)}: <Because reason={cause.reason} processors={processors} />, from{" "}
      <button
        type="button"
        class="link"
        title="Step through the run from this instant"
        onClick={() => void begin(lane.id, false, cause.since)}
      >
        {clock(cause.since)}
      </button>
    </>
  );
}

/** Number of causes that are listed one by one. */
const CAUSES = 4;

function Some({ list, none, some }: { list: JobList; none: string; some: string }) {
  if (list.count === 0) return <p class="quiet">{none}</p>;
  return (
    <p>
      {count(list.count)} {some}:{" "}
      {list.first.map((job, at) => (
        <span key={job.job}>
          {at > 0 && ", "}
          <JobLink job={job} />
        </span>
      ))}
      {list.count > list.first.length && ", …"}
    </p>
  );
}
