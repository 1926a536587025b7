// The plan on the page: its text, its cells, their results, and the pool that runs them.
import { batch, computed, effect, signal } from "@preact/signals";
import type {
  Analysis,
  Cell,
  CellResult,
  Doubt,
  Plan,
  PlanFacts,
  Problem,
  WorkloadSource,
} from "schedscope";
import { gigabytes, processors } from "../engine/capacity";
import { LIMITS } from "../engine/limits";
import type { CellWork, PolicyCode, Source } from "../engine/protocol";
import { ask, type Hand, hire } from "../engine/workers";
import { isPackedName, unpackedName } from "../format/packed";
import { asProblem } from "../format/problem";
import * as lab from "../lab";
import { restore } from "../own/store";
import * as s from "../state";
import * as store from "../storage/results";
import type { Found } from "./kinds";
import { withoutCode } from "./own";
import { Pool } from "./pool";

const signals = {
  facts: signal<PlanFacts | undefined>(undefined),
  /** The fault of the plan as it is written now. */
  problem: signal<Problem | undefined>(undefined),
  results: signal<ReadonlyMap<string, CellResult>>(new Map()),
  failures: signal<ReadonlyMap<string, Problem>>(new Map()),
  analysis: signal<Analysis | undefined>(undefined),
  notice: signal(""),
  state: signal<State>("idle"),
  /** Share that is done of each running cell. */
  shares: signal<ReadonlyMap<string, number>>(new Map()),
  timing: signal<{ running: number; seconds: number; left: number } | undefined>(undefined),
  /** Number of workers that the reader wants; undefined for as many as possible. */
  wantedWorkers: signal<number | undefined>(undefined),
  /** Opened files by name without `.gz`: plans name their traces. */
  files: signal<ReadonlyMap<string, File>>(new Map()),
  /** The plan in the form, as last typed, even while it has a mistake. */
  draft: signal<Plan | undefined>(undefined),
  /** The reader's own plan, while a card's is shown. */
  ownPlan: signal<string | undefined>(undefined),
};
export const {
  facts,
  problem,
  results,
  failures,
  analysis,
  notice,
  state,
  shares,
  timing,
  wantedWorkers,
  files,
  draft,
  ownPlan,
}: s.Seen<typeof signals> = signals;

export type State = "idle" | "running" | "paused";

const askBeforeLeaving = (event: Event): void => event.preventDefault();

// A reader who leaves a running sweep loses the cells under way, so the browser asks.
effect(() => {
  if (state.value === "idle") removeEventListener("beforeunload", askBeforeLeaving);
  else addEventListener("beforeunload", askBeforeLeaving);
});

/** Sets the number of workers that the reader wants. */
export function wantWorkers(count: number): void {
  signals.wantedWorkers.value = Math.max(1, Math.floor(count));
}

export const bare = (name: string): string => unpackedName(name);

export function offer(file: File, name = file.name): void {
  if (files.peek().get(bare(name)) === file) return;
  signals.files.value = new Map(files.peek()).set(bare(name), file);
  void fingerprint(bare(name), file);
}

/** Hashes of these files. Results of another file under the same name do not count. */
const hashes = signal<ReadonlyMap<string, string>>(new Map());

async function fingerprint(name: string, file: File): Promise<void> {
  const hash = await ask(await theDesk(), (engine) => engine.fingerprint(file)).catch(
    () => undefined,
  );
  if (hash && files.peek().get(name) === file)
    hashes.value = new Map(hashes.peek()).set(name, hash);
}

/** True if a result is of its cell's trace, and holds everything that the plan keeps. */
function isGood(cell: Cell, result: CellResult): boolean {
  const trace = cell.source.trace;
  const wanted = trace && (trace.sha256 || hashes.value.get(bare(trace.name)));
  return (
    (!wanted || wanted === result.sha256) &&
    (facts.value?.plan.keep ?? []).every((keep) => result.keep.includes(keep))
  );
}

effect(() => {
  if (s.opened.value) offer(s.opened.value);
});

/** Returns each experiment once. */
export const uniqueCells = computed<Cell[]>(() => [
  ...new Map((facts.value?.cells ?? []).map((cell) => [cell.key, cell])).values(),
]);

export const missingCells = computed<Cell[]>(() =>
  uniqueCells.value.filter((cell) => {
    const result = results.value.get(cell.key);
    return !result || !isGood(cell, result);
  }),
);

/** Reason why the stored results of cells are not used. */
const doubts = signal<ReadonlyMap<string, Doubt>>(new Map());

/** Number of cells that run again for each reason, although there is a result. */
export const leftAside = computed(() => {
  const counts = new Map<Doubt, number>();
  for (const { key } of missingCells.value) {
    const reason = doubts.value.get(key) ?? (results.value.has(key) ? "trace" : undefined);
    if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
});

/**
 * The results that belong to the plan as it is, summed up. They change only when they are summed up
 * again, because each change draws all charts.
 */
export const outcome = computed<Found | undefined>(() => {
  if (!facts.value || !analysis.value) return undefined;
  const missing = new Set(missingCells.peek().map((cell) => cell.key));
  return {
    ...analysis.value,
    results: new Map([...results.peek()].filter(([key]) => !missing.has(key))),
    seeds: new Map(
      facts.value.cells.flatMap((cell) => {
        const seed = seedOf(cell);
        return seed === undefined ? [] : [[cell.key, seed]];
      }),
    ),
    all: uniqueCells.peek().length,
  };
});

/** Returns the seed of a cell: its model's, or that of the axis of seeds. */
const seedOf = ({ source, axes }: Cell): number | undefined => {
  const seed = source.model ? (source.model.settings?.seed ?? 1) : axes.seed;
  return seed === undefined ? undefined : Number(seed);
};

/** Traces of the plan that are not open yet, or of which the reader gave another version. */
export const missingTraces = computed(() =>
  (facts.value?.plan.workloads ?? []).flatMap(({ trace }) => {
    if (!trace) return [];
    const name = bare(trace.name);
    const hash = hashes.value.get(name);
    const isWrong = Boolean(trace.sha256 && hash && hash !== trace.sha256);
    return !files.value.has(name) || isWrong ? [{ trace, given: isWrong ? hash : undefined }] : [];
  }),
);

/** A worker for plans, with the code of own policies. */
interface Desk {
  hand: Promise<Hand>;
  own: PolicyCode[];
}

/** The desk without own policies, and the one of the last plan with some. */
let [desk, ownDesk]: [Desk | undefined, Desk | undefined] = [undefined, undefined];

const isSameCode = (one: PolicyCode[], other: PolicyCode[]): boolean =>
  one.length === other.length && one.every(({ code }, at) => code === other[at]!.code);

function newDesk(own: PolicyCode[]): Desk {
  const made = { hand: hire({ own, isWhole: true }), own };
  made.hand.catch(() => {
    if (desk === made) desk = undefined;
    if (ownDesk === made) ownDesk = undefined;
  });
  return made;
}

/** The worker that reads a plan and sums up its results. It has the code of its own policies. */
function theDesk(text = ""): Promise<Hand> {
  const own = text === "" ? [] : lab.codeOf(text);
  if (own.length === 0) return (desk ??= newDesk([])).hand;
  if (ownDesk && !isSameCode(ownDesk.own, own)) {
    void ownDesk.hand.then((hand) => hand.stop()).catch(() => {});
    ownDesk = undefined;
  }
  return (ownDesk ??= newDesk(own)).hand;
}

const readPlan = async (text: string): Promise<PlanFacts> =>
  ask(await theDesk(text), (engine) => engine.readPlan(text));

const analyse = async (text: string, found: CellResult[]): Promise<Analysis> =>
  ask(await theDesk(text), (engine) => engine.analysePlan(text, found));

/** The plan that was taken last, also one with a mistake. */
let lastText = "";

/** Returns what decides how the own policies of a plan run. */
const ownCode = (text: string): unknown[] =>
  lab.ownInPlan(text).flatMap(({ script, foreign }) => [script, foreign]);

let codeBefore: unknown[] = [];

// When the code of its own policies changes, the cells of the plan are others.
effect(() => {
  const now = ownCode(lastText);
  const isSame =
    now.length === codeBefore.length && now.every((each, at) => each === codeBefore[at]);
  codeBefore = now;
  if (!isSame) void setPlan(lastText, true);
});

let latest = 0;

/** The plan that the worker is reading. */
let pending: Promise<unknown> = Promise.resolve();

/** Takes a plan. If it has a mistake, the previous plan stays. */
export function setPlan(text: string, isEdit = false): Promise<boolean> {
  const taken = takePlan(text, isEdit);
  pending = taken;
  return taken;
}

/** Takes a plan from a file. */
export async function setPlanFile(file: File): Promise<boolean> {
  if (file.size <= LIMITS.plan_bytes) return setPlan(await file.text());
  signals.problem.value = {
    what: `The plan is too large: ${file.size} bytes.`,
    why: `A plan has at most ${LIMITS.plan_bytes} bytes.`,
    next: "Divide it into several plans.",
  };
  return false;
}

async function takePlan(given: string, isEdit: boolean): Promise<boolean> {
  const own = ++latest;
  try {
    const text = await withoutCode(given);
    if (own !== latest) return false;
    [lastText, codeBefore] = [text, ownCode(text)];
    const found = await readPlan(text);
    if (own !== latest) return false;
    const keys = new Set(found.cells.map((cell) => cell.key));
    batch(() => {
      signals.problem.value = undefined;
      signals.facts.value = found;
      if (!isEdit) signals.draft.value = found.plan;
      signals.failures.value = new Map([...failures.value].filter(([key]) => keys.has(key)));
    });
    // A running sweep continues with the cells that are still wanted.
    pool?.keep(keys);
    s.knowPlan(found.text);
    await recall();
    // While another plan is shown, the reader's own stays stored.
    if (ownPlan.value === undefined) void store.keepPlan(found.text);
    return true;
  } catch (error) {
    if (own === latest) signals.problem.value = asProblem(error);
    return false;
  }
}

/** Changes the plan in the form. */
export function edit(change: Partial<Plan>): void {
  const next: Record<string, unknown> = { ...draft.value, ...change };
  // Empty lists and texts are removed, except `keep`, which may be empty, and the lists that a plan
  // needs.
  const needed = ["workloads", "policies", "keep"];
  for (const [key, value] of Object.entries(next))
    if (
      value === undefined ||
      value === "" ||
      (Array.isArray(value) && value.length === 0 && !needed.includes(key))
    )
      delete next[key];
  signals.draft.value = next as unknown as Plan;
  void setPlan(JSON.stringify(next), true);
}

/**
 * Shows a card's plan and keeps the reader's own aside. If the card's plan is already shown,
 * perhaps changed, it stays.
 */
export async function showCard(plan: Plan): Promise<void> {
  await begin();
  if (facts.value?.plan.name === plan.name) return;
  await showPlan(JSON.stringify(plan));
}

/** Counts the changes between the reader's own plan and others. */
let shows = 0;

/** Shows a plan that is not the reader's own, and keeps the reader's own aside. */
export async function showPlan(text: string): Promise<void> {
  const own = ++shows;
  await begin();
  if (own !== shows || facts.value?.text === text) return;
  const was = ownPlan.value;
  if (facts.value && was === undefined) signals.ownPlan.value = facts.value.text;
  // A plan that was chosen since then needs what was kept aside.
  if (!(await setPlan(text)) && own === shows) signals.ownPlan.value = was;
}

/** Returns from a card's plan to the reader's own. */
export function backToOwn(): void {
  const text = ownPlan.value;
  shows += 1;
  signals.ownPlan.value = undefined;
  if (text) void setPlan(text);
}

/** Restores the results of earlier runs of the plan's cells. */
async function recall(): Promise<void> {
  const own = facts.value;
  const wanted = own?.plan.keep ?? [];
  const cells = uniqueCells.value.filter((cell) => !results.value.has(cell.key));
  const stored = [...(await store.storedResults(cells.map((cell) => cell.key)))];
  const found = await checked(stored);
  if (facts.value !== own) return;
  const keys = new Set(uniqueCells.value.map((cell) => cell.key));
  const known = [...results.value].filter(([key]) => keys.has(key));
  const all = [...known, ...stored.filter((_, at) => found[at] === null)];
  const isWhole = ([, result]: [string, CellResult]) =>
    wanted.every((keep) => result.keep.includes(keep));
  batch(() => {
    signals.results.value = new Map(all.filter(isWhole));
    doubts.value = new Map([
      ...[...doubts.value].filter(([key]) => keys.has(key)),
      ...all.filter((entry) => !isWhole(entry)).map(([key]) => [key, "keep"] as const),
      ...stored.flatMap(([key], at) => {
        const doubt = found[at];
        return doubt ? [[key, doubt] as const] : [];
      }),
    ]);
  });
  await sumUp();
}

/** Returns the reason why each of these stored results cannot be used; null if it can. */
async function checked(stored: [string, CellResult][]): Promise<(Doubt | null)[]> {
  if (stored.length === 0) return [];
  const hand = await theDesk();
  return ask(hand, (engine) =>
    engine.checkResults(
      stored.map(([key]) => key),
      stored.map(([, result]) => result),
    ),
  ).catch(() => stored.map(() => "damaged" as const));
}

export async function forget(): Promise<void> {
  await store.forgetResults(uniqueCells.value.map((cell) => cell.key));
  doubts.value = new Map();
  signals.results.value = new Map();
  signals.failures.value = new Map();
  signals.analysis.value = undefined;
}

async function sumUp(): Promise<void> {
  const own = facts.value;
  if (!own) return;
  const missing = new Set(missingCells.value.map((cell) => cell.key));
  const good = [...results.value.values()].filter((result) => !missing.has(result.key));
  const found = await analyse(own.text, good).catch(() => undefined);
  if (facts.value === own) signals.analysis.value = found;
}

/**
 * Milliseconds between two updates of the page while workers run. Drawing takes computing time from
 * them.
 */
const LOOK = 250;

/**
 * Milliseconds between two drawings of the charts, and the largest share of the time that summing
 * up may take.
 */
const DRAW = 1000;

const SUMMING = 0.1;

/** Returns the source of a cell's jobs; undefined if its trace is not open. */
export function sourceOf(source: WorkloadSource): Source | undefined {
  if (source.model)
    return {
      kind: "model",
      model: source.model.id,
      settings: source.model.settings ?? {},
      name: source.model.id,
    };
  const name = bare(source.trace?.name ?? "");
  const file = files.value.get(name);
  const columns = source.trace?.columns;
  return file && { kind: "file", file, skipBadLines: false, name, ...(columns ? { columns } : {}) };
}

/** Bytes of a run for each of its jobs, including its trace. */
const BYTES_PER_JOB = 600;

/** Assumed gigabytes of memory, if the browser does not report them. */
const GIGABYTES = 4;

/** Estimates the needs of the missing cells before they run. */
export const estimate = computed(() => {
  const jobs = Math.max(0, ...missingCells.value.map((cell) => jobsOf(cell)));
  const bytes = 30e6 + jobs * BYTES_PER_JOB;
  const memory = (gigabytes() ?? GIGABYTES) * 0.5e9;
  const most = Math.max(1, Math.min(processors(), Math.floor(memory / bytes)));
  const workers = Math.max(
    1,
    Math.min(wantedWorkers.value ?? most, most, Math.max(1, missingCells.value.length)),
  );
  return { jobs, bytes, most, workers };
});

function jobsOf(cell: Cell): number {
  const model = cell.source.model;
  if (model) {
    const spec = s.catalog.value?.models
      .find((spec) => spec.id === model.id)
      ?.params.find((param) => param.key === "jobs");
    return Number(
      model.settings?.jobs ?? (spec?.kind.type === "whole" ? (spec.kind.default ?? 0) : 0),
    );
  }
  const file = files.value.get(bare(cell.source.trace?.name ?? ""));
  // A line of a log has about 90 bytes, or 20 when packed.
  return file ? file.size / (isPackedName(file.name) ? 20 : 90) : 0;
}

let pool: Pool | undefined;

/** Waits until the worker has read the plan as it is now. */
export async function isRead(): Promise<void> {
  // A change of own code may begin another reading meanwhile.
  for (let last: unknown; last !== pending; ) await (last = pending);
}

/** Runs the cells that have no result yet. */
export async function run(): Promise<void> {
  await isRead();
  const own = facts.value;
  if (!own || problem.value || state.value !== "idle") return;
  const keep = own.plan.keep ?? [];
  const works: CellWork[] = missingCells.value.flatMap((cell) => {
    const source = sourceOf(cell.source);
    return source
      ? [
          {
            key: cell.key,
            source,
            sha256: cell.source.trace?.sha256 ?? "",
            scenario: cell.scenario,
            keep,
          },
        ]
      : [];
  });
  if (works.length === 0) return;
  let code: PolicyCode[];
  try {
    code = lab.codeOf(own.text);
  } catch (error) {
    signals.problem.value = asProblem(error);
    return;
  }
  const total = works.length;
  const clock = new Clock();
  // Results are collected, and shown a few times a second.
  const found = new Map<string, CellResult>();
  const failed = new Map<string, Problem>();
  const running = new Map<string, number>();
  let summed = 0;
  let sumsAgain = performance.now() + DRAW;
  let kept = 0;
  const look = () => {
    const unkept = [...found.values()].slice(kept);
    kept += unkept.length;
    if (unkept.length > 0) void store.keepResults(unkept);
    clock.hold(state.value === "paused");
    const finished = found.size + failed.size;
    const done = finished + [...running.values()].reduce((sum, share) => sum + share, 0);
    const seconds = clock.seconds();
    batch(() => {
      signals.timing.value = {
        running: mine.active,
        seconds,
        left: done > 0 ? (seconds / done) * (total - done) : Number.POSITIVE_INFINITY,
      };
      signals.shares.value = new Map(running);
      if (failed.size > failures.value.size) signals.failures.value = new Map(failed);
      const wanted = new Set(uniqueCells.value.map((cell) => cell.key));
      const fresh = [...found].filter(
        ([key, result]) => wanted.has(key) && results.value.get(key) !== result,
      );
      if (fresh.length > 0) signals.results.value = new Map([...results.value, ...fresh]);
    });
    if (found.size > summed && performance.now() > sumsAgain) {
      summed = found.size;
      const began = performance.now();
      sumsAgain = Number.POSITIVE_INFINITY;
      void sumUp().finally(
        () =>
          (sumsAgain = performance.now() + Math.max(DRAW, (performance.now() - began) / SUMMING)),
      );
    }
  };
  signals.failures.value = new Map();
  signals.shares.value = new Map();
  signals.timing.value = undefined;
  signals.state.value = "running";
  signals.notice.value = "";
  s.say(`${total} cells are running.`);
  const mine = new Pool(works, estimate.value.workers, code, {
    // Progress has a channel of its own, and may still arrive after the result.
    progress: (key, share) => void (found.has(key) || failed.has(key) || running.set(key, share)),
    done: (result) => {
      found.set(result.key, result);
      running.delete(result.key);
    },
    failed: (key, problem) => {
      failed.set(key, problem);
      running.delete(key);
    },
    replaced: () =>
      (signals.notice.value = "A worker crashed and was replaced; its cell was started again."),
  });
  pool = mine;
  const looking = setInterval(look, LOOK);
  try {
    await mine.run();
  } finally {
    clearInterval(looking);
  }
  look();
  signals.shares.value = new Map();
  await sumUp();
  if (pool !== mine) return;
  pool = undefined;
  signals.state.value = "idle";
  s.say(
    `${found.size} of ${total} cells are finished${failed.size ? `, ${failed.size} failed` : ""}.`,
  );
}

/** Returns the running time without pauses. */
class Clock {
  private readonly began = performance.now();
  private held = 0;
  private heldAt: number | undefined;

  hold(held: boolean): void {
    const now = performance.now();
    if (held) this.heldAt ??= now;
    else if (this.heldAt !== undefined) {
      this.held += now - this.heldAt;
      this.heldAt = undefined;
    }
  }

  seconds(): number {
    return ((this.heldAt ?? performance.now()) - this.began - this.held) / 1000;
  }
}

export function pause(held: boolean): void {
  if (!pool) return;
  pool.pause(held);
  signals.state.value = held ? "paused" : "running";
  s.say(held ? "Paused." : "Running again.");
}

/** Stops the running cells and keeps the finished ones. */
export function cancel(): void {
  const stopped = pool;
  pool = undefined;
  signals.state.value = "idle";
  stopped?.stop();
  s.say("The sweep was cancelled; finished cells are kept.");
}

/**
 * Opens the run of a cell in the timeline, with the run of the plan's first policy beside it, and
 * selects a job if given.
 */
export function openCell(key: string, record?: number): void {
  const own = facts.value;
  const cell = own?.cells.find((cell) => cell.key === key);
  const source = cell && sourceOf(cell.source);
  if (!own || !cell) return;
  const trace = cell.source.trace;
  if (
    !source ||
    (trace && missingTraces.value.some((missing) => bare(missing.trace.name) === bare(trace.name)))
  ) {
    s.tell({
      what: `The trace ${trace?.name ?? ""} is not open.`,
      why: "The browser keeps results, but not traces.",
      next: "Choose its file under Run, then open the run again.",
    });
    return;
  }
  const rest = (cell: Cell) =>
    JSON.stringify(
      Object.entries(cell.axes)
        .filter(([name]) => name !== "policy")
        .sort(),
    );
  const first = own.cells.find((other) => rest(other) === rest(cell));
  const cells = first && first.key !== cell.key ? [first, cell] : [cell];
  lab.show(
    source,
    cells.map(({ scenario }) => scenario),
    record,
  );
  s.goTo("timeline");
}

/** Returns the open trace as a workload of plans, if it is a file. */
export function openTrace(): Plan["workloads"][number] | undefined {
  const { value: open } = s.source;
  if (open?.kind !== "file") return undefined;
  const { file, columns } = open;
  const sha256 = s.workload.value?.provenance.sha256 ?? "";
  offer(file);
  return { trace: { name: bare(file.name), sha256, ...(columns ? { columns } : {}) } };
}

/** Returns a first plan: of the open trace, or of a model. */
const starter = (): Plan =>
  ({
    schedscope_plan: 1,
    name: "Backfilling against load",
    workloads: [
      openTrace() ?? {
        model: { id: "lublin", settings: { jobs: 3000, processors: 128, overestimate: 5 } },
      },
    ],
    policies: [{ policy: "fcfs" }, { policy: "easy" }, { policy: "conservative" }],
    loads: { by: "arrivals", offered: [0.4, 0.5, 0.6, 0.7, 0.8, 0.9] },
    metrics: ["wait.mean", "bounded_slowdown.mean", "utilisation.value"],
  }) as unknown as Plan;

let begun: Promise<void> | undefined;

/** The plan of the last visit, or a first example. */
export function begin(): Promise<void> {
  return (begun ??= recallPlan());
}

/**
 * Makes the plan one of the open trace. Its other parts stay. The reader can take that back while
 * the page offers it.
 */
export async function sweepOpenTrace(): Promise<void> {
  const workload = openTrace();
  const { value: plan } = draft;
  const { value: before } = s.plan;
  if (!workload || !plan) return;
  await setPlan(JSON.stringify({ ...plan, workloads: [workload] }));
  const words = `The plan is now of ${workload.trace?.name}.`;
  s.say(words);
  if (before) s.offerUndo({ words, undo: () => void setPlan(before) });
}

/** True if the open trace is a file that the plan leaves out. */
export function leavesOutOpen(): boolean {
  const { value: open } = s.source;
  if (open?.kind !== "file") return false;
  const sha256 = s.workload.value?.provenance.sha256;
  const plan = draft.value;
  return plan !== undefined && !plan.workloads.some(({ trace }) => trace?.sha256 === sha256);
}

async function recallPlan(): Promise<void> {
  await restore();
  const stored = await store.storedPlan();
  // A plan that the reader has given meanwhile comes first.
  await pending;
  if (!facts.value && !problem.value && stored) await setPlan(stored);
  // Or while the stored one was read.
  await pending;
  if (facts.value) return;
  // A given plan with a mistake keeps its message, and may be read again (`lastText`).
  const [told, given] = [problem.value, lastText];
  await setPlan(JSON.stringify(starter()));
  if (!told) return;
  signals.problem.value = told;
  [lastText, codeBefore] = [given, ownCode(given)];
}
