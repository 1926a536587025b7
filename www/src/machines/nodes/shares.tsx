// The table of who holds what: the work of each class of jobs, and the memory and GPUs that it holds.
import { useSignal } from "@preact/signals";
import type { ClusterFacts, Grouping, JobClass } from "schedscope";
import { GROUPINGS, groupingsOf } from "../../charts/axes";
import { count, share } from "../../format/words";
import * as s from "../../state";
import { useLatest } from "../../timeline/latest";
import { DataTable } from "../../ui/table";
import { GPUS, MEMORY } from "./tiles";

/** Groupings that need no attribute of the log. */
const ALWAYS = new Set(["size", "run_time", "user"]);

/** The resources of a class, beside cores: their figures and headings. */
const HELD = [
  { at: MEMORY, key: "node_use.memory", name: "Of all memory" },
  { at: GPUS, key: "node_use.gpus", name: "Of all GPUs" },
];

export function Shares({ lane, cluster }: { lane: s.Lane; cluster: ClusterFacts }) {
  const isOpen = useSignal(false);
  const grouping = useSignal<Grouping>("user");
  const known = new Set(s.workload.value?.attributes.map(({ id }) => id));
  const groupings = groupingsOf((id) => ALWAYS.has(id) || known.has(id));
  const by = grouping.value;
  const classes = useLatest(lane, [by, lane.result?.digest, isOpen.value], () =>
    isOpen.value && lane.state === "done" ? (engine) => engine.classes(by) : undefined,
  );
  const total = (at: number) =>
    cluster.kinds.reduce((sum, { count, amounts }) => sum + count * (amounts[at] ?? 0), 0);
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Who holds what</summary>
      {isOpen.value && (
        <label class="inline">
          By
          <select
            value={by}
            onChange={(event) => (grouping.value = event.currentTarget.value as Grouping)}
          >
            {Object.entries(groupings).map(([id, name]) => (
              <option key={id} value={id}>
                {name.toLowerCase()}
              </option>
            ))}
          </select>
        </label>
      )}
      {isOpen.value && lane.state !== "done" && <p class="quiet">The run is not finished yet.</p>}
      {classes && (
        <DataTable
          label={`Who holds what, by ${GROUPINGS[by as keyof typeof GROUPINGS].toLowerCase()}`}
          rows={classes}
          columns={[
            { name: "Class", isHead: true, value: ({ name }: JobClass) => name },
            { name: "Jobs", value: ({ jobs }) => jobs, show: ({ jobs }) => count(jobs) },
            {
              name: "Core hours",
              value: ({ work }) => work / 3600,
              show: ({ work }) => count(Math.round(work / 3600)),
            },
            ...HELD.filter(({ at }) => total(at) > 0).map(({ key, name }) => ({
              name,
              value: ({ figures }: JobClass) => figures[key] ?? 0,
              show: ({ figures }: JobClass) => share(figures[key] ?? 0),
            })),
          ]}
        />
      )}
      {classes && (
        <p class="quiet">
          Shares are means from the first start to the last end. Jobs that the warm-up and cool-down
          leave out are not in the table.
        </p>
      )}
    </details>
  );
}
