// Opens traces, replaces runs, and changes the settings that they share.

import { batch, effect } from "@preact/signals";
import * as Comlink from "comlink";
import type { Problem, Scenario, Settings } from "schedscope";
import type { Reading, Source } from "../engine/protocol";
import { ask, type Hand, hire, PATIENCE, Stopped, watched } from "../engine/workers";
import { asProblem } from "../format/problem";
import { counted, inList } from "../format/words";
import * as s from "../state";
import { askReaderForColumns, columnsOf, dropColumns } from "./columns";
import { askReader, hasReader, holdInWhole, keepReader } from "./reader";
import { runAll, tells } from "./runs";
import { isOnlyWhole, machineNamed, machineOf, newLane, plain, runsOn, setup } from "./scenario";
import { givenZone, inChosenZone, rememberZone, withoutIdleZone, zoneAlone } from "./zone";

export const SAMPLE: Source = {
  kind: "model",
  model: "lublin",
  name: "Sample: 1,500 generated jobs",
  settings: { jobs: 1500, processors: 128, seed: 1, users: 24, overestimate: 6 },
};

/** The worker of a trace that is being opened. */
let openingHand: Hand | undefined;

/** Counts the openings. Answers to an earlier opening are dropped. */
let openings = 0;

/**
 * Opens a file or model. `given` replaces the shared settings, also if it returns them; without it, those that belong to the
 * previous trace are dropped. `lanes` replaces the runs. If `sha256` is given, the trace must have
 * it. The page changes only when the new trace has proved good. Returns true if it did.
 */
export async function open(
  source: Source,
  given?: Settings | (() => Settings),
  {
    lanes,
    sha256,
    machine,
    isQuiet = false,
  }: {
    lanes?: s.Lane[];
    sha256?: string | undefined;
    machine?: string;
    isQuiet?: boolean;
  } = {},
): Promise<boolean> {
  const opening = ++openings;
  dropColumns();
  // Links, cells of plans and earlier runs have the zone in which they were read, or none.
  const remembered = given === undefined ? inChosenZone() : {};
  // A trace of the reader's own ends a tour, and runs under the settings from before the tour.
  const { value: lesson } = s.lesson;
  if (lesson && source.kind !== "text") {
    lanes ??= lesson.lanes.map(newLane);
    machine ??= lesson.machine;
    given ??= withoutOwn(lesson.shared, source);
  }
  const name = source.kind === "file" ? source.file.name : source.name;
  const usual = lesson ? "user" : s.usualColouring(s.workload.value);
  s.dismiss();
  const told = { name, isQuiet };
  s.tellOpening(told);
  let hand: Hand | undefined;
  openingHand?.stop();
  openingHand = undefined;
  try {
    hand = await hire();
    if (opening !== openings) return false;
    openingHand = hand;
    const needsWhole = !(await isPlain(hand, source));
    if (needsWhole || isOnlyWhole(machine ?? s.machine.peek(), hand.catalog)) {
      hand.stop();
      hand = await hire({ isWhole: true });
      if (opening !== openings) return false;
      openingHand = hand;
    }
    const using = hand;
    s.knowCatalog(hand.catalog);
    using.doing.add((doing) => {
      const { value: now } = s.opening;
      if (opening === openings && now) s.tellOpening(tells(doing) ? { ...now, doing } : now);
    });
    if (source.kind === "file" && source.columns === undefined) {
      const chosen = await columnsOf(using, source.file, remembered.columns);
      if (opening !== openings) return false;
      if (!chosen) {
        s.tellOpening(undefined);
        return false;
      }
      source = { ...source, ...remembered, ...chosen };
    }
    let shared: Settings = {};
    const facts = await watched(using, async (alive) => {
      const onProgress = (reading: Reading) => {
        alive();
        if (opening === openings) s.tellOpening({ ...told, reading });
      };
      const loaded = await using.engine.load(source, Comlink.proxy(onProgress));
      if (sha256 && loaded.sha256 !== sha256)
        throw {
          what: `${name} is not the trace that the link is about.`,
          why: `Its SHA-256 begins with ${loaded.sha256.slice(0, 12)}; the link's with ${sha256.slice(0, 12)}.`,
          next: "Choose the version that the link means.",
        } satisfies Problem;
      alive(PATIENCE);
      shared =
        typeof given === "function" ? given() : (given ?? withoutOwn(s.shared.value, source));
      const common = { shared, machine: machine ?? s.machine.peek() };
      // The reader may have chosen another machine while the trace was read.
      if (isOnlyWhole(common.machine) && !using.isWhole) return undefined;
      return using.engine.describe(plain(common));
    });
    if (!facts) {
      hand.stop();
      if (opening !== openings) return false;
      return open(source, given, {
        ...(lanes && { lanes }),
        sha256,
        ...(machine !== undefined && { machine }),
      });
    }
    source = withoutIdleZone(source, facts);
    if (opening !== openings) return false;
    openingHand = undefined;
    keepReader(hand, source, needsWhole);
    hand = undefined;
    const isLeft = s.shared.value.demands === "file" && shared.demands !== "file";
    const left = isLeft && !source.demands ? s.source.value?.demands : undefined;
    batch(() => {
      forgetRuns();
      if (lanes) s.putLanes(lanes);
      if (machine !== undefined) s.chooseMachine(machine);
      if (lesson && source.kind !== "text") {
        s.showTab(lesson.tab);
        s.colourBy(lesson.colouring);
        s.endLesson();
      }
      opened += 1;
      s.putTrace(source, facts, shared);
      // Colours that the reader has not changed follow the trace. Tours and scenarios have their own.
      if (source.kind !== "text" && s.colouring.value === usual)
        s.colourBy(s.usualColouring(facts));
    });
    const note =
      source.kind === "file" && source.areRemembered ? " Its columns were remembered." : "";
    s.say(
      `${name}: ${counted(facts.jobs, "job")} on ${counted(facts.processors, "processor")}.${note}`,
    );
    if (left) s.notifyToo(`${left.name} belongs to the log before. Its demands are left out now.`);
    runAll();
    return true;
  } catch (error) {
    if (opening !== openings) return false;
    s.tellOpening(undefined);
    const problem = asProblem(error);
    s.tell({
      ...problem,
      skippable: source.kind === "file" && !source.skipBadLines && problem.line !== undefined,
    });
    failedSource = source;
    return false;
  } finally {
    hand?.stop();
  }
}

/**
 * Shows runs of a source, and selects the job of a record if given. Settings that are equal in all
 * runs become shared settings.
 */
export function show(source: Source, scenarios: Scenario[], record?: number): void {
  const groups = s.catalog.value?.groups;
  const machine = scenarios[0]?.machine ?? "flat";
  const common = [
    ...(groups?.reading ?? []),
    ...(groups?.workload ?? []),
    ...(groups?.metrics ?? []),
    ...(machineNamed(machine)?.params ?? []),
  ].map((param) => param.key);
  const settings = scenarios.map((scenario) => scenario.settings ?? {});
  const isShared = (key: string) =>
    common.includes(key) && settings.every((each) => each[key] === settings[0]![key]);
  const pick = (from: Settings, wanted: boolean): Settings =>
    Object.fromEntries(Object.entries(from).filter(([key]) => isShared(key) === wanted));
  const { value: open } = s.source;
  const mine =
    open && !s.lesson.value && !s.before.value
      ? {
          source: open,
          machine: s.machine.value,
          shared: s.shared.value,
          lanes: s.lanes.value.map(setup),
        }
      : undefined;
  if (s.lesson.value) keepBefore();
  const lane = (scenario: Scenario, at: number) =>
    newLane({
      policy: scenario.policy,
      machine: scenario.machine === machine ? "" : (scenario.machine ?? ""),
      settings: pick(settings[at]!, false),
      preset: scenario.preset ?? "",
      whatIf: scenario.what_if,
    });
  const shared = pick(settings[0] ?? {}, true);
  void replace(source, machine, shared, scenarios.map(lane), record).then(
    (isOpen) => isOpen && mine && s.keepAside(mine),
  );
}

/** Keeps the runs from before a tour, so that the reader can return to them. */
export function keepBefore(): void {
  const { value: lesson } = s.lesson;
  if (lesson) keepForLater(lesson);
}

/** Keeps the runs to which the reader can return by a button. */
export function keepForLater({ source = SAMPLE, machine, shared, lanes }: s.Lesson): void {
  s.keepAside({ source, machine, shared, lanes });
}

/** Returns from a plan's runs to the reader's own. */
export function backToMine(): void {
  const kept = s.before.value;
  if (!kept) return;
  const { source, machine, shared, lanes } = kept;
  // They stay aside until they are open again.
  void replace(source, machine, shared, lanes.map(newLane)).then(
    (isOpen) => isOpen && s.before.value === kept && s.dropAside(),
  );
}

/** Replaces the runs on the page. Returns true if the trace could be opened. */
async function replace(
  source: Source,
  machine: string,
  shared: Settings,
  lanes: s.Lane[],
  record?: number,
): Promise<boolean> {
  s.endLesson();
  const isOpen = await open(source, shared, { lanes, machine });
  // Each run is asked about the selected job as soon as it is done.
  if (isOpen && record !== undefined) s.markSelected(record);
  return isOpen;
}

/** True if the first engine reads a source. */
async function isPlain(hand: Hand, source: Source): Promise<boolean> {
  if (source.kind === "model") return true;
  // A mapping of columns makes a table of any file.
  if (source.kind === "file" && source.columns !== undefined && givenZone(source) === undefined)
    return false;
  const file = source.kind === "file" ? source.file : new File([source.text], source.name);
  return ask(hand, (engine) => engine.isSwf(file));
}

/** Counts the traces that were opened. */
let opened = 0;

/**
 * Waits for the trace that is being opened, to which files belong that came meanwhile. Returns
 * false, and tells the reader, if that trace was not opened.
 */
export async function untilOpen(files: readonly File[]): Promise<boolean> {
  const { value: now } = s.opening;
  if (!now) return true;
  const before = opened;
  let { name: last } = now;
  const names = inList(files.map(({ name }) => name));
  const [is, was] = files.length > 1 ? ["are", "were"] : ["is", "was"];
  const words = `${names} ${is} taken as soon as ${last} is open.`;
  s.notify(words);
  await new Promise<void>((resolve) => {
    const stop = effect(() => {
      const { value: opening } = s.opening;
      if (opening) {
        last = opening.name;
        return;
      }
      resolve();
      queueMicrotask(() => stop());
    });
  });
  s.takeBack(words);
  if (opened !== before) return true;
  s.notifyToo(`${names} ${was} not taken, because ${last} was not opened.`);
  return false;
}

/** Gives up what is being opened; what was on the page stays. */
export function stopOpening(): void {
  openings += 1;
  dropColumns();
  openingHand?.stop();
  openingHand = undefined;
  s.tellOpening(undefined);
}

/** Opens a trace that this browser keeps. */
export async function openKept(sha256: string): Promise<void> {
  const { keptTrace } = await import("../storage/traces");
  const file = await keptTrace(sha256);
  if (!file)
    throw {
      what: "The trace is no longer kept.",
      why: "It was deleted, perhaps by another tab.",
      next: "Open its file.",
    } satisfies Problem;
  if (await open({ kind: "file", file, skipBadLines: false }, undefined, { sha256 })) s.dropAside();
}

/** Returns the settings that runs share when the log has been read again, and not before. */
const presentShared = (): Settings => s.shared.value;

/** Reads the open log again, with its times in another zone, which is remembered. */
export async function chooseZone(zone: string): Promise<void> {
  const { value: source } = s.source;
  if (source?.kind !== "file") return;
  if (await open({ ...source, columns: zoneAlone(zone) }, presentShared)) rememberZone(zone);
}

/** Asks about the columns of the open table, and reads it again. */
export async function changeColumns(): Promise<void> {
  const { value: source } = s.source;
  if (source?.kind !== "file") return;
  const { file, columns: known } = source;
  try {
    const table = await askReader((engine) => engine.table(file, known));
    if (!table) return;
    const columns = await askReaderForColumns({ name: file.name, table, isOpen: true }, (mapping) =>
      askReader((engine) => engine.table(file, JSON.stringify(mapping))),
    );
    if (columns === undefined) return;
    const { areRemembered: _, ...rest } = source;
    await open({ ...rest, columns }, presentShared);
  } catch (error) {
    if (!(error instanceof Stopped)) s.tell(asProblem(error));
  }
}

let failedSource: Source | undefined;

/** Opens the file that failed once more, with bad lines skipped and counted. */
export function openSkipping(): void {
  if (failedSource?.kind === "file") void open({ ...failedSource, skipBadLines: true });
}

/** Leaves out what belongs to one trace: a machine's size, a partition, a window of jobs, a table of demands. */
function withoutOwn(settings: Settings, source: Source): Settings {
  const { processors: _p, partition: _n, first_job: _f, jobs: _j, ...rest } = settings;
  if (rest.demands !== "file" || source.demands) return rest;
  const { demands: _d, ...others } = rest;
  return others;
}

/** Drops all that belongs to the trace before. */
function forgetRuns(): void {
  s.forgetWindows();
  s.markSelected(undefined);
  s.knowSelected(new Map());
  s.moveCursor(undefined);
  s.selectArea(undefined);
  s.endStepping();
  for (const lane of s.lanes.value) lane.hand?.stop();
  s.showInstant(undefined);
  s.putLanes(s.lanes.value.map((lane) => ({ ...newLane(lane), id: lane.id })));
}

/** Changes a setting that all runs share. */
export async function setShared(settings: Settings): Promise<void> {
  s.shareSettings(settings);
  if (!hasReader()) return;
  try {
    if (isOnlyWhole(s.machine.value)) await holdInWhole();
    s.knowWorkload(await askReader((engine) => engine.describe(plain())));
    s.dismiss();
  } catch (error) {
    if (!(error instanceof Stopped)) s.tell(asProblem(error));
  }
}

/** Changes the machine model that runs share. A policy that cannot run there becomes EASY. */
export async function setMachine(machine: string): Promise<void> {
  s.chooseMachine(machine);
  s.putLanes(
    s.lanes.value.map((lane) =>
      runsOn(lane.policy, machineOf(lane))
        ? lane
        : { ...lane, policy: "easy", settings: {}, preset: "" },
    ),
  );
  await setShared(s.shared.value);
}

/** The first thing to see: a finished comparison. */
export async function begin(): Promise<void> {
  s.putLanes([newLane({ policy: "fcfs" }), newLane({ policy: "easy" })]);
  await open(SAMPLE);
}
