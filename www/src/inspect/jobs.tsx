// The jobs of a run as a table, page by page.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { AttributeValue, JobFacts } from "schedscope";
import { ask } from "../engine/workers";
import { applied } from "../explore/filter";
import { count, duration, figure, instant } from "../format/words";
import { select } from "../lab";
import * as s from "../state";
import { TableTools } from "../ui/table";

const PAGE = 25;

/** Fields of filters that can sort the jobs, the greatest first. */
const ORDERS = [
  ["", "arrival"],
  ["wait", "longest wait"],
  ["slowdown", "largest slowdown"],
  ["size", "most processors"],
  ["run", "longest run time"],
] as const;

const toldOf = (job: JobFacts, wanted: string): AttributeValue | undefined =>
  job.told.find(({ id }) => id === wanted);

const shown = (value: AttributeValue | undefined, unixStart: number | null | undefined): string => {
  if (!value) return "–";
  if (value.kind === "moments") return instant(Number(value.text), unixStart);
  return value.kind === "numbers" ? count(Number(value.text)) : value.text;
};

/** A text version of the timelines: the jobs of a run, page by page. */
export function Jobs({
  lane,
  able,
  choose,
}: {
  lane: s.Lane | undefined;
  /** The runs that can be chosen. */
  able: s.Lane[];
  choose: (id: number) => void;
}) {
  const from = useSignal(0);
  const rows = useSignal<JobFacts[]>([]);
  const order = useSignal("");
  // The length of a filtered list is known only at its last page.
  const total = applied.value
    ? from.value + rows.value.length + (rows.value.length === PAGE ? 1 : 0)
    : (lane?.facts?.jobs ?? 0);
  useEffect(() => {
    if (!lane?.hand) return undefined;
    let isLatest = true;
    ask(lane.hand, (engine) => engine.listed(order.value, from.value, PAGE)).then(
      (jobs) => isLatest && (rows.value = jobs),
      () => {},
    );
    return () => void (isLatest = false);
  }, [from.value, order.value, applied.value, lane?.hand, lane?.state]);
  useEffect(() => void (from.value = 0), [s.source.value, applied.value, order.value]);
  // A trace has the same columns in all runs.
  const further = (s.workload.value?.attributes ?? []).filter(
    ({ words, further }) => further || words.length > 0,
  );
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
      ...further.map(({ id, further }) => (further ? id : `${id}_name`)),
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
      ...further.map(({ id }) => toldOf(job, id)?.text),
    ]),
  });
  const unixStart = s.workload.value?.provenance.unix_start;
  const index = lane ? s.lanes.value.indexOf(lane) : 0;
  return (
    <>
      <div class="buttons">
        <label class="inline">
          Run{" "}
          <select value={lane?.id} onChange={(event) => choose(Number(event.currentTarget.value))}>
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
              {further.map(({ id, name }) => (
                <th key={id} scope="col">
                  {name}
                </th>
              ))}
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
                {further.map(({ id }) => (
                  <td key={id}>{shown(toldOf(job, id), unixStart)}</td>
                ))}
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
    </>
  );
}
