// The Compare tab: two runs of the same jobs, job by job.

import * as Plot from "@observablehq/plot";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Change, Comparison } from "schedscope";
import { GROUPINGS, groupingsOf, leftOf } from "../charts/axes";
import { Chart, type Spec } from "../charts/chart";
import { ask, Stopped } from "../engine/workers";
import { asProblem } from "../format/problem";
import { count, counted, duration, instant, share } from "../format/words";
import * as lab from "../lab";
import { origin } from "../runs/origin";
import { neverStarted } from "../runs/pending";
import * as s from "../state";
import { Mark } from "../ui/mark";
import { DataTable } from "../ui/table";
import { Causes } from "./causes";

export default function Compare() {
  // After a change without a new run, the results still belong to the old name.
  const done = s.lanes.value
    .map((lane, index) => ({ lane, index }))
    .filter(({ lane }) => lane.state === "done" && lane.result && lane.hand && !lane.stale);
  const found = useSignal<{ key: string; comparison: Comparison } | undefined>(undefined);
  const a = done.find(({ lane }) => lane.id === s.comparedRuns.value[0]) ?? done[0];
  const b =
    done.find(({ lane }) => lane.id === s.comparedRuns.value[1] && lane.id !== a?.lane.id) ??
    done.find(({ lane }) => lane.id !== a?.lane.id);
  const isSame = a && b && a.lane.facts?.identity === b.lane.facts?.identity;
  const key =
    a && b ? `${a.lane.id}:${a.lane.result!.digest} ${b.lane.id}:${b.lane.result!.digest}` : "";
  useEffect(() => {
    if (!a || !b || !isSame) return;
    let isCurrent = true;
    const compare = async () => {
      const waits = await ask(a.lane.hand!, (engine) => engine.waits());
      const comparison = await ask(b.lane.hand!, (engine) => engine.comparison(waits));
      if (isCurrent) found.value = { key, comparison };
    };
    compare().catch(
      (error) => isCurrent && !(error instanceof Stopped) && s.tell(asProblem(error)),
    );
    return () => void (isCurrent = false);
  }, [key, isSame]);
  if (!a || !b) {
    const isRunning = s.lanes.value.some((lane) => lab.isBusy(lane) || lane.state === "waiting");
    const isStale = s.lanes.value.some((lane) => lane.stale);
    const next = isRunning
      ? "Some runs are not finished yet."
      : isStale
        ? "Settings were changed: press “Run what changed” in the left column."
        : "Add a second policy in the set-up, and run it.";
    return (
      <section class="panel">
        <p>This tab compares two finished runs of the same trace, job by job. {next}</p>
      </section>
    );
  }
  const choose = (place: 0 | 1, id: number) =>
    s.pickCompared(place === 0 ? [id, s.comparedRuns.value[1]] : [s.comparedRuns.value[0], id]);
  const comparison = found.value?.key === key ? found.value.comparison : undefined;
  const names: [string, string] = [nameOf(a), nameOf(b)];
  return (
    <div class="compare">
      <section class="panel" aria-label="Runs compared">
        <div class="bar">
          <h2>Compare</h2>
          {(
            [
              [0, a, "First run"],
              [1, b, "Second run"],
            ] as const
          ).map(([place, chosen, label]) => (
            <label class="inline" key={label}>
              {label}
              <select
                value={chosen.lane.id}
                onChange={(event) => choose(place, Number(event.currentTarget.value))}
              >
                {done.map((each) => (
                  <option key={each.lane.id} value={each.lane.id}>
                    {nameOf(each)}
                  </option>
                ))}
              </select>
              <Mark index={chosen.index} />
            </label>
          ))}
        </div>
        {!isSame && (
          <p class="notice">
            These two runs leave out different jobs, so no comparison job by job is possible.
          </p>
        )}
        {comparison && (
          <Summary
            comparison={comparison}
            names={names}
            isPartial={[a, b].some(({ lane }) => neverStarted(lane) > 0)}
          />
        )}
      </section>
      {comparison && isSame && <Details comparison={comparison} names={names} runs={[a, b]} />}
    </div>
  );
}

const nameOf = ({ lane, index }: { lane: s.Lane; index: number }): string =>
  `${s.letter(index)} ${s.policyNamed(lane.policy)?.name ?? lane.policy}`;

function Summary({
  comparison: { paired },
  names,
  isPartial,
}: {
  comparison: Comparison;
  names: [string, string];
  /** True if jobs never start in one of the runs. */
  isPartial: boolean;
}) {
  const change =
    paired.mean === 0
      ? "just as long"
      : `${duration(Math.abs(paired.mean))} ${paired.mean < 0 ? "less" : "longer"}`;
  return (
    <p class="sentence">
      Under <b>{names[1]}</b> a job waits {change} on average than under <b>{names[0]}</b> (±{" "}
      {duration(paired.ci95)}); {share(paired.smaller)} of the {counted(paired.jobs, "job")} wait
      less, {share(paired.larger)} longer.
      {isPartial && " Jobs that never start in one of the two runs are not compared."}
    </p>
  );
}

function Details({
  comparison,
  names,
  runs,
}: {
  comparison: Comparison;
  names: [string, string];
  runs: { lane: s.Lane }[];
}) {
  const facts = s.workload.value;
  const caption = `Wait under ${names[1]} minus wait under ${names[0]}. ${facts ? origin(facts.provenance) : ""}`;
  const grouping = useSignal<keyof typeof GROUPINGS>("size");
  const band = useMemo(() => bandOf(comparison, caption), [comparison, caption]);
  const distribution = useMemo(() => distributionOf(comparison, caption), [comparison, caption]);
  const shown = grouping.value in comparison.classes ? grouping.value : "size";
  const classes = useMemo(
    () => classesOf(comparison, shown, names, caption),
    [comparison, shown, caption],
  );
  const show = (record: number) => void lab.select(record);
  return (
    <>
      <section class="panel" aria-label="Over time">
        <Chart
          spec={band}
          onPick={(row) => zoomTo(Number(row.from), Number(row.to))}
          pickable="Show this time"
        />
      </section>
      <section class="panel" aria-label="Distribution">
        <Chart spec={distribution} />
      </section>
      <section class="panel" aria-label="By class">
        <label class="inline">
          Classes
          <select
            value={shown}
            onChange={(event) =>
              (grouping.value = event.currentTarget.value as keyof typeof GROUPINGS)
            }
          >
            {Object.entries(groupingsOf((id) => id in comparison.classes)).map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Chart spec={classes} />
      </section>
      <Causes runs={runs.map(({ lane }) => lane)} grouping={shown} />
      <section class="panel" aria-label="Largest differences">
        <Largest
          title={`Largest gains under ${names[1]}`}
          jobs={comparison.winners}
          names={names}
          onShow={show}
        />
        <Largest
          title={`Largest losses under ${names[1]}`}
          jobs={comparison.losers}
          names={names}
          onShow={show}
        />
      </section>
    </>
  );
}

function zoomTo(from: number, to: number): void {
  const { extent } = s;
  s.goToWindow({ ...extent.value, from, to });
  s.goTo("timeline");
}

function Largest({
  title,
  jobs,
  names,
  onShow,
}: {
  title: string;
  jobs: Change[];
  names: [string, string];
  onShow: (record: number) => void;
}) {
  return (
    <>
      <h3>{title}</h3>
      {jobs.length === 0 && <p class="quiet">None.</p>}
      {jobs.length > 0 && (
        <DataTable
          label={title}
          rows={jobs}
          columns={[
            { name: "Job", isHead: true, value: ({ number }) => number },
            { name: "User", value: ({ user_name }) => user_name },
            {
              name: "Processors",
              value: ({ processors }) => processors,
              show: ({ processors }) => count(processors),
            },
            {
              name: "Run time (s)",
              head: "Run time",
              value: ({ runtime }) => runtime,
              show: ({ runtime }) => duration(runtime),
            },
            {
              name: "Arrived (s)",
              head: "Arrived",
              value: ({ submitted }) => submitted,
              show: ({ submitted }) => instant(submitted, s.workload.value?.provenance.unix_start),
            },
            {
              name: `Wait, ${names[0]} (s)`,
              head: `Wait, ${names[0]}`,
              value: ({ first }) => first,
              show: ({ first }) => duration(first),
            },
            {
              name: `Wait, ${names[1]} (s)`,
              head: `Wait, ${names[1]}`,
              value: ({ second }) => second,
              show: ({ second }) => duration(second),
            },
            {
              name: "Timelines",
              show: (job) => (
                <button
                  type="button"
                  class="small"
                  aria-label={`Show job ${job.number} in both timelines`}
                  onClick={() => {
                    onShow(job.record);
                    const end = job.submitted + Math.max(job.first, job.second) + job.runtime;
                    const room = 0.1 * (end - job.submitted) + 1;
                    zoomTo(job.submitted - room, end + room);
                  }}
                >
                  Show
                </button>
              ),
            },
          ]}
        />
      )}
    </>
  );
}

/** Blue is shorter, orange is longer. */
const LESS = "#4477aa";

const LONGER = "#cc6f1c";

function bandOf({ over_time }: Comparison, caption: string): Spec {
  const unix = s.workload.value?.provenance.unix_start;
  const rows = over_time
    .filter((part) => part.jobs > 0)
    .map((part) => ({
      from: part.from,
      to: part.to,
      arrived: instant(part.from, unix),
      jobs: part.jobs,
      difference: part.mean,
    }));
  const day = (seconds: number) => seconds / 86400;
  return {
    title: "Mean difference by time of arrival",
    caption,
    series: [],
    rows,
    columns: ["arrived", "from", "to", "jobs", "difference"],
    height: 260,
    plot: (shown) => ({
      x: { label: "arrival (days)" },
      y: { label: "difference of the mean wait (hours)", grid: true },
      marks: [
        Plot.rectY(shown, {
          x1: (row) => day(row.from),
          x2: (row) => day(row.to),
          y1: 0,
          y2: (row) => row.difference / 3600,
          fill: (row) => (row.difference < 0 ? LESS : LONGER),
        }),
        Plot.ruleY([0]),
        Plot.tip(
          shown,
          Plot.pointerX({
            x: (row) => day((row.from + row.to) / 2),
            y: (row) => row.difference / 3600,
            title: (row) =>
              `${row.arrived}\n${counted(row.jobs, "job")}\n${duration(row.difference)} on average`,
          }),
        ),
      ],
    }),
  };
}

function distributionOf({ distribution }: Comparison, caption: string): Spec {
  const middle = (distribution.length - 1) / 2;
  const rows = distribution.map((bar, at) => ({
    difference: bar.name,
    jobs: bar.jobs,
    side: Math.sign(at - middle),
  }));
  return {
    title: "How many jobs wait less, how many longer",
    caption,
    series: [],
    rows,
    columns: ["difference", "jobs"],
    height: 380,
    plot: (shown, { width }) => ({
      marginLeft: 150,
      marginRight: 60,
      x: { label: "jobs", grid: true, ticks: width < 500 ? 2 : 5, tickFormat: "~s" },
      y: { label: null, domain: rows.map((row) => row.difference) },
      marks: [
        Plot.barX(shown, {
          y: "difference",
          x: "jobs",
          fill: (row) => (row.side < 0 ? LESS : row.side > 0 ? LONGER : "#888888"),
        }),
        Plot.text(shown, {
          y: "difference",
          x: "jobs",
          text: (row) => (row.jobs > 0 ? count(row.jobs) : ""),
          textAnchor: "start",
          dx: 4,
          fill: "currentColor",
        }),
      ],
    }),
  };
}

function classesOf(
  { classes }: Comparison,
  grouping: string,
  names: [string, string],
  caption: string,
): Spec {
  const found = classes[grouping] ?? [];
  const rows = found.map((group) => ({
    class: group.name,
    jobs: group.jobs,
    [names[0]]: group.first,
    [names[1]]: group.second,
    difference: group.second - group.first,
    "wait less": group.gained,
    "wait longer": group.lost,
  }));
  return {
    title: `Winners and losers by ${GROUPINGS[grouping as keyof typeof GROUPINGS].toLowerCase()}`,
    caption,
    series: [],
    rows,
    columns: ["class", "jobs", names[0], names[1], "difference", "wait less", "wait longer"],
    height: 90 + 26 * rows.length,
    plot: (shown) => ({
      marginLeft: leftOf(rows.map((row) => row.class)),
      x: { label: "difference of the mean wait (hours)", grid: true, ticks: 6 },
      y: { label: null, domain: rows.map((row) => row.class) },
      marks: [
        Plot.barX(shown, {
          y: "class",
          x: (row) => row.difference / 3600,
          fill: (row) => (row.difference < 0 ? LESS : LONGER),
        }),
        Plot.ruleX([0]),
        Plot.tip(
          shown,
          Plot.pointerY({
            y: "class",
            x: (row) => row.difference / 3600,
            title: (row) =>
              `${row.class}: ${counted(row.jobs, "job")}\n${duration(row.difference)} on average\n${count(row["wait less"])} wait less, ${count(row["wait longer"])} longer`,
          }),
        ),
      ],
    }),
  };
}
