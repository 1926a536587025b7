// The instant of a run, which the reader moves and plays. All pictures of a machine share it.
import { effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ask } from "../engine/workers";
import { instant } from "../format/words";
import * as s from "../state";

const isPlaying = signal(false);

/** True while a machine is shown. A late answer of a worker moves nothing. */
let isShown = false;

/** Changes per second while it plays. */
const pace = signal(4);

/** Starts in the middle of the run, where there is something to see. */
export async function busiest(lane: s.Lane): Promise<void> {
  const { from, to } = s.extent.value;
  const middle = (from + to) / 2;
  const found = lane.hand
    ? await ask(lane.hand, (engine) => engine.nextChange(middle, true)).catch(() => undefined)
    : undefined;
  // In a run with few changes, the next change may be the end.
  if (isShown && s.instant.value === undefined)
    s.showInstant(found !== undefined && found - middle < (to - from) / 100 ? found : middle);
}

async function step(lane: s.Lane, forwards: boolean): Promise<boolean> {
  const at = s.instant.value;
  if (!lane.hand || at === undefined) return false;
  const next = await ask(lane.hand, (engine) => engine.nextChange(at, forwards)).catch(
    () => undefined,
  );
  if (!isShown || next === undefined || next === null) return false;
  s.showInstant(next);
  return true;
}

/** Steps from change to change, at a steady pace. */
export function usePlay(lane: s.Lane): void {
  const latest = useRef(lane);
  latest.current = lane;
  useEffect(() => {
    isShown = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = async () => {
      if (!(await step(latest.current, true))) isPlaying.value = false;
      if (isPlaying.value) timer = setTimeout(() => void next(), 1000 / pace.value);
    };
    const stop = effect(() => {
      clearTimeout(timer);
      // The step runs in a timer. If the effect ran it, the signals that it reads would start the
      // effect again.
      if (isPlaying.value) timer = setTimeout(() => void next(), 0);
    });
    return () => {
      stop();
      clearTimeout(timer);
      isShown = false;
      isPlaying.value = false;
      s.showInstant(undefined);
      s.pointAt(undefined);
    };
  }, []);
}

export function Clock({ lane }: { lane: s.Lane }) {
  const { from, to } = s.extent.value;
  const at = s.instant.value ?? from;
  const unixStart = s.workload.value?.provenance.unix_start;
  return (
    <div class="clock">
      <div class="group" role="group" aria-label="Time">
        <button
          type="button"
          class="small"
          aria-label="Last change before"
          onClick={() => void step(lane, false)}
        >
          ◀
        </button>
        <button
          type="button"
          class="small"
          aria-pressed={isPlaying.value}
          onClick={() => (isPlaying.value = !isPlaying.value)}
        >
          {isPlaying.value ? "Pause" : "Play"}
        </button>
        <button
          type="button"
          class="small"
          aria-label="Next change"
          onClick={() => void step(lane, true)}
        >
          ▶
        </button>
      </div>
      <label class="inline">
        Pace
        <select
          value={pace.value}
          onChange={(event) => (pace.value = Number(event.currentTarget.value))}
        >
          {[1, 4, 12, 30].map((changes) => (
            <option key={changes} value={changes}>
              {changes} changes/s
            </option>
          ))}
        </select>
      </label>
      <input
        type="range"
        aria-label="Instant"
        min={from}
        max={to}
        step="any"
        value={at}
        aria-valuetext={instant(at, unixStart)}
        onInput={(event) => s.showInstant(Number(event.currentTarget.value))}
      />
      <span class="quiet">{instant(at, unixStart)}</span>
    </div>
  );
}
