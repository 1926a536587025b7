// Describes a point of a timeline in words, and selects the job there.
import type { JobFacts } from "schedscope";
import { ask } from "../engine/workers";
import { inWordsOf, pull } from "../explore/area";
import { count, counted, duration, instant } from "../format/words";
import { select, selectFound } from "../lab";
import { lostAt } from "../runs/attempts";
import { inWords as whyInWords } from "../runs/why";
import * as s from "../state";
import { panBy } from "./navigate";

/** Returns the instant from which on a run is hidden. */
export function veilOf(id: number): number {
  const { veil, stepping, lanes } = s;
  if (veil.value)
    return (
      veil.value.from[lanes.value.findIndex((lane) => lane.id === id)] ?? Number.NEGATIVE_INFINITY
    );
  const now = stepping.value;
  return now?.lane === id && now.predicts
    ? (now.steps[now.at]?.at ?? Number.NEGATIVE_INFINITY)
    : Number.POSITIVE_INFINITY;
}

async function askAt(id: number, time: number, processor: number): Promise<JobFacts | null> {
  const hand = s.laneOf(id)?.hand;
  if (time >= veilOf(id)) return null;
  const { from, to } = s.view.value;
  const pixel = (to - from) / (s.pictures.value.get(id)?.view.width ?? 1000);
  return hand
    ? ask(hand, (engine) => engine.jobAt(time, processor, pixel, s.rowsBy.value)).catch(() => null)
    : null;
}

export async function selectAt(id: number, time: number, processor: number): Promise<void> {
  if (time >= veilOf(id)) return void s.say("Hidden until you answer the question.");
  // The instant of the machine's pictures moves along.
  if (s.instant.value !== undefined) s.showInstant(time);
  const job = await selectFound(askAt(id, time, processor));
  if (job === undefined) return;
  if (job === null) await select(undefined);
  s.say(job ? `Selected ${inWords(job, time)}` : "No job runs there.");
}

let asking = false;

/** The point to describe after the present question. */
let next: { id: number; at: { time: number; processor: number } } | undefined;

export async function describe(id: number, at: { time: number; processor: number }): Promise<void> {
  next = { id, at };
  if (asking) return;
  asking = true;
  while (next) {
    const { id, at }: NonNullable<typeof next> = next;
    next = undefined;
    const job = await askAt(id, at.time, at.processor);
    tellPlace(id, at, job);
    tellWhy(id, job);
  }
  asking = false;
}

/** Milliseconds for which the pointer rests before the page asks why the job there waited. */
const REST = 250;

let resting: ReturnType<typeof setTimeout> | undefined;

/** Adds the causes of a job's wait to the description of the point, if the pointer rests there. */
function tellWhy(id: number, job: JobFacts | null): void {
  clearTimeout(resting);
  const lane = s.laneOf(id);
  if (!job || job.wait === undefined || job.wait <= 0 || lane?.state !== "done" || !lane.hand)
    return;
  if (s.isPredicting.value) return;
  const { hand } = lane;
  const { wait } = job;
  const words = s.hover.value;
  resting = setTimeout(async () => {
    const found = await ask(hand, (engine) => engine.why(job.job)).catch(() => null);
    // Another point may be described by now.
    if (found && found.causes.length > 0 && s.hover.value === words && s.cursor.value)
      s.sayUnderPointer(id, `${words}: ${whyInWords(found.causes, wait)}`);
  }, REST);
}

function tellPlace(
  id: number,
  at: { time: number; processor: number },
  job: JobFacts | null,
): void {
  if (s.instant.value !== undefined)
    s.pointAt(s.cursor.value && job ? { lane: id, job: job.job } : undefined);
  if (s.cursor.value)
    s.sayUnderPointer(
      id,
      at.time >= veilOf(id)
        ? "Hidden until you answer the question."
        : `${where(at, s.laneOf(id))}: ${job ? inWords(job, at.time) : "free"}`,
    );
}

const where = (at: { time: number; processor: number }, lane: s.Lane | undefined): string =>
  `${instant(at.time, s.workload.value?.provenance.unix_start)}, ${processorOf(at.processor, lane)}`;

/**
 * Returns a row of the timeline in words. If time slots are drawn one below the other, a row is one
 * processor in one slot.
 */
function processorOf(height: number, lane: s.Lane | undefined): string {
  const row = Math.floor(height);
  const processors = lane?.facts?.processors ?? 0;
  const names = lane && s.rowNames.value.get(lane.id);
  const node = names && s.nodeOfRow(names, row);
  const rows = lane && s.rowsFor(lane);
  if (node) return `${rows === "gpus" ? "GPU" : "core"} ${count(row - node.first)} of ${node.name}`;
  if (rows === "gpus") return `GPU ${count(row)}`;
  if (processors === 0 || rows !== "slots") return `processor ${count(row)}`;
  return `processor ${count(row % processors)} in slot ${Math.floor(row / processors) + 1}`;
}

/** Returns the job, and the attempt of it that has processors at an instant. */
function inWords(job: JobFacts, time: number): string {
  const lost = lostAt(job, time);
  const ran = lost
    ? `ran ${duration(lost.end - lost.start)} in vain`
    : `ran ${duration(job.runtime)}, waited ${duration(job.wait)}`;
  const user = job.user >= 0 ? `, user ${job.user}` : "";
  return `job ${job.number}${user}, ${counted(job.processors, "processor")}, ${ran}`;
}

/** Moves a data cursor over the picture with the arrow keys. Enter selects the job under it. */
export function moveCursor(event: KeyboardEvent, lane: s.Lane): boolean {
  const w = s.view.value;
  // If a few processors are shared, each share is a step.
  const parts = s.rowsBy.value === "shared" && w.bottom - w.top < 40 ? lane.slots : 1;
  const step = {
    x: (w.to - w.from) / 100,
    y: parts > 1 ? 1 / parts : Math.max(1, Math.round((w.bottom - w.top) / 40)),
  };
  const at = s.cursor.value ?? {
    time: (w.from + w.to) / 2,
    processor: Math.floor((w.top + w.bottom) / 2) + 0.5 / parts,
  };
  const by: Record<string, [number, number]> = {
    ArrowLeft: [-step.x, 0],
    ArrowRight: [step.x, 0],
    ArrowUp: [0, -step.y],
    ArrowDown: [0, step.y],
  };
  const move = by[event.key];
  if (event.key === "Enter") void selectAt(lane.id, at.time, at.processor);
  else if (event.key === "Escape" && s.area.value) s.selectArea(undefined);
  else if (event.key === "Escape") void select(undefined);
  else if (move) {
    const all = s.extent.value;
    const next = {
      time: Math.min(Math.max(at.time + move[0], all.from), all.to),
      processor: Math.min(Math.max(at.processor + move[1], 0.5 / parts), all.bottom - 0.5 / parts),
    };
    s.moveCursor(next);
    if (event.shiftKey) pull(s.area.value ? opposite(s.area.value, at) : at, next);
    // The window follows, so that the cursor stays visible.
    const [across, down] = [
      (next.time - w.from) / (w.to - w.from),
      (next.processor - w.top) / (w.bottom - w.top),
    ];
    panBy(across < 0 || across > 1 ? across - 0.5 : 0, down < 0 || down > 1 ? down - 0.5 : 0);
    void askAt(lane.id, next.time, next.processor).then((job) => {
      s.sayUnderPointer(
        lane.id,
        next.time >= veilOf(lane.id)
          ? "Hidden until you answer the question."
          : `${where(next, lane)}: ${job ? inWords(job, next.time) : "free"}`,
      );
      s.say(event.shiftKey && s.area.value ? inWordsOf(s.area.value) : s.hover.value);
    });
  } else return false;
  return true;
}

/**
 * Returns the corner of an area that is farthest from a point. It stays fixed while the keyboard
 * moves the other corner.
 */
function opposite(
  area: s.Window,
  at: { time: number; processor: number },
): { time: number; processor: number } {
  const far = (low: number, high: number, at: number) =>
    Math.abs(at - low) > Math.abs(at - high) ? low : high;
  return {
    time: far(area.from, area.to, at.time),
    processor: far(area.top, area.bottom, at.processor),
  };
}
