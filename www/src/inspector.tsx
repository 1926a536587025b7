// The right column: the selected job in every run, or how to use the page.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JobFacts } from "schedscope";
import { Mark } from "./experiment";
import { count, duration, figure, instant } from "./format";
import { select } from "./lab";
import { show } from "./navigate";
import * as s from "./state";
import { ask } from "./workers";

export function Inspector() {
  const known = [...s.jobFacts.value.values()].find((job) => job !== null);
  return (
    <section class="column inspector" aria-label="Inspector">
      <h2>Job</h2>
      <FindJob />
      {known ? <Job job={known} /> : <p class="quiet">Click a job in a timeline, or type its number. Here is then what it asked for, and what became of it in every run.</p>}
      <JobTable />
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
    const job = lane?.hand ? await ask(lane.hand, (engine) => engine.findJob(number)).catch(() => null) : null;
    answer.value = job == null ? `There is no job ${text.value} among those that take part.` : "";
    if (job != null) await select(job.record);
  };
  return (
    <form class="find" onSubmit={(event) => void find(event)}>
      <label for="find-job">Job number</label>
      <input id="find-job" inputMode="numeric" autocomplete="off" value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
      <button type="submit" class="small">Show</button>
      <small role="status">{answer.value}</small>
    </form>
  );
}

const known = (value: number): string => (value < 0 ? "unknown" : count(value));

/** What became of a job in one run. */
const ROWS: [string, (job: JobFacts, unixStart: number | null | undefined) => string][] = [
  ["Wait", (job) => duration(job.wait)],
  ["Start", (job, unixStart) => (job.start === undefined ? "not yet" : instant(job.start, unixStart))],
  ["End", (job, unixStart) => (job.end === undefined ? "not yet" : instant(job.end, unixStart))],
  ["Bounded slowdown (10 s)", (job) => figure(job.bounded_slowdown)],
  ["Processors", (job) => job.placement || "–"],
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
        <dd>{duration(job.runtime)}{job.outcome === "killed" && ", killed at its estimate"}</dd>
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
      <div class="scroll" tabIndex={0} role="region" aria-label="The job in every run">
        <table class="job-runs">
          <thead>
            <tr>
              <th scope="col"><span class="unseen">Fact</span></th>
              {s.lanes.value.map((lane, index) => <th scope="col" key={lane.id}><Mark index={index} /> {s.letter(index)}</th>)}
            </tr>
          </thead>
          <tbody>
            {ROWS.map(([name, show]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {s.lanes.value.map((lane) => {
                  const here = s.jobFacts.value.get(lane.id);
                  return <td key={lane.id}>{here ? show(here, unixStart) : "–"}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="buttons">
        <button type="button" class="small" onClick={zoomTo}>Zoom to it</button>
        <button type="button" class="small" onClick={() => void select(undefined)}>Let go</button>
      </div>
    </div>
  );
}

const PAGE = 25;

/** The timelines in words: the jobs of the first run, a page at a time. */
function JobTable() {
  const isOpen = useSignal(false);
  const from = useSignal(0);
  const rows = useSignal<JobFacts[]>([]);
  const lane = s.lanes.value.find((lane) => lane.facts && lane.hand);
  const total = lane?.facts?.jobs ?? 0;
  useEffect(() => {
    if (!isOpen.value || !lane?.hand) return;
    ask(lane.hand, (engine) => engine.jobs(from.value, PAGE)).then((jobs) => (rows.value = jobs), () => {});
  }, [isOpen.value, from.value, lane?.hand, lane?.state]);
  useEffect(() => void (from.value = 0), [s.source.value]);
  const unixStart = s.workload.value?.provenance.unix_start;
  const index = lane ? s.lanes.value.indexOf(lane) : 0;
  return (
    <details class="job-table" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Jobs as a table{lane && `, run ${s.letter(index)}`}</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Jobs as a table">
        <table>
          <thead>
            <tr><th scope="col">Job</th><th scope="col">Submitted</th><th scope="col">Processors</th><th scope="col">Wait</th><th scope="col">Run time</th></tr>
          </thead>
          <tbody>
            {rows.value.map((job) => (
              <tr key={job.job}>
                <th scope="row"><button type="button" class="link" onClick={() => void select(job.record)}>{job.number}</button></th>
                <td>{instant(job.submitted, unixStart)}</td>
                <td>{count(job.processors)}</td>
                <td>{duration(job.wait)}</td>
                <td>{duration(job.runtime)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="buttons">
        <button type="button" class="small" disabled={from.value === 0} onClick={() => (from.value = Math.max(0, from.value - PAGE))}>Earlier</button>
        <span class="quiet">{count(Math.min(from.value + 1, total))} to {count(Math.min(from.value + PAGE, total))} of {count(total)}</span>
        <button type="button" class="small" disabled={from.value + PAGE >= total} onClick={() => (from.value += PAGE)}>Later</button>
      </div>
    </details>
  );
}
