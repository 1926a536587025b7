// The mark of a run.
import { LANE_DASHES, laneStyle } from "./colours";

/** A lane's colour, dash and letter, so that colour is never the only mark. */
export function Mark({ index }: { index: number }) {
  return (
    <svg class="mark" viewBox="0 0 18 10" aria-hidden="true">
      <line
        x1="0"
        y1="5"
        x2="18"
        y2="5"
        style={{ stroke: laneStyle(index) }}
        stroke-width="3"
        stroke-dasharray={LANE_DASHES[index % LANE_DASHES.length]!.join(" ")}
      />
    </svg>
  );
}
