// Partitions of the trace: one by itself, or each in a run of its own.

import { LIMITS } from "../engine/limits";
import { count } from "../format/words";
import * as s from "../state";
import { runAll } from "./runs";
import { newLane, setup } from "./scenario";
import { setShared } from "./trace";

/** Keeps the jobs of one partition, or of all if the name is empty. Each has a size of its own. */
export async function choosePartition(name: string): Promise<void> {
  const { partition: _p, processors: _s, ...rest } = s.shared.value;
  s.putLanes(s.lanes.value.map((lane) => ({ ...lane, settings: withoutPartition(lane.settings) })));
  await setShared(name === "" ? rest : { ...rest, partition: name });
  runAll();
}

/**
 * Replaces the runs by one for each partition, under the policy of the first run. Partitions beyond
 * the number of runs that a link can hold are told.
 */
export async function runEachPartition(): Promise<void> {
  const facts = s.workload.value;
  const first = s.lanes.value[0];
  if (!facts || !first) return;
  const chosen = facts.partitions.slice(0, LIMITS.link_runs);
  const { partition: _p, processors: _s, ...rest } = s.shared.value;
  for (const lane of s.lanes.value) lane.hand?.stop();
  s.forgetWindows();
  s.putLanes(
    chosen.map(({ name }) => {
      const from = setup(first);
      const settings = { ...withoutPartition(from.settings), partition: name };
      return newLane({ ...from, settings });
    }),
  );
  await setShared(rest);
  const untold = facts.partition_count - chosen.length;
  if (untold > 0)
    s.tell({
      what: `${count(untold)} of ${count(facts.partition_count)} partitions have no run.`,
      why: `The page has at most ${LIMITS.link_runs} runs; those with the widest jobs came first.`,
      next: "Choose one of the others as the partition of the machine.",
    });
  runAll();
}

function withoutPartition({ partition: _p, ...rest }: s.Lane["settings"]): s.Lane["settings"] {
  return rest;
}
