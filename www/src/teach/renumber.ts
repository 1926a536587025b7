// Keeps questions about their jobs and runs when one of these is removed.
import type { Question } from "./format";
import { KINDS, kindOf } from "./kinds";

/** Fields of questions that hold the number of a job, or the letter of a run. */
const FIELDS = { job: ["job", "why", "box", "slot", "class"], run: ["run", "than", "steps"] };

type Removed = { job: number } | { run: string };

/** Returns a value with the names of all jobs or runs behind the removed one moved up. */
function moved(value: unknown, removed: Removed, key = ""): unknown {
  if ("job" in removed && typeof value === "number" && FIELDS.job.includes(key))
    return value > removed.job ? value - 1 : value;
  if ("run" in removed && typeof value === "string" && FIELDS.run.includes(key))
    return value > removed.run ? String.fromCharCode(value.charCodeAt(0) - 1) : value;
  if (Array.isArray(value)) return value.map((each) => moved(each, removed));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, moved(each, removed, key)]),
  );
}

/** Returns a question after a job or a run was removed. Usual words follow. */
export function without(question: Question, removed: Removed): Question {
  const next = moved(question, removed) as Question;
  const [before, now] = [kindOf(question), kindOf(next)];
  return before && now && question.ask === KINDS[before.id]!.ask(before.asks)
    ? { ...next, ask: KINDS[now.id]!.ask(now.asks) }
    : next;
}

/** True if a question is about the job or the run. */
export function isAbout(question: unknown, of: Removed): boolean {
  if (typeof question !== "object" || question === null) return false;
  return Object.entries(question).some(
    ([key, value]) =>
      ("job" in of
        ? value === of.job && FIELDS.job.includes(key)
        : value === of.run && FIELDS.run.includes(key)) || isAbout(value, of),
  );
}
