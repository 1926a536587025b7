// The Forecast tab: when the jobs that wait are expected to start, and how past forecasts held.
import { useMemo } from "preact/hooks";
import type { ForecastResult } from "schedscope";
import { Chart } from "../charts/chart";
import { count, counted, duration, instant, share } from "../format/words";
import { nameOf } from "../runs/name";
import * as s from "../state";
import { DataTable } from "../ui/table";
import { Held } from "./held";
import { intervals } from "./intervals";
import * as work from "./work";

/** Jobs that the chart shows. */
const CHARTED = 40;

export default function Forecast() {
  if (!s.workload.value)
    return (
      <section class="panel">
        <p class="quiet">Open a log first: run times come from its jobs.</p>
      </section>
    );
  const found = work.result.value;
  const isOld = found !== undefined && found.of !== work.nameOfWork();
  return (
    <div class="forecast">
      <Form />
      {found && <Result forecast={found.forecast} isOld={isOld} />}
      <Held />
    </div>
  );
}

function Form() {
  const lane = work.laneAsked();
  const asked = work.asked.value;
  const busy = work.work.value;
  const file = work.queueNow();
  return (
    <section class="panel" aria-label="What to forecast">
      <h2>When will it start</h2>
      <p>
        A forecast begins with the jobs that run and wait at an instant. It draws their run times
        from what earlier jobs of the same users used of their limits. The policy goes on from
        there, many times over.
      </p>
      <div class="fields">
        <div class="field">
          <label for="forecast-queue">Queue, from squeue --json</label>
          <input
            id="forecast-queue"
            type="file"
            accept=".json,application/json"
            onChange={(event) => void work.takeQueue(event.currentTarget.files?.[0])}
          />
          <p class="quiet">
            {file
              ? `${file.name}; run times come from the open log. `
              : "Without a file, the queue of the open log at an instant."}
            {file && (
              <button
                type="button"
                class="small"
                aria-label={`Remove the queue ${file.name}`}
                onClick={() => void work.takeQueue(undefined)}
              >
                Remove
              </button>
            )}
          </p>
        </div>
        <div class="field">
          <label for="forecast-hours">Instant, hours after the begin</label>
          <input
            id="forecast-hours"
            type="number"
            step="any"
            value={asked.hours}
            placeholder={file ? "as the file tells" : ""}
            onInput={(event) => work.askFor({ hours: event.currentTarget.value })}
          />
        </div>
        <div class="field">
          <label for="forecast-lane">Policy</label>
          <select
            id="forecast-lane"
            value={lane?.id}
            onChange={(event) => work.askFor({ lane: Number(event.currentTarget.value) })}
          >
            {s.lanes.value.map((each, at) => (
              <option key={each.id} value={each.id}>
                {s.letter(at)} {nameOf(each)}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="forecast-samples">Samples</label>
          <input
            id="forecast-samples"
            type="number"
            min={1}
            max={10000}
            value={asked.samples}
            onInput={(event) =>
              work.askFor({
                samples: Math.max(1, Math.round(event.currentTarget.valueAsNumber) || 1),
              })
            }
          />
        </div>
        <div class="field">
          <label for="forecast-arrivals">Later arrivals</label>
          <select
            id="forecast-arrivals"
            value={asked.arrivals}
            onChange={(event) =>
              work.askFor({ arrivals: event.currentTarget.value === "none" ? "none" : "resampled" })
            }
          >
            <option value="resampled">jobs of earlier weeks or days arrive again</option>
            <option value="none">no job arrives</option>
          </select>
        </div>
      </div>
      <div class="buttons">
        <button
          type="button"
          class="primary"
          disabled={!lane}
          aria-busy={busy !== undefined}
          onClick={() => void work.forecast()}
        >
          Forecast
        </button>
        <button type="button" disabled={!lane} onClick={() => void work.calibrate()}>
          Test past forecasts
        </button>
        <button type="button" aria-disabled={busy === undefined} onClick={work.stop}>
          Cancel
        </button>
      </div>
      {busy && (
        <div class="status running">
          <div
            class="progress"
            role="progressbar"
            aria-label="Forecast"
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(100 * busy.share)}
          >
            <div style={{ width: `${100 * busy.share}%` }} />
          </div>
          <span class="status-text">{busy.text}</span>
        </div>
      )}
    </section>
  );
}

const LEVELS: Record<string, string> = {
  user: "the same user",
  account: "the same account",
  partition: "the same partition",
  all: "all users",
  limit: "no earlier job: from the limit",
};

function Result({ forecast, isOld }: { forecast: ForecastResult; isOld: boolean }) {
  const { jobs, at, unix_start: unix } = forecast;
  const spec = useMemo(() => intervals(forecast, CHARTED), [forecast]);
  const when = (start: number | null | undefined) =>
    start == null ? "later" : instant(start, unix ?? undefined);
  const wait = (start: number | null | undefined) =>
    start == null ? "beyond the horizon" : duration(Math.max(0, start - at));
  const medians = jobs.map(({ starts }) => starts[2] ?? Number.POSITIVE_INFINITY);
  const middle = medians.toSorted((one, other) => one - other)[Math.ceil(medians.length / 2) - 1]!;
  const late = medians.filter((start) => start === Number.POSITIVE_INFINITY).length;
  return (
    <section class="panel" aria-label="Expected starts">
      <h2>Expected starts</h2>
      {isOld && <p class="notice">The settings were changed since. Press “Forecast” again.</p>}
      <p class="sentence">
        At {instant(at, unix ?? undefined)}, {counted(jobs.length, "job waits", "jobs wait")} and{" "}
        {counted(forecast.running, "runs", "run")}.{" "}
        {middle === Number.POSITIVE_INFINITY
          ? `${count(late)} of them are expected to start after the horizon only.`
          : `Half of the waiting jobs are expected to start within ${duration(Math.max(0, middle - at))}.`}
      </p>
      <Rests forecast={forecast} />
      {spec.rows.length > 0 && <Chart spec={spec} />}
      <DataTable
        label="Waiting jobs"
        rows={jobs}
        columns={[
          {
            name: "Job",
            isHead: true,
            value: ({ number, task }) => (task == null ? number : `${number}_${task}`),
          },
          { name: "User", value: ({ user }) => user },
          { name: "Queue", value: ({ queue }) => queue },
          { name: "Processors", value: ({ processors }) => processors },
          {
            name: "Limit (s)",
            head: "Limit",
            value: ({ limit }) => limit,
            show: ({ limit }) => duration(limit),
          },
          {
            name: "Waited (s)",
            head: "Waited",
            value: ({ submitted }) => at - submitted,
            show: ({ submitted }) => duration(Math.max(0, at - submitted)),
          },
          {
            name: "Median (s)",
            head: "Median start",
            value: ({ starts }) => starts[2] ?? undefined,
            show: ({ starts }) => (
              <>
                in {wait(starts[2])} <small class="quiet">{when(starts[2])}</small>
              </>
            ),
          },
          {
            name: "25 % (s)",
            head: "50 % interval",
            value: ({ starts }) => starts[1] ?? undefined,
            show: ({ starts }) => `${wait(starts[1])} to ${wait(starts[3])}`,
          },
          { name: "75 % (s)", value: ({ starts }) => starts[3] ?? undefined, class: "in-file" },
          {
            name: "5 % (s)",
            head: "90 % interval",
            value: ({ starts }) => starts[0] ?? undefined,
            show: ({ starts }) => `${wait(starts[0])} to ${wait(starts[4])}`,
          },
          { name: "95 % (s)", value: ({ starts }) => starts[4] ?? undefined, class: "in-file" },
          {
            name: "Not started",
            value: ({ not_started }) => not_started,
            show: ({ not_started }) => share(not_started),
          },
          { name: "Run times from", value: ({ level }) => LEVELS[level] ?? level },
        ]}
      />
    </section>
  );
}

/** The basis of a forecast. */
function Rests({ forecast }: { forecast: ForecastResult }) {
  const { at_source, left_out, report, levels, elsewhere, ended } = forecast;
  const sources = {
    given: "The instant is yours.",
    written: "The instant is that of the file.",
    latest: "The file tells no instant: the latest time in it that has passed is used.",
  };
  const used = levels.filter(({ jobs }) => jobs > 0);
  return (
    <ul>
      <li>
        {sources[at_source]} {count(ended)} earlier jobs tell run times:{" "}
        {used.map(({ level, jobs }) => `${counted(jobs, "job")} by ${LEVELS[level]}`).join(", ")}.
      </li>
      <li>
        {count(forecast.samples)} samples, each until {duration(forecast.horizon)} after the
        instant;{" "}
        {forecast.arrivals === "none"
          ? "no job arrives later, so that waiting jobs seem to start earlier than they will."
          : `later arrivals are those of earlier parts of the log${forecast.arrival_block == null ? "" : `, ${duration(forecast.arrival_block)} long`}.`}
      </li>
      {elsewhere > 0 && (
        <li>{count(elsewhere)} running jobs run on other nodes than the file names.</li>
      )}
      {left_out.map(({ id, text, count: jobs }) => (
        <li key={id}>
          {count(jobs)} left out: {text}.
        </li>
      ))}
      {report.map(({ id, text, count: jobs }) => (
        <li key={id}>
          {count(jobs)}: {text}.
        </li>
      ))}
    </ul>
  );
}
