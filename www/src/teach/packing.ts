// The jobs of an exercise as they would run if the machine were endless: what the drawing board
// shows.
import type { Line } from "./format";

/** A job's place on the board. */
export interface Placed extends Line {
  index: number;
  top: number;
}

/** Places each job at its arrival, in the first rows that are free for its run time. */
export function pack(jobs: Line[]): Placed[] {
  const placed: Placed[] = [];
  const inOrder = jobs
    .map((job, index) => ({ ...job, index }))
    .sort((one, other) => one.arrives - other.arrives || one.index - other.index);
  for (const job of inOrder) {
    const beside = placed
      .filter(
        (other) =>
          other.arrives < job.arrives + job.runs && job.arrives < other.arrives + other.runs,
      )
      .sort((one, other) => one.top - other.top);
    let top = 0;
    for (const other of beside) {
      if (top + job.processors <= other.top) break;
      top = Math.max(top, other.top + other.processors);
    }
    placed.push({ ...job, top });
  }
  return placed.sort((one, other) => one.index - other.index);
}

/** Steps of time on the board, in seconds. */
const STEPS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400, 604_800];

/** Returns the step to which a board of some seconds rounds times. */
export const stepOf = (seconds: number): number =>
  STEPS.find((step) => seconds / step <= 60) ?? STEPS.at(-1)!;
