// The Sweep tab: a plan, its run, its charts and its table.
import { signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Doubt } from "schedscope";
import { asProblem, count, csv, duration, figure } from "../format";
import { useDraft } from "../forms";
import { saveBlob } from "../save";
import { inWords } from "../size";
import * as s from "../state";
import { type Table, TableTools } from "../tables";
import { Chart, charts, type Row } from "./chart";
import {
  type Choice,
  GROUPINGS,
  HALVES,
  isNumeric,
  JOB_AXES,
  KINDS,
  type Kind,
  metricName,
  metricsOf,
  seriesOf,
  specOf,
  usualX,
  varying,
} from "./kinds";
import { PlanForm } from "./planform";
import * as plans from "./plans";
import * as store from "./store";

export default function Sweep() {
  useEffect(() => void plans.begin(), []);
  const facts = plans.facts.value;
  return (
    <div class="sweep">
      <section class="panel" aria-label="Plan">
        <div class="bar">
          <h2>Plan</h2>
          <PlanFiles />
        </div>
        {plans.problem.value && (
          <div class="notice bad above" role="alert">
            <p>
              <b>{plans.problem.value.what}</b> {plans.problem.value.why} {plans.problem.value.next}{" "}
              The last good plan still stands below.
            </p>
          </div>
        )}
        {plans.draft.value && <PlanForm plan={plans.draft.value} />}
      </section>
      {facts && <RunPanel />}
      {facts && <Guesses />}
      {facts && <Charts />}
      {facts && <PointsTable />}
    </div>
  );
}

function PlanFiles() {
  const input = useRef<HTMLInputElement>(null);
  const take = async (file: File | undefined) => file && (await plans.setPlanFile(file));
  const facts = plans.facts.value;
  const name = (facts?.plan.name || "plan").replace(/[^\w.-]+/g, "-").toLowerCase();
  return (
    <>
      <span class="spring" />
      <input
        ref={input}
        type="file"
        hidden
        accept=".json"
        aria-label="Plan file"
        onChange={(event) => {
          void take(event.currentTarget.files?.[0]);
          event.currentTarget.value = "";
        }}
      />
      {plans.ownPlan.value && (
        <button type="button" class="small" onClick={plans.backToOwn}>
          Back to my own plan
        </button>
      )}
      <button type="button" class="small" onClick={() => input.current?.click()}>
        Import a plan…
      </button>
      <button
        type="button"
        class="small"
        disabled={!facts}
        onClick={() =>
          facts && saveBlob(new Blob([facts.text], { type: "application/json" }), `${name}.json`)
        }
      >
        Export the plan
      </button>
    </>
  );
}

/** Why stored results are not used, as the terminal says it. */
const REASONS: Record<Doubt, string> = {
  engine: "made by another build of the engine",
  damaged: "damaged, or edited after being stored",
  trace: "made from another trace of the same name",
  keep: "without something that the plan keeps",
};

/** What running needs, the run itself, and what became of it. */
export function RunPanel() {
  const { state, timing, estimate, notice } = plans;
  const cells = plans.uniqueCells.value.length;
  const missing = plans.missingCells.value.length;
  const failed = [...plans.failures.value];
  const lacking = plans.missingTraces.value;
  const done = cells - missing;
  const isIdle = state.value === "idle";
  const running = [...plans.shares.value.values()].reduce((sum, share) => sum + share, 0);
  const fraction = cells > 0 ? (done + running) / cells : 0;
  const { workers, most, bytes } = estimate.value;
  const wanted = useDraft(
    String(workers),
    (text) => (plans.wantedWorkers.value = Math.max(1, Math.floor(Number(text) || 1))),
  );
  return (
    <section class="panel" aria-label="Running the plan">
      <div class="bar">
        <h2>Run</h2>
        <span class="count">
          {count(done)} of {count(cells)} cells {cells === 1 ? "is" : "are"} finished
          {failed.length > 0 ? `, ${failed.length} failed` : ""}.
        </span>
        <span class="spring" />
        {isIdle && (
          <button
            type="button"
            class="primary"
            disabled={missing === 0 || lacking.length > 0 || plans.problem.value !== undefined}
            onClick={() => void plans.run()}
          >
            {missing === 0
              ? "All cells are finished"
              : `Run ${count(missing)} cell${missing === 1 ? "" : "s"}`}
          </button>
        )}
        {!isIdle && (
          <button type="button" onClick={() => plans.pause(state.value === "running")}>
            {state.value === "running" ? "Pause" : "Go on"}
          </button>
        )}
        {!isIdle && (
          <button type="button" onClick={plans.cancel}>
            Cancel
          </button>
        )}
        {isIdle && done > 0 && <Forget />}
      </div>
      {lacking.map(({ trace, given }) => (
        <MissingTrace key={trace.name} trace={trace} given={given} />
      ))}
      {isIdle && missing > 0 && (
        <p class="quiet">
          <label class="inline">
            Workers <input type="number" min={1} max={most} {...wanted} />
          </label>{" "}
          of at most {most}, each with up to {count(Math.ceil(bytes / 1e6))} MB: about{" "}
          {count(Math.ceil((workers * bytes) / 1e6))} MB in all.{" "}
          {store.keeps.value && "Results stay in this browser when the page is reloaded."}
        </p>
      )}
      {!store.keeps.value && (
        <p class="notice" role="status">
          This browser keeps nothing, or nothing more: results are gone when the page is reloaded.
        </p>
      )}
      {!isIdle && (
        <>
          <div
            class="progress"
            role="progressbar"
            aria-label="Cells finished"
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(100 * fraction)}
          >
            <div style={{ width: `${100 * fraction}%` }} />
          </div>
          <p class="quiet">
            {state.value === "paused" ? "Paused. " : ""}
            {timing.value
              ? `${timing.value.running} ${timing.value.running === 1 ? "cell is" : "cells are"} running; `
              : "Starting; "}
            {timing.value && Number.isFinite(timing.value.left)
              ? `about ${duration(timing.value.left)} left`
              : "the time left is not known yet"}
            .
          </p>
        </>
      )}
      {notice.value && (
        <p class="notice" role="status">
          {notice.value}
        </p>
      )}
      {[...plans.leftAside.value].map(([reason, found]) => (
        <p class="notice" role="status" key={reason}>
          {count(found)} stored {found === 1 ? "result is" : "results are"} not used:{" "}
          {REASONS[reason]}. {found === 1 ? "Its cell runs" : "Their cells run"} again.
        </p>
      ))}
      {failed.length > 0 && (
        <details open>
          <summary>
            {failed.length} {failed.length === 1 ? "cell" : "cells"} failed
          </summary>
          <ul>
            {failed.slice(0, 20).map(([key, problem]) => (
              <li key={key}>
                {place(key)}: <b>{problem.what}</b> {problem.why} {problem.next}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

const place = (key: string): string => {
  const cell = plans.facts.value?.cells.find((cell) => cell.key === key);
  return cell
    ? Object.entries(cell.axes)
        .map(([name, value]) => `${name} ${value}`)
        .join(", ")
    : key;
};

function Forget() {
  const asked = useSignal(false);
  if (!asked.value)
    return (
      <button type="button" class="small" onClick={() => (asked.value = true)}>
        Forget the results…
      </button>
    );
  return (
    <span class="buttons">
      <button type="button" class="small" onClick={() => void plans.forget()}>
        Forget them for good
      </button>
      <button type="button" class="small" onClick={() => (asked.value = false)}>
        Keep them
      </button>
    </span>
  );
}

export function MissingTrace({
  trace,
  given,
}: {
  trace: { name: string; sha256?: string; archive?: string };
  given: string | undefined;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class="notice">
      {given && (
        <p role="alert">
          <b>The file that was given for {trace.name} is another one:</b> its SHA-256 begins with{" "}
          <code>{given.slice(0, 16)}</code>.
        </p>
      )}
      <p>
        The trace <b>{trace.name}</b> is needed. This site cannot carry it
        {trace.archive ? (
          <>
            ; it can be had from{" "}
            <a href={trace.archive} rel="noreferrer">
              {trace.archive}
            </a>
          </>
        ) : (
          ""
        )}
        .
        {trace.sha256 && (
          <>
            {" "}
            Its text has the SHA-256 <code>{trace.sha256.slice(0, 16)}…</code>
          </>
        )}
      </p>
      <input
        ref={input}
        type="file"
        hidden
        accept=".swf,.gz,.txt"
        aria-label={`File of ${trace.name}`}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          // Whatever the file is called, it is given as this trace; its hash tells whether it is.
          if (file) plans.offer(file, trace.name);
          event.currentTarget.value = "";
        }}
      />
      <button type="button" class="small" onClick={() => input.current?.click()}>
        Choose the file of {trace.name}…
      </button>
    </div>
  );
}

const NO_CHOICE: Choice = {
  kind: "curve",
  metric: "wait.mean",
  x: "",
  at: {},
  grouping: "size",
  jobX: "submitted",
  logX: false,
  logY: false,
};

/** Opens a chart's point: its run, and its job where it is one. */
export const pick = (row: Row): void => {
  if (typeof row["cell"] === "string")
    plans.openCell(row["cell"], typeof row["record"] === "number" ? row["record"] : undefined);
};

/** Whether an axis can be logarithmic: across, upwards. */
const logs = ({ kind }: Choice, isAcross: boolean): [boolean, boolean] => {
  const across = {
    curve: isAcross,
    differences: isAcross,
    distribution: true,
    scatter: true,
  } as Partial<Record<Kind, boolean>>;
  return [across[kind] ?? false, !["differences", "distribution", "shares"].includes(kind)];
};

/** What is drawn: kept while other tabs are shown. */
const choice = signal<Choice>(NO_CHOICE);

function Charts() {
  const points = plans.analysis.value?.points ?? [];
  const axes = varying(points);
  const plan = plans.facts.value!.plan;
  const wanted = plan.metrics ?? [];
  const hasMonths = points.some((point) => point.figures["months_won.wait"] !== undefined);
  const all = [
    ...(hasMonths ? (s.catalog.value?.monthly ?? []) : []),
    ...(s.catalog.value?.metrics ?? []),
  ].flatMap((spec) =>
    spec.figures.filter((name) => name !== "ci95").map((name) => `${spec.id}.${name}`),
  );
  const now: Choice = {
    ...choice.value,
    x: axes.has(choice.value.x) ? choice.value.x : usualX(points),
    metric: choice.value === NO_CHOICE ? (wanted[0] ?? "wait.mean") : choice.value.metric,
  };
  const metrics = metricsOf(now.kind) ?? [...new Set([...wanted, ...all])];
  if (!metrics.includes(now.metric)) now.metric = metrics[0]!;
  const [hasLogX, hasLogY] = logs(now, isNumeric(axes.get(now.x)));
  const set = (change: Partial<Choice>) => (choice.value = { ...now, ...change });
  const spec = useMemo(
    () => specOf(now),
    [JSON.stringify(now), plans.analysis.value, s.theme.value],
  );
  const isOfRuns = now.kind !== "curve" && now.kind !== "differences";
  return (
    <section class="panel" aria-label="Charts">
      <div class="bar chart-controls">
        <h2>Charts</h2>
        <Select
          label="Chart"
          value={now.kind}
          options={KINDS}
          onChange={(kind) => set({ kind: kind as Kind })}
        />
        {now.kind !== "shares" && (
          <Select
            label="Metric"
            value={now.metric}
            options={Object.fromEntries(metrics.map((key) => [key, metricName(key)]))}
            onChange={(metric) => set({ metric })}
          />
        )}
        {!isOfRuns && axes.size > 0 && (
          <Select
            label="Across"
            value={now.x}
            options={Object.fromEntries([...axes.keys()].map((name) => [name, name]))}
            onChange={(x) => set({ x })}
          />
        )}
        {isOfRuns &&
          [...axes]
            .filter(([name]) => name !== seriesOf(axes))
            .map(([name, values]) => (
              <Select
                key={name}
                label={`At ${name}`}
                value={now.at[name] ?? String(values[0])}
                options={Object.fromEntries(values.map((value) => [String(value), String(value)]))}
                onChange={(value) => set({ at: { ...now.at, [name]: value } })}
              />
            ))}
        {now.kind === "classes" && (
          <Select
            label="Classes"
            value={now.grouping in GROUPINGS ? now.grouping : "size"}
            options={GROUPINGS}
            onChange={(grouping) => set({ grouping })}
          />
        )}
        {["distribution", "quantiles", "boxes"].includes(now.kind) && (
          <Select
            label="Jobs"
            value={now.grouping in HALVES ? now.grouping : "all"}
            options={HALVES}
            onChange={(grouping) => set({ grouping })}
          />
        )}
        {now.kind === "scatter" && (
          <Select
            label="Across"
            value={now.jobX}
            options={JOB_AXES}
            onChange={(jobX) => set({ jobX })}
          />
        )}
        {hasLogX && (
          <label class="inline">
            <input
              type="checkbox"
              checked={now.logX}
              onChange={(event) => set({ logX: event.currentTarget.checked })}
            />{" "}
            log across
          </label>
        )}
        {hasLogY && (
          <label class="inline">
            <input
              type="checkbox"
              checked={now.logY}
              onChange={(event) => set({ logY: event.currentTarget.checked })}
            />{" "}
            {now.kind === "months" ? "log colours" : "log upwards"}
          </label>
        )}
      </div>
      {typeof spec === "string" ? (
        <p class="quiet">{spec}</p>
      ) : (
        <Chart key={now.kind} spec={spec} onPick={pick} pickable="Open in the timeline" />
      )}
      <Saturations />
    </section>
  );
}

function Select({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: Record<string, string>;
  onChange: (value: string) => void;
}) {
  return (
    <label class="inline">
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {Object.entries(options).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Saturations() {
  const found = plans.analysis.value?.saturations ?? [];
  const axes = varying(found);
  if (found.length === 0) return null;
  return (
    <details>
      <summary>Where each policy saturates</summary>
      <p class="quiet">
        The highest offered load of the sweep up to which less than 5 % of the work is missing that
        a machine without limits would have done by the last arrival.
      </p>
      <ul>
        {found.map((saturation, at) => (
          <li key={at}>
            {[...axes.keys()].map((name) => String(saturation.axes[name])).join(", ") ||
              String(saturation.axes["policy"])}
            :{" "}
            {saturation.load === undefined
              ? "follows no load of the sweep"
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

/** Traces whose machines have a size that is a guess. */
function Guesses() {
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

function PointsTable() {
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
      s.problem.value = asProblem(error);
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

/** Every finished cell with every figure, as the command line writes it. */
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
