// Runs a plan: its needs, its progress, its failures.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Doubt } from "schedscope";
import { LOGS } from "../files/logs";
import { count, counted, duration } from "../format/words";
import { keeps } from "../storage/database";
import { useDraft } from "../ui/draft";
import * as plans from "./plans";

/** Reasons why stored results are not used, in the words of the command line. */
const REASONS: Record<Doubt, string> = {
  engine: "made by another build of the engine",
  damaged: "damaged, or edited after being stored",
  trace: "made from another trace of the same name",
  keep: "without something that the plan keeps",
};

/** The needs of the plan, the run itself, and its outcome. */
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
  const wanted = useDraft(String(workers), (text) => plans.wantWorkers(Number(text) || 1));
  return (
    <section class="panel" aria-label="Running the plan">
      <div class="bar">
        <h2>Run</h2>
        <span class="count">
          {count(done)} of {counted(cells, "cell is", "cells are")} finished
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
            {missing === 0 ? "All cells are finished" : `Run ${counted(missing, "cell")}`}
          </button>
        )}
        {!isIdle && (
          <button type="button" onClick={() => plans.pause(state.value === "running")}>
            {state.value === "running" ? "Pause" : "Continue"}
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
          {keeps.value && "Results stay in this browser when you reload the page."}
        </p>
      )}
      {!keeps.value && (
        <p class="notice" role="status">
          This browser cannot store results: they are lost when you reload the page.
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
              ? `${counted(timing.value.running, "cell is", "cells are")} running; `
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
          {counted(found, "stored result is", "stored results are")} not used: {REASONS[reason]}.{" "}
          {found === 1 ? "Its cell runs" : "Their cells run"} again.
        </p>
      ))}
      {failed.length > 0 && (
        <details open>
          <summary>{counted(failed.length, "cell")} failed</summary>
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

export const place = (key: string): string => {
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
        Delete the results…
      </button>
    );
  return (
    <span class="buttons">
      <button type="button" class="small" onClick={() => void plans.forget()}>
        Delete them for good
      </button>
      <button type="button" class="small" onClick={() => (asked.value = false)}>
        Keep them
      </button>
    </span>
  );
}

function MissingTrace({
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
          <b>The file for {trace.name} is another version:</b> its SHA-256 begins with{" "}
          <code>{given.slice(0, 16)}</code>.
        </p>
      )}
      <p>
        The trace <b>{trace.name}</b> is needed. This site cannot include it
        {trace.archive ? (
          <>
            . Download it from{" "}
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
        accept={LOGS}
        aria-label={`File of ${trace.name}`}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          // The file counts as this trace under any name. Its hash decides.
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
