// Documents that the reader gives to the page.
import * as lab from "../lab";
import * as s from "../state";

/** Bytes up to which a document can be an exercise, or the answers to one. */
const DOCUMENT_BYTES = 4 << 19;

/** Takes a document to its place: an exercise, the answers to one, or a plan. */
export async function takeDocument(file: File): Promise<void> {
  const text = file.size <= DOCUMENT_BYTES ? await file.text() : "";
  const [kind] = /"schedscope_(answers|exercise)"\s*:/.exec(text) ?? [];
  if (kind) {
    const { takeAnswers, takeExercise } = await import("../guide/panel");
    // A file of answers holds its exercise.
    const isOfClass = text.includes('"schedscope_answers"');
    return (isOfClass ? takeAnswers(file) : takeExercise(file)).catch(lab.fail);
  }
  const { setPlanFile } = await import("../plans/plans");
  s.goTo("sweep");
  await setPlanFile(file);
}
