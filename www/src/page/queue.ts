// Tells the queue of a cluster, as `squeue --json` writes it, from other documents.

/** The begin of the JSON, with its list of jobs. */
const QUEUE = /^\s*\{[^]*"jobs"\s*:\s*\[/;

/** Bytes at the begin of a document that tell a queue. */
const BEGIN = 65_536;

export async function isQueue(file: File): Promise<boolean> {
  if (!file.name.toLowerCase().endsWith(".json")) return false;
  const begin = await file.slice(0, BEGIN).text();
  return QUEUE.test(begin) && begin.includes('"job_id"');
}
