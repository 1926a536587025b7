// The parts of jobs on each node.
import type { ClusterFacts, NodeJobFacts, NodePart } from "schedscope";
import { count, counted } from "../../format/words";

/** The numbers of the resources that every cluster has. */
const CORES = 0;
export const [MEMORY, GPUS] = [1, 2] as const;

/** A job on a node. */
interface Tenant {
  job: NodeJobFacts;
  part: NodePart;
}

/** Returns an amount of a resource in words. */
export function amountInWords(resource: string, amount: number): string {
  if (resource === "memory")
    return amount >= 10 * 1024 ? `${count(Math.round(amount / 1024))} GB` : `${count(amount)} MB`;
  if (resource === "cores") return counted(amount, "core");
  if (resource === "gpu") return counted(amount, "GPU");
  return `${count(amount)} ${resource}`;
}

/** Returns the jobs by node. */
export function tilesOf(cluster: ClusterFacts, jobs: NodeJobFacts[]) {
  const tenants = new Map<number, Tenant[]>();
  for (const job of jobs)
    for (const part of job.parts) {
      const here = tenants.get(part.node);
      if (here) here.push({ job, part });
      else tenants.set(part.node, [{ job, part }]);
    }
  const of = (node: number): Tenant[] => tenants.get(node) ?? [];
  const used = (node: number, resource: number): number =>
    of(node).reduce((sum, { part }) => sum + (part.used[resource] ?? 0), 0);
  return {
    /** The jobs on a node, in order of starting. */
    of,
    /** The amount of a resource of a node that jobs hold. */
    used,
    /** Number of nodes that have a job. */
    busy: (): number => tenants.size,
    /** The job whose cores are at a part of a node's width, from 0 to 1. */
    jobAt(node: number, across: number): NodeJobFacts | undefined {
      const kind = cluster.kinds.findLast(({ first_node }) => first_node <= node);
      if (!kind) return undefined;
      const cores = kind.amounts[CORES] ?? 1;
      const core = kind.first_core + (node - kind.first_node) * cores + Math.floor(across * cores);
      const isThere = ([first, size]: [number, number]) => first <= core && core < first + size;
      return of(node).find(({ part }) => part.cores.some(isThere))?.job;
    },
    /** Amounts of a resource on all nodes that limit it: in use, and all. */
    total(resource: number): { used: number; all: number } {
      let [held, all] = [0, 0];
      for (const kind of cluster.kinds) {
        const each = kind.amounts[resource];
        if (!each) continue;
        all += each * kind.count;
        for (let node = kind.first_node; node < kind.first_node + kind.count; node += 1)
          held += used(node, resource);
      }
      return { used: held, all };
    },
  };
}
