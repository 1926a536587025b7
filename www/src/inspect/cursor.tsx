// The queue at the cursor. Its content loads when it opens.
import { signal, useSignal } from "@preact/signals";
import { fail } from "../lab";
import * as s from "../state";
import { Lazy } from "../ui/lazy";
import { canStep } from "./begin";

const MOMENT = () => import("./queue").then(({ Moment }) => Moment);

/** The last instant at the cursor. The pointer leaves the timelines to read the queue. */
let last: number | undefined;

/** The run that the reader chose. */
const chosen = signal<number | undefined>(undefined);

const able = (): s.Lane[] =>
  s.isPredicting.value || s.lesson.value || s.stepping.value ? [] : s.lanes.value.filter(canStep);

/** The queue at the cursor, folded. */
export function QueueAtCursor() {
  const isOpen = useSignal(false);
  if (s.cursor.value) last = s.cursor.value.time;
  if (able().length === 0) return null;
  return (
    <details
      class="queue-at"
      open={isOpen.value}
      onToggle={(event) => (isOpen.value = event.currentTarget.open)}
    >
      <summary>Queue at the cursor</summary>
      {isOpen.value && <QueueNow />}
    </details>
  );
}

/** The queue of one run at the cursor of the timelines, which it follows. */
export function QueueNow() {
  if (s.cursor.value) last = s.cursor.value.time;
  const { from, to } = s.extent.value;
  // An instant of the trace before may lie outside.
  const isHere = last !== undefined && last >= from && last <= to;
  const at = isHere ? last! : (s.view.value.from + s.view.value.to) / 2;
  const lanes = able();
  const lane = lanes.find(({ id }) => id === chosen.value) ?? lanes[0];
  if (!lane) return null;
  return (
    <>
      {lanes.length > 1 && (
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
  );
}
