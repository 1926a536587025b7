// The machine's size, where it is a guess: beside every result until the reader confirms it or gives another one.
import { computed } from "@preact/signals";
import type { MachineSize } from "schedscope";
import { count } from "./format";
import { useDraft } from "./forms";
import * as lab from "./lab";
import * as s from "./state";

const ORIGINS: Record<MachineSize["source"], string> = {
  setting: "set",
  max_procs: "MaxProcs of the trace's header",
  max_nodes: "MaxNodes of the trace's header",
  widest_job: "the widest job",
};

/** The size that somebody should confirm: of a run, if runs are there, else of the workload. */
export const doubted = computed<MachineSize | undefined>(() => {
  const known = s.lanes.value.flatMap(({ facts }) => facts ?? []);
  const workloads = known.length > 0 ? known : s.workload.value ? [s.workload.value] : [];
  return workloads.map(({ report }) => report.size).find((size) => size && size.doubts.length > 0);
});

/** Why a size is doubtful, as sentences. */
export const inWords = ({ processors, source, doubts }: MachineSize): string =>
  `The machine's size is a guess: ${count(processors)} processors (${ORIGINS[source]}). ${doubts.map(({ text }) => text).join(" ")}`;

/** Sets the machine's size for all runs, and runs them with it. */
async function confirm(processors: number | string): Promise<void> {
  await lab.setShared({ ...s.shared.value, processors });
  lab.runAll();
}

/** The note on a size that nobody has confirmed. */
export function SizeNote() {
  const size = doubted.value;
  const draft = useDraft(
    "",
    (text) =>
      text.trim() !== "" && void confirm(Number.isFinite(Number(text)) ? Number(text) : text),
  );
  if (!size) return null;
  return (
    <section class="notice bad size-note" aria-label="Machine size">
      <p>
        <b>{inWords(size)}</b> Every figure depends on the size.
      </p>
      <div class="buttons">
        <button type="button" onClick={() => void confirm(size.processors)}>
          Keep {count(size.processors)} processors
        </button>
        <label class="inline">
          Use another size{" "}
          <input type="text" inputMode="numeric" autocomplete="off" size={8} {...draft} />
        </label>
      </div>
    </section>
  );
}
