// The searches for partners at an instant: the job that needed a partner, the test that ruled each
// candidate out, and the worth of the others.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SearchesFacts, SearchFacts } from "schedscope";
import { ask, type Remote } from "../engine/workers";
import { count, counted, figure, instant } from "../format/words";
import { JobLink } from "../inspect/job";
import * as s from "../state";
import { useLatest } from "../timeline/latest";
import { DataTable } from "../ui/table";

/** The tests in their order, by the candidates that they rule out. */
const TESTS = [
  "short",
  "more nodes than its host",
  "too much memory together, or needs unknown",
  "needs that do not go together",
  "too slow together, or competing for the CPU",
  "would delay a reservation",
];

/** Returns the searches of the last decision until an instant that made any. */
const searches = async (engine: Remote, at: number): Promise<SearchesFacts | null> =>
  (await engine.show({ ask: "searches", at })).answer as SearchesFacts | null;

/** Returns the next instant at which jobs were matched, or the previous one. */
const nextMatch = async (engine: Remote, at: number, forwards: boolean): Promise<number | null> =>
  (await engine.show({ ask: "next_match", at, forwards })).answer as number | null;

export function Matches({ lane, at }: { lane: s.Lane; at: number }) {
  const found = useLatest(lane, [at, lane.state], () =>
    lane.state === "done" ? (engine) => searches(engine, at) : undefined,
  );
  /** The visible search; at first one that found a partner. */
  const chosen = useSignal<number | undefined>(undefined);
  const status = useSignal("");
  useEffect(() => void (chosen.value = undefined), [found?.at, lane.id]);
  const unixStart = s.workload.value?.provenance.unix_start;
  const go = async (forwards: boolean) => {
    if (!lane.hand) return;
    try {
      const next = await ask(lane.hand, (engine) => nextMatch(engine, at, forwards));
      status.value =
        next === null ? (forwards ? "There is no later match." : "There is no earlier match.") : "";
      if (next !== null) s.showInstant(next);
    } catch {
      status.value = "The run's worker did not answer.";
    }
  };
  const told = found?.searches ?? [];
  const index = Math.min(
    chosen.value ??
      Math.max(
        0,
        told.findIndex((one) => one.chosen !== undefined),
      ),
    told.length - 1,
  );
  const search = told[index];
  return (
    <section class="matches" aria-label="Matches">
      <h3>Matches</h3>
      <div class="buttons">
        <button
          type="button"
          class="small"
          disabled={lane.state !== "done"}
          onClick={() => void go(false)}
        >
          Earlier match
        </button>
        <button
          type="button"
          class="small"
          disabled={lane.state !== "done"}
          onClick={() => void go(true)}
        >
          Later match
        </button>
        <small role="status">{status.value}</small>
      </div>
      {lane.state !== "done" && (
        <p class="quiet">The searches for partners appear here when the run is done.</p>
      )}
      {found && search ? (
        <>
          <p>
            At {instant(found.at, unixStart)}
            {found.at < at - 1e-6 && ", the last time until then,"} partners were looked for{" "}
            {found.count === 1 ? "once" : `${count(found.count)} times`}.
          </p>
          <label class="inline">
            Search
            <select
              value={String(index)}
              onChange={(event) => (chosen.value = Number(event.currentTarget.value))}
            >
              {told.map((one, index) => (
                <option key={index} value={String(index)}>
                  job {one.job.number} among {count(one.count)}{" "}
                  {one.among_running ? "running" : "waiting"}:{" "}
                  {one.chosen === undefined ? "none" : `job ${one.chosen}`}
                </option>
              ))}
            </select>
          </label>
          {found.count > told.length && (
            <p class="quiet">
              Shows the first {told.length} of {count(found.count)} searches.
            </p>
          )}
          <Search search={search} />
        </>
      ) : (
        found === null && <p class="quiet">No job needed a partner until this instant.</p>
      )}
    </section>
  );
}

function Search({ search }: { search: SearchFacts }) {
  let left = search.count;
  const steps = TESTS.map((test, at) => ({
    test,
    out: search.left[at]!,
    left: (left -= search.left[at]!),
  }));
  return (
    <>
      <p>
        <JobLink job={search.job} begins /> with {counted(search.job.processors, "node")}{" "}
        {search.among_running
          ? "did not fit on free nodes. The policy looked for hosts among the running jobs that were alone."
          : "started on nodes of its own. The policy looked for guests among the waiting jobs."}{" "}
        {search.chosen === undefined ? (
          "It chose none."
        ) : (
          <>
            It chose <b>job {search.chosen}</b>.
          </>
        )}
      </p>
      <DataTable
        label="Candidates after each test"
        class="funnel"
        rows={[{ test: "considered", out: undefined, left: search.count }, ...steps]}
        columns={[
          { name: "Test", isHead: true, value: ({ test }) => test },
          {
            name: "Ruled out",
            value: ({ out }) => out,
            show: ({ out }) => (out === undefined ? "" : out > 0 ? count(out) : "–"),
          },
          {
            name: "Left",
            value: ({ left }) => left,
            show: ({ out, left }) =>
              out === undefined ? (
                count(left)
              ) : (
                <>
                  <span class="share" aria-hidden="true">
                    <span style={{ width: `${(100 * left) / Math.max(1, search.count)}%` }} />
                  </span>{" "}
                  {count(left)}
                </>
              ),
          },
        ]}
      />
      <DataTable
        label="Candidates"
        class="tried"
        rows={search.tried}
        classOf={({ job, verdict }) =>
          job.number === search.chosen ? "chosen" : verdict < TESTS.length ? "quiet" : ""
        }
        columns={[
          {
            name: "Job",
            isHead: true,
            value: ({ job }) => job.number,
            show: ({ job }) => (
              <>
                <JobLink job={job} begins />
                {job.number === search.chosen && ", chosen"}
              </>
            ),
          },
          {
            name: "Nodes",
            value: ({ job }) => job.processors,
            show: ({ job }) => count(job.processors),
          },
          { name: "Result", value: ({ verdict }) => TESTS[verdict] ?? "a candidate" },
          {
            name: "Slowdown",
            value: ({ slowdown }) => (slowdown > 0 ? slowdown : undefined),
            show: ({ slowdown }) => (slowdown > 0 ? slowdown.toFixed(2) : "–"),
          },
          {
            name: "Worth",
            value: ({ verdict, gain }) => (verdict === TESTS.length ? gain : undefined),
            show: ({ verdict, gain }) => (verdict === TESTS.length ? figure(gain) : "–"),
          },
        ]}
      />
      {search.count > search.tried.length && (
        <p class="quiet">
          Shows {search.tried.length} of {count(search.count)} candidates: those that passed the
          most tests.
        </p>
      )}
    </>
  );
}
