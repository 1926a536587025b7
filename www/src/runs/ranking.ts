// The finished runs in the order of the figure that the reader ranks by.
import type { Paired } from "schedscope";
import { duration, figure, interval, share } from "../format/words";
import * as s from "../state";
import { neverStarted } from "./pending";

/** A finished run with its figure. */
export interface Ranked {
  lane: s.Lane;
  index: number;
  value: number;
}

/** True if jobs never start in the run. Its figures cannot be held against those of others. */
export const isPartial = ({ lane }: { lane: s.Lane }): boolean => neverStarted(lane) > 0;

/** Returns the finished runs that have the figure, the best first. Those that leave jobs out come last. */
export function ranked(): Ranked[] {
  const { key, isHigherBetter } = s.rankedBy.value;
  return s.lanes.value
    .flatMap((lane, index) => {
      const value = lane.state === "done" ? lane.result?.figures[key] : undefined;
      return value === undefined ? [] : [{ lane, index, value }];
    })
    .sort(
      (one, other) =>
        Number(isPartial(one)) - Number(isPartial(other)) ||
        (one.value - other.value) * (isHigherBetter ? -1 : 1),
    );
}

/** True if all runs are of the same jobs. */
export const areOfOne = (runs: readonly { lane: s.Lane }[]): boolean =>
  runs.every(({ lane }) => lane.facts?.identity === runs[0]?.lane.facts?.identity);

/** Returns the run that the sentence compares the others with: of two the first, else the best. */
export function compared(): Ranked | undefined {
  const runs = ranked();
  return runs.length > 2 ? runs[0] : runs.toSorted((one, other) => one.index - other.index)[0];
}

/** Returns a value of the figure in words. */
export function inWords(value: number, { kind }: s.Ranking = s.rankedBy.value): string {
  return kind === "time" ? duration(value) : kind === "share" ? share(value) : figure(value);
}

/** Least number of jobs that have an interval: two in each of its 20 batches. */
const LEAST_JOBS = 40;

/** Returns the difference of a run from the one that it is compared with, job by job, if known. */
export function gapOf(lane: s.Lane): Paired | undefined {
  const { value: gaps } = s.gaps;
  if (gaps?.key !== s.rankedBy.value.key) return undefined;
  const from = compared()?.lane;
  if (isPartial({ lane }) || (from && isPartial({ lane: from }))) return undefined;
  if (lane === from || gaps.from !== from?.result?.digest) return undefined;
  const found = gaps.by.get(lane.result!.digest);
  return found && found.jobs >= LEAST_JOBS ? found : undefined;
}

/** Returns a difference with its interval, without its sign. */
export const gapInWords = ({ mean, ci95 }: Paired): string =>
  s.rankedBy.value.kind === "time"
    ? interval(Math.abs(mean), ci95)
    : `${figure(Math.abs(mean))} ± ${figure(ci95)}`;
