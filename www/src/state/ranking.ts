// The figure by which the reader ranks the runs.
import { signal } from "@preact/signals";
import type { Paired } from "schedscope";
import type { Seen } from "./seen";

/** A figure that can rank runs. */
export interface Ranking {
  /** The metric and its figure, as in results. */
  key: string;
  /** Its name within a sentence. */
  phrase: string;
  kind: "time" | "share" | "number";
  isHigherBetter?: boolean;
}

/** The figures that can rank runs. The first is the usual one. */
export const RANKINGS: readonly [Ranking, ...Ranking[]] = [
  { key: "wait.mean", phrase: "mean wait", kind: "time" },
  { key: "wait.median", phrase: "median wait", kind: "time" },
  { key: "wait.p95", phrase: "95th percentile of waits", kind: "time" },
  { key: "response.mean", phrase: "mean response", kind: "time" },
  { key: "bounded_slowdown.mean", phrase: "mean bounded slowdown", kind: "number" },
  { key: "utilisation.value", phrase: "utilisation", kind: "share", isHigherBetter: true },
  { key: "lost.value", phrase: "lost capacity", kind: "share" },
  { key: "queue.mean", phrase: "mean queue length", kind: "number" },
  { key: "makespan.value", phrase: "makespan", kind: "time" },
  { key: "unfairness.mean", phrase: "mean fair start miss", kind: "time" },
];

/** Differences from one run, job by job, of other runs of the same jobs. */
interface Gaps {
  key: string;
  /** Digest of the run that the others are compared with. */
  from: string;
  /** By the digests of the other runs. */
  by: ReadonlyMap<string, Paired>;
}

const own = {
  rankedBy: signal<Ranking>(RANKINGS[0]),
  gaps: signal<Gaps | undefined>(undefined),
};
export const { rankedBy, gaps }: Seen<typeof own> = own;

/** Ranks the runs by a figure, or by the usual one. */
export function rankBy(key: string | undefined): void {
  own.rankedBy.value = RANKINGS.find((ranking) => ranking.key === key) ?? RANKINGS[0];
}

export function knowGaps(found: Gaps): void {
  own.gaps.value = found;
}
