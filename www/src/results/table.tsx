// The metrics table and the downloads.
import { useEffect, useState } from "preact/hooks";
import type { Paired } from "schedscope";
import { ask } from "../engine/workers";
import { metric, symbolOf } from "../format/metric";
import { count, counted, figure, inList, share } from "../format/words";
import { nameOf } from "../runs/name";
import { neverStarted } from "../runs/pending";
import { doubted, inWords } from "../runs/size";
import * as s from "../state";
import { Mark } from "../ui/mark";
import { TableTools } from "../ui/table";
import {
  type Column,
  columns,
  isWhole,
  orderBy,
  showWhole,
  sort,
  sorted,
  table,
  value,
} from "./figures";
import { Files } from "./files";
import { FitCard } from "./fit";
import { report } from "./report";

/** The choice of figures, and the files of the table. */
export function Tools() {
  return (
    <>
      <label class="inline">
        <input
          type="checkbox"
          checked={isWhole.value}
          onChange={(event) => showWhole(event.currentTarget.checked)}
        />{" "}
        all figures
      </label>
      <span class="spring" />
      <TableTools of={table} />
      <button
        type="button"
        class="small"
        title="All of it in one file: figures, table, settings"
        onClick={() => void report()}
      >
        Report
      </button>
    </>
  );
}

/** The table of figures, and the fit to the log. */
export function FigureTable() {
  const shown = columns();
  const lanes = s.lanes.value.map((lane, index) => ({ lane, index }));
  const pairs = usePaired();
  const missing = ({ lane }: { lane: s.Lane }) =>
    lane.result && lane.facts ? lane.facts.jobs - (value(lane, "jobs.value") ?? 0) : 0;
  const partial = lanes.filter((run) => missing(run) > 0);
  const trimmed = partial
    .map(
      ({ lane, index }) =>
        `${count(value(lane, "jobs.value") ?? 0)} of ${counted(lane.facts!.jobs, "job")} in ${s.letter(index)}`,
    )
    .join(", ");
  const causes = [
    ...(partial.some((run) => missing(run) > neverStarted(run.lane))
      ? ["the warm-up and cool-down shares"]
      : []),
    ...(partial.some(({ lane }) => neverStarted(lane) > 0) ? ["jobs that never start"] : []),
  ];
  const best = new Map(
    shown.map((column) => [
      column.key,
      bestOf(
        column,
        // Fewer jobs are no better result.
        lanes.map(({ lane }) => (neverStarted(lane) > 0 ? undefined : value(lane, column.key))),
      ),
    ]),
  );
  return (
    <div class="metrics-body">
      {doubted.value && <p class="quiet">{inWords(doubted.value)}</p>}
      {trimmed && (
        <p class="quiet">
          Job metrics count {trimmed}. They leave out {inList(causes)}.
        </p>
      )}
      <div class="scroll" tabIndex={0} role="region" aria-label="Metrics table">
        <table>
          <thead>
            <tr>
              <th scope="col">Run</th>
              {shown.map((column) => (
                <th
                  scope="col"
                  key={column.key}
                  aria-sort={
                    sort.value?.key === column.key
                      ? sort.value.descending
                        ? "descending"
                        : "ascending"
                      : "none"
                  }
                >
                  <button
                    type="button"
                    title={column.spec.help}
                    onClick={() => orderBy(column.key)}
                  >
                    {column.name}
                    {symbolOf(column.spec, column.figure) && (
                      <small> {symbolOf(column.spec, column.figure)}</small>
                    )}
                    <span aria-hidden="true">
                      {sort.value?.key === column.key ? (sort.value.descending ? " ▼" : " ▲") : ""}
                    </span>
                  </button>
                </th>
              ))}
              <th scope="col">Files</th>
              <th scope="col">Wait against A, job by job</th>
            </tr>
          </thead>
          <tbody>
            {sorted().map(({ lane, index }) => (
              <tr key={lane.id} class={lane.stale ? "stale" : ""}>
                <th scope="row">
                  <Mark index={index} /> {s.letter(index)} {nameOf(lane)}
                  {sameAs(lane) !== undefined && (
                    <small class="quiet same"> Same schedule as {s.letter(sameAs(lane)!)}</small>
                  )}
                </th>
                {shown.map((column) => {
                  const own = value(lane, column.key);
                  const isBest = own !== undefined && own === best.get(column.key);
                  return (
                    <td key={column.key} class={isBest ? "best" : ""}>
                      {isBest ? (
                        <strong>
                          {metric(column.spec, column.figure, own)}
                          <span class="unseen"> (best)</span>
                        </strong>
                      ) : (
                        metric(column.spec, column.figure, own)
                      )}
                    </td>
                  );
                })}
                <td>
                  <Files lane={lane} index={index} />
                </td>
                <td class="paired">
                  {index === 0 ? "–" : <PairedText paired={pairs.get(lane.id)} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <FitCard />
    </div>
  );
}

/**
 * Returns the index of the first earlier run that has the same schedule of the same workload, job
 * by job.
 */
function sameAs(lane: s.Lane): number | undefined {
  const isSame = (other: s.Lane) =>
    other.result !== undefined &&
    other.result.digest === lane.result?.digest &&
    other.facts?.identity === lane.facts?.identity;
  const first = s.lanes.value.findIndex(isSame);
  return first >= 0 && s.lanes.value[first] !== lane ? first : undefined;
}

function PairedText({ paired }: { paired: Paired | undefined }) {
  if (!paired) return <span>–</span>;
  return (
    <span title={`${counted(paired.jobs, "job")}; 95 % interval by batch means`}>
      {paired.mean > 0 ? "+" : ""}
      {figure(paired.mean)} ± {figure(paired.ci95)} s; {share(paired.smaller)} less,{" "}
      {share(paired.larger)} longer
    </span>
  );
}

/** Compares each finished run's waits with those of the first run. */
function usePaired(): Map<number, Paired> {
  const [pairs, setPairs] = useState(new Map<number, Paired>());
  const done = s.lanes.value.filter((lane) => lane.state === "done" && lane.result);
  const first = s.lanes.value[0];
  const key = done.map((lane) => `${lane.id}:${lane.result!.digest}`).join(" ");
  useEffect(() => {
    let isCurrent = true;
    const compareAll = async () => {
      const found = new Map<number, Paired>();
      if (first?.hand && first.state === "done") {
        const waits = await ask(first.hand, (engine) => engine.waits());
        for (const lane of done)
          if (lane.id !== first.id && lane.hand && lane.facts?.identity === first.facts?.identity)
            found.set(lane.id, await ask(lane.hand, (engine) => engine.compare(waits)));
      }
      if (isCurrent) setPairs(found);
    };
    compareAll().catch(() => {});
    return () => void (isCurrent = false);
  }, [key]);
  return pairs;
}

function bestOf(column: Column, values: (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  if (
    known.length < 2 ||
    column.spec.better === "neither" ||
    ["ci95", "jobs"].includes(column.figure)
  )
    return undefined;
  const best = column.spec.better === "lower" ? Math.min(...known) : Math.max(...known);
  // If all figures are equal, none is the best.
  return known.every((value) => value === best) ? undefined : best;
}
