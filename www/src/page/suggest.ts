// The policy that is most worth a further run.
import type { Choosable } from "schedscope";
import * as s from "../state";

/**
 * The policies that others are compared with, in order: no backfilling, one reservation, a
 * reservation for every job, and no fairness at all.
 */
const YARDSTICKS = ["easy", "fcfs", "conservative", "sjf"];

/** Returns the first yardstick that no run has, else the first other policy of the machine. */
export function suggested(): Choosable | undefined {
  const able = (s.catalog.value?.policies ?? []).filter(({ machines }) =>
    machines.includes(s.machine.value),
  );
  const used = new Set(s.lanes.value.map(({ policy }) => policy));
  const free = able.filter(({ id }) => !used.has(id));
  return (
    YARDSTICKS.map((wanted) => free.find(({ id }) => id === wanted)).find(Boolean) ??
    free[0] ??
    able[0]
  );
}
