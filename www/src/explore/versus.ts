// Compares two runs of the same jobs: the jobs that run in one while they wait in the first.

import { ask } from "../engine/workers";
import * as s from "../state";
import { follow } from "./follow";

/** Returns the run to compare with: the first run; for the first run itself, the second. */
function otherOf(lane: s.Lane): s.Lane | undefined {
  const alike = (other: s.Lane) =>
    other.id !== lane.id && other.state === "done" && other.base === lane.base;
  const [first] = s.lanes.value;
  if (lane.state !== "done" || !first) return undefined;
  return first.id === lane.id ? s.lanes.value.find(alike) : alike(first) ? first : undefined;
}

/**
 * True if a run has a band. The first run has none, because its band would be the second's upside
 * down.
 */
export const isCompared = (lane: s.Lane): boolean =>
  s.isVersus.value && s.lanes.value[0]?.id !== lane.id && otherOf(lane) !== undefined;

follow(
  (lane) => {
    const other =
      s.isVersus.value || s.colouring.value === "difference" ? otherOf(lane) : undefined;
    return other ? `${other.id} ${other.result?.digest}` : "";
  },
  async (lane, engine) => {
    const other = otherOf(lane);
    const times = other?.hand ? await ask(other.hand, (engine) => engine.times()) : null;
    await engine.against(times);
  },
);
