// The machine's size, if it is a guess.
import { computed } from "@preact/signals";
import type { MachineSize } from "schedscope";
import { counted } from "../format/words";
import * as s from "../state";

const ORIGINS: Record<MachineSize["source"], string> = {
  setting: "set",
  max_procs: "MaxProcs of the trace's header",
  max_nodes: "MaxNodes of the trace's header",
  partition_header: "the header's comment on the partition",
  partition_peak: "the peak of the recorded use of the partition",
  widest_job: "the widest job",
};

/**
 * Returns the size that the reader should confirm: that of a run if there are runs, else that of
 * the workload.
 */
export const doubted = computed<MachineSize | undefined>(() => {
  const known = s.lanes.value.flatMap(({ facts }) => facts ?? []);
  const workloads = known.length > 0 ? known : s.workload.value ? [s.workload.value] : [];
  return workloads.map(({ report }) => report.size).find((size) => size && size.doubts.length > 0);
});

/** Returns the doubts about a size as sentences. */
export const inWords = ({ processors, source, doubts }: MachineSize): string =>
  `The machine's size is a guess: ${counted(processors, "processor")} (${ORIGINS[source]}). ${doubts.map(({ text }) => text).join(" ")}`;
