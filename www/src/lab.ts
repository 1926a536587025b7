// What the page does: opens traces, runs lanes, asks about jobs.

import { batch } from "@preact/signals";
import * as Comlink from "comlink";
import type { DoingFacts, Problem, Provenance, Scenario, Settings } from "schedscope";
import { ofCandidates } from "./candidates";
import { asProblem, count, doingInWords } from "./format";
import { ROOMS } from "./machines/rooms";
import { needed, refusal } from "./memory";
import type { FileKind, Reading, Source } from "./protocol";
import { saveBlob } from "./save";
import * as s from "./state";
import { ask, type Hand, hire, PATIENCE, Silent, Stopped, watched } from "./workers";

/** How often a run is started again after its worker died. */
const RETRIES = 1;
/** Runs that simulate at the same time: one processor is left for the page. */
const AT_ONCE = Math.max(1, Math.min(8, (navigator.hardwareConcurrency || 2) - 1));

export const SAMPLE: Source = {
  kind: "model",
  model: "lublin",
  name: "Sample: 1,500 generated jobs",
  settings: { jobs: 1500, processors: 128, seed: 1, users: 24, overestimate: 6 },
};

/** A trace's name for people. */
export const sourceName = (name: string): string =>
  s.source.value && s.source.value.kind !== "file" ? s.source.value.name : name;

/** Where figures of the open trace come from, for captions. */
export function origin(provenance: Provenance): string {
  const { value: source } = s.source;
  const size = s.workload.value?.report.size;
  const guessed =
    size && size.doubts.length > 0
      ? ` The machine's size, ${count(size.processors)} processors, is a guess.`
      : "";
  const seed = source?.kind === "model" ? ` Seed ${source.settings["seed"] ?? 1}.` : "";
  return `${sourceName(provenance.name)} (sha256 ${provenance.sha256.slice(0, 12)})${provenance.steps.map((step) => `; ${step}`).join("")}.${seed}${guessed} Schedscope ${s.catalog.value?.version}.`;
}

let nextId = 1;
/** The worker that reads the trace and answers for its workload. */
let reader: Hand | undefined;
/** The worker of a trace that is being opened. */
let openingHand: Hand | undefined;
/** Rises with every opening; what an earlier one still brings is dropped. */
let openings = 0;

export function newLane({
  policy,
  machine = "",
  settings = {},
  preset = "",
  whatIf,
}: Partial<s.Setup> & { policy: string }): s.Lane {
  return {
    id: nextId++,
    policy,
    machine,
    preset,
    settings,
    whatIf,
    state: "waiting",
    hand: undefined,
    progress: undefined,
    reading: undefined,
    doing: undefined,
    speed: undefined,
    result: undefined,
    facts: undefined,
    base: "",
    candidates: [],
    ranOn: "",
    slots: 1,
    processes: false,
    atOnce: false,
    matches: false,
    problem: undefined,
    notice: undefined,
    stale: false,
    drawn: 0,
  };
}

export const setup = ({ policy, machine, preset, settings, whatIf }: s.Setup): s.Setup => ({
  policy,
  machine,
  preset,
  settings,
  whatIf,
});

const machineNamed = (id: string) => s.catalog.value?.machines.find((machine) => machine.id === id);
/** The machine model of a lane. */
export const machineOf = (lane: Pick<s.Lane, "machine">): string => lane.machine || s.machine.value;
/** Whether a policy can run on a machine model. */
export const runsOn = (policy: string, machine: string): boolean =>
  s.catalog.value?.policies.find(({ id }) => id === policy)?.machines.includes(machine) ?? true;

/** How many processors the machine model that all share has, if its own parameters say so. */
function ownSize(): number | undefined {
  const machine = machineNamed(s.machine.value);
  if (!machine?.sizes_itself) return undefined;
  const setting = (key: string) => {
    const { kind } = machine.params.find((param) => param.key === key)!;
    return Number(s.shared.value[key] ?? (kind.type === "whole" ? kind.default : 1));
  };
  return ROOMS[machine.id]?.processors(setting);
}

/** What a lane's worker is to run. Parameters of other machines are left out; a flat machine beside a torus is as large. */
export function scenario(lane: s.Setup): Scenario {
  const machine = machineOf(lane);
  const others = (s.catalog.value?.machines ?? [])
    .filter(({ id }) => id !== machine)
    .flatMap(({ params }) => params.map(({ key }) => key));
  const own = new Set((machineNamed(machine)?.params ?? []).map(({ key }) => key));
  const settings: Settings = Object.fromEntries(
    Object.entries({ ...s.shared.value, ...lane.settings }).filter(
      ([key]) => own.has(key) || !others.includes(key),
    ),
  );
  const size = ownSize();
  if (machineNamed(machine)?.sizes_itself) delete settings["processors"];
  else if (size !== undefined) settings["processors"] = size;
  const base = {
    machine,
    policy: lane.policy,
    settings: ofCandidates(lane.policy, settings, machine),
  };
  return {
    ...base,
    ...(lane.preset ? { preset: lane.preset } : {}),
    ...(lane.whatIf ? { what_if: lane.whatIf } : {}),
  };
}

/** What is asked of a workload, before any policy. */
export const plain = (): Scenario =>
  scenario({ policy: "fcfs", machine: "", preset: "", settings: {}, whatIf: undefined });

/** Opens a file or model, with these shared settings or those that do not belong to the trace before; with these lanes in
 * the place of those that are there; and only if it has this hash. What is on the page stays until the new trace is known
 * to be good. Says whether it was. */
export async function open(
  source: Source,
  given?: Settings,
  {
    lanes,
    sha256,
    machine,
  }: { lanes?: s.Lane[]; sha256?: string | undefined; machine?: string } = {},
): Promise<boolean> {
  const opening = ++openings;
  // A trace of the reader's own ends a tour, and is run as it was before that.
  const { value: lesson } = s.lesson;
  if (lesson && source.kind !== "text") {
    lanes ??= lesson.lanes.map(newLane);
    machine ??= lesson.machine;
    given ??= withoutMachine(lesson.shared);
  }
  const name = source.kind === "file" ? source.file.name : source.name;
  s.problem.value = undefined;
  s.opening.value = { name };
  let hand: Hand | undefined;
  openingHand?.stop();
  openingHand = undefined;
  try {
    hand = await hire();
    if (opening !== openings) return false;
    const using = hand;
    openingHand = hand;
    s.catalog.value ??= hand.catalog;
    using.doing.add((doing) => {
      const { value: now } = s.opening;
      if (opening === openings && now) s.opening.value = tells(doing) ? { ...now, doing } : now;
    });
    let shared: Settings = {};
    const facts = await watched(using, async (alive) => {
      const onProgress = (reading: Reading) => {
        alive();
        if (opening === openings) s.opening.value = { name, reading };
      };
      const loaded = await using.engine.load(source, Comlink.proxy(onProgress));
      if (sha256 && loaded.sha256 !== sha256)
        throw {
          what: `${name} is not the trace that the link is about.`,
          why: `Its SHA-256 begins with ${loaded.sha256.slice(0, 12)}; the link's with ${sha256.slice(0, 12)}.`,
          next: "Choose the version that the link means.",
        } satisfies Problem;
      alive(PATIENCE);
      shared = given ?? withoutMachine(s.shared.value);
      const [was, machineWas] = [s.shared.peek(), s.machine.peek()];
      const scenario = batch(() => {
        [s.shared.value, s.machine.value] = [shared, machine ?? machineWas];
        const scenario = plain();
        [s.shared.value, s.machine.value] = [was, machineWas];
        return scenario;
      });
      return using.engine.describe(scenario);
    });
    if (opening !== openings) return false;
    openingHand = undefined;
    reader?.stop();
    reader = hand;
    hand = undefined;
    forgetRuns();
    if (lanes) s.lanes.value = lanes;
    if (machine !== undefined) s.machine.value = machine;
    if (lesson && source.kind !== "text") {
      s.tab.value = lesson.tab;
      s.colouring.value = lesson.colouring;
      s.lesson.value = undefined;
    }
    s.shared.value = shared;
    s.source.value = source;
    if (source.kind === "file") s.opened.value = source.file;
    s.workload.value = facts;
    s.opening.value = undefined;
    s.spoken.value = `${name}: ${count(facts.jobs)} jobs on ${count(facts.processors)} processors.`;
    runAll();
    return true;
  } catch (error) {
    if (opening !== openings) return false;
    s.opening.value = undefined;
    const problem = asProblem(error);
    s.problem.value = {
      ...problem,
      skippable: source.kind === "file" && !source.skipBadLines && problem.line !== undefined,
    };
    failedSource = source;
    return false;
  } finally {
    hand?.stop();
  }
}

/** Shows runs of a source, with a job selected if one is named by its record. What is the same in all runs becomes what
 * they share. */
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
  if (s.lesson.value) keepBefore();
  else if (s.source.value && !s.before.value) {
    s.before.value = {
      source: s.source.value,
      machine: s.machine.value,
      shared: s.shared.value,
      lanes: s.lanes.value.map(setup),
    };
  }
  const lane = (scenario: Scenario, at: number) =>
    newLane({
      policy: scenario.policy,
      machine: scenario.machine === machine ? "" : (scenario.machine ?? ""),
      settings: pick(settings[at]!, false),
      preset: scenario.preset ?? "",
      whatIf: scenario.what_if,
    });
  replace(source, machine, pick(settings[0] ?? {}, true), scenarios.map(lane), record);
}

/** What was there before a tour can be gone back to when that is over. */
export function keepBefore(): void {
  const { value: lesson } = s.lesson;
  if (lesson)
    s.before.value = {
      source: lesson.source ?? SAMPLE,
      machine: lesson.machine,
      shared: lesson.shared,
      lanes: lesson.lanes,
    };
}

/** Goes back from a plan's runs to the reader's own. */
export function backToMine(): void {
  const { before } = s;
  if (!before.value) return;
  const { source, machine, shared, lanes } = before.value;
  before.value = undefined;
  replace(source, machine, shared, lanes.map(newLane));
}

/** Puts other runs in the place of those that are there. */
function replace(
  source: Source,
  machine: string,
  shared: Settings,
  lanes: s.Lane[],
  record?: number,
): void {
  for (const lane of s.lanes.value) lane.hand?.stop();
  s.machine.value = machine;
  s.lesson.value = undefined;
  s.lanes.value = lanes;
  // What is selected is asked about as soon as all runs are done.
  void open(source, shared).then(() => record !== undefined && (s.selected.value = record));
}

/** Asks the worker that has the trace which is open. */
export const askReader = <T>(work: (engine: Hand["engine"]) => Promise<T>): Promise<T> =>
  reader
    ? ask(reader, work)
    : Promise.reject({
        what: "There is no trace here yet.",
        why: "This is asked of a trace.",
        next: "Open a trace first.",
      });

/** Gives up what is being opened; what was on the page stays. */
export function stopOpening(): void {
  openings += 1;
  openingHand?.stop();
  openingHand = undefined;
  s.opening.value = undefined;
}

/** Opens a trace that this browser keeps. */
export async function openKept(sha256: string): Promise<void> {
  const { keptTrace } = await import("./offline/traces");
  const file = await keptTrace(sha256);
  if (!file)
    throw {
      what: "The trace is no longer kept.",
      why: "It was deleted, perhaps by another tab.",
      next: "Open its file.",
    } satisfies Problem;
  s.before.value = undefined;
  await open({ kind: "file", file, skipBadLines: false }, undefined, { sha256 });
}

let failedSource: Source | undefined;
/** Opens the file that failed once more, with bad lines skipped and counted. */
export function openSkipping(): void {
  if (failedSource?.kind === "file") void open({ ...failedSource, skipBadLines: true });
}

/** A machine's size and a window of jobs belong to one trace. */
function withoutMachine(settings: Settings): Settings {
  const { processors: _p, first_job: _f, jobs: _j, ...rest } = settings;
  return rest;
}

/** Drops all that belongs to the trace before. */
function forgetRuns(): void {
  s.zoom.value = undefined;
  s.zooms.value = [];
  s.selected.value = undefined;
  s.jobFacts.value = new Map();
  s.cursor.value = undefined;
  s.area.value = undefined;
  s.stepping.value = undefined;
  for (const lane of s.lanes.value) lane.hand?.stop();
  s.instant.value = undefined;
  s.lanes.value = s.lanes.value.map((lane) => ({ ...newLane(lane), id: lane.id }));
}

/** Changes a setting that all runs share. */
export async function setShared(settings: Settings): Promise<void> {
  s.shared.value = settings;
  s.lanes.value = s.lanes.value.map((lane) => ({ ...lane, stale: true }));
  if (!reader) return;
  try {
    s.workload.value = await ask(reader, (engine) => engine.describe(plain()));
    s.problem.value = undefined;
  } catch (error) {
    if (!(error instanceof Stopped)) s.problem.value = asProblem(error);
  }
}

/** Changes the machine model that runs share. A policy that cannot run there becomes EASY. */
export async function setMachine(machine: string): Promise<void> {
  s.machine.value = machine;
  s.lanes.value = s.lanes.value.map((lane) =>
    runsOn(lane.policy, machineOf(lane))
      ? lane
      : { ...lane, policy: "easy", settings: {}, preset: "" },
  );
  await setShared(s.shared.value);
}

export function setLane(id: number, change: Partial<s.Setup>): void {
  s.updateLane(id, { ...change, stale: true });
}

export function addLane(policy: string, more: Partial<s.Setup> = {}): void {
  const lane = newLane({ ...more, policy });
  s.lanes.value = [...s.lanes.value, lane];
  void schedule(lane.id);
}

export function removeLane(id: number): void {
  s.lanes.value.find((lane) => lane.id === id)?.hand?.stop();
  s.lanes.value = s.lanes.value.filter((lane) => lane.id !== id);
  if (s.stepping.value?.lane === id) s.stepping.value = undefined;
  queue.delete(id);
}

/** Runs what is not up to date. */
export function runAll(): void {
  for (const lane of s.lanes.value) if (lane.stale || lane.state !== "done") void schedule(lane.id);
}

export function isBusy(lane: s.Lane): boolean {
  return lane.state === "loading" || lane.state === "running" || lane.state === "measuring";
}

/** Lanes that wait for a processor, and how many have one. */
const queue = new Set<number>();
let active = 0;

async function schedule(id: number): Promise<void> {
  const lane = s.lanes.value.find((lane) => lane.id === id);
  if (!lane) return;
  if (s.stepping.value?.lane === id) s.stepping.value = undefined;
  lane.hand?.stop();
  runs.set(id, (runs.get(id) ?? 0) + 1);
  s.updateLane(id, {
    state: "waiting",
    hand: undefined,
    progress: undefined,
    reading: undefined,
    doing: undefined,
    speed: undefined,
    result: undefined,
    facts: undefined,
    candidates: [],
    problem: undefined,
    notice: undefined,
    stale: false,
  });
  queue.add(id);
  pump();
}

function pump(): void {
  for (const id of queue) {
    if (active >= AT_ONCE) return;
    queue.delete(id);
    active += 1;
    void simulate(id, 0).finally(() => {
      active -= 1;
      pump();
    });
  }
}

/** Rises with every start of a lane; what an earlier start still brings is dropped. */
const runs = new Map<number, number>();

async function simulate(id: number, retry: number): Promise<void> {
  const source = s.source.value;
  const lane = s.lanes.value.find((lane) => lane.id === id);
  if (!source || !lane) return;
  const run = runs.get(id);
  // Progress comes on a channel of its own, and may still come in when the result is there.
  let [isReading, isOver] = [true, false];
  const isCurrent = () => runs.get(id) === run && s.lanes.value.some((lane) => lane.id === id);
  const update = (change: Partial<s.Lane>) => isCurrent() && s.updateLane(id, change);
  let hand: Hand | undefined;
  const { value: facts } = s.workload;
  const others = s.lanes.value.filter((other) => other.id !== id && other.hand).length;
  const tooLarge =
    facts &&
    refusal(
      facts.jobs,
      facts.report.read,
      others * needed(facts.jobs, facts.report.read),
      (navigator as { deviceMemory?: number }).deviceMemory,
    );
  if (tooLarge) return void update({ state: "failed", hand: undefined, problem: tooLarge });
  try {
    update({ state: "loading" });
    hand = await hire();
    if (!isCurrent()) return hand.stop();
    const { engine } = hand;
    update({ hand });
    // One that was heard of ends with the next progress.
    hand.doing.add((doing) => !isOver && tells(doing) && update({ doing }));
    const result = await watched(hand, async (alive) => {
      await engine.load(
        source,
        Comlink.proxy((reading: Reading) => (alive(), isReading && update({ reading }))),
      );
      alive();
      isReading = false;
      alive(PATIENCE);
      const wanted = scenario(lane);
      const facts = await engine.prepare(wanted);
      alive();
      update({
        state: "running",
        doing: undefined,
        facts: facts.workload,
        base: facts.workload.identity,
        candidates: facts.candidates,
        ranOn: wanted.machine ?? "",
        slots: facts.slots,
        processes: facts.processes,
        atOnce: facts.at_once,
        matches: facts.matches,
        reading: undefined,
      });
      const began = performance.now();
      return engine.run(
        Comlink.proxy((progress) => {
          alive(progress.done ? PATIENCE : undefined);
          if (isOver) return;
          const rate = progress.finished / Math.max(1e-3, (performance.now() - began) / 1000);
          const left =
            rate > 0 ? (progress.jobs - progress.finished) / rate : Number.POSITIVE_INFINITY;
          const now = s.lanes.value.find((lane) => lane.id === id)?.drawn ?? 0;
          update({
            progress,
            doing: undefined,
            speed: { rate, left },
            drawn: now + 1,
            ...(progress.done ? { state: "measuring" } : {}),
          });
        }),
      );
    });
    isOver = true;
    if (!isCurrent()) return hand.stop();
    const drawn = (s.lanes.value.find((lane) => lane.id === id)?.drawn ?? 0) + 1;
    if (result) {
      // What is otherwise from an instant on is known now.
      const now = lane.whatIf ? await ask(hand, (engine) => engine.facts()) : undefined;
      if (!isCurrent()) return hand.stop();
      update({ state: "done", result, drawn, ...(now ? { facts: now.workload } : {}) });
      announceIfAllDone();
    } else update({ state: "cancelled", drawn });
  } catch (error) {
    isOver = true;
    hand?.stop();
    if (!isCurrent()) return;
    if (error instanceof Silent && retry < RETRIES) {
      update({ hand: undefined, progress: undefined, doing: undefined, notice: replaced(error) });
      return simulate(id, retry + 1);
    }
    const problem: Problem =
      error instanceof Silent
        ? {
            what: `The worker of this run said nothing for ${error.seconds} s, the second time.`,
            why: "Neither progress nor a sign of life came: it hangs, or the browser ended it without a word, as it does where memory is short.",
            next: "Close other tabs or choose a window of jobs, then run it again.",
          }
        : asProblem(error);
    update({ state: "failed", hand: undefined, doing: undefined, problem });
    s.spoken.value = `A run failed: ${problem.what}`;
  }
}

const replaced = ({ seconds }: Silent): string =>
  `Its worker said nothing for ${seconds} s and was replaced; the run was started again.`;

/** Whether it is worth being told: most of what a worker does is over sooner. */
const tells = (doing: DoingFacts): boolean => doing.seconds >= 1;

/** Replaces the worker of a run that no longer answers, and runs it again. */
export function revive(id: number, silent: Silent): void {
  void schedule(id);
  s.updateLane(id, { notice: replaced(silent) });
}

function announceIfAllDone(): void {
  if (s.lanes.value.every((lane) => lane.state === "done")) {
    s.spoken.value = `All ${s.lanes.value.length} runs are finished.`;
    if (s.selected.value !== undefined) void select(s.selected.value);
  }
}

/** A worker that does not answer a cancel within so many milliseconds is stopped. */
const CANCEL_WITHIN = 200;

/** Stops a run at once; what it has simulated stays on the page. */
export async function cancel(id: number): Promise<void> {
  const lane = s.lanes.value.find((lane) => lane.id === id);
  if (!lane) return;
  queue.delete(id);
  const { hand } = lane;
  const late = new Promise<"late">((resolve) => setTimeout(() => resolve("late"), CANCEL_WITHIN));
  const answer =
    lane.state === "running" && hand
      ? await Promise.race([
          ask(hand, (engine) => engine.cancel()).catch(() => "late" as const),
          late,
        ])
      : "late";
  if (answer === "late") {
    runs.set(id, (runs.get(id) ?? 0) + 1);
    // What it does now is known better than when it was asked.
    const doing = s.lanes.value.find((lane) => lane.id === id)?.doing;
    const inside = doing
      ? doingInWords(doing, s.workload.value?.provenance.unix_start)
      : "inside a long step";
    lane.hand?.stop();
    s.updateLane(id, {
      state: "cancelled",
      hand: undefined,
      doing: undefined,
      ...(lane.hand && lane.state !== "loading"
        ? {
            notice: `Its worker did not answer (${inside}) and was stopped. The picture stays, but cannot be asked; run it again for that.`,
          }
        : {}),
    });
  }
  s.spoken.value = "The run was cancelled.";
}

/** Selects a job by its record in the trace, in all runs: indexes differ where runs leave out different jobs. */
export async function select(record: number | undefined): Promise<void> {
  s.selected.value = record;
  if (record === undefined) {
    s.jobFacts.value = new Map();
    return;
  }
  const answers = await Promise.all(
    s.lanes.value.map(
      async (lane) =>
        [
          lane.id,
          lane.facts && lane.hand
            ? await ask(lane.hand, (engine) => engine.job(record)).catch(() => null)
            : null,
        ] as const,
    ),
  );
  if (s.selected.value === record) s.jobFacts.value = new Map(answers);
}

/** Saves one of a run's files. */
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
    if (!(error instanceof Stopped)) s.problem.value = asProblem(error);
  }
}

/** The first thing to see: a finished comparison. */
export async function begin(): Promise<void> {
  s.lanes.value = [newLane({ policy: "fcfs" }), newLane({ policy: "easy" })];
  await open(SAMPLE);
}
