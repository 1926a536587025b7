// Shows what a link holds, or what an entry of the browser's history held.
import { batch, signal } from "@preact/signals";
import type { Colouring } from "schedscope";
import type { Source } from "../engine/protocol";
import { filterBy } from "../explore/filter";
import * as lab from "../lab";
import type { Linked, LinkedRun } from "../link/format";
import { now, USUAL_RUNS } from "../link/here";
import * as s from "../state";

interface Awaited {
  name: string;
  sha256: string;
  skipBadLines: boolean;
  columns?: string;
  rest: Linked;
  /** A slurm.conf that came before the link's file, and is for it. */
  conf?: File;
}

const own = {
  /** A link whose file the reader has not given yet, with the rest of its content. */
  awaited: signal<Awaited | undefined>(undefined),
};
export const { awaited }: s.Seen<typeof own> = own;

/** Waits for no file, or for that of another link. A slurm.conf for the last one is not taken. */
function awaitFile(next?: Awaited): void {
  const conf = awaited.value?.conf;
  own.awaited.value = next;
  if (conf) s.notify(`${conf.name} was not taken, because the link's trace did not come.`);
}

/** Keeps a slurm.conf until the link's file is there. */
export function holdCluster(conf: File): void {
  const found = awaited.value;
  if (!found) return;
  if (found.conf)
    s.notify(`${found.conf.name} was not taken, because ${conf.name} takes its place.`);
  own.awaited.value = { ...found, conf };
}

const COLOURINGS: Colouring[] = ["user", "job", "size", "wait", "slowdown", "difference", "class"];

/** Returns the colouring that a link names. The runs tell whether the trace has the attribute. */
function colouringOf(text = "user"): Colouring {
  if (text.startsWith("attribute:")) return text as Colouring;
  return COLOURINGS.find((colouring) => colouring === text) ?? "user";
}

const windowOf = ([from, to, top, bottom]: [number, number, number, number]): s.Window => ({
  from,
  to,
  top,
  bottom,
});

/** Counts the links that were shown. A link that waited meanwhile shows nothing. */
let shows = 0;

/**
 * Shows the content of a link. If the link's experiment is open, its runs stay, and only what
 * differs changes. `source` is its trace, where the page still has it.
 */
export async function show(given: Linked, source?: Source): Promise<void> {
  const mine = ++shows;
  const linked = given.own
    ? await (await import("./code")).withCode(given, source !== undefined)
    : given;
  if (mine !== shows) return;
  const { trace, tour, exercise, chapter, isEdited } = linked;
  if (tour !== undefined || exercise !== undefined) {
    awaitFile();
    // The sample, to which the reader returns after the tour.
    if (!s.source.value) await lab.begin();
    const { beginTour, beginExercise } = await import("../guide/panel");
    if (mine !== shows) return;
    return tour !== undefined
      ? beginTour(tour, chapter)
      : beginExercise(exercise!, chapter, isEdited);
  }
  if (isOpen(linked)) return void (await turn(linked));
  if (source) {
    awaitFile();
    return void (await put(linked, source, trace?.kind === "file" ? trace.sha256 : undefined));
  }
  if (trace?.kind === "file") {
    const { name, sha256, skipBadLines = false, columns } = trace;
    awaitFile({
      name,
      sha256,
      skipBadLines,
      ...(columns === undefined ? {} : { columns }),
      rest: linked,
    });
    arriving = openMeanwhile(sha256, mine);
    return arriving;
  }
  awaitFile();
  await put(linked, trace ?? lab.SAMPLE);
}

/** The opening that begins as soon as the page waits for a link's file. */
let arriving: Promise<void> | undefined;

/** Opens the link's file if the page has kept it, else the sample, if nothing is open. */
async function openMeanwhile(sha256: string, mine: number): Promise<void> {
  const kept = await import("../storage/traces")
    .then(({ keptTrace }) => keptTrace(sha256))
    .catch(() => undefined);
  if (mine !== shows) return;
  if (kept && awaited.value?.sha256 === sha256) return openAwaited(kept);
  if (!s.source.value) await lab.begin();
}

/** Stops waiting for the link's file. */
export function goOnWithout(): void {
  awaitFile();
}

/** Opens a file of the reader's if the link is about it; refuses any other. */
export async function give(file: File): Promise<void> {
  // An opening that begins later would take the place of this file's.
  await arriving?.catch(() => undefined);
  if (awaited.value) return openAwaited(file);
  s.notifyToo(`${file.name} was not taken, because no link waits for a trace any more.`);
}

/** Opens the file that the link is about. Then takes a slurm.conf that was kept for it. */
async function openAwaited(file: File): Promise<void> {
  const found = awaited.value;
  if (!found) return;
  const isTaken = await put(
    found.rest,
    {
      kind: "file",
      file,
      skipBadLines: found.skipBadLines,
      name: found.name,
      ...(found.columns === undefined ? {} : { columns: found.columns }),
    },
    found.sha256,
  );
  // Another link may wait for its file by now.
  const { value: latest } = awaited;
  if (!isTaken || latest?.rest !== found.rest) return;
  own.awaited.value = undefined;
  if (latest.conf) await (await import("../experiment/cluster")).takeCluster(latest.conf, true);
}

/** Returns the runs of a link. */
const lanesOf = ({ runs }: Linked): s.Lane[] =>
  (runs ?? (JSON.parse(USUAL_RUNS) as LinkedRun[])).map((run) => lab.newLane(run));

/** True if the trace, the machine and the shared settings of a link are those on the page. */
function isOpen(linked: Linked): boolean {
  if (!s.source.value || s.lesson.value || awaited.value) return false;
  const of = ({ trace, machine, shared }: Linked) => JSON.stringify([trace, machine, shared]);
  return of(linked) === of(now());
}

/** Shows another state of the open experiment. */
async function turn(linked: Linked): Promise<void> {
  if (s.opening.value) lab.stopOpening();
  lab.restoreRuns(lanesOf(linked));
  look(linked);
  if (linked.job !== undefined) await lab.select(linked.job);
  else if (s.selected.value !== undefined) await lab.select(undefined);
}

/** Takes the view of a link: the tab, the window, the selections, the colours. */
function look(linked: Linked): void {
  batch(() => {
    s.drawRows(linked.rows === "gpus" ? "gpus" : linked.rows ? "slots" : "shared");
    s.drawVersus(!linked.noBands);
    s.colourBy(colouringOf(linked.colours));
    s.rankBy(linked.rank);
    s.zoomTo(linked.window && windowOf(linked.window));
    s.selectArea(linked.area && windowOf(linked.area));
    s.showInstant(linked.instant);
    const tab = s.TABS.find((tab) => tab === linked.tab) ?? "timeline";
    // A card stays open while other tabs are shown.
    if (tab === "papers") s.openCard(linked.card);
    s.showTab(tab);
    s.showPage(linked.page);
  });
  filterBy(linked.filter ?? "");
}

async function put(linked: Linked, source: Source, sha256?: string): Promise<boolean> {
  const isTaken = await lab.open(source, linked.shared ?? {}, {
    lanes: lanesOf(linked),
    sha256,
    machine: linked.machine ?? "flat",
  });
  if (!isTaken) return false;
  batch(() => {
    s.dropAside();
    s.endLesson();
    s.markSelected(linked.job);
    s.openCard(linked.card);
    look(linked);
  });
  if (linked.plan !== undefined) await (await import("../plans/plans")).showPlan(linked.plan);
  return true;
}
