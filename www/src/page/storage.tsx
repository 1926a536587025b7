// The list of this browser's storage: the program, finished cells with the plan, and traces that
// the reader asked to keep.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { asProblem } from "../format/problem";
import { bytes, counted } from "../format/words";
import * as lab from "../lab";
import * as s from "../state";
import * as store from "../storage/results";
import { forgetTrace, type Kept, keepTrace } from "../storage/traces";
import { type Usage, usage } from "../storage/usage";

export default function Storage() {
  const found = useSignal<Usage | undefined>(undefined);
  const said = useSignal("");
  const again = async () => (found.value = await usage());
  useEffect(() => void again(), []);
  const now = found.value;
  const act = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work();
      said.value = done;
    } catch (error) {
      const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
      const problem = isFull
        ? {
            what: "The browser's storage is full.",
            why: "The browser limits the storage of each site.",
            next: "Delete something here, or free space on the disk. The page also works without storage.",
          }
        : asProblem(error);
      s.tell(problem);
      said.value = problem.what;
    }
    s.say(said.value);
    await again();
  };
  const undo = (words: string, back: () => Promise<unknown>) =>
    s.offerUndo({ words, undo: () => void act(back, "It is stored again.") });
  const forgetAll = async () => {
    const forgotten = await store.forgetAll();
    if (forgotten) undo("Results and plan are deleted.", () => store.restoreAll(forgotten));
  };
  const forget = async (trace: Kept) => {
    const file = await forgetTrace(trace);
    if (file) undo(`${trace.name} is deleted.`, () => keepTrace(trace.sha256, file));
  };
  if (!now) return <p class="quiet">Loading…</p>;
  const file = s.source.value?.kind === "file" ? s.source.value.file : undefined;
  const sha256 = s.workload.value?.provenance.sha256 ?? "";
  const isKept = now.traces.some((trace) => trace.sha256 === sha256);
  return (
    <div class="storage">
      <p>
        Everything stays on this machine: {bytes(now.usage)} of at most {bytes(now.quota)}.
      </p>
      <ul>
        <li>The program, for work without the network: {counted(now.programs, "version")}.</li>
        <li>
          {counted(now.results, "finished cell")} of plans
          {now.hasPlan && ", and your last plan"}.{" "}
          <button
            type="button"
            class="small"
            disabled={now.results === 0 && !now.hasPlan}
            onClick={() => void act(forgetAll, "Results and plan are deleted.")}
          >
            Delete results and plan
          </button>
        </li>
        {now.traces.map((trace) => (
          <li key={trace.sha256}>
            The trace <b>{trace.name}</b>, {bytes(trace.bytes)} (
            <code>{trace.sha256.slice(0, 12)}</code>){" "}
            <button
              type="button"
              class="small"
              aria-label={`Open ${trace.name}`}
              onClick={() => void act(() => lab.openKept(trace.sha256), `${trace.name} is open.`)}
            >
              Open
            </button>{" "}
            <button
              type="button"
              class="small"
              aria-label={`Delete ${trace.name}`}
              onClick={() => void act(() => forget(trace), `${trace.name} is deleted.`)}
            >
              Delete
            </button>
          </li>
        ))}
      </ul>
      <div class="buttons">
        {file && !isKept && (
          <button
            type="button"
            onClick={() =>
              void act(
                () => keepTrace(sha256, file),
                `${file.name} is kept. Links to it now open without your copy.`,
              )
            }
          >
            Keep {file.name} here
          </button>
        )}
        <span class="quiet" role="status">
          {said.value}
        </span>
      </div>
      <p class="quiet">
        The browser keeps a trace only if you ask for it. The trace never leaves this machine.
      </p>
    </div>
  );
}
