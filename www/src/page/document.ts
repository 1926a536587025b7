// Documents that the reader gives to the page.
import * as lab from "../lab";
import * as s from "../state";
import { isQueue } from "./queue";

/** Bytes up to which a document can be an exercise, or the answers to one. */
const DOCUMENT_BYTES = 4 << 19;

/** Counts the documents, and tells for each place the last one that came. */
let comings = 0;
const last: Record<string, number> = {};

/** Notes a document for a place. Returns a question whether it is still the last one there. */
function arrive(place: string, coming: number): () => boolean {
  last[place] = Math.max(last[place] ?? 0, coming);
  return () => last[place] === coming;
}

/** Takes a document to its place: an exercise, the answers to one, a queue, or a plan. */
export async function takeDocument(file: File): Promise<void> {
  const coming = ++comings;
  const text = file.size <= DOCUMENT_BYTES ? await file.text() : "";
  const [kind] = /"schedscope_(answers|exercise)"\s*:/.exec(text) ?? [];
  if (kind) {
    // A file of answers holds its exercise. Answers add up; of exercises the last one counts.
    const isOfClass = text.includes('"schedscope_answers"');
    const isLast = isOfClass ? () => true : arrive("guide", coming);
    const { takeAnswers, takeExercise } = await import("../guide/panel");
    if (!isLast()) return;
    return (isOfClass ? takeAnswers(file) : takeExercise(file)).catch(lab.fail);
  }
  if (await isQueue(file)) {
    const isLast = arrive("forecast", coming);
    if (!(await lab.untilOpen([file]))) return;
    if (!s.workload.value)
      return s.tell({
        what: `${file.name} is a queue, and no log is open.`,
        why: "The run times of a forecast come from the jobs of a log.",
        next: "Open the log first, and then drop the queue again.",
      });
    const { takeQueue } = await import("../forecast/work");
    if (!isLast()) return;
    await takeQueue(file);
    return s.goTo("forecast");
  }
  const isLast = arrive("sweep", coming);
  const { setPlanFile } = await import("../plans/plans");
  if (!isLast()) return;
  s.goTo("sweep");
  await setPlanFile(file);
}
