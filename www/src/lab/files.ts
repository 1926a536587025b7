// Files of a run.
import type { FileKind } from "../engine/protocol";
import { ask, Stopped } from "../engine/workers";
import { saveBlob } from "../files/save";
import { asProblem } from "../format/problem";
import * as s from "../state";

/** Saves a file of a run. */
export async function saveFile(lane: s.Lane, kind: FileKind): Promise<void> {
  if (!lane.hand) return;
  try {
    const stem = (lane.facts?.provenance.name ?? "run")
      .replace(/\.gz$/i, "")
      .replace(/\.swf$/i, "")
      .replace(/[^\w.-]+/g, "-");
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
