// The names of a timeline's rows: the nodes that have the cores.
import type { Remote } from "../../engine/workers";
import type { NamedRow, RowNames } from "../../state";
import { cluster } from "./ask";

/** Returns the names of the rows of a run; `undefined` if its jobs say nothing of nodes. */
export async function rowNames(engine: Remote): Promise<RowNames | undefined> {
  const facts = await cluster(engine);
  if (!facts) return undefined;
  const nodes: NamedRow[] = [];
  for (const { first_node, first_core, count, amounts } of facts.kinds) {
    const cores = amounts[0] ?? 1;
    for (let at = 0; at < count; at += 1) {
      const first = first_core + at * cores;
      nodes.push({ name: facts.names[first_node + at]!, first, end: first + cores });
    }
  }
  return {
    nodes,
    kinds: facts.kinds.map(({ first_core }) => first_core),
    kept: facts.advance.map(({ cores, periods }) => ({ rows: cores, periods })),
  };
}
