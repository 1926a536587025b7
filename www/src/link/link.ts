// The page's URL says what the page shows, and a link shows it again.
import { batch, effect, signal } from "@preact/signals";
import type { Colouring, Problem } from "schedscope";
import { wanted as filter, filterBy } from "../explore/filter";
import { asProblem } from "../format";
import * as lab from "../lab";
import type { Source } from "../protocol";
import { begun } from "../rest";
import { doubted } from "../size";
import * as s from "../state";
import { type Linked, type LinkedRun, type LinkedTrace, read, write } from "./format";

/** A file that a link is about, until its reader gives it; and the rest of the link. */
export const awaited = signal<
  { name: string; sha256: string; skipBadLines: boolean; rest: Linked } | undefined
>(undefined);

const COLOURINGS: Colouring[] = ["user", "size", "wait", "slowdown", "difference", "class"];
const USUAL_RUNS = JSON.stringify([{ policy: "fcfs" }, { policy: "easy" }]);

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
  };
}

const runOf = ({ policy, machine, preset, settings, whatIf }: s.Lane): LinkedRun => ({
  policy,
  ...(machine ? { machine } : {}),
  ...(preset ? { preset } : {}),
  ...(Object.keys(settings).length > 0 ? { settings } : {}),
  ...(whatIf ? { whatIf } : {}),
});

const fourOf = ({ from, to, top, bottom }: s.Window): [number, number, number, number] => [
  from,
  to,
  top,
  bottom,
];
const windowOf = ([from, to, top, bottom]: [number, number, number, number]): s.Window => ({
  from,
  to,
  top,
  bottom,
});

/** What the page shows now; what is as usual is left out. */
export function now(): Linked {
  const { value: tour } = s.tour;
  if (tour) return { tour: tour.id, ...(tour.chapter > 0 ? { chapter: tour.chapter + 1 } : {}) };
  const source = s.source.value;
  const runs = s.lanes.value.map(runOf);
  const isSample = !source || JSON.stringify(source) === JSON.stringify(lab.SAMPLE);
  const tab = s.tab.value;
  const linked: Linked = {};
  if (!isSample) linked.trace = traceOf(source);
  if (s.machine.value !== "flat") linked.machine = s.machine.value;
  // A table of demands is a file of the reader's own: a link has none.
  const shared = Object.fromEntries(
    Object.entries(s.shared.value).filter(([key, value]) => key !== "demands" || value !== "file"),
  );
  if (Object.keys(shared).length > 0) linked.shared = shared;
  if (doubted.value) linked.guessed = doubted.value.processors;
  if (JSON.stringify(runs) !== USUAL_RUNS) linked.runs = runs;
  if (tab !== "timeline") linked.tab = tab;
  if (tab === "sweep" && s.plan.value) linked.plan = s.plan.value;
  if (tab === "papers" && s.card.value) linked.card = s.card.value;
  if (s.zoom.value) linked.window = fourOf(s.zoom.value);
  if (s.area.value) linked.area = fourOf(s.area.value);
  if (s.instant.value !== undefined) linked.instant = s.instant.value;
  if (s.selected.value !== undefined) linked.job = s.selected.value;
  if (s.colouring.value !== "user") linked.colours = s.colouring.value;
  if (filter.value) linked.filter = filter.value;
  if (!s.isShared.value) linked.rows = true;
  if (!s.isVersus.value) linked.noBands = true;
  return linked;
}

/** Shows what a link holds. */
async function show(linked: Linked): Promise<void> {
  const { trace, tour } = linked;
  if (tour !== undefined) {
    awaited.value = undefined;
    // What the reader comes back to.
    if (!s.source.value) await lab.begin();
    return (await import("../teach/panel")).beginTour(tour, linked.chapter);
  }
  if (trace?.kind === "file") {
    const { name, sha256, skipBadLines = false } = trace;
    awaited.value = { name, sha256, skipBadLines, rest: linked };
    const kept = await import("../offline/traces")
      .then(({ keptTrace }) => keptTrace(sha256))
      .catch(() => undefined);
    if (kept && awaited.value?.sha256 === sha256) return give(kept);
    // Something to look at meanwhile.
    if (!s.source.value) await lab.begin();
    return;
  }
  awaited.value = undefined;
  await put(linked, trace ?? lab.SAMPLE);
}

/** The file that was awaited: another one is refused. */
export async function give(file: File): Promise<void> {
  const found = awaited.value;
  if (!found) return;
  const isTaken = await put(
    found.rest,
    { kind: "file", file, skipBadLines: found.skipBadLines, name: found.name },
    found.sha256,
  );
  if (isTaken) awaited.value = undefined;
}

async function put(linked: Linked, source: Source, sha256?: string): Promise<boolean> {
  const lanes = (linked.runs ?? (JSON.parse(USUAL_RUNS) as LinkedRun[])).map((run) =>
    lab.newLane(run),
  );
  const isOpen = await lab.open(source, linked.shared ?? {}, {
    lanes,
    sha256,
    machine: linked.machine ?? "flat",
  });
  if (!isOpen) return false;
  batch(() => {
    s.before.value = undefined;
    s.lesson.value = undefined;
    s.isShared.value = !linked.rows;
    s.isVersus.value = !linked.noBands;
    s.colouring.value = COLOURINGS.find((colouring) => colouring === linked.colours) ?? "user";
    s.zoom.value = linked.window && windowOf(linked.window);
    s.area.value = linked.area && windowOf(linked.area);
    s.selected.value = linked.job;
    s.instant.value = linked.instant;
    s.card.value = linked.card;
    s.tab.value = s.TABS.find((tab) => tab === linked.tab) ?? "timeline";
  });
  filterBy(linked.filter ?? "");
  if (linked.plan !== undefined) await (await import("../plans/plans")).showPlan(linked.plan);
  return true;
}

/** Begins with what the URL says, or as usual; a link that is not understood is told, and what is usual is shown. */
export async function begin(): Promise<void> {
  const fragment = location.hash.slice(1);
  try {
    if (isLink(fragment)) await show(await read(fragment));
    else await lab.begin();
  } catch (error) {
    s.problem.value = asProblem(error);
  }
  // Whatever the link was, there is something to look at, and what was wrong with it is said; unless the reader has opened
  // something meanwhile.
  if (!s.source.value && !s.opening.value) {
    const { value: problem } = s.problem;
    await lab.begin();
    s.problem.value = problem;
  }
  follow();
}

/** Other fragments name places in the page. */
const isLink = (fragment: string): boolean => /^\d/.test(fragment);

/** Milliseconds without a change after which the URL is written. */
const QUIET = 400;
let written = "";

function follow(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = () => {};
  effect(() => {
    const state = now();
    // While a file is awaited the URL stays as it is.
    if (awaited.value || s.opening.value || !s.source.value || s.lanes.value.length === 0) return;
    clearTimeout(timer);
    over();
    const isWritten = (over = begun());
    timer = setTimeout(() => void put(state).finally(isWritten), QUIET);
  });
  const put = async (state: Linked) => {
    // What is too much for a link is shared as files: the address then names nothing.
    written = Object.keys(state).length > 0 ? await write(state).catch(() => "") : "";
    const hash = written ? `#${written}` : "";
    if (location.hash !== hash)
      history.replaceState(null, "", `${location.pathname}${location.search}${hash}`);
  };
  addEventListener("hashchange", () => {
    const fragment = location.hash.slice(1);
    if (fragment === written) return;
    // Without a fragment it is what is usual; one that names a place of the page changes nothing.
    if (fragment !== "" && !isLink(fragment)) return void put(now());
    written = fragment;
    (fragment === "" ? Promise.resolve<Linked>({}) : read(fragment))
      .then(show)
      .catch((error: Problem) => (s.problem.value = asProblem(error)));
  });
}

/** The link to what is shown now. */
export async function link(): Promise<string> {
  const state = now();
  const fragment = Object.keys(state).length > 0 ? `#${await write(state)}` : "";
  return `${location.href.split("#")[0]}${fragment}`;
}
