// Files of a run, and of the open trace.
import type { FileKind, TraceFileKind } from "../engine/protocol";
import { ask, Stopped } from "../engine/workers";
import { saveBlob } from "../files/save";
import { unpackedName } from "../format/packed";
import { asProblem } from "../format/problem";
import * as s from "../state";
import { askReader } from "./reader";

const bare = (name: string): string =>
  unpackedName(name)
    .replace(/\.swf$/i, "")
    .replace(/[^\w.-]+/g, "-");

/**
 * Saves the open trace as a file of this kind. The name of an anonymised file does not tell the
 * trace's name. Returns a sentence for each thing that the file does not hold.
 */
export async function saveTrace(kind: TraceFileKind, anonymise: boolean): Promise<string[]> {
  try {
    const { blob, leftOut } = await askReader((engine) => engine.traceFile(kind, anonymise));
    const name = anonymise ? "anonymised" : bare(s.workload.value?.provenance.name ?? "trace");
    const ending = { swf: ".swf", "swf-extended": "-extended.swf", csv: ".csv" }[kind];
    saveBlob(blob, `${name}${ending}`);
    s.say([`Saved ${name}${ending}.`, ...leftOut.map((sentence) => `${sentence}.`)].join(" "));
    return leftOut;
  } catch (error) {
    if (!(error instanceof Stopped)) s.tell(asProblem(error));
    return [];
  }
}

/** Saves a file of a run. */
export async function saveFile(lane: s.Lane, kind: FileKind): Promise<void> {
  if (!lane.hand) return;
  try {
    const stem = bare(lane.facts?.provenance.name ?? "run");
    const name = {
      jobs: `${stem}-${lane.policy}_jobs.csv`,
      swf: `${stem}-${lane.policy}.swf`,
      summary: `${stem}-${lane.policy}.json`,
      chrome: `${stem}-${lane.policy}.trace.json`,
    }[kind];
    saveBlob(await ask(lane.hand, (engine) => engine.file(kind)), name);
  } catch (error) {
    if (!(error instanceof Stopped)) s.tell(asProblem(error));
  }
}
