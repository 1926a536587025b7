// Documents that the reader gives to the page.
import * as lab from "../lab";
import * as s from "../state";
import { isQueue } from "./queue";

/** Bytes up to which a document can be an exercise, or the answers to one. */
const DOCUMENT_BYTES = 4 << 19;

/** Takes a document to its place: an exercise, the answers to one, a queue, or a plan. */
export async function takeDocument(file: File): Promise<void> {
  const text = file.size <= DOCUMENT_BYTES ? await file.text() : "";
  const [kind] = /"schedscope_(answers|exercise)"\s*:/.exec(text) ?? [];
  if (kind) {
    const { takeAnswers, takeExercise } = await import("../guide/panel");
    // A file of answers holds its exercise.
    const isOfClass = text.includes('"schedscope_answers"');
    return (isOfClass ? takeAnswers(file) : takeExercise(file)).catch(lab.fail);
  }
  if (await isQueue(file)) {
    if (!(await lab.untilOpen([file]))) return;
    if (!s.workload.value)
      return s.tell({
        what: `${file.name} is a queue, and no log is open.`,
        why: "The run times of a forecast come from the jobs of a log.",
        next: "Open the log first, and then drop the queue again.",
      });
    const { takeQueue } = await import("../forecast/work");
    await takeQueue(file);
    return s.goTo("forecast");
  }
  const { setPlanFile } = await import("../plans/plans");
  s.goTo("sweep");
  await setPlanFile(file);
}
