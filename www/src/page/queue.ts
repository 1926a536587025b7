// Tells the two documents of Slurm, which both list jobs: the queue of `squeue --json` and the log of
// `sacct --json`.

/** The begin of the JSON, with its list of jobs. */
const JOBS = /^\s*\{[^]*"jobs"\s*:\s*\[/;

/** Bytes at the begin of a document that tell what it is. */
const BEGIN = 65_536;

/**
 * Returns what a document lists, if it is of Slurm. A queue alone has these keys. `job_state` comes after
 * `job_resources`, whose list of cores can be longer than what is read.
 */
async function listOf(file: File): Promise<"queue" | "log" | undefined> {
  if (!file.name.toLowerCase().endsWith(".json")) return undefined;
  const begin = await file.slice(0, BEGIN).text();
  if (!JOBS.test(begin) || !begin.includes('"job_id"')) return undefined;
  return /"job_(?:resources|state)"/.test(begin) ? "queue" : "log";
}

export const isQueue = async (file: File): Promise<boolean> => (await listOf(file)) === "queue";

export const isLog = async (file: File): Promise<boolean> => (await listOf(file)) === "log";
