// The right column: the selected job in every run, or how to use the page.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JobFacts, JobList, PlacementFacts, Reason, WaitFacts } from "schedscope";
import { Mark } from "./experiment";
import { AreaPanel } from "./explore/areapanel";
import { applied } from "./explore/filter";
import { count, duration, figure, instant } from "./format";
import { machineOf, select } from "./lab";
import { show } from "./navigate";
import { nameOf } from "./runs";
import * as s from "./state";
import { Scroll, TableTools } from "./tables";
import { ask } from "./workers";

export function Inspector() {
  const known = [...s.jobFacts.value.values()].find((job) => job !== null);
  return (
    <section class="column inspector" aria-label="Inspector">
      <AreaPanel />
      <h2>Job</h2>
      <FindJob />
      {known ? (
        <Job job={known} />
      ) : (
        <p class="quiet">
          Click a job in a timeline, or type its number. Here is then what it asked for, and what
          became of it in every run.
        </p>
      )}
      <JobTable />
      {!known &&
        s.lanes.value.map((lane, index) => <RunCard key={lane.id} lane={lane} index={index} />)}
    </section>
  );
}

/** What a run is, while no job is selected: enough to name it elsewhere. */
function RunCard({ lane, index }: { lane: s.Lane; index: number }) {
  const policy = s.catalog.value?.policies.find(({ id }) => id === lane.policy);
  const machine = s.catalog.value?.machines.find(({ id }) => id === machineOf(lane));
  const { result, facts } = lane;
  if (!result || !facts || lane.state !== "done") return null;
  return (
    <section class="run-card" aria-label={`Run ${s.letter(index)} in short`}>
      <h3>
        <Mark index={index} /> {s.letter(index)} {nameOf(lane)}
      </h3>
      <dl class="facts">
        <dt>Source</dt>
        <dd>{policy?.paper}</dd>
        <dt>Machine</dt>
        <dd>
          {machine?.name}, {count(facts.processors)} processors
        </dd>
        <dt>Jobs</dt>
        <dd>
          {count(facts.jobs)}, the last ends {instant(result.end, facts.provenance.unix_start)}
        </dd>
        {facts.provenance.steps.map((step) => [<dt>Changed</dt>, <dd>{step}</dd>])}
        <dt>Schedule</dt>
        <dd>
          <code>{result.digest}</code>
        </dd>
      </dl>
    </section>
  );
}

function FindJob() {
  const text = useSignal("");
  const answer = useSignal("");
  const find = async (event: Event) => {
    event.preventDefault();
    const lane = s.lanes.value.find((lane) => lane.facts && lane.hand);
    const number = Number(text.value);
    if (text.value.trim() === "" || !Number.isInteger(number)) {
      answer.value = "A job number is a whole number.";
      return;
    }
    const job = lane?.hand
      ? await ask(lane.hand, (engine) => engine.findJob(number)).catch(() => null)
      : null;
    answer.value = job == null ? `There is no job ${text.value} among those that take part.` : "";
    if (job != null) await select(job.record);
  };
  return (
    <form class="find" onSubmit={(event) => void find(event)}>
      <label for="find-job">Job number</label>
      <input
        id="find-job"
        inputMode="numeric"
        autocomplete="off"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <button type="submit" class="small">
        Show
      </button>
      <small role="status">{answer.value}</small>
    </form>
  );
}

const known = (value: number): string => (value < 0 ? "unknown" : count(value));

/** A job's processors in words: `0-3 5`, or `0-3 5 in slot 2`. */
function processors({ row, ranges }: PlacementFacts, lane: s.Lane): string {
  const words = ranges
    .map(([first, count]) => (count === 1 ? `${first}` : `${first}-${first + count - 1}`))
    .join(" ");
  return lane.slots === 1 ? words : `${words} in slot ${row + 1}`;
}

/** What became of a job in one run. */
const ROWS: [
  string,
  (job: JobFacts, unixStart: number | null | undefined, lane: s.Lane) => string,
][] = [
  ["Wait", (job) => duration(job.wait)],
  [
    "Start",
    (job, unixStart) => (job.start === undefined ? "not yet" : instant(job.start, unixStart)),
  ],
  ["End", (job, unixStart) => (job.end === undefined ? "not yet" : instant(job.end, unixStart))],
  ["Bounded slowdown", (job) => figure(job.bounded_slowdown)],
  [
    "Processors",
    (job, _, lane) =>
      job.placement?.ranges.length
        ? `${processors(job.placement, lane)}${job.moves > 0 ? ` at its start; it moved ${job.moves === 1 ? "once" : `${job.moves} times`}` : ""}`
        : "–",
  ],
];

function Job({ job }: { job: JobFacts }) {
  const unixStart = s.workload.value?.provenance.unix_start;
  const zoomTo = () => {
    const spans = [...s.jobFacts.value.values()].filter((job) => job !== null);
    const to = Math.max(...spans.map((job) => job.end ?? s.extent.value.to));
    const margin = Math.max(60, (to - job.submitted) * 0.3);
    show({ ...s.extent.value, from: job.submitted - margin, to: to + margin });
  };
  return (
    <div class="job" data-job={job.number}>
      <dl class="facts">
        <dt>Number</dt>
        <dd>{job.number}</dd>
        <dt>Submitted</dt>
        <dd>{instant(job.submitted, unixStart)}</dd>
        <dt>Processors</dt>
        <dd>{count(job.processors)}</dd>
        <dt>Estimate</dt>
        <dd>{duration(job.estimate)}</dd>
        <dt>Run time</dt>
        <dd>
          {duration(job.runtime)}
          {job.outcome === "killed" && ", killed at its estimate"}
        </dd>
        <dt>User</dt>
        <dd>{known(job.user)}</dd>
        <dt>Group</dt>
        <dd>{known(job.group)}</dd>
        <dt>Application</dt>
        <dd>{known(job.application)}</dd>
        <dt>Queue</dt>
        <dd>{known(job.queue)}</dd>
      </dl>
      <h3>In every run</h3>
      <Scroll label="The job in every run">
        <table class="job-runs">
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">Fact</span>
              </th>
              {s.lanes.value.map((lane, index) => (
                <th scope="col" key={lane.id}>
                  <Mark index={index} /> {s.letter(index)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ROWS.map(([name, show]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {s.lanes.value.map((lane) => {
                  const here = s.jobFacts.value.get(lane.id);
                  return <td key={lane.id}>{here ? show(here, unixStart, lane) : "–"}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <div class="buttons">
        <button type="button" class="small" onClick={zoomTo}>
          Zoom to it
        </button>
        <button type="button" class="small" onClick={() => void select(undefined)}>
          Let go
        </button>
      </div>
      {s.lanes.value.map((lane, index) => (
        <Partners key={lane.id} lane={lane} index={index} />
      ))}
      <h3>Why it waited</h3>
      {s.lanes.value.map((lane, index) => (
        <Why key={lane.id} lane={lane} index={index} />
      ))}
    </div>
  );
}

/** A job's number, which selects it. */
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

/** A cause of waiting as the end of "it waited because". */
export function Because({ reason, processors }: { reason: Reason; processors: number }) {
  if (reason.kind === "processors")
    return (
      <>
        it needs {count(processors)} processor{processors === 1 ? "" : "s"}, more than were free
      </>
    );
  if (reason.kind === "partition")
    return <>enough processors were free, but no free partition that suits it</>;
  if (reason.kind === "start_delay") return <>it had its processors: the machine's start delay</>;
  if (reason.kind === "behind")
    return (
      <>
        it may not pass <JobLink job={reason.job} />
      </>
    );
  if (reason.kind === "reserved")
    return (
      <>
        there was room, but it would have delayed the reservation of <JobLink job={reason.job} />
      </>
    );
  return reason.kind === "not_chosen" ? (
    <>other jobs made better use of the processors</>
  ) : (
    <>the policy did not look at it</>
  );
}

/** With whom the job shared nodes in one run, and what that cost it and won. */
function Partners({ lane, index }: { lane: s.Lane; index: number }) {
  const job = s.jobFacts.value.get(lane.id);
  if (!job || !lane.atOnce || job.start === undefined) return null;
  const { partners } = job;
  const unixStart = s.workload.value?.provenance.unix_start;
  const longer = job.end === undefined ? undefined : job.end - job.start - job.runtime;
  return (
    <section class="partners" aria-label={`Partners in run ${s.letter(index)}`}>
      <h3>
        <Mark index={index} /> {s.letter(index)}: on its nodes
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
              The first {partners.length} of {count(job.partner_count)}.
            </p>
          )}
        </>
      )}
    </section>
  );
}

/** What kept the job waiting in one run, and for how long each. */
function Why({ lane, index }: { lane: s.Lane; index: number }) {
  const facts = s.jobFacts.value.get(lane.id);
  const answer = useSignal<WaitFacts | undefined>(undefined);
  const { hand } = lane;
  const wait = facts?.wait ?? 0;
  useEffect(() => {
    answer.value = undefined;
    if (!hand || !facts || wait <= 0 || lane.state !== "done") return;
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
  if (wait <= 0) return <p>{name} It did not wait.</p>;
  if (!answer.value)
    return (
      <p>
        {name} <span class="quiet">looking…</span>
      </p>
    );
  const { causes, ahead, overtakers } = answer.value;
  return (
    <div class="why" data-run={s.letter(index)}>
      <p>
        {name} It waited {duration(wait)}:
      </p>
      <ul>
        {[...causes]
          .sort((a, b) => b.total - a.total)
          .slice(0, CAUSES)
          .map((cause, at) => (
            <li key={at}>
              <span class="share" aria-hidden="true">
                <span style={{ width: `${(100 * cause.total) / wait}%` }} />
              </span>
              {duration(cause.total)}:{" "}
              <Because reason={cause.reason} processors={facts.processors} />
            </li>
          ))}
        {causes.length > CAUSES && (
          <li class="quiet">
            and {causes.length - CAUSES} causes more,{" "}
            {duration(
              causes
                .map((cause) => cause.total)
                .sort((a, b) => b - a)
                .slice(CAUSES)
                .reduce((sum, total) => sum + total, 0),
            )}{" "}
            in all
          </li>
        )}
      </ul>
      <Some
        list={ahead}
        none="Nobody waited when it arrived."
        some="waited already when it arrived"
      />
      <Some list={overtakers} none="Nobody overtook it." some="arrived later and started earlier" />
    </div>
  );
}

/** Causes that are listed one by one. */
const CAUSES = 8;

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

const PAGE = 25;
/** Fields of filters by which jobs can be listed, the greatest first. */
const ORDERS = [
  ["", "arrival"],
  ["wait", "longest wait"],
  ["slowdown", "largest slowdown"],
  ["size", "most processors"],
  ["run", "longest run time"],
] as const;

/** The timelines in words: the jobs of the first run, a page at a time. */
function JobTable() {
  const isOpen = useSignal(false);
  const from = useSignal(0);
  const rows = useSignal<JobFacts[]>([]);
  const order = useSignal("");
  const chosen = useSignal<number | undefined>(undefined);
  const able = s.lanes.value.filter((lane) => lane.facts && lane.hand);
  const lane = able.find(({ id }) => id === chosen.value) ?? able[0];
  // Of a list of some, the end shows when it is reached.
  const total = applied.value
    ? from.value + rows.value.length + (rows.value.length === PAGE ? 1 : 0)
    : (lane?.facts?.jobs ?? 0);
  useEffect(() => {
    if (!isOpen.value || !lane?.hand) return;
    ask(lane.hand, (engine) => engine.listed(order.value, from.value, PAGE)).then(
      (jobs) => (rows.value = jobs),
      () => {},
    );
  }, [isOpen.value, from.value, order.value, applied.value, lane?.hand, lane?.state]);
  useEffect(() => void (from.value = 0), [s.source.value, applied.value, order.value]);
  const table = () => ({
    title: `Jobs of run ${s.letter(index)}`,
    head: [
      "job",
      "submitted",
      "processors",
      "wait",
      "bounded_slowdown",
      "runtime",
      "estimate",
      "user",
    ],
    rows: rows.value.map((job) => [
      job.number,
      job.submitted,
      job.processors,
      job.wait,
      job.bounded_slowdown,
      job.runtime,
      job.estimate,
      job.user,
    ]),
  });
  const unixStart = s.workload.value?.provenance.unix_start;
  const index = lane ? s.lanes.value.indexOf(lane) : 0;
  return (
    <details class="job-table" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        Jobs as a table{lane && `, run ${s.letter(index)}`}
        {applied.value && ", filtered"}
      </summary>
      <div class="buttons">
        <label class="inline">
          Run{" "}
          <select
            value={lane?.id}
            onChange={(event) => (chosen.value = Number(event.currentTarget.value))}
          >
            {able.map(({ id }) => (
              <option key={id} value={id}>
                {s.letter(s.lanes.value.findIndex((lane) => lane.id === id))}
              </option>
            ))}
          </select>
        </label>
        <label class="inline">
          Order{" "}
          <select
            value={order.value}
            onChange={(event) => (order.value = event.currentTarget.value)}
          >
            {ORDERS.map(([field, name]) => (
              <option key={field} value={field}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <TableTools of={table} />
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Jobs as a table">
        <table>
          <thead>
            <tr>
              <th scope="col">Job</th>
              <th scope="col">Submitted</th>
              <th scope="col">Processors</th>
              <th scope="col">Wait</th>
              <th scope="col">Slowdown</th>
              <th scope="col">Run time</th>
            </tr>
          </thead>
          <tbody>
            {rows.value.map((job) => (
              <tr key={job.job}>
                <th scope="row">
                  <button type="button" class="link" onClick={() => void select(job.record)}>
                    {job.number}
                  </button>
                </th>
                <td>{instant(job.submitted, unixStart)}</td>
                <td>{count(job.processors)}</td>
                <td>{duration(job.wait)}</td>
                <td>{figure(job.bounded_slowdown)}</td>
                <td>{duration(job.runtime)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="buttons">
        <button
          type="button"
          class="small"
          disabled={from.value === 0}
          onClick={() => (from.value = Math.max(0, from.value - PAGE))}
        >
          Earlier
        </button>
        <span class="quiet">
          {count(Math.min(from.value + 1, total))} to {count(from.value + rows.value.length)}
          {applied.value ? "" : ` of ${count(total)}`}
        </span>
        <button
          type="button"
          class="small"
          disabled={from.value + PAGE >= total}
          onClick={() => (from.value += PAGE)}
        >
          Later
        </button>
      </div>
    </details>
  );
}
