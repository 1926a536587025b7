// Draws over a timeline's raster: outlines, labels, the selection, veils.
import type { JobFacts, PlacementFacts, WhatIf } from "schedscope";
import type { Picture } from "../engine/protocol";
import { attemptAt } from "../runs/attempts";
import * as s from "../state";
import { prepare, styled } from "../ui/canvas";
import { type Box, eachOblique, keptBoxes } from "./kept";
import { veilOf } from "./point";

function drawArea(
  context: CanvasRenderingContext2D,
  area: s.Window,
  x: (time: number) => number,
  y: (row: number) => number,
  size: { width: number; height: number },
): void {
  const [left, right, top, bottom] = [x(area.from), x(area.to), y(area.top), y(area.bottom)];
  context.save();
  context.fillStyle = styled("--accent");
  context.globalAlpha = 0.14;
  context.fillRect(left, top, right - left, bottom - top);
  context.globalAlpha = 1;
  for (const [width, colour] of [
    [3, styled("--lane")],
    [1.5, styled("--accent")],
  ] as const) {
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.strokeRect(
      left,
      Math.max(top, 0) + 1,
      right - left,
      Math.min(bottom, size.height) - Math.max(top, 0) - 2,
    );
  }
  context.restore();
}

/** Least sizes of boxes for an outline and for a label, in CSS pixels. */
const OUTLINE = 3;

/**
 * Least size of shared nodes for hatching, and least height of a lane for the line that joins them.
 */
const HATCHED = 6;

const LABEL = { width: 40, height: 11 };

export function paintOverlay(
  canvas: HTMLCanvasElement,
  size: { width: number; height: number },
  lane: s.Lane,
  picture: Picture | undefined,
): void {
  const context = prepare(canvas, size.width, size.height);
  if (!context) return;
  const w = s.view.value;
  const x = (time: number) => ((time - w.from) / (w.to - w.from)) * size.width;
  const y = (row: number) => ((row - w.top) / (w.bottom - w.top)) * size.height;
  if (picture?.overlaps) paintOverlaps(context, picture.overlaps, x, y, size);
  if (picture?.boxes) paintBoxes(context, picture.boxes, x, y, size);
  paintSlots(context, lane, y, size.width);
  const names = s.rowNames.value.get(lane.id);
  if (names) {
    hatch(context, keptBoxes(names.kept, w, size));
    paintNodes(context, names, w, y, size.width);
  }
  if (s.stepping.value?.lane === lane.id) paintStep(context, s.stepping.value, lane, x, y, size);
  const job = s.jobFacts.value.get(lane.id);
  if (job && s.stepping.value?.lane !== lane.id)
    paintSelected(context, job, lane, x, y, size.height);
  const pointed = s.pointed.value;
  if (pointed?.lane === lane.id && pointed.rows) {
    context.strokeStyle = styled("--ink");
    context.lineWidth = 2;
    for (const [first, rows] of pointed.rows)
      context.strokeRect(
        x(pointed.from!),
        y(first),
        Math.max(2, x(pointed.to!) - x(pointed.from!)),
        y(first + rows) - y(first),
      );
    context.lineWidth = 1;
  }
  if (s.veil.value) paintVeil(context, x(veilOf(lane.id)), size);
  if (lane.whatIf) paintFork(context, lane.whatIf, lane, x, y, size);
  if (s.area.value) drawArea(context, s.area.value, x, y, size);
  if (s.instant.value !== undefined) {
    context.strokeStyle = styled("--accent");
    context.lineWidth = 2;
    context.strokeRect(x(s.instant.value), -2, 0, size.height + 4);
    context.lineWidth = 1;
  }
  const at = s.cursor.value;
  if (at) {
    context.strokeStyle = styled("--ink");
    context.globalAlpha = 0.6;
    context.beginPath();
    context.moveTo(x(at.time), 0);
    context.lineTo(x(at.time), size.height);
    context.stroke();
    const row = Math.floor(at.processor);
    if (document.activeElement === canvas)
      context.strokeRect(x(at.time) - 4, y(row) - 1, 8, Math.max(3, y(row + 1) - y(row)) + 2);
    context.globalAlpha = 1;
  }
}

type Scale = (value: number) => number;

/** Draws oblique lines over boxes, and their outlines. */
function hatch(context: CanvasRenderingContext2D, boxes: readonly Box[]): void {
  context.strokeStyle = styled("--ink-2");
  context.lineWidth = 1;
  context.beginPath();
  for (const box of boxes) {
    const [left, right, top, bottom] = box;
    eachOblique(box, (fromX, fromY, toX, toY) => {
      context.moveTo(fromX, fromY);
      context.lineTo(toX, toY);
    });
    context.rect(left, top, right - left, bottom - top);
  }
  context.stroke();
}

/** Draws the instant of a what-if, and processors that are out of service. */
function paintFork(
  context: CanvasRenderingContext2D,
  { at, closed }: WhatIf,
  lane: s.Lane,
  x: Scale,
  y: Scale,
  size: { width: number; height: number },
): void {
  context.save();
  if (
    closed &&
    s.rowsFor(lane) !== "gpus" &&
    closed.first + closed.count <= (lane.facts?.processors ?? 0)
  ) {
    const clip = (value: number, most: number) => Math.min(Math.max(value, -9), most + 9);
    const [left, right] = [clip(x(at), size.width), clip(x(at + closed.seconds), size.width)];
    // An outage closes processors in every slot.
    const slots = s.rowsFor(lane) === "slots" ? lane.slots : 1;
    const edge = (slot: number, processor: number) =>
      clip(y(slot * (lane.facts?.processors ?? 0) + processor), size.height);
    const boxes = Array.from(
      { length: slots },
      (_, slot): Box => [
        left,
        right,
        edge(slot, closed.first),
        edge(slot, closed.first + closed.count),
      ],
    );
    hatch(context, boxes);
    context.strokeStyle = styled("--ink");
    for (const [, , top, bottom] of boxes)
      context.strokeRect(left, top, right - left, bottom - top);
  }
  context.setLineDash([6, 4]);
  for (const [width, colour] of [
    [4, styled("--lane")],
    [2, styled("--ink")],
  ] as const) {
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.beginPath();
    context.moveTo(x(at), 0);
    context.lineTo(x(at), size.height);
    context.stroke();
  }
  context.restore();
}

/** Draws lines between the rows of an Ousterhout matrix, and the numbers of the rows. */
function paintSlots(
  context: CanvasRenderingContext2D,
  lane: s.Lane,
  y: Scale,
  width: number,
): void {
  const processors = lane.facts?.processors ?? 0;
  if (lane.slots === 1 || processors === 0 || s.rowsBy.value !== "slots") return;
  context.strokeStyle = styled("--ink");
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "top";
  for (let slot = 0; slot < lane.slots; slot += 1) {
    const top = y(slot * processors);
    if (slot > 0) context.strokeRect(0, top, width, 0);
    if (y((slot + 1) * processors) - top < LABEL.height) continue;
    const text = `slot ${slot + 1}`;
    context.fillStyle = styled("--lane");
    context.fillRect(1, Math.max(top, 0) + 1, context.measureText(text).width + 6, 15);
    context.fillStyle = styled("--ink");
    context.fillText(text, 4, Math.max(top, 0) + 3);
  }
}

/** Least height of a node for a line above it, in CSS pixels. */
const NODE_LINE = 9;

/** Draws lines between kinds of nodes and, if there is room, between nodes, with their names. */
function paintNodes(
  context: CanvasRenderingContext2D,
  names: s.RowNames,
  window: s.Window,
  y: Scale,
  width: number,
): void {
  context.save();
  context.lineWidth = 1;
  const line = (row: number, colour: string) => {
    const top = Math.round(y(row)) + 0.5;
    context.strokeStyle = styled(colour);
    context.strokeRect(0, top, width, 0);
  };
  const first = s.nodeOfRow(names, Math.max(0, window.top));
  const from = first ? names.nodes.indexOf(first) : names.nodes.length;
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "top";
  for (const node of names.nodes.slice(from)) {
    if (node.first >= window.bottom) break;
    const [top, bottom] = [y(node.first), y(node.end)];
    if (bottom - top < NODE_LINE) continue;
    line(node.first, "--lane");
    const seen = Math.max(top, 0);
    if (bottom - seen < 15) continue;
    context.globalAlpha = 0.8;
    context.fillStyle = styled("--lane");
    context.fillRect(1, seen + 1, context.measureText(node.name).width + 6, 13);
    context.globalAlpha = 1;
    context.fillStyle = styled("--ink");
    context.fillText(node.name, 4, seen + 2);
  }
  for (const row of names.kinds) if (row > window.top && row < window.bottom) line(row, "--ink");
  context.restore();
}

function paintBoxes(
  context: CanvasRenderingContext2D,
  boxes: Float64Array,
  x: Scale,
  y: Scale,
  size: { width: number; height: number },
): void {
  context.strokeStyle = styled("--lane");
  context.lineWidth = 1;
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (let at = 0; at + 5 < boxes.length; at += 6) {
    const [, number, from, to, first, rows] = boxes.subarray(at, at + 6) as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    // A dimmed job has no number.
    if (Number.isNaN(number)) continue;
    const [left, right, top, bottom] = [x(from), x(to), y(first), y(first + rows)];
    if (right - left < OUTLINE || bottom - top < OUTLINE) continue;
    context.strokeRect(left, top, right - left, bottom - top);
    const [seenLeft, seenRight, seenTop, seenBottom] = [
      Math.max(left, 0),
      Math.min(right, size.width),
      Math.max(top, 0),
      Math.min(bottom, size.height),
    ];
    if (seenRight - seenLeft < LABEL.width || seenBottom - seenTop < LABEL.height) continue;
    const text = String(number);
    const width = context.measureText(text).width + 6;
    if (width > seenRight - seenLeft) continue;
    const middle = (seenTop + seenBottom) / 2;
    context.fillStyle = "rgb(255 255 255 / 82%)";
    context.fillRect(seenLeft + 2, middle - 7, width, 14);
    context.fillStyle = "#16191d";
    context.fillText(text, seenLeft + 5, middle + 0.5);
  }
}

/**
 * Hatches the nodes that two jobs share, the denser the slower both are. A line joins the two jobs
 * where their shared time begins.
 */
function paintOverlaps(
  context: CanvasRenderingContext2D,
  overlaps: Float64Array,
  x: Scale,
  y: Scale,
  size: { width: number; height: number },
): void {
  context.lineWidth = 1;
  for (let at = 0; at + 4 < overlaps.length; at += 5) {
    const [from, to, first, nodes, slowdown] = overlaps.subarray(at, at + 5) as unknown as [
      number,
      number,
      number,
      number,
      number,
    ];
    const [left, right] = [Math.max(x(from), -1), Math.min(x(to), size.width + 1)];
    const [top, bottom] = [Math.max(y(first), -1), Math.min(y(first + nodes), size.height + 1)];
    if (right - left < HATCHED || bottom - top < HATCHED) continue;
    if (slowdown > 1) {
      context.save();
      context.beginPath();
      context.rect(left, top, right - left, bottom - top);
      context.clip();
      context.strokeStyle = styled("--lane");
      context.globalAlpha = 0.55;
      context.beginPath();
      // The lines are 14 pixels apart, and 5 pixels if both jobs take twice as long.
      const apart = 14 - 9 * Math.min(1, slowdown - 1);
      for (
        let begin = Math.floor((left - (bottom - top)) / apart) * apart;
        begin < right;
        begin += apart
      ) {
        context.moveTo(begin, bottom);
        context.lineTo(begin + bottom - top, top);
      }
      context.stroke();
      context.restore();
    }
    const lane = y(first + 1) - y(first);
    if (lane < HATCHED || x(from) < 0) continue;
    const [middle, upper, lower] = [left + 4, y(first) + lane / 4, y(first) + (3 * lane) / 4];
    for (const [width, colour] of [
      [3, styled("--lane")],
      [1.5, styled("--ink")],
    ] as const) {
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.beginPath();
      context.moveTo(middle, upper);
      context.lineTo(middle, lower);
      context.stroke();
    }
    context.lineWidth = 1;
  }
}

/** Covers the parts that the reader predicts with a question mark. */
function paintVeil(
  context: CanvasRenderingContext2D,
  from: number,
  size: { width: number; height: number },
): void {
  const left = Math.max(0, from);
  if (left >= size.width) return;
  context.fillStyle = styled("--hover");
  context.fillRect(left, 0, size.width - left, size.height);
  context.fillStyle = styled("--ink-2");
  context.font = "28px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "center";
  context.fillText("?", (left + size.width) / 2, size.height / 2);
  context.textAlign = "start";
}

/**
 * Draws the instant of the step: a veil over later time, running jobs up to their estimates, and
 * dotted reservations.
 */
function paintStep(
  context: CanvasRenderingContext2D,
  stepping: s.Stepping,
  lane: s.Lane,
  x: Scale,
  y: Scale,
  size: { width: number; height: number },
): void {
  const step = stepping.steps[stepping.at];
  if (!step) return;
  const now = x(step.at);
  context.fillStyle = styled("--lane");
  context.fillRect(now, 0, size.width - now, size.height);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  const box = (ranges: [number, number][], from: number, to: number, text: string) => {
    for (const [first, last] of ranges) {
      const [left, top, width, height] = [
        x(from) + 1,
        y(first) + 1,
        Math.max(2, x(to) - x(from) - 2),
        Math.max(2, y(last + 1) - y(first) - 2),
      ];
      context.strokeRect(left, top, width, height);
      if (width < LABEL.width || height < LABEL.height) continue;
      context.fillStyle = styled("--ink");
      context.fillText(text, left + 5, top + height / 2, width - 8);
    }
  };
  const hidden = new Set(stepping.isRevealed ? [] : step.started.map((job) => job.job));
  // A job that is preempted can start again in a later step.
  const started = new Set(stepping.running);
  for (const step of stepping.steps.slice(0, stepping.at + 1)) {
    for (const job of step.started) started.add(job.job);
    for (const job of step.resumed) started.add(job.job);
    for (const job of [...step.ended, ...step.requeued, ...step.suspended]) started.delete(job.job);
  }
  context.strokeStyle = styled("--ink-2");
  for (const index of started) {
    const job = stepping.jobs.get(index);
    if (job && !hidden.has(index)) {
      const attempt = attemptAt(job, step.at);
      const { start = step.at } = attempt;
      box(
        placed(attempt, lane),
        Math.max(step.at, start),
        Math.max(step.at, start + job.estimate),
        `${job.number}`,
      );
    }
  }
  if (stepping.isRevealed) {
    context.strokeStyle = styled("--accent");
    context.lineWidth = 2;
    context.setLineDash([2, 3]);
    for (const { job, start, end, placement } of step.reserved)
      box(placed({ placement }, lane), start, end, `${job.number} reserved`);
    context.setLineDash([]);
  }
  context.lineWidth = 2;
  context.strokeStyle = styled("--ink");
  context.beginPath();
  context.moveTo(now, 0);
  context.lineTo(now, size.height);
  context.stroke();
  context.lineWidth = 1;
}

/**
 * Draws the selected job: an outline of its processors in each attempt, a tick at its arrival, and a
 * line over its wait.
 */
function paintSelected(
  context: CanvasRenderingContext2D,
  job: JobFacts,
  lane: s.Lane,
  x: Scale,
  y: Scale,
  height: number,
): void {
  const start = job.start ?? s.extent.value.to;
  const end = job.end ?? s.extent.value.to;
  const ranges = placed(job, lane);
  const middle = ranges[0] ? y(ranges[0][0] + 0.5) : height / 2;
  const outline = (ranges: [number, number][], from: number, to: number) => {
    for (const [first, last] of ranges)
      context.strokeRect(
        x(from),
        y(first),
        Math.max(2, x(to) - x(from)),
        Math.max(2, y(last + 1) - y(first)),
      );
  };
  const stroke = (width: number, colour: string) => {
    context.strokeStyle = colour;
    context.lineWidth = width;
    outline(ranges, start, end);
    for (const lost of job.lost) outline(placed(lost, lane), lost.start, lost.end);
    context.beginPath();
    context.moveTo(x(job.submitted), 0);
    context.lineTo(x(job.submitted), height);
    context.stroke();
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(x(job.submitted), middle);
    context.lineTo(x(start), middle);
    context.stroke();
    context.setLineDash([]);
  };
  stroke(4, styled("--lane"));
  stroke(2, styled("--ink"));
  context.lineWidth = 1;
}

/**
 * Returns a job's rows in the timeline as pairs of the first and the last. The rows of the matrix
 * stand one below the other.
 */
function placed(
  at: { placement?: PlacementFacts | undefined; gpus?: PlacementFacts | undefined },
  lane: s.Lane,
): [number, number][] {
  const rows = s.rowsFor(lane);
  const placement = rows === "gpus" ? at.gpus : at.placement;
  const processors = rows === "slots" ? (lane.facts?.processors ?? 0) : 0;
  const above = (placement?.row ?? 0) * processors;
  return (placement?.ranges ?? []).map(([first, count]) => [
    above + first,
    above + first + count - 1,
  ]);
}
