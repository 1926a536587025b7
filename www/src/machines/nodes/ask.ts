// The questions that only a cluster of nodes answers.
import type { ClusterFacts, Colouring, Legend, NodesFacts, ResourceUse, Theme } from "schedscope";
import type { Remote } from "../../engine/workers";

/** Returns the cluster; null if the jobs of the run say nothing of nodes. */
export const cluster = async (engine: Remote): Promise<ClusterFacts | null> =>
  (await engine.show({ ask: "cluster" })).answer as ClusterFacts | null;

/** Returns the jobs on the nodes at an instant, with the meanings of the colours. */
export async function nodesAt(
  engine: Remote,
  at: number,
  colouring: Colouring,
  theme: Theme,
): Promise<{ facts: NodesFacts; legend: Legend | null }> {
  const { answer, legend } = await engine.show({ ask: "nodes", at }, colouring, theme);
  return { facts: answer as NodesFacts, legend };
}

/** Returns the use of each resource at the middle of each part of a period. */
export const resources = async (
  engine: Remote,
  from: number,
  to: number,
  count: number,
): Promise<ResourceUse[]> =>
  (await engine.show({ ask: "resources", from, to, count })).answer as ResourceUse[];
