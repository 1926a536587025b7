// The jobs as a table, folded. Its content loads when it opens.
import { useSignal } from "@preact/signals";
import { applied } from "../explore/filter";
import { fail } from "../lab";
import * as s from "../state";
import { Lazy } from "../ui/lazy";

const JOBS = () => import("./jobs").then(({ Jobs }) => Jobs);

export function JobTable() {
  const isOpen = useSignal(false);
  const chosen = useSignal<number | undefined>(undefined);
  const able = s.lanes.value.filter((lane) => lane.facts && lane.hand);
  const lane = able.find(({ id }) => id === chosen.value) ?? able[0];
  const choose = (id: number) => (chosen.value = id);
  return (
    <details class="job-table" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        Jobs as a table{lane && `, run ${s.letter(s.lanes.value.indexOf(lane))}`}
        {applied.value && ", filtered"}
      </summary>
      {isOpen.value && <Lazy load={JOBS} given={{ lane, able, choose }} fail={fail} />}
    </details>
  );
}
