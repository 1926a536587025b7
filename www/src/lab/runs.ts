// Runs lanes in workers of their own: a few at a time, watched, and cancelled at once.
import * as Comlink from "comlink";
import type { DoingFacts, Problem } from "schedscope";
import { gigabytes, processors } from "../engine/capacity";
import { needed, refusal } from "../engine/memory";
import type { PolicyCode, Reading } from "../engine/protocol";
import { ask, type Hand, hire, PATIENCE, Silent, watched } from "../engine/workers";
import { asProblem } from "../format/problem";
import { doingInWords, instant } from "../format/words";
import * as s from "../state";
import { codeOf } from "./own";
import { giveTrace, needsWhole } from "./reader";
import { isOnlyWhole, machineOf, newLane, scenario, setup } from "./scenario";
import { tellSelected } from "./select";

/** Number of times that a run starts again after its worker has died. */
const RETRIES = 1;

/** Number of runs that simulate at the same time. One processor stays free for the page. */
const AT_ONCE = Math.max(1, Math.min(8, processors() - 1));

export function setLane(id: number, change: Partial<s.Setup>): void {
  s.updateLane(id, { ...change, stale: true });
}

export function addLane(policy: string, more: Partial<s.Setup> = {}): void {
  const lane = newLane({ ...more, policy });
  s.appendLane(lane);
  void schedule(lane.id);
}

/** Adds the recorded schedule as the first run, unless it is there. */
export function addRecorded(): void {
  const { id } = s.catalog.value!.recorded;
  if (s.lanes.value.some(({ policy }) => policy === id)) return;
  // The log says how many processors a job had, and not which.
  const lane = newLane({ policy: id, machine: s.machine.value === "flat" ? "" : "flat" });
  s.putLanes([lane, ...s.lanes.value]);
  void schedule(lane.id);
}

function forget(id: number): void {
  s.dropLane(id);
  s.dropLog(id);
  s.endStepping(id);
  endings.get(id)?.abort();
  queue.delete(id);
}

/** Removes a run. While that can be undone, a finished run keeps its worker. */
export function removeLane(id: number): void {
  const index = s.lanes.value.findIndex((lane) => lane.id === id);
  const lane = s.lanes.value[index];
  if (!lane) return;
  const isKept = lane.state === "done" && lane.hand !== undefined;
  if (!isKept) lane.hand?.stop();
  const { value: trace } = s.source;
  const [shared, machine] = [s.shared.value, s.machine.value];
  const name = s.policyNamed(lane.policy)?.name ?? lane.policy;
  forget(id);
  const words = `Run ${s.letter(index)}, ${name}, was removed.`;
  s.say(words);
  s.offerUndo({
    words,
    end: () => lane.hand?.stop(),
    undo: () => {
      // Another trace has runs of its own.
      if (s.source.value !== trace) return lane.hand?.stop();
      const isPresent = s.shared.value === shared && s.machine.value === machine;
      s.appendLane(isPresent ? lane : { ...lane, stale: true });
      s.moveLane(id, index);
      if (!isKept) void schedule(id);
      s.say(`Run ${s.letter(index)} is back.`);
    },
  });
}

/**
 * Replaces the runs by these. A run with the same settings that is on the page takes the place of
 * its equal; the others run.
 */
export function restoreRuns(wanted: s.Lane[]): void {
  const of = (lane: s.Lane) => JSON.stringify(setup(lane));
  const left = new Map(s.lanes.value.filter(({ stale }) => !stale).map((lane) => [lane.id, lane]));
  const lanes = wanted.map((lane) => {
    const same = [...left.values()].find((other) => of(other) === of(lane));
    if (same) left.delete(same.id);
    return same ?? lane;
  });
  const kept = new Set(lanes.map(({ id }) => id));
  for (const { id } of s.lanes.value)
    if (!kept.has(id)) {
      s.laneOf(id)?.hand?.stop();
      forget(id);
    }
  s.putLanes(lanes);
  for (const lane of wanted) if (kept.has(lane.id)) void schedule(lane.id);
}

/** Moves a run to another place among the runs. */
export function moveLane(id: number, to: number): void {
  s.moveLane(id, to);
  const index = s.lanes.value.findIndex((lane) => lane.id === id);
  if (index >= 0) s.say(`The run is now run ${s.letter(index)}.`);
}

/** Shows a run among the timelines, or leaves it out. Its figures stay. */
export function hideLane(id: number, isHidden: boolean): void {
  s.updateLane(id, { isHidden });
}

/** Runs the lanes that are not up to date. */
export function runAll(): void {
  for (const lane of s.lanes.value) if (lane.stale || lane.state !== "done") void schedule(lane.id);
}

export function isBusy(lane: s.Lane): boolean {
  return lane.state === "loading" || lane.state === "running" || lane.state === "measuring";
}

/** Lanes that wait for a processor, and the number of lanes that have one. */
const queue = new Set<number>();

let active = 0;

async function schedule(id: number): Promise<void> {
  const lane = s.laneOf(id);
  if (!lane) return;
  s.endStepping(id);
  lane.hand?.stop();
  endings.get(id)?.abort();
  runs.set(id, (runs.get(id) ?? 0) + 1);
  // The facts of the selected job were those of the run before.
  if (s.jobFacts.value.has(id))
    s.knowSelected(new Map([...s.jobFacts.value].filter(([lane]) => lane !== id)));
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

/** Counts the starts of each lane. Answers to an earlier start are dropped. */
const runs = new Map<number, number>();

/** Stops the workers of runs that are not ready yet. */
const endings = new Map<number, AbortController>();

async function simulate(id: number, retry: number): Promise<void> {
  const source = s.source.value;
  const lane = s.laneOf(id);
  if (!source || !lane) return;
  const run = runs.get(id);
  // Progress has a channel of its own, and may still arrive after the result.
  let [isReading, isOver] = [true, false];
  const isCurrent = () => runs.get(id) === run && s.lanes.value.some((lane) => lane.id === id);
  const update = (change: Partial<s.Lane>) => isCurrent() && s.updateLane(id, change);
  let hand: Hand | undefined;
  let own: PolicyCode[] = [];
  let ownEnds = () => {};
  s.addLog(id);
  const { value: facts } = s.workload;
  const others = s.lanes.value.filter((other) => other.id !== id && other.hand).length;
  const tooLarge =
    facts &&
    refusal(
      facts.jobs,
      facts.report.read,
      others * needed(facts.jobs, facts.report.read),
      gigabytes(),
    );
  if (tooLarge) return void update({ state: "failed", hand: undefined, problem: tooLarge });
  try {
    // Settings that changed while the run waited count.
    update({ state: "loading", ranWith: setup(lane), stale: false });
    own = codeOf(setup(lane));
    if (own.length > 0) ownEnds = (await import("./held")).ownBegins(own);
    const ending = new AbortController();
    endings.set(id, ending);
    hand = await hire({
      own,
      isWhole: needsWhole(source) || isOnlyWhole(machineOf(lane)),
      signal: ending.signal,
    });
    if (endings.get(id) === ending) endings.delete(id);
    if (!isCurrent()) return hand.stop();
    const using = hand;
    const { engine } = using;
    update({ hand });
    // A reported activity ends with the next progress.
    hand.doing.add((doing) => !isOver && tells(doing) && update({ doing }));
    hand.logged.add(({ logged, unlogged }) => {
      if (isCurrent()) s.addLog(id, { lines: logged, unlogged });
    });
    const result = await watched(hand, async (alive) => {
      // After a failure nothing but the file is trusted.
      if (retry > 0 || !(await giveTrace(source, using, alive)))
        await engine.load(
          source,
          Comlink.proxy((reading: Reading) => {
            alive();
            if (isReading) update({ reading });
          }),
        );
      alive();
      isReading = false;
      alive(PATIENCE);
      const wanted = scenario(lane);
      const facts = await engine.prepare(wanted);
      alive();
      const [hasRun, rows] = [Boolean(s.laneOf(id)?.ranOn), s.rowsBy.value];
      update({
        state: "running",
        doing: undefined,
        facts: facts.workload,
        base: facts.workload.identity,
        candidates: facts.candidates,
        ranOn: wanted.machine ?? "",
        slots: facts.slots,
        gpus: facts.gpus,
        processes: facts.processes,
        atOnce: facts.at_once,
        matches: facts.matches,
        notModelled: facts.not_modelled,
        reading: undefined,
      });
      // Windows and areas of other rows have no meaning here.
      if (hasRun && rows !== s.rowsBy.value) {
        s.forgetWindows();
        s.selectArea(undefined);
      }
      const began = performance.now();
      return engine.run(
        Comlink.proxy((progress) => {
          alive(progress.done ? PATIENCE : undefined);
          if (isOver) return;
          const rate = progress.finished / Math.max(1e-3, (performance.now() - began) / 1000);
          const left =
            rate > 0 ? (progress.jobs - progress.finished) / rate : Number.POSITIVE_INFINITY;
          const now = s.laneOf(id)?.drawn ?? 0;
          update({
            progress,
            doing: undefined,
            speed: { rate, left },
            // A worker that measures draws nothing. The whole run is drawn after that.
            ...(progress.done ? { state: "measuring" } : { drawn: now + 1 }),
          });
        }),
      );
    });
    isOver = true;
    if (!isCurrent()) return hand.stop();
    const drawn = (s.laneOf(id)?.drawn ?? 0) + 1;
    if (result) {
      // The effect of a what-if is known now, and what the policy could not heed.
      const now = await ask(hand, (engine) => engine.facts());
      if (!isCurrent()) return hand.stop();
      update({
        state: "done",
        result,
        drawn,
        notModelled: now.not_modelled,
        ...(lane.whatIf ? { facts: now.workload } : {}),
      });
      announceIfAllDone();
    } else update({ state: "cancelled", drawn });
    void tellSelected(id);
  } catch (error) {
    isOver = true;
    hand?.stop();
    if (!isCurrent()) return;
    if (error instanceof Silent && retry < RETRIES && own.length === 0) {
      update({ hand: undefined, progress: undefined, doing: undefined, notice: replaced(error) });
      return simulate(id, retry + 1);
    }
    const problem: Problem =
      error instanceof Silent && own.length > 0
        ? await endless(error, own, s.laneOf(id)?.progress)
        : error instanceof Silent
          ? {
              what: `The worker of this run was silent for ${error.seconds} s, for the second time.`,
              why: "It sent no progress and no sign of life. It hangs, or the browser ended it, for example because memory is short.",
              next: "Close other tabs or choose a window of jobs, then run it again.",
            }
          : asProblem(error);
    update({ state: "failed", hand: undefined, doing: undefined, problem });
    s.say(`A run failed: ${problem.what}`);
  } finally {
    ownEnds();
  }
}

/** Returns what is told of own code that does not return. */
async function endless({ seconds }: Silent, own: PolicyCode[], progress: s.Lane["progress"]) {
  const { endless } = await import("../engine/sandboxes");
  const at = progress && instant(progress.now, s.workload.value?.provenance.unix_start);
  return endless(seconds, own, at);
}

const replaced = ({ seconds }: Silent): string =>
  `The worker was silent for ${seconds} s and was replaced. The run started again.`;

/** True if the activity deserves a message. Most activities end sooner. */
export const tells = (doing: DoingFacts): boolean => doing.seconds >= 1;

/** Replaces the worker of a run that no longer answers, and starts the run again. */
export function revive(id: number, silent: Silent): void {
  void schedule(id);
  s.updateLane(id, { notice: replaced(silent) });
}

function announceIfAllDone(): void {
  if (s.lanes.value.every((lane) => lane.state === "done")) {
    s.say(`All ${s.lanes.value.length} runs are finished.`);
  }
}

/** Milliseconds after which a run counts as cancelled, whether its worker has answered or not. */
const CANCEL_WITHIN = 200;

/** Further milliseconds that a worker has for its answer, because the computer may be busy. */
const ANSWER_WITHIN = 3000;

/** Stops a run at once. The part that it has simulated stays on the page. */
export async function cancel(id: number): Promise<void> {
  const lane = s.laneOf(id);
  if (!lane) return;
  queue.delete(id);
  const { hand } = lane;
  const late = (after: number) =>
    new Promise<"late">((resolve) => setTimeout(() => resolve("late"), after));
  const runner = lane.state === "running" ? hand : undefined;
  const asked = runner
    ? ask(runner, (engine) => engine.cancel()).catch(() => "late" as const)
    : Promise.resolve("late" as const);
  let answer = await Promise.race([asked, late(CANCEL_WITHIN)]);
  s.say("The run was cancelled.");
  // No answer comes from inside a step that is known to be long.
  if (runner && answer === "late" && !s.laneOf(id)?.doing) {
    s.updateLane(id, { state: "cancelled" });
    answer = await Promise.race([asked, late(ANSWER_WITHIN)]);
    if (s.laneOf(id)?.hand !== hand) return;
  }
  if (answer === "late") {
    runs.set(id, (runs.get(id) ?? 0) + 1);
    // The worker's activity is better known now than when the cancel was sent.
    const doing = s.laneOf(id)?.doing;
    const inside = doing
      ? doingInWords(doing, s.workload.value?.provenance.unix_start)
      : "inside a long step";
    lane.hand?.stop();
    endings.get(id)?.abort();
    s.updateLane(id, {
      state: "cancelled",
      hand: undefined,
      doing: undefined,
      ...(lane.hand && lane.state !== "loading"
        ? {
            notice: `The worker did not answer (${inside}) and was stopped. The picture stays, but cannot zoom or show jobs. To have these, run it again.`,
          }
        : {}),
    });
  }
}
