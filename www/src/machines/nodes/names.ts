// The names of a timeline's rows: the nodes that have the cores, or the GPUs.
import type { ClusterFacts, RowsBy } from "schedscope";
import type { Remote } from "../../engine/workers";
import type { NamedRow, RowNames } from "../../state";
import { cluster } from "./ask";
import { GPUS } from "./tiles";

/** A node with its cores, and with its rows in a timeline. */
interface Place extends NamedRow {
  core: number;
}

/**
 * Returns the nodes that have rows, and the first rows of their kinds. `resource` is that of which a
 * row is a unit.
 */
function places(facts: ClusterFacts, resource: number): { nodes: Place[]; kinds: number[] } {
  const nodes: Place[] = [];
  const kinds: number[] = [];
  let first = 0;
  for (const { first_node, first_core, count, amounts } of facts.kinds) {
    const cores = amounts[0] ?? 1;
    const rows = resource === 0 ? cores : (amounts[resource] ?? 0);
    if (rows === 0) continue;
    kinds.push(first);
    for (let at = 0; at < count; at += 1) {
      const name = facts.names[first_node + at]!;
      nodes.push({ name, first, end: first + rows, core: first_core + at * cores });
      first += rows;
    }
  }
  return { nodes, kinds };
}

/** Returns the rows of the nodes that have these ranges of cores. */
function rowsOf(cores: [number, number][], nodes: Place[]): [number, number][] {
  const found: [number, number][] = [];
  // Both lists ascend.
  let at = 0;
  for (const [from, count] of cores) {
    while (at < nodes.length && nodes[at]!.core < from) at += 1;
    for (; at < nodes.length && nodes[at]!.core < from + count; at += 1) {
      const { first, end } = nodes[at]!;
      const last = found.at(-1);
      if (last && last[0] + last[1] === first) last[1] += end - first;
      else found.push([first, end - first]);
    }
  }
  return found;
}

/** Returns the names of the rows of a run; `undefined` if its jobs say nothing of nodes. */
export async function rowNames(engine: Remote, rows: RowsBy): Promise<RowNames | undefined> {
  const facts = await cluster(engine);
  if (!facts) return undefined;
  const { nodes, kinds } = places(facts, rows === "gpus" ? GPUS : 0);
  const kept = facts.advance.map(({ cores, periods }) => ({
    rows: rows === "gpus" ? rowsOf(cores, nodes) : cores,
    periods,
  }));
  return { nodes, kinds, kept };
}
