// The results of a plan as a table, and saturation loads.
import { charts, type Row } from "../charts/chart";
import { saveBlob } from "../files/save";
import type { Table } from "../files/table";
import { csv } from "../format/csv";
import { asProblem } from "../format/problem";
import { figure } from "../format/words";
import { inWords } from "../runs/size";
import * as s from "../state";
import { TableTools } from "../ui/table";
import { type Found, metricName, varying } from "./kinds";
import * as plans from "./plans";
import { place } from "./run";

/** Opens the run of a chart's point, and selects its job if the point is a job. */
export const pick = (row: Row): void => {
  if (typeof row.cell === "string")
    plans.openCell(row.cell, typeof row.record === "number" ? row.record : undefined);
};

export function Saturations({ found }: { found: Found }) {
  const { saturations } = found;
  const axes = varying(saturations);
  if (saturations.length === 0) return null;
  return (
    <details>
      <summary>Where each policy saturates</summary>
      <p class="quiet">
        The highest offered load of the sweep up to which less than 5 % of the work is missing at
        the last arrival. A machine without limits would have done all of this work by then.
      </p>
      <ul>
        {saturations.map((saturation, at) => (
          <li key={at}>
            {[...axes.keys()].map((name) => String(saturation.axes[name])).join(", ") ||
              String(saturation.axes.policy)}
            :{" "}
            {saturation.load === undefined
              ? "saturates at every load of the sweep"
              : saturation.reached
                ? `saturates above ${saturation.load.toFixed(3)}`
                : `follows every load up to ${saturation.load.toFixed(3)}`}
            ; accepts at most {saturation.accepted.toFixed(3)}.
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Traces whose machine size is a guess. */
export function Guesses() {
  const guesses = new Set(
    [...plans.results.value.values()].flatMap(({ trace, size }) =>
      size ? `${trace}: ${inWords(size)}` : [],
    ),
  );
  return (
    <>
      {[...guesses].map((guess) => (
        <p key={guess} class="notice bad">
          <b>{guess}</b> Set `processors` in the plan.
        </p>
      ))}
    </>
  );
}

export function PointsTable() {
  const points = plans.analysis.value?.points ?? [];
  if (points.length === 0) return null;
  const names = Object.keys(points[0]!.axes);
  const wanted = plans.facts.value!.plan.metrics?.length
    ? plans.facts.value!.plan.metrics
    : ["wait.mean", "bounded_slowdown.mean", "utilisation.value"];
  const short = (): Table => ({
    title: plans.facts.value?.plan.name || "Results",
    head: [...names, "offered", ...wanted.flatMap((key) => [key, `${key} ci95`])],
    rows: points.map((point) => [
      ...names.map((name) => String(point.axes[name])),
      point.offered_load,
      ...wanted.flatMap((key) => [point.figures[key]?.mean, point.figures[key]?.ci95]),
    ]),
    words: names.length,
  });
  const report = async () => {
    try {
      const { savePlanReport } = await import("../export/report");
      savePlanReport(
        plans.facts.value?.plan.name || "a plan",
        plans.facts.value?.plan,
        short(),
        charts.values(),
      );
    } catch (error) {
      s.tell(asProblem(error));
    }
  };
  return (
    <section class="panel" aria-label="Results">
      <div class="bar">
        <h2>Results</h2>
        <span class="spring" />
        <TableTools of={short} />
        <button
          type="button"
          class="small"
          onClick={() => saveBlob(new Blob([table()], { type: "text/csv" }), "results.csv")}
        >
          All figures as CSV
        </button>
        <button
          type="button"
          class="small"
          title="Charts, points and plan in one file"
          onClick={() => void report()}
        >
          Report
        </button>
      </div>
      <div class="scroll tall" tabIndex={0} role="region" aria-label="Results table">
        <table>
          <thead>
            <tr>
              {names.map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
              <th scope="col">offered</th>
              {wanted.map((key) => (
                <th scope="col" key={key}>
                  {metricName(key)}
                </th>
              ))}
              <th scope="col">Run</th>
            </tr>
          </thead>
          <tbody>
            {points.map((point) => (
              <tr key={point.cells.join()}>
                {names.map((name) => (
                  <td key={name}>{String(point.axes[name])}</td>
                ))}
                <td>{point.offered_load.toFixed(3)}</td>
                {wanted.map((key) => {
                  const value = point.figures[key];
                  return (
                    <td key={key}>
                      {figure(value?.mean)}
                      {value?.ci95 !== undefined && <small> ± {figure(value.ci95)}</small>}
                    </td>
                  );
                })}
                <td>
                  <button
                    type="button"
                    class="small"
                    aria-label={`Open in the timeline: ${place(point.cells[0]!)}`}
                    onClick={() => plans.openCell(point.cells[0]!)}
                  >
                    Open in the timeline
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Saves every finished cell with every figure, in the format of the command line. */
function table(): string {
  const cells = plans.facts.value?.cells ?? [];
  const axes = Object.keys(cells[0]?.axes ?? {}).sort();
  const figures = (s.catalog.value?.metrics ?? []).flatMap((spec) =>
    spec.figures.map((name) => `${spec.id}.${name}`),
  );
  const rows = cells.flatMap((cell) => {
    const result = plans.results.value.get(cell.key);
    if (!result) return [];
    return [
      [
        ...axes.map((axis) => cell.axes[axis]),
        result.key,
        result.jobs,
        result.processors,
        result.offered_load,
        result.digest,
        ...figures.map((key) => result.figures[key]),
      ],
    ];
  });
  const head = [...axes, "key", "jobs_run", "machine_size", "offered_load", "digest", ...figures];
  return `${csv([head, ...rows])}\n`;
}
