// The attempts of a job: a job that is preempted while it runs starts again later.
import type { JobFacts, PlacementFacts } from "schedscope";

/** An execution of a job, from the instant at which it has its processors. */
interface Attempt {
  start: number | undefined;
  end: number | undefined;
  placement?: PlacementFacts | undefined;
  gpus?: PlacementFacts | undefined;
}

/** Returns the attempt in vain of a job that has processors at an instant, if there is one. */
export const lostAt = ({ lost }: JobFacts, at: number): JobFacts["lost"][number] | undefined =>
  lost.find((attempt) => attempt.start <= at && at < attempt.end);

/** Returns the attempt of a job that has processors at an instant, or else its last one. */
export function attemptAt(job: JobFacts, at: number): Attempt {
  const { start, end, placement, gpus } = job;
  return lostAt(job, at) ?? { start, end, placement, gpus };
}

/** True if a job has processors at an instant. */
export function runsAt(job: JobFacts, at: number): boolean {
  const { start, end } = attemptAt(job, at);
  if (job.suspensions.some(([from, to]) => from <= at && at < to)) return false;
  return start !== undefined && start <= at && (end ?? Number.POSITIVE_INFINITY) > at;
}
