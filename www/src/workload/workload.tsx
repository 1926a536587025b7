// The Workload tab: a summary of the trace, before any run.

import * as Plot from "@observablehq/plot";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Group, Oddity, WorkloadProfile } from "schedscope";
import { slanted } from "../charts/axes";
import { Chart, type Row, type Spec } from "../charts/chart";
import { Stopped } from "../engine/workers";
import { asProblem } from "../format/problem";
import { count, counted, duration, figure, instant, share } from "../format/words";
import * as lab from "../lab";
import { origin, sourceName } from "../runs/origin";
import * as s from "../state";
import { DataTable } from "../ui/table";

const BAR = "#4477aa";

const WORK = "#cc6f1c";

export default function Workload() {
  const found = useSignal<WorkloadProfile | undefined>(undefined);
  const facts = s.workload.value;
  const key = `${facts?.provenance.sha256} ${JSON.stringify(s.shared.value)}`;
  useEffect(() => {
    if (!facts) return;
    let isCurrent = true;
    found.value = undefined;
    lab
      .askReader((engine) => engine.workloadProfile(lab.plain()))
      .then((profile) => isCurrent && (found.value = profile))
      .catch((error) => isCurrent && !(error instanceof Stopped) && s.tell(asProblem(error)));
    return () => void (isCurrent = false);
  }, [key]);
  if (!facts || !found.value)
    return (
      <section class="panel">
        <p class="quiet">{facts ? "Reading the workload…" : "Open a trace first."}</p>
      </section>
    );
  return <Shown profile={found.value} />;
}

function Shown({ profile }: { profile: WorkloadProfile }) {
  const facts = s.workload.value!;
  const { provenance } = facts;
  const caption = origin(provenance);
  const specs = useMemo(
    () => ({
      load: weekly(profile, "load", "Offered load by week", caption),
      jobs: weekly(profile, "jobs", "Jobs by week", caption),
      sizes: groups(profile.sizes, "Jobs and work by size (processors)", caption),
      runTimes: groups(profile.run_times, "Jobs and work by run time", caption),
      accuracy: groups(
        profile.accuracy,
        "How much of their estimates jobs use (run time / estimate)",
        caption,
      ),
      hours: groups(
        profile.hours,
        facts.provenance.unix_start == null
          ? "Arrivals by hour of the day, by the trace's clock"
          : "Arrivals by hour of the day, UTC",
        caption,
      ),
    }),
    [profile, caption],
  );
  return (
    <div class="workload">
      <section class="panel" aria-label="Workload in short">
        <h2>{sourceName(provenance.name)}</h2>
        <p>
          {counted(facts.jobs, "job")} of {counted(profile.users_in_all, "user")} over{" "}
          {duration(facts.last - facts.first)} on {counted(facts.processors, "processor")};{" "}
          {share(facts.offered_load)} offered load.
        </p>
        <Oddities oddities={profile.oddities} />
      </section>
      <div class="charts">
        {Object.entries(specs).map(([name, spec]) => (
          <section class="panel" key={name} aria-label={spec.title}>
            <Chart
              spec={spec}
              {...(name === "load" || name === "jobs"
                ? { onPick: zoomTo, pickable: "Show this week" }
                : {})}
            />
          </section>
        ))}
      </div>
      <section class="panel" aria-label="Users">
        <h2>
          {profile.users.length < profile.users_in_all
            ? `The ${profile.users.length} of ${counted(profile.users_in_all, "user")} with most work`
            : "Users by work"}
        </h2>
        <Users profile={profile} />
      </section>
    </div>
  );
}

const WEEK = 7 * 86400;

function zoomTo(row: Row): void {
  const from = Number(row.from);
  s.goToWindow({ ...s.extent.value, from, to: from + WEEK });
  s.goTo("timeline");
}

function Oddities({ oddities }: { oddities: Oddity[] }) {
  const line = useSignal<{ number: number; text: string } | undefined>(undefined);
  if (oddities.length === 0)
    return (
      <p class="quiet">
        No oddities found: no flurries, gaps, estimates of one second, or jobs without run time.
      </p>
    );
  const show = async (number: number) => {
    const text = await lab.askReader((engine) => engine.line(number)).catch(() => undefined);
    line.value = { number, text: text ?? "no job" };
  };
  return (
    <>
      <h3>Oddities</h3>
      <ul>
        {oddities.map((odd, at) => (
          <li key={at}>
            {odd.text}
            {odd.lines.length > 0 && (
              <>
                {" "}
                Lines{" "}
                {odd.lines.map((number) => (
                  <button
                    type="button"
                    class="link"
                    key={number}
                    aria-label={`Show line ${number}`}
                    onClick={() => void show(number)}
                  >
                    {count(number)}
                  </button>
                ))}
                {odd.jobs > odd.lines.length ? "…" : ""}
              </>
            )}
          </li>
        ))}
      </ul>
      {line.value && (
        <p class="notice" role="status">
          Line {count(line.value.number)}: <code>{line.value.text}</code>{" "}
          <button type="button" class="small" onClick={() => void find(line.value!.text)}>
            Show in the timeline
          </button>
        </p>
      )}
    </>
  );
}

/** Selects the job of a line, in every run that has it. */
async function find(text: string): Promise<void> {
  const number = Number(text.trim().split(/\s+/)[0]);
  const lane = s.lanes.value.find((lane) => lane.state === "done" && lane.hand);
  const job = lane?.hand ? await lab.selectNumber(lane.hand, number) : null;
  // The reader asked for another job meanwhile.
  if (job === undefined) return;
  if (!job) {
    s.say(`Job ${number} takes part in no finished run.`);
    s.tell({
      what: `Job ${number} takes part in no finished run.`,
      why: "Cleaning may have left it out, or no run is finished yet.",
      next: "The import report says which jobs were left out.",
    });
    return;
  }
  const end = job.end ?? job.submitted + job.runtime;
  const room = 0.1 * (end - job.submitted) + 1;
  s.goToWindow({ ...s.extent.value, from: job.submitted - room, to: end + room });
  s.goTo("timeline");
}

function Users({ profile }: { profile: WorkloadProfile }) {
  const all = profile.weeks.reduce((sum, week) => sum + week.work, 0);
  const shareOf = (work: number) => (all > 0 ? work / all : 0);
  return (
    <DataTable
      label="Users table"
      rows={profile.users}
      columns={[
        { name: "User", isHead: true, value: ({ name }) => name },
        { name: "Jobs", value: ({ jobs }) => jobs, show: ({ jobs }) => count(jobs) },
        {
          name: "Work (processor hours)",
          value: (user) => user.work / 3600,
          show: (user) => figure(user.work / 3600),
        },
        {
          name: "Share of the work",
          value: (user) => shareOf(user.work),
          show: (user) => share(shareOf(user.work)),
        },
      ]}
    />
  );
}

function weekly(
  profile: WorkloadProfile,
  what: "load" | "jobs",
  title: string,
  caption: string,
): Spec {
  const unix = s.workload.value?.provenance.unix_start;
  const rows = profile.weeks.map((week, at) => ({
    week: at + 1,
    from: week.from,
    begins:
      unix == null
        ? `day ${Math.floor(week.from / 86400) + 1}`
        : instant(week.from, unix).slice(0, 10),
    jobs: week.jobs,
    "processor hours": week.work / 3600,
    load: week.load,
  }));
  return {
    title,
    caption,
    series: [],
    rows,
    columns: ["week", "begins", "jobs", "processor hours", "load"],
    height: 240,
    plot: (shown) => ({
      x: { label: "week", ticks: Math.min(12, shown.length), tickFormat: "d" },
      y: { label: what === "load" ? "offered load" : "jobs", grid: true },
      marks: [
        Plot.rectY(shown, {
          x1: (row) => row.week - 1,
          x2: "week",
          y: what,
          fill: BAR,
          inset: 0.3,
        }),
        Plot.ruleY(what === "load" ? [0, 1] : [0]),
        Plot.tip(
          shown,
          Plot.pointerX({
            x: (row) => row.week - 0.5,
            y: what,
            title: (row) =>
              `week ${row.week}, from ${row.begins}\n${counted(row.jobs, "job")}, load ${share(row.load)}`,
          }),
        ),
      ],
    }),
  };
}

/** Shares of jobs and of work side by side: many jobs have little work. */
function groups(found: Group[], title: string, caption: string): Spec {
  const jobs = found.reduce((sum, group) => sum + group.jobs, 0);
  const work = found.reduce((sum, group) => sum + group.work, 0);
  const rows = found.flatMap((group) => [
    {
      class: group.name,
      of: "jobs",
      share: jobs > 0 ? group.jobs / jobs : 0,
      jobs: group.jobs,
      "processor hours": group.work / 3600,
    },
    {
      class: group.name,
      of: "work",
      share: work > 0 ? group.work / work : 0,
      jobs: group.jobs,
      "processor hours": group.work / 3600,
    },
  ]);
  return {
    title,
    caption: `Blue: share of the jobs; orange: share of the work. ${caption}`,
    series: [],
    rows,
    columns: ["class", "of", "share", "jobs", "processor hours"],
    height: 300,
    plot: (shown, { width }) => ({
      ...slanted(
        found.map((group) => group.name),
        width,
        "fx",
      ),
      x: { axis: null, domain: ["jobs", "work"] },
      y: { label: "share (%)", percent: true, grid: true },
      color: { domain: ["jobs", "work"], range: [BAR, WORK] },
      marks: [
        Plot.barY(shown, { fx: "class", x: "of", y: "share", fill: "of" }),
        Plot.ruleY([0]),
        Plot.tip(
          shown,
          Plot.pointerX({
            fx: "class",
            x: "of",
            y: "share",
            title: (row) =>
              `${row.class}\n${counted(row.jobs, "job")}, ${figure(row["processor hours"])} processor hours\n${share(row.share)} of the ${row.of}`,
          }),
        ),
      ],
    }),
  };
}
