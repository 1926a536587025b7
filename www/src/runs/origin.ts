// Captions that name the trace behind figures.
import type { Provenance } from "schedscope";
import { counted } from "../format/words";
import * as s from "../state";

/** Returns a trace's name for people. */
export const sourceName = (name: string): string =>
  s.source.value && s.source.value.kind !== "file" ? s.source.value.name : name;

/** Returns the origin of figures of the open trace, for captions. */
export function origin(provenance: Provenance): string {
  const { value: source } = s.source;
  const size = s.workload.value?.report.size;
  const guessed =
    size && size.doubts.length > 0
      ? ` The machine's size, ${counted(size.processors, "processor")}, is a guess.`
      : "";
  const seed = source?.kind === "model" ? ` Seed ${source.settings.seed ?? 1}.` : "";
  return `${sourceName(provenance.name)} (sha256 ${provenance.sha256.slice(0, 12)})${provenance.steps.map((step) => `; ${step}`).join("")}.${seed}${guessed} Schedscope ${s.catalog.value?.version}.`;
}
