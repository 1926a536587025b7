// How much memory a run will take, said before it begins, and refused where it cannot fit.

import type { Problem } from "schedscope";
import { count } from "../format/words";

/** Bytes of wasm memory for each record of a trace, and for each job of a run with its figures and
 * pictures: measured, docs/performance.md. */
const BYTES = { record: 130, job: 400 };

/** What wasm can address, less what programs need besides. */
const MOST = 4.1e9;

/** A browser that says so many gigabytes means that many or more. */
const OR_MORE = 8;

/** The share of the machine's memory that runs may have. */
const SHARE = 0.75;

/** Bytes of a run of so many jobs of a trace of so many records. */
export const needed = (jobs: number, records: number): number =>
  BYTES.record * records + BYTES.job * jobs;

/** Bytes that all runs together may have; nothing if the browser does not say. */
function budget(gigabytes: number | undefined): number | undefined {
  return gigabytes === undefined || gigabytes >= OR_MORE ? undefined : gigabytes * 1e9 * SHARE;
}

export const inWords = (bytes: number): string =>
  bytes < 1e9
    ? `${count(Math.max(1, Math.round(bytes / 1e6)))} MB`
    : `${(bytes / 1e9).toFixed(1)} GB`;

/** Why a run cannot be made, if it cannot: of so many jobs of so many records, beside others that
 * have so many bytes. */
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
      `choose a window of at most ${count(Number(most.toPrecision(2)))} jobs (4 Load, Workload, Number of jobs)`,
    !isOwn && others > 0 && "remove a run",
    "use the command line, which has all of the machine's memory",
  ].filter(Boolean);
  return {
    what: `A run of ${count(jobs)} jobs does not fit: it needs about ${inWords(bytes)}.`,
    why: isOwn
      ? `A program in a browser has at most ${inWords(MOST)} each.`
      : `This machine has ${gigabytes} GB by what the browser says, and other runs have about ${inWords(others)}.`,
    next: `${ways.join("; or ").replace(/^./, (letter) => letter.toUpperCase())}.`,
  };
}

/** Why so many jobs cannot be drawn from a model, if they cannot: a run of all of them would not
 * fit. */
export function modelRefusal(jobs: number, gigabytes: number | undefined): Problem | undefined {
  const told = jobs > 0 ? refusal(jobs, jobs, 0, gigabytes) : undefined;
  return (
    told && {
      ...told,
      next: "Draw fewer jobs, or use the command line, which has all of the machine's memory.",
    }
  );
}
