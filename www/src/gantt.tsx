// One run's timeline: the raster from its worker, and over it outlines, labels, the selected job and the cursor.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { JobFacts, PlacementFacts, WhatIf } from "schedscope";
import { density, LANE_COLOURS, prepare, rgb, styled, useSize } from "./canvas";
import { drawArea, inWordsOf, pull } from "./explore/area";
import { isCompared } from "./explore/versus";
import { count, duration, instant } from "./format";
import { revive, select } from "./lab";
import { colourings, key, panBy, zoomBy } from "./navigate";
import type { Picture, View } from "./protocol";
import { pending } from "./rest";
import * as s from "./state";
import { ask, Silent, watched } from "./workers";

/** Rectangles up to which outlines and labels have room. */
const LIMIT = 6000;
/** Boxes are outlined from this size on, and labelled from that, in CSS pixels. */
const OUTLINE = 3;
/** Shared nodes are hatched from this size on, and joined by a line from this height of a lane on. */
const HATCHED = 6;
const LABEL = { width: 40, height: 11 };

/** The last pictures by lane, for the strips. */
export const pictures = signal<Map<number, Picture>>(new Map());
/** What is under the pointer, in words. */
export const hover = signal("");

/** Draws one lane's pictures one after the other: only the latest wish counts. */
class Painter {
  private wanted: View | undefined;
  private busy = false;
  picture: Picture | undefined;
  private readonly stored = document.createElement("canvas");

  constructor(
    private readonly id: number,
    private readonly canvas: () => HTMLCanvasElement | null,
    private readonly drawn: () => void,
  ) {}

  want(view: View): void {
    this.wanted = view;
    this.show();
    void this.pump();
  }

  private async pump(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    while (this.wanted) {
      const view = this.wanted;
      this.wanted = undefined;
      const hand = s.lanes.value.find((lane) => lane.id === this.id)?.hand;
      if (!hand) continue;
      try {
        const picture = await pending(watched(hand, () => hand.engine.draw(view)));
        if (picture) this.take(picture);
      } catch (error) {
        // A worker that was stopped, or failed in its run, is spoken of elsewhere.
        const lane = s.lanes.value.find((lane) => lane.id === this.id);
        if (error instanceof Silent && lane?.state === "done") revive(this.id, error);
      }
    }
    this.busy = false;
  }

  private take(picture: Picture): void {
    const { view } = picture;
    this.picture = picture;
    this.stored.width = view.width;
    this.stored.height = view.height;
    this.stored
      .getContext("2d")
      ?.putImageData(new ImageData(picture.pixels, view.width, view.height), 0, 0);
    pictures.value = new Map(pictures.value).set(this.id, picture);
    if (picture.legend) s.legend.value = picture.legend;
    this.show();
    this.drawn();
  }

  /** Shows the last picture where it lies in the window of now, until the next one is there. */
  show(): void {
    const canvas = this.canvas();
    const picture = this.picture;
    if (!canvas) return;
    const context = canvas.getContext("2d");
    if (!context) return;
    context.fillStyle = styled("--canvas");
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (!picture) return;
    const [have, want] = [picture.view, s.view.value];
    const across = canvas.width / (want.to - want.from);
    const down = canvas.height / (want.bottom - want.top);
    context.imageSmoothingEnabled = false;
    context.drawImage(
      this.stored,
      (have.from - want.from) * across,
      (have.top - want.top) * down,
      (have.to - have.from) * across,
      (have.bottom - have.top) * down,
    );
  }

  clear(): void {
    this.picture = undefined;
    this.show();
  }
}

export function Gantt({ lane, index }: { lane: s.Lane; index: number }) {
  const [ref, size] = useSize<HTMLDivElement>();
  const raster = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const painter = useRef<Painter | undefined>(undefined);
  const { id } = lane;

  const drawOverlay = () => {
    const canvas = overlay.current;
    if (canvas) paintOverlay(canvas, size, lane, painter.current?.picture);
  };
  useEffect(() => {
    const made = new Painter(
      id,
      () => raster.current,
      () => latestOverlay.current(),
    );
    painter.current = made;
    return () => {
      pictures.value = new Map([...pictures.value].filter(([lane]) => lane !== id));
    };
  }, [id]);
  const latestOverlay = useRef(drawOverlay);
  latestOverlay.current = drawOverlay;

  const window = s.view.value;
  const [colouring, theme, hand, shared, versus] = [
    s.colouring.value,
    s.theme.value,
    lane.hand,
    s.isShared.value,
    isCompared(lane),
  ];
  useEffect(() => {
    const canvas = raster.current;
    if (!canvas || size.width < 1) return;
    const [width, height] = [
      Math.round(size.width * density()),
      Math.round(size.height * density()),
    ];
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    if (!hand) return painter.current?.clear();
    painter.current?.want({
      ...window,
      width,
      height,
      background: rgb(styled("--canvas")),
      colouring,
      theme,
      bins: Math.max(1, Math.round(size.width)),
      limit: LIMIT,
      shared,
      versus,
    });
  }, [window, size, colouring, theme, hand, lane.drawn, shared, versus]);
  useEffect(drawOverlay, [
    window,
    size,
    theme,
    s.selected.value,
    s.jobFacts.value,
    s.cursor.value,
    s.instant.value,
    s.pointed.value,
    s.stepping.value,
    s.veil.value,
    s.area.value,
    lane.drawn,
    shared,
  ]);

  const place = (event: { clientX: number; clientY: number }) => {
    const box = overlay.current!.getBoundingClientRect();
    return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
  };
  const under = (event: { clientX: number; clientY: number }) => {
    const { x, y } = place(event);
    return {
      time: window.from + x * (window.to - window.from),
      processor: window.top + y * (window.bottom - window.top),
    };
  };

  usePointer(overlay, id, under);
  useWheel(overlay, place);

  const onKeyDown = (event: KeyboardEvent) => {
    if (key(event) || moveCursor(event, lane)) event.preventDefault();
  };
  const label = `Timeline of run ${s.letter(index)}, ${lane.facts ? count(lane.facts.processors) : ""} processors. Arrow keys move a cursor, Enter selects the job there, Shift and arrows select an area, W and S zoom, A and D pan, 0 shows all, Space plays.`;
  return (
    <div class="gantt" ref={ref}>
      <canvas ref={raster} class="raster" aria-hidden="true" />
      <canvas
        ref={overlay}
        class="overlay"
        tabIndex={0}
        role="application"
        aria-label={label}
        data-lane={id}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

/** Drag pans, two fingers pinch, a click selects, moving moves the cursor. */
function usePointer(
  canvas: { current: HTMLCanvasElement | null },
  id: number,
  at: (event: PointerEvent) => { time: number; processor: number },
) {
  const handlers = useRef({ at });
  handlers.current = { at };
  useEffect(() => {
    const element = canvas.current!;
    /** Pointers that are down, where they were last. */
    const down = new Map<number, { x: number; y: number }>();
    let moved = 0;
    /** Where an area that is being selected begins. */
    let corner: { time: number; processor: number } | undefined;
    const onDown = (event: PointerEvent) => {
      if (event.button !== 0) return;
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (down.size === 1) moved = 0;
      corner =
        down.size === 1 && (event.shiftKey || s.isSelecting.value)
          ? handlers.current.at(event)
          : undefined;
      element.setPointerCapture(event.pointerId);
    };
    const onMove = (event: PointerEvent) => {
      const was = down.get(event.pointerId);
      s.cursor.value = handlers.current.at(event);
      void describe(id, s.cursor.value);
      if (!was) return;
      const box = element.getBoundingClientRect();
      const [dx, dy] = [event.clientX - was.x, event.clientY - was.y];
      moved += Math.abs(dx) + Math.abs(dy);
      if (down.size === 2) pinch(event, was, box);
      else if (moved > 4 && corner) pull(corner, s.cursor.value);
      else if (moved > 4) panBy(-dx / box.width, -dy / box.height, "drag");
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    };
    const pinch = (event: PointerEvent, was: { x: number; y: number }, box: DOMRect) => {
      const other = [...down].find(([pointer]) => pointer !== event.pointerId)?.[1];
      if (!other) return;
      const before = Math.hypot(was.x - other.x, was.y - other.y);
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      if (before > 1)
        zoomBy(
          after / before,
          "time",
          ((event.clientX + other.x) / 2 - box.left) / box.width,
          "pinch",
        );
    };
    const onUp = async (event: PointerEvent) => {
      const wasDown = down.delete(event.pointerId);
      if (corner && moved > 4 && s.area.value)
        s.spoken.value = `Selected ${inWordsOf(s.area.value)}.`;
      corner = undefined;
      if (!wasDown || moved > 4 || event.type !== "pointerup") return;
      const { time, processor } = handlers.current.at(event);
      void selectAt(id, time, processor);
    };
    const onLeave = () => {
      if (down.size > 0) return;
      s.cursor.value = undefined;
      s.pointed.value = undefined;
      hover.value = "";
    };
    const listeners: [string, (event: PointerEvent) => void][] = [
      ["pointerdown", onDown],
      ["pointermove", onMove],
      ["pointerup", onUp],
      ["pointercancel", onUp],
      ["pointerleave", onLeave],
    ];
    for (const [name, listener] of listeners)
      element.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of listeners)
        element.removeEventListener(name, listener as EventListener);
    };
  }, []);
}

/** Ctrl + wheel zooms time, Alt + wheel zooms processors, Shift + wheel or a sideways one pans; a plain wheel scrolls the page. */
function useWheel(
  canvas: { current: HTMLCanvasElement | null },
  place: (event: WheelEvent) => { x: number; y: number },
) {
  const latest = useRef(place);
  latest.current = place;
  useEffect(() => {
    const element = canvas.current!;
    const onWheel = (event: WheelEvent) => {
      const { x, y } = latest.current(event);
      const factor = Math.exp(-event.deltaY / 300);
      if (event.ctrlKey || event.metaKey) zoomBy(factor, "time", x, "wheel");
      else if (event.altKey) zoomBy(factor, "rows", y, "wheel");
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        panBy((event.deltaX || event.deltaY) / 800, 0, "wheel");
      else return;
      event.preventDefault();
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, []);
}

/** From when on a run is hidden. */
function veilOf(id: number): number {
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
  const hand = s.lanes.value.find((lane) => lane.id === id)?.hand;
  if (time >= veilOf(id)) return null;
  const { from, to } = s.view.value;
  const pixel = (to - from) / (pictures.value.get(id)?.view.width ?? 1000);
  return hand
    ? ask(hand, (engine) => engine.jobAt(time, processor, pixel, s.isShared.value)).catch(
        () => null,
      )
    : null;
}

async function selectAt(id: number, time: number, processor: number): Promise<void> {
  if (time >= veilOf(id)) return void (s.spoken.value = "This is hidden until you have answered.");
  // Where a view of the machine shows an instant, it goes along.
  if (s.instant.value !== undefined) s.instant.value = time;
  const job = await askAt(id, time, processor);
  await select(job?.record);
  s.spoken.value = job ? `Selected ${inWords(job)}` : "No job runs there.";
}

let asking = false;
/** The place that is described after the one that is asked about. */
let next: { id: number; at: { time: number; processor: number } } | undefined;
async function describe(id: number, at: { time: number; processor: number }): Promise<void> {
  next = { id, at };
  if (asking) return;
  asking = true;
  while (next) {
    const { id, at }: NonNullable<typeof next> = next;
    next = undefined;
    tellPlace(id, at, await askAt(id, at.time, at.processor));
  }
  asking = false;
}

function tellPlace(
  id: number,
  at: { time: number; processor: number },
  job: JobFacts | null,
): void {
  if (s.instant.value !== undefined)
    s.pointed.value = s.cursor.value && job ? { lane: id, job: job.job } : undefined;
  if (s.cursor.value)
    hover.value =
      at.time >= veilOf(id)
        ? "Hidden until you have answered."
        : `${where(
            at,
            s.lanes.value.find((lane) => lane.id === id),
          )}: ${job ? inWords(job) : "free"}`;
}

const where = (at: { time: number; processor: number }, lane: s.Lane | undefined): string =>
  `${instant(at.time, s.workload.value?.provenance.unix_start)}, ${processorOf(at.processor, lane)}`;

/** A row of the timeline in words: with several time slots below one another it is a processor in one of them. */
function processorOf(height: number, lane: s.Lane | undefined): string {
  const row = Math.floor(height);
  const processors = lane?.facts?.processors ?? 0;
  if (!lane || lane.slots === 1 || processors === 0 || s.isShared.value)
    return `processor ${count(row)}`;
  return `processor ${count(row % processors)} in slot ${Math.floor(row / processors) + 1}`;
}

export const inWords = (job: JobFacts): string =>
  `job ${job.number}${job.user >= 0 ? `, user ${job.user}` : ""}, ${count(job.processors)} processor${job.processors === 1 ? "" : "s"}, ran ${duration(job.runtime)}, waited ${duration(job.wait)}`;

/** Arrow keys move a data cursor over the picture; Enter selects the job under it. */
function moveCursor(event: KeyboardEvent, lane: s.Lane): boolean {
  const w = s.view.value;
  // Where few processors are shared, each share is a step.
  const parts = s.isShared.value && w.bottom - w.top < 40 ? lane.slots : 1;
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
  else if (event.key === "Escape" && s.area.value) s.area.value = undefined;
  else if (event.key === "Escape") void select(undefined);
  else if (move) {
    const all = s.extent.value;
    const next = {
      time: Math.min(Math.max(at.time + move[0], all.from), all.to),
      processor: Math.min(Math.max(at.processor + move[1], 0.5 / parts), all.bottom - 0.5 / parts),
    };
    s.cursor.value = next;
    if (event.shiftKey) pull(s.area.value ? opposite(s.area.value, at) : at, next);
    // The window follows, so that the cursor stays in sight.
    const [across, down] = [
      (next.time - w.from) / (w.to - w.from),
      (next.processor - w.top) / (w.bottom - w.top),
    ];
    panBy(across < 0 || across > 1 ? across - 0.5 : 0, down < 0 || down > 1 ? down - 0.5 : 0);
    void askAt(lane.id, next.time, next.processor).then((job) => {
      hover.value =
        next.time >= veilOf(lane.id)
          ? "Hidden until you have answered."
          : `${where(next, lane)}: ${job ? inWords(job) : "free"}`;
      s.spoken.value = event.shiftKey && s.area.value ? inWordsOf(s.area.value) : hover.value;
    });
  } else return false;
  return true;
}

/** The corner of an area that is farthest from a point: it stays where the keyboard pulls at the other one. */
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

function paintOverlay(
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

/** The instant from which on a run is otherwise, and processors that are out of service. */
function paintFork(
  context: CanvasRenderingContext2D,
  { at, closed }: WhatIf,
  lane: s.Lane,
  x: Scale,
  y: Scale,
  size: { width: number; height: number },
): void {
  context.save();
  if (closed && closed.first + closed.count <= (lane.facts?.processors ?? 0)) {
    const clip = (value: number, most: number) => Math.min(Math.max(value, -9), most + 9);
    const [left, right] = [clip(x(at), size.width), clip(x(at + closed.seconds), size.width)];
    const [top, bottom] = [
      clip(y(closed.first), size.height),
      clip(y(closed.first + closed.count), size.height),
    ];
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    context.strokeStyle = styled("--quiet");
    context.beginPath();
    for (let begin = left - (bottom - top); begin < right; begin += 7) {
      context.moveTo(begin, bottom);
      context.lineTo(begin + bottom - top, top);
    }
    context.stroke();
    context.restore();
    context.save();
    context.strokeStyle = styled("--ink");
    context.strokeRect(left, top, right - left, bottom - top);
  }
  context.setLineDash([6, 4]);
  for (const [width, colour] of [
    [4, styled("--canvas")],
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

/** Lines between the rows of an Ousterhout matrix, and their numbers. */
function paintSlots(
  context: CanvasRenderingContext2D,
  lane: s.Lane,
  y: Scale,
  width: number,
): void {
  const processors = lane.facts?.processors ?? 0;
  if (lane.slots === 1 || processors === 0 || s.isShared.value) return;
  context.strokeStyle = styled("--ink");
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "top";
  for (let slot = 0; slot < lane.slots; slot += 1) {
    const top = y(slot * processors);
    if (slot > 0) context.strokeRect(0, top, width, 0);
    if (y((slot + 1) * processors) - top < LABEL.height) continue;
    const text = `slot ${slot + 1}`;
    context.fillStyle = styled("--canvas");
    context.fillRect(1, Math.max(top, 0) + 1, context.measureText(text).width + 6, 15);
    context.fillStyle = styled("--ink");
    context.fillText(text, 4, Math.max(top, 0) + 3);
  }
}

function paintBoxes(
  context: CanvasRenderingContext2D,
  boxes: Float64Array,
  x: Scale,
  y: Scale,
  size: { width: number; height: number },
): void {
  context.strokeStyle = styled("--canvas");
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

/** Where two jobs share nodes: hatched, the denser the slower both are, and a line that joins the two where they come together. */
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
      context.strokeStyle = styled("--canvas");
      context.globalAlpha = 0.55;
      context.beginPath();
      // From 14 pixels apart to 5 where both take twice as long.
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
      [3, styled("--canvas")],
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

/** What is to be predicted is not shown: a question mark stands there. */
function paintVeil(
  context: CanvasRenderingContext2D,
  from: number,
  size: { width: number; height: number },
): void {
  const left = Math.max(0, from);
  if (left >= size.width) return;
  context.fillStyle = styled("--soft");
  context.fillRect(left, 0, size.width - left, size.height);
  context.fillStyle = styled("--quiet");
  context.font = "28px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "center";
  context.fillText("?", (left + size.width) / 2, size.height / 2);
  context.textAlign = "start";
}

/** The instant that is told: what comes after it is veiled; who runs is drawn up to the estimate, reservations dotted. */
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
  context.fillStyle = styled("--canvas");
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
  const started = new Set(
    stepping.steps.slice(0, stepping.at + 1).flatMap((step) => step.started.map((job) => job.job)),
  );
  for (const step of stepping.steps.slice(0, stepping.at + 1))
    for (const job of step.ended) started.delete(job.job);
  context.strokeStyle = styled("--quiet");
  for (const index of started) {
    const job = stepping.jobs.get(index);
    if (job && !hidden.has(index))
      box(
        placed(job.placement, lane),
        Math.max(step.at, job.start ?? step.at),
        Math.max(step.at, (job.start ?? step.at) + job.estimate),
        `${job.number}`,
      );
  }
  if (stepping.isRevealed) {
    context.strokeStyle = styled("--accent");
    context.lineWidth = 2;
    context.setLineDash([2, 3]);
    for (const { job, start, end, placement } of step.reserved)
      box(placed(placement, lane), start, end, `${job.number} reserved`);
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

/** The job's processors outlined, a tick where it arrived, and a line over its wait. */
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
  const ranges = placed(job.placement, lane);
  const middle = ranges[0] ? y(ranges[0][0] + 0.5) : height / 2;
  const stroke = (width: number, colour: string) => {
    context.strokeStyle = colour;
    context.lineWidth = width;
    for (const [first, last] of ranges)
      context.strokeRect(
        x(start),
        y(first),
        Math.max(2, x(end) - x(start)),
        Math.max(2, y(last + 1) - y(first)),
      );
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
  stroke(4, styled("--canvas"));
  stroke(2, styled("--ink"));
  context.lineWidth = 1;
}

/** Where a job's processors stand in the timeline, as pairs of the first and the last: the rows stand one below the other. */
function placed(placement: PlacementFacts | undefined, lane: s.Lane): [number, number][] {
  const processors = s.isShared.value ? 0 : (lane.facts?.processors ?? 0);
  const above = (placement?.row ?? 0) * processors;
  return (placement?.ranges ?? []).map(([first, count]) => [
    above + first,
    above + first + count - 1,
  ]);
}

/** Whether each processor of a machine with time slots is drawn once, or once in each slot. */
export function LanesBy() {
  if (!s.lanes.value.some((lane) => lane.slots > 1)) return null;
  return (
    <label class="inline">
      Lanes
      <select
        value={s.isShared.value ? "shared" : "rows"}
        onChange={(event) => {
          s.isShared.value = event.currentTarget.value === "shared";
          // Windows of the other kind of lanes mean nothing here.
          s.zoom.value = undefined;
          s.zooms.value = [];
          s.cursor.value = undefined;
        }}
      >
        <option value="shared">
          {s.lanes.value.some((lane) => lane.atOnce)
            ? "processors, by share"
            : "processors, by share and turn"}
        </option>
        <option value="rows">slots, one below the other</option>
      </select>
    </label>
  );
}

/** What colours say. */
export function ColourBy() {
  const { colouring } = s;
  const known = colourings();
  const isKnown = known.some(([id]) => id === colouring.value);
  useEffect(() => {
    // Runs may still be on their way of which colours can say this.
    if (!isKnown && s.lanes.value.every((lane) => lane.state === "done")) colouring.value = "user";
  }, [isKnown, s.lanes.value]);
  return (
    <label class="inline">
      Colour by
      <select
        value={colouring.value}
        onChange={(event) =>
          (colouring.value = event.currentTarget.value as typeof colouring.value)
        }
      >
        {known.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What the colours mean. */
export function Legend() {
  const legend = s.legend.value;
  if (!legend) return null;
  return (
    <div class={`legend ${legend.continuous ? "continuous" : ""}`}>
      <span>{legend.title}</span>
      <ul>
        {legend.entries.map((entry) => (
          <li key={entry.label}>
            <i style={{ background: entry.colour }} /> {entry.label}
          </li>
        ))}
      </ul>
    </div>
  );
}

export const laneColour = (index: number): string => LANE_COLOURS[index % LANE_COLOURS.length]!;
