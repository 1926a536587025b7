// Estimates the memory of a run before it begins, and refuses runs that do not fit.

import type { Problem } from "schedscope";
import { count, counted } from "../format/words";

/**
 * Bytes of wasm memory for each record of a trace, and for each job of a run with its figures and
 * pictures. docs/performance.md has the measurements.
 */
const BYTES = { record: 130, job: 400 };

/** Bytes that wasm can address, without those that programs need besides. */
const MOST = 4.1e9;

/** A browser that reports this many gigabytes may have more. */
const OR_MORE = 8;

/** Share of the machine's memory that runs may use. */
const SHARE = 0.75;

/** Returns the bytes of a run of this many jobs, from a trace of this many records. */
export const needed = (jobs: number, records: number): number =>
  BYTES.record * records + BYTES.job * jobs;

/** Returns the bytes that all runs together may use; undefined if the browser reports no memory. */
function budget(gigabytes: number | undefined): number | undefined {
  return gigabytes === undefined || gigabytes >= OR_MORE ? undefined : gigabytes * 1e9 * SHARE;
}

export const inWords = (bytes: number): string =>
  bytes < 1e9
    ? `${count(Math.max(1, Math.round(bytes / 1e6)))} MB`
    : `${(bytes / 1e9).toFixed(1)} GB`;

/**
 * Returns the reason why a run does not fit beside other runs, which use `others` bytes; undefined
 * if it fits.
 */
export function refusal(
  jobs: number,
  records: number,
  others: number,
  gigabytes: number | undefined,
): Problem | undefined {
  const bytes = needed(jobs, records);
  const all = budget(gigabytes);
  const room = all === undefined ? MOST : Math.min(MOST, all - others);
  if (bytes <= room) return undefined;
  const most = Math.max(0, Math.floor((room - BYTES.record * records) / BYTES.job));
  const isOwn = bytes > MOST;
  const ways = [
    most >= 1000 &&
      `choose a window of at most ${counted(Number(most.toPrecision(2)), "job")} (4 Load, Workload, Number of jobs)`,
    !isOwn && others > 0 && "remove a run",
    "use the command line, which can use all of the machine's memory",
  ].filter(Boolean);
  return {
    what: `A run of ${counted(jobs, "job")} does not fit into memory: it needs about ${inWords(bytes)}.`,
    why: isOwn
      ? `A program in a browser can have at most ${inWords(MOST)}.`
      : `The browser reports ${gigabytes} GB for this machine, and other runs use about ${inWords(others)}.`,
    next: `${ways.join("; or ").replace(/^./, (letter) => letter.toUpperCase())}.`,
  };
}

/**
 * Returns the reason why this many jobs cannot be drawn from a model: a run of all of them would
 * not fit. Returns undefined if it would.
 */
export function modelRefusal(jobs: number, gigabytes: number | undefined): Problem | undefined {
  const told = jobs > 0 ? refusal(jobs, jobs, 0, gigabytes) : undefined;
  return (
    told && {
      ...told,
      next: "Draw fewer jobs, or use the command line, which can use all of the machine's memory.",
    }
  );
}
