// Restores the page from its URL, and keeps the URL up to date.
import { batch, effect, signal } from "@preact/signals";
import type { Colouring, Problem } from "schedscope";
import type { Source } from "../engine/protocol";
import { begun } from "../engine/rest";
import { filterBy } from "../explore/filter";
import { asProblem } from "../format/problem";
import * as lab from "../lab";
import { type Linked, type LinkedRun, read, write } from "../link/format";
import { now, USUAL_RUNS } from "../link/here";
import * as s from "../state";
import { Address } from "./address";

const own = {
  /** A link whose file the reader has not given yet, with the rest of its content. */
  awaited: signal<
    | { name: string; sha256: string; skipBadLines: boolean; columns?: string; rest: Linked }
    | undefined
  >(undefined),
};
export const { awaited }: s.Seen<typeof own> = own;

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

/** Shows the content of a link. */
async function show(linked: Linked): Promise<void> {
  const { trace, tour } = linked;
  if (tour !== undefined) {
    own.awaited.value = undefined;
    // The sample, to which the reader returns after the tour.
    if (!s.source.value) await lab.begin();
    return (await import("../guide/panel")).beginTour(tour, linked.chapter);
  }
  if (trace?.kind === "file") {
    const { name, sha256, skipBadLines = false, columns } = trace;
    own.awaited.value = {
      name,
      sha256,
      skipBadLines,
      ...(columns === undefined ? {} : { columns }),
      rest: linked,
    };
    const kept = await import("../storage/traces")
      .then(({ keptTrace }) => keptTrace(sha256))
      .catch(() => undefined);
    if (kept && awaited.value?.sha256 === sha256) return give(kept);
    // Meanwhile the page shows the sample.
    if (!s.source.value) await lab.begin();
    return;
  }
  own.awaited.value = undefined;
  await put(linked, trace ?? lab.SAMPLE);
}

/** Stops waiting for the link's file. */
export function goOnWithout(): void {
  own.awaited.value = undefined;
}

/** Opens the file that the link is about; refuses any other. */
export async function give(file: File): Promise<void> {
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
  if (isTaken) own.awaited.value = undefined;
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
    s.dropAside();
    s.endLesson();
    s.drawShared(!linked.rows);
    s.drawVersus(!linked.noBands);
    s.colourBy(colouringOf(linked.colours));
    s.zoomTo(linked.window && windowOf(linked.window));
    s.selectArea(linked.area && windowOf(linked.area));
    s.markSelected(linked.job);
    s.showInstant(linked.instant);
    s.openCard(linked.card);
    s.showTab(s.TABS.find((tab) => tab === linked.tab) ?? "timeline");
  });
  filterBy(linked.filter ?? "");
  if (linked.plan !== undefined) await (await import("../plans/plans")).showPlan(linked.plan);
  return true;
}

/** The browser's address. A fragment of the page's makes no entry in the browser's history. */
const bar = {
  read: () => location.hash.slice(1),
  write: (fragment: string) =>
    history.replaceState(
      null,
      "",
      `${location.pathname}${location.search}${fragment && `#${fragment}`}`,
    ),
};

/**
 * Starts with the content of the URL, or with the defaults. If the page cannot read a link, it says
 * so and shows the defaults.
 */
export async function begin(): Promise<void> {
  const address = new Address(bar);
  try {
    if (isLink(address.known)) await show(await read(address.known));
    else await lab.begin();
  } catch (error) {
    s.tell(asProblem(error));
  }
  // After any link the page has content, and names the link's fault; unless the reader has opened
  // something meanwhile.
  if (!s.source.value && !s.opening.value) {
    const { value: problem } = s.problem;
    await lab.begin();
    if (problem) s.tell(problem);
  }
  follow(address);
}

/** True for fragments that name places in the page. */
const isLink = (fragment: string): boolean => /^\d/.test(fragment);

/** Milliseconds without a change before the URL is written. */
const QUIET = 400;

function follow(address: Address): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = () => {};
  effect(() => {
    const state = now();
    // The URL stays as it is while the page waits for a file.
    if (awaited.value || s.opening.value || !s.source.value || s.lanes.value.length === 0) return;
    clearTimeout(timer);
    over();
    const isWritten = (over = begun());
    timer = setTimeout(() => void put(state).finally(isWritten), QUIET);
  });
  // A state that exceeds a link is shared as files. The address then names nothing.
  const put = async (state: Linked) =>
    address.put(Object.keys(state).length > 0 ? await write(state).catch(() => "") : "");
  const look = () => {
    const fragment = address.take();
    if (fragment === undefined) return;
    // Without a fragment the page returns to the defaults. Any other fragment that is no link, such
    // as the name of a place on the page, changes nothing that is shown: the page puts its own link
    // back.
    if (fragment !== "" && !isLink(fragment)) return void put(now());
    (fragment === "" ? Promise.resolve<Linked>({}) : read(fragment))
      .then(show)
      .catch((error: Problem) => s.tell(asProblem(error)));
  };
  addEventListener("hashchange", look);
  // The reader may have opened a link while the page started.
  look();
}
