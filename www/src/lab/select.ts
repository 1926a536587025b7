// Selects a job in all runs.
import { ask, type Hand } from "../engine/workers";
import * as s from "../state";

/** Counts the selections, and the questions for a job. Answers to an earlier one are dropped. */
let [selections, finds] = [0, 0];

/** The job that the facts on the page are about. */
let about: number | undefined;

/** Tells the selected job in a run. */
export async function tellSelected(id: number): Promise<void> {
  const record = s.selected.value;
  const { facts, hand } = s.laneOf(id) ?? {};
  if (record === undefined || !facts || !hand) return;
  const job = await ask(hand, (engine) => engine.job(record)).catch(() => null);
  // Another job may be selected by now, and the run may have begun anew.
  if (!job || s.selected.value !== record || s.laneOf(id)?.hand !== hand) return;
  s.knowSelected(new Map([...(about === record ? s.jobFacts.value : []), [id, job]]));
  about = record;
}

/**
 * Selects a job in all runs by its record in the trace. Its index differs between runs that leave
 * out different jobs. A run that is busy tells the job later than the others.
 */
export async function select(record: number | undefined): Promise<void> {
  const mine = ++selections;
  s.markSelected(record);
  if (record !== undefined) await Promise.all(s.lanes.value.map(({ id }) => tellSelected(id)));
  if (mine !== selections || about === record) return;
  s.knowSelected(new Map());
  about = record;
}

/**
 * Selects the job that a question finds, unless the reader asks for another one, or selects one,
 * before its answer: then the result is undefined.
 */
export async function selectFound<Job extends { record: number }>(
  question: Promise<Job | null>,
): Promise<Job | null | undefined> {
  const [find, selection] = [++finds, selections];
  const job = await question;
  if (find !== finds || selection !== selections) return undefined;
  if (job) await select(job.record);
  return job;
}

/**
 * Selects the job with a number in the trace, by the run of a worker. The result is null if the run
 * has no such job, and undefined as above.
 */
export const selectNumber = (hand: Hand, number: number) =>
  selectFound(ask(hand, (engine) => engine.findJob(number)).catch(() => null));
