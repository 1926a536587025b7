// The runs as bars, in the figure that ranks them.
import { share } from "../format/words";
import * as lab from "../lab";
import { nameOf } from "../runs/name";
import { inWords, ranked } from "../runs/ranking";
import { doubted } from "../runs/size";
import * as s from "../state";
import { laneStyle } from "../ui/colours";
import { Mark } from "../ui/mark";

/** Returns the share of its jobs that a run has finished. */
const ranPart = ({ progress }: s.Lane): number =>
  progress ? progress.finished / Math.max(1, progress.jobs) : 0;

/** The progress of the runs that are not done, as a line of lights along the bar above. */
export function RunLights() {
  return (
    <div class="run-lights" aria-hidden="true">
      {s.lanes.value.map((lane, index) => (
        <span key={lane.id} class={`run-light ${lane.state}`}>
          {lab.isBusy(lane) && (
            <i style={{ width: `${100 * ranPart(lane)}%`, background: laneStyle(index) }} />
          )}
        </span>
      ))}
    </div>
  );
}

export function RunBars() {
  const values = new Map(ranked().map(({ lane, value }) => [lane.id, value]));
  const most = Math.max(...values.values());
  return (
    <ul class="run-bars" aria-label={`Runs by ${s.rankedBy.value.phrase}`}>
      {s.lanes.value.map((lane, index) => {
        // A size that nobody has confirmed gives no figure.
        const value = doubted.value ? undefined : values.get(lane.id);
        const part = lane.state === "done" ? (most > 0 ? (value ?? 0) / most : 0) : ranPart(lane);
        return (
          <li key={lane.id} class={`run-bar ${lane.state} ${lane.stale ? "stale" : ""}`}>
            <Mark index={index} />
            <span>
              <b>{s.letter(index)}</b>
              <span class="unseen"> {nameOf(lane)}</span>
            </span>
            <span class="run-bar-room" aria-hidden="true">
              <i style={{ width: `${100 * part}%`, background: laneStyle(index) }} />
            </span>
            <span class="run-bar-value">
              {value !== undefined
                ? inWords(value)
                : lane.state === "done"
                  ? "–"
                  : lane.progress
                    ? `${lane.state}, ${share(part)}`
                    : lane.state}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
