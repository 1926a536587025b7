// Names runs whose jobs share processors.
import * as lab from "../lab";
import { policyOf } from "../runs/name";
import * as s from "../state";

/** Returns the policy, with the way of sharing if it is the run's own. */
export function nameOf(lane: s.Lane): string {
  const own = lane.settings.coscheduling;
  const heuristic = lane.settings.heuristic ?? s.shared.value.heuristic;
  if (lane.policy === "lomarc" && typeof heuristic === "string")
    return `${policyOf(lane)}, ${heuristic}`;
  return typeof own === "string" && lab.machineOf(lane) === "bsp"
    ? `${policyOf(lane)}, ${own.replace("_", "-")}`
    : policyOf(lane);
}
