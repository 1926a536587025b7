// The timeline of a run: the raster from its worker, and over it outlines, labels, the selected job
// and the cursor.

import { useEffect, useRef } from "preact/hooks";
import { isCompared } from "../explore/versus";
import { count, counted } from "../format/words";
import * as lab from "../lab";
import * as s from "../state";
import { density, rgb, styled, useSize } from "../ui/canvas";
import { key } from "./keys";
import { useLatest } from "./latest";
import { paintOverlay } from "./overlay";
import { Painter } from "./painter";
import { moveCursor } from "./point";
import { usePointer, useWheel } from "./pointer";

/** Number of rectangles up to which outlines and labels have room. */
const LIMIT = 6000;

/** Returns the number of rows of a timeline in words. */
const sizeInWords = (lane: s.Lane): string =>
  s.rowsFor(lane) === "gpus"
    ? counted(lane.gpus, "GPU")
    : `${lane.facts ? count(lane.facts.processors) : ""} processors`;

export function Gantt({ lane, index }: { lane: s.Lane; index: number }) {
  const [ref, size] = useSize<HTMLDivElement>();
  const raster = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const painter = useRef<Painter | undefined>(undefined);
  const { id } = lane;
  const asked = lane.ranOn === undefined ? undefined : lab.viewOf(lane.ranOn)?.rowNames;
  const names = useLatest(lane, [lane.facts, asked, s.rowsFor(lane)], () =>
    lane.facts && asked ? (engine) => asked(engine, s.rowsFor(lane)) : undefined,
  );
  useEffect(() => {
    s.nameRows(id, names);
    return () => s.nameRows(id, undefined);
  }, [id, names]);

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
      made.stop();
      s.dropPicture(id);
    };
  }, [id]);
  const latestOverlay = useRef(drawOverlay);
  latestOverlay.current = drawOverlay;

  const window = s.view.value;
  const [colouring, theme, hand, rows, versus] = [
    s.colouring.value,
    s.theme.value,
    lane.hand,
    s.rowsBy.value,
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
      background: rgb(styled("--lane")),
      colouring,
      theme,
      bins: Math.max(1, Math.round(size.width)),
      limit: LIMIT,
      rows,
      versus,
    });
  }, [window, size, colouring, theme, hand, lane.drawn, rows, versus]);
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
    rows,
    names,
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
  const label = `Timeline of run ${s.letter(index)}, ${sizeInWords(lane)}. Arrow keys move a cursor, Enter selects the job there, Shift and arrows select an area, W and S zoom, A and D pan, 0 shows all, Space plays.`;
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
