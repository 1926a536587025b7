// Builds the link to the present state of the page.
import type { Source } from "../engine/protocol";
import { wanted as filter } from "../explore/filter";
import { toBase64 } from "../format/base64";
import * as lab from "../lab";
import { doubted } from "../runs/size";
import * as s from "../state";
import { type Linked, type LinkedCode, type LinkedRun, type LinkedTrace, write } from "./format";

export const USUAL_RUNS = JSON.stringify([{ policy: "fcfs" }, { policy: "easy" }]);

function traceOf(source: Source): LinkedTrace {
  if (source.kind === "model")
    return { kind: "model", model: source.model, settings: source.settings, name: source.name };
  if (source.kind === "text") return { kind: "text", name: source.name, text: source.text };
  const sha256 = s.workload.value?.provenance.sha256 ?? "";
  return {
    kind: "file",
    name: source.name ?? source.file.name,
    sha256,
    ...(source.skipBadLines ? { skipBadLines: true } : {}),
    ...(source.columns === undefined ? {} : { columns: source.columns }),
  };
}

const runOf = ({ policy, machine, preset, settings, whatIf }: s.Lane): LinkedRun => ({
  policy,
  ...(machine ? { machine } : {}),
  ...(preset ? { preset } : {}),
  ...(Object.keys(settings).length > 0 ? { settings } : {}),
  ...(whatIf ? { whatIf } : {}),
});

/** Returns the code of a policy: as its author wrote it, or what runs while that has a fault. */
function codeOf({ policy, foreign, file, code, script, problem }: s.OwnPolicy): LinkedCode {
  const isOld = problem !== undefined && script !== undefined && script !== code;
  const text = isOld ? script : code;
  const name = isOld ? file.replace(/\.m?ts$/, ".js") : file;
  return {
    id: foreign ?? policy!.id,
    file: name,
    ...(typeof text === "string" ? { code: text } : { code: toBase64(text), isCompiled: true }),
  };
}

const fourOf = ({ from, to, top, bottom }: s.Window): [number, number, number, number] => [
  from,
  to,
  top,
  bottom,
];

/** Returns the present state of the page, without defaults. */
export function now(): Linked {
  const { value: tour } = s.tour;
  if (tour) {
    const chapter = tour.chapter > 0 ? { chapter: tour.chapter + 1 } : {};
    if ("id" in tour) return { tour: tour.id, ...chapter };
    const { exercise, isEdited } = tour;
    return { exercise, ...chapter, ...(isEdited ? { isEdited } : {}) };
  }
  const source = s.source.value;
  const runs = s.lanes.value.map(runOf);
  const isSample = !source || JSON.stringify(source) === JSON.stringify(lab.SAMPLE);
  const tab = s.tab.value;
  const linked: Linked = {};
  if (!isSample) linked.trace = traceOf(source);
  if (s.machine.value !== "flat") linked.machine = s.machine.value;
  // A table of demands is a file of the reader's own, which no link contains.
  const shared = Object.fromEntries(
    Object.entries(s.shared.value).filter(([key, value]) => key !== "demands" || value !== "file"),
  );
  if (Object.keys(shared).length > 0) linked.shared = shared;
  if (doubted.value) linked.guessed = doubted.value.processors;
  if (JSON.stringify(runs) !== USUAL_RUNS) linked.runs = runs;
  const plan = tab === "sweep" ? s.plan.value : undefined;
  const own = [...new Set([...lab.ownIn(runs), ...(plan ? lab.ownInPlan(plan) : [])])];
  if (own.length > 0) linked.own = own.map(codeOf);
  if (tab !== "timeline") linked.tab = tab;
  const page = s.pageShown.value;
  if (page) linked.page = page;
  if (plan) linked.plan = plan;
  if (tab === "papers" && s.card.value) linked.card = s.card.value;
  if (s.zoom.value) linked.window = fourOf(s.zoom.value);
  if (s.area.value) linked.area = fourOf(s.area.value);
  if (s.instant.value !== undefined) linked.instant = s.instant.value;
  if (s.selected.value !== undefined) linked.job = s.selected.value;
  if (s.colouring.value !== "user") linked.colours = s.colouring.value;
  if (filter.value) linked.filter = filter.value;
  if (s.rankedBy.value !== s.RANKINGS[0]) linked.rank = s.rankedBy.value.key;
  if (s.rowsWanted.value === "slots") linked.rows = true;
  if (s.rowsWanted.value === "gpus") linked.rows = "gpus";
  if (!s.isVersus.value) linked.noBands = true;
  return linked;
}

/**
 * Returns the link to the present state of the page. The link to an exercise that is being made is
 * that of its students.
 */
export async function link(): Promise<string> {
  const { isEdited, chapter, ...rest } = now();
  const state: Linked = isEdited || chapter === undefined ? rest : { ...rest, chapter };
  const fragment = Object.keys(state).length > 0 ? `#${await write(state)}` : "";
  return `${location.href.split("#")[0]}${fragment}`;
}
