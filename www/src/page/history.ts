// Restores the page from its URL, keeps the URL up to date, and makes the steps of the reader
// entries of the browser's history.
import { effect, signal } from "@preact/signals";
import type { Source } from "../engine/protocol";
import { begun } from "../engine/rest";
import * as lab from "../lab";
import { type Linked, read, write } from "../link/format";
import { now } from "../link/here";
import * as s from "../state";
import { Address } from "./address";
import { awaited, show } from "./arrive";

/** Number of entries that the page can restore without reading their links. */
const KEPT = 100;

/** An entry of the history: the state of the page, and its trace, which a link may not hold. */
interface Entry {
  state: Linked;
  source: Source | undefined;
}

/** Entries by their keys in the browser's history. */
const entries = new Map<string, Entry>();

const keyOf = (found: unknown): string | undefined =>
  (found as { entry?: string } | null)?.entry ?? undefined;

/** Keeps a state under a key. The oldest entries go first; their links still restore them. */
function keep(key: string, state: Linked): void {
  entries.delete(key);
  entries.set(key, { state, source: s.source.value });
  for (const old of entries.keys()) {
    if (entries.size <= KEPT) return;
    entries.delete(old);
  }
}

let made = 0;

/** Returns a key that no entry has, also none from before a reload. */
const newKey = (): string => `${Math.round(performance.timeOrigin)}-${(made += 1)}`;

/** The browser's address. */
const bar = {
  read: () => location.hash.slice(1),
  write: (fragment: string, isStep: boolean) => {
    const key = isStep ? newKey() : (keyOf(history.state) ?? newKey());
    const url = `${location.pathname}${location.search}${fragment && `#${fragment}`}`;
    if (isStep) history.pushState({ entry: key }, "", url);
    else history.replaceState({ entry: key }, "", url);
  },
};

/**
 * Starts with the content of the URL, or with the defaults. If the page cannot read a link, it says
 * so and shows the defaults.
 */
export async function begin(): Promise<void> {
  const address = new Address(bar);
  await open(address.known);
  void import("../own/store").then(({ restore }) => restore());
  follow(address);
}

/** Starts inside another page, which alone writes the URL. */
export async function beginEmbedded(): Promise<void> {
  await open(bar.read());
  addEventListener("hashchange", () => void open(bar.read()));
}

async function open(fragment: string): Promise<void> {
  try {
    if (isLink(fragment)) await show(await read(fragment));
    else await lab.begin();
  } catch (error) {
    lab.fail(error);
  }
  // After any link the page has content, and names the link's fault; unless the reader has opened
  // something meanwhile.
  if (!s.source.value && !s.opening.value) {
    const { value: problem } = s.problem;
    await lab.begin();
    if (problem) s.tell(problem);
  }
}

/** True for fragments that name places in the page. */
const isLink = (fragment: string): boolean => /^\d/.test(fragment);

/** Milliseconds without a change before the URL is written, unless another view opened. */
const QUIET = 400;

const viewOf = ({ tab, page, card }: Linked): string => JSON.stringify([tab, page, card]);

/** The parts of a state whose change is a step for Back, as text. Other parts change in place. */
function stepOf(state: Linked): string {
  const { tab, page, tour, exercise, isEdited, chapter, card, job } = state;
  const { window, area, filter, trace, machine, shared, runs } = state;
  return JSON.stringify([
    tab,
    page,
    tour,
    // Changes to an exercise that is being made replace the entry.
    isEdited ? "" : exercise,
    isEdited,
    isEdited ? "" : chapter,
    card,
    job,
    window,
    area,
    filter,
    trace,
    machine,
    shared,
    runs,
  ]);
}

function follow(address: Address): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = () => {};
  /** The last step in the history; undefined while the page shows what an address asks for. */
  let last: string | undefined;
  let view = "";
  /** Counts the entries and links that the reader went to. */
  let arrivals = 0;
  /** True until the page shows the last of them. The address is the reader's until then. */
  const isArriving = signal(false);
  const settle = () => {
    view = viewOf(now());
    last = awaited.value || s.opening.value ? undefined : stepOf(now());
  };
  // A state that exceeds a link is shared as files. The address then names nothing.
  const put = async (state: Linked) => {
    const now = arrivals;
    const fragment = Object.keys(state).length > 0 ? await write(state).catch(() => "") : "";
    // The reader has gone to another entry meanwhile, which keeps its own state.
    if (now !== arrivals || isArriving.value) return;
    const step = stepOf(state);
    address.put(fragment, last !== undefined && step !== last);
    last = step;
    view = viewOf(state);
    const key = keyOf(history.state);
    if (key !== undefined) keep(key, state);
  };
  const arrive = (shown: Promise<unknown>) => {
    clearTimeout(timer);
    over();
    arrivals += 1;
    last = undefined;
    isArriving.value = true;
    const mine = arrivals;
    void shown.catch(lab.fail).finally(() => {
      if (mine !== arrivals) return;
      settle();
      isArriving.value = false;
    });
  };
  const look = () => {
    const fragment = address.take();
    if (fragment === undefined) return;
    // Without a fragment the page returns to the defaults. Any other fragment that is no link, such
    // as the name of a place on the page, changes nothing that is shown: the page puts its own link
    // back.
    if (fragment !== "" && !isLink(fragment)) return void put(now());
    const mine = arrivals + 1;
    const linked = fragment === "" ? Promise.resolve<Linked>({}) : read(fragment);
    arrive(linked.then((given) => (mine === arrivals ? show(given) : undefined)));
  };
  addEventListener("hashchange", look);
  addEventListener("popstate", (event) => {
    const entry = entries.get(keyOf((event as PopStateEvent).state) ?? "");
    // The address tells what the other entries hold.
    if (!entry) return;
    address.take();
    arrive(show(entry.state, entry.source));
  });
  // The reader may have opened a link while the page started.
  look();
  settle();
  history.replaceState({ entry: keyOf(history.state) ?? newKey() }, "");
  effect(() => {
    const state = now();
    // The URL stays as it is while the page waits for a file.
    if (awaited.value || s.opening.value || !s.source.value || s.lanes.value.length === 0) return;
    if (isArriving.value) return;
    clearTimeout(timer);
    over();
    const isWritten = (over = begun());
    timer = setTimeout(
      () => void put(state).finally(isWritten),
      viewOf(state) === view ? QUIET : 0,
    );
  });
}
