// The queue at the cursor, folded. Its content loads when it opens.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { fail } from "../lab";
import * as s from "../state";
import { Lazy } from "../ui/lazy";
import { canStep } from "./begin";

const MOMENT = () => import("./queue").then(({ Moment }) => Moment);

/** The queue at the cursor of the timelines, which follows the cursor while it is open. */
export function QueueAtCursor() {
  const isOpen = useSignal(false);
  const chosen = useSignal<number | undefined>(undefined);
  // The pointer leaves the timelines to read the queue.
  const last = useRef<number | undefined>(undefined);
  if (s.cursor.value) last.current = s.cursor.value.time;
  const { from, to } = s.extent.value;
  // An instant of the trace before may lie outside.
  const isHere = last.current !== undefined && last.current >= from && last.current <= to;
  const at = isHere ? last.current! : (s.view.value.from + s.view.value.to) / 2;
  const able = s.lanes.value.filter(canStep);
  const lane = able.find(({ id }) => id === chosen.value) ?? able[0];
  if (!lane || s.isPredicting.value || s.lesson.value || s.stepping.value) return null;
  return (
    <details
      class="queue-at"
      open={isOpen.value}
      onToggle={(event) => (isOpen.value = event.currentTarget.open)}
    >
      <summary>Queue at the cursor</summary>
      {isOpen.value && (
        <>
          {able.length > 1 && (
            <label class="inline">
              Run
              <select
                value={lane.id}
                onChange={(event) => (chosen.value = Number(event.currentTarget.value))}
              >
                {s.lanes.value.map(
                  (each, index) =>
                    canStep(each) && (
                      <option key={each.id} value={each.id}>
                        {s.letter(index)} {s.policyNamed(each.policy)?.name}
                      </option>
                    ),
                )}
              </select>
            </label>
          )}
          <Lazy key={lane.id} load={MOMENT} given={{ lane, at }} fail={fail} />
        </>
      )}
    </details>
  );
}
