// The choice of a partition: all jobs of the trace, or those of one partition on a machine of its
// size.

import { count, counted } from "../format/words";
import { choosePartition, runEachPartition } from "../lab/partitions";
import * as s from "../state";
import { Help } from "../ui/help";

export function PartitionChoice() {
  const facts = s.workload.value;
  const chosen = s.shared.value.partition;
  const partitions = facts?.partitions ?? [];
  if (!facts || (facts.partition_count < 2 && chosen === undefined)) return null;
  const untold = facts.partition_count - partitions.length;
  const isListed = partitions.some(({ name }) => name === String(chosen ?? ""));
  return (
    <div class="field">
      <label for="partition">Partition</label>
      <select
        id="partition"
        value={String(chosen ?? "")}
        aria-describedby="partition-help"
        onChange={(event) => void choosePartition(event.currentTarget.value)}
      >
        <option value="">All partitions</option>
        {chosen !== undefined && !isListed && <option value={String(chosen)}>{chosen}</option>}
        {partitions.map(({ name, jobs, widest }) => (
          <option key={name} value={name}>
            {name}: {counted(jobs, "job")}, widest {count(widest)}
          </option>
        ))}
      </select>
      <Help id="partition-help">
        One partition keeps its jobs only; the machine is then the partition.
        {untold > 0 && ` ${count(untold)} more partitions are not listed.`}
      </Help>
      {facts.partition_count > 1 && (
        <button type="button" class="small" onClick={runEachPartition}>
          Run each partition
        </button>
      )}
    </div>
  );
}
