// The Sweep tab: a plan, its run, its charts and its table.

import { signal } from "@preact/signals";
import { ChevronDown, ChevronRight } from "lucide";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { GROUPINGS, groupingsOf } from "../charts/axes";
import { Chart } from "../charts/chart";
import { saveBlob } from "../files/save";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { PlanForm } from "./form";
import {
  type Choice,
  HALVES,
  isNumeric,
  JOB_AXES,
  KINDS,
  type Kind,
  metricName,
  metricsOf,
  SATURATION,
  seriesOf,
  usualX,
  varying,
} from "./kinds";
import { mapAxes, mapped } from "./map";
import { withCode } from "./own";
import * as plans from "./plans";
import { Guesses, PointsTable, pick, Saturations } from "./points";
import { RunPanel } from "./run";
import { specOf } from "./spec";

/** True if the form of the plan is shown. */
const isPlanOpen = signal(true);

export default function Sweep() {
  useEffect(() => void plans.begin(), []);
  const facts = plans.facts.value;
  return (
    <div class="sweep">
      {facts && <RunPanel />}
      <section class="panel" aria-label="Plan">
        <div class="bar">
          <h2>
            <button
              type="button"
              class="bare"
              aria-expanded={isPlanOpen.value}
              onClick={() => (isPlanOpen.value = !isPlanOpen.value)}
            >
              <Icon of={isPlanOpen.value ? ChevronDown : ChevronRight} /> Plan
            </button>
          </h2>
          {!isPlanOpen.value && <span class="quiet">{plans.draft.value?.name}</span>}
          {plans.leavesOutOpen() && (
            <button type="button" class="small" onClick={() => void plans.sweepOpenTrace()}>
              Use the open trace
            </button>
          )}
          <PlanFiles />
        </div>
        {plans.problem.value && (
          <div class="notice bad above" role="alert">
            <p>
              <b>{plans.problem.value.what}</b> {plans.problem.value.why} {plans.problem.value.next}{" "}
              The form keeps the last valid plan.
            </p>
          </div>
        )}
        {isPlanOpen.value && plans.draft.value && <PlanForm plan={plans.draft.value} />}
      </section>
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
  const save = async () => {
    await plans.isRead();
    const now = plans.facts.value;
    if (!now) return;
    const name = (now.plan.name || "plan").replace(/[^\w.-]+/g, "-").toLowerCase();
    saveBlob(new Blob([withCode(now.text)], { type: "application/json" }), `${name}.json`);
  };
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
          Back to my plan
        </button>
      )}
      <button type="button" class="small" onClick={() => input.current?.click()}>
        Import a plan…
      </button>
      <button type="button" class="small" disabled={!facts} onClick={() => void save()}>
        Export the plan
      </button>
    </>
  );
}

const NO_CHOICE: Choice = {
  kind: "curve",
  metric: "wait.mean",
  x: "",
  y: "",
  at: {},
  grouping: "size",
  jobX: "submitted",
};

/** Returns whether each axis can be logarithmic: horizontal, vertical. */
const logs = ({ kind }: Choice, isAcross: boolean): [boolean, boolean] => {
  const across = {
    curve: isAcross,
    differences: isAcross,
    distribution: true,
    scatter: true,
  } as Partial<Record<Kind, boolean>>;
  return [across[kind] ?? false, !["differences", "distribution", "shares", "map"].includes(kind)];
};

/** The choices for the chart, which stay while other tabs are shown. */
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
  const outcome = plans.outcome.value;
  const hasSaturation = (outcome?.saturations.length ?? 0) > 0;
  const metrics = metricsOf(now.kind) ?? [
    ...new Set([...wanted, ...(now.kind === "map" && hasSaturation ? [SATURATION] : []), ...all]),
  ];
  if (!metrics.includes(now.metric)) now.metric = metrics[0]!;
  const [hasLogX, hasLogY] = logs(now, isNumeric(axes.get(now.x)));
  const set = (change: Partial<Choice>) => (choice.value = { ...now, ...change });
  const spec = useMemo(() => specOf(outcome, now), [JSON.stringify(now), outcome, s.theme.value]);
  const isDrawn = typeof spec !== "string";
  const kept = outcome ? [...outcome.results.values()] : [];
  const groupings = groupingsOf((id) => kept.some((result) => id in (result.classes ?? {})));
  const isMap = now.kind === "map";
  const isOfRuns = !isMap && now.kind !== "curve" && now.kind !== "differences";
  const onMap = outcome && isMap ? mapAxes(outcome, now.metric) : new Map<string, never>();
  const [along, up] = mapped(now, onMap);
  const fixed = isMap
    ? [...onMap].filter(([name]) => name !== along && name !== up)
    : isOfRuns
      ? [...axes].filter(([name]) => name !== seriesOf(axes))
      : [];
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
        {!isOfRuns && !isMap && axes.size > 0 && (
          <Select
            label="X axis"
            value={now.x}
            options={Object.fromEntries([...axes.keys()].map((name) => [name, name]))}
            onChange={(x) => set({ x })}
          />
        )}
        {up !== undefined && (
          <>
            <Select
              label="X axis"
              value={along!}
              options={Object.fromEntries([...onMap.keys()].map((name) => [name, name]))}
              onChange={(x) => set({ x })}
            />
            <Select
              label="Y axis"
              value={up}
              options={Object.fromEntries(
                [...onMap.keys()].filter((name) => name !== along).map((name) => [name, name]),
              )}
              onChange={(y) => set({ y })}
            />
          </>
        )}
        {fixed.map(([name, values]) => (
          <Select
            key={name}
            label={`At ${name}`}
            value={now.at[name] ?? String(values[0])}
            options={Object.fromEntries(
              values.map((value: string | number) => [String(value), String(value)]),
            )}
            onChange={(value) => set({ at: { ...now.at, [name]: value } })}
          />
        ))}
        {now.kind === "classes" && (
          <Select
            label="Classes"
            value={now.grouping in groupings ? now.grouping : "size"}
            options={Object.keys(groupings).length > 0 ? groupings : { size: GROUPINGS.size }}
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
            label="X axis"
            value={now.jobX}
            options={JOB_AXES}
            onChange={(jobX) => set({ jobX })}
          />
        )}
        {hasLogX && (
          <label class="inline">
            <input
              type="checkbox"
              checked={isDrawn && spec.log.x}
              onChange={(event) => set({ logX: event.currentTarget.checked })}
            />{" "}
            log x axis
          </label>
        )}
        {hasLogY && (
          <label class="inline">
            <input
              type="checkbox"
              checked={isDrawn && spec.log.y}
              onChange={(event) => set({ logY: event.currentTarget.checked })}
            />{" "}
            {now.kind === "months" ? "log colours" : "log y axis"}
          </label>
        )}
      </div>
      {isDrawn ? (
        <Chart key={now.kind} spec={spec} onPick={pick} pickable="Open in the timeline" />
      ) : (
        <p class="quiet">{spec}</p>
      )}
      {outcome && <Saturations found={outcome} />}
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
