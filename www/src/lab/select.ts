// Selects a job in all runs.
import { ask } from "../engine/workers";
import * as s from "../state";

/** Counts the selections. Answers to an earlier one are dropped. */
let selections = 0;

/**
 * Selects a job in all runs by its record in the trace. Its index differs between runs that leave
 * out different jobs. A run that is busy tells the job later than the others.
 */
export async function select(record: number | undefined): Promise<void> {
  const mine = ++selections;
  // True until the facts on the page are those of this job.
  let isNew = s.selected.value !== record;
  s.markSelected(record);
  if (record === undefined) {
    s.knowSelected(new Map());
    return;
  }
  await Promise.all(
    s.lanes.value.map(async ({ id, facts, hand }) => {
      if (!facts || !hand) return;
      const job = await ask(hand, (engine) => engine.job(record)).catch(() => null);
      // The run may have begun anew.
      if (!job || mine !== selections || s.laneOf(id)?.hand !== hand) return;
      s.knowSelected(new Map([...(isNew ? [] : s.jobFacts.value), [id, job]]));
      isNew = false;
    }),
  );
  if (isNew && mine === selections) s.knowSelected(new Map());
}

/**
 * Selects the job that a question finds, unless the reader selects another one before its answer:
 * then the result is undefined.
 */
export async function selectFound<Job extends { record: number }>(
  question: Promise<Job | null>,
): Promise<Job | null | undefined> {
  const mine = ++selections;
  const job = await question;
  if (mine !== selections) return undefined;
  if (job) await select(job.record);
  return job;
}
