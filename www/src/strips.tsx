// The strips below the timelines (utilisation and queue length, all runs in one picture) and the minimap above them.
import { useEffect, useRef, useState } from "preact/hooks";
import { LANE_DASHES, prepare, styled, ticks, useSize } from "./canvas";
import { pull, rulerOf } from "./explore/area";
import { count, figure, instant, share } from "./format";
import { laneColour, pictures } from "./gantt";
import { show } from "./navigate";
import * as s from "./state";
import { ask } from "./workers";

/** What strips show: the name, what is said of a value, and of the greatest. Their order is that of a picture's bins. */
const KINDS = {
  used: { name: "Utilisation", say: (value: number) => share(value), least: 1 },
  waiting: {
    name: "Queue length",
    say: (value: number) => `${count(Math.round(value))} jobs`,
    least: 1,
  },
  work: {
    name: "Waiting work",
    say: (value: number) => `${figure(value / 3600)} processor hours`,
    least: 3600,
  },
} as const;
const ORDER = ["used", "waiting", "work"] as const;

/** One line a run; a strip shows means over the pixels of the window. */
export function Strip({ kind }: { kind: keyof typeof KINDS }) {
  const [ref, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const lines = s.lanes.value.map((lane, index) => {
    const picture = pictures.value.get(lane.id);
    const part = picture ? picture.bins.length / ORDER.length : 0;
    const values = picture?.bins.subarray(
      ORDER.indexOf(kind) * part,
      (ORDER.indexOf(kind) + 1) * part,
    );
    // Processors in use are shown as a share of the run's own machine.
    const scale = kind === "used" ? 1 / Math.max(1, lane.facts?.processors ?? 1) : 1;
    return { index, picture, scale, values: lane.facts ? values : undefined };
  });
  const at = pointedTime();
  const { name, say, least } = KINDS[kind];
  const most =
    kind === "used"
      ? 1
      : Math.max(
          least,
          ...lines.map(({ values }) => (values ? values.reduce((a, b) => Math.max(a, b), 0) : 0)),
        );
  const w = s.view.value;
  useEffect(() => {
    const context = canvas.current && prepare(canvas.current, size.width, size.height);
    if (!context) return;
    const x = (time: number) => ((time - w.from) / (w.to - w.from)) * size.width;
    const y = (value: number) => size.height - 2 - (value / most) * (size.height - 4);
    for (const { index, picture, scale, values } of lines) {
      if (!picture || !values) continue;
      context.strokeStyle = laneColour(index);
      context.setLineDash(LANE_DASHES[index % LANE_DASHES.length]!);
      context.lineWidth = 1.5;
      context.beginPath();
      const { from, to } = picture.view;
      values.forEach((value, bin) =>
        context.lineTo(x(from + ((bin + 0.5) / values.length) * (to - from)), y(value * scale)),
      );
      context.stroke();
    }
    context.setLineDash([]);
    if (at !== undefined) {
      context.strokeStyle = styled("--ink");
      context.globalAlpha = 0.6;
      context.strokeRect(x(at), -1, 0, size.height + 2);
      context.globalAlpha = 1;
    }
  });
  const point = (event: PointerEvent) => {
    const box = ref.current!.getBoundingClientRect();
    s.cursor.value = {
      time: w.from + ((event.clientX - box.left) / box.width) * (w.to - w.from),
      processor: s.cursor.value?.processor ?? 0,
    };
  };
  return (
    <div class="strip">
      <span class="strip-name">
        {name}
        <small>0 to {kind === "used" ? "100 %" : say(most)}</small>
      </span>
      <div
        ref={ref}
        class="strip-canvas"
        onPointerMove={point}
        onPointerLeave={() => (s.cursor.value = undefined)}
      >
        <canvas ref={canvas} role="img" aria-label={`${name} over time, one line for each run`} />
      </div>
      <span class="strip-values">
        {lines.map((line) => (
          <Value key={line.index} {...line} say={say} />
        ))}
      </span>
    </div>
  );
}

/** Where the one cursor of all pictures is. */
const pointedTime = (): number | undefined => s.cursor.value?.time ?? s.instant.value;

function Value({
  index,
  values,
  picture,
  scale,
  say,
}: {
  index: number;
  values: Float32Array | undefined;
  picture: { view: { from: number; to: number } } | undefined;
  scale: number;
  say: (value: number) => string;
}) {
  const at = pointedTime();
  if (at === undefined || !values || !picture) return null;
  const { from, to } = picture.view;
  const value = values[Math.floor(((at - from) / (to - from)) * values.length)];
  if (value === undefined) return null;
  return (
    <span>
      <b style={{ color: laneColour(index) }}>{s.letter(index)}</b> {say(value * scale)}
    </span>
  );
}

export function TimeAxis() {
  const [ref, size] = useSize<HTMLDivElement>();
  const w = s.view.value;
  const unixStart = s.workload.value?.provenance.unix_start;
  // A label that would be cut off at the right edge is left out.
  const last = w.to - ((w.to - w.from) * 75) / Math.max(150, size.width);
  const found = ticks(
    w.from,
    w.to,
    Math.max(2, size.width / 90),
    unixStart,
    s.extent.value.to,
  ).filter(({ at }) => at <= last);
  const corner = useRef<number | undefined>(undefined);
  const timeAt = (event: PointerEvent) => {
    const box = ref.current!.getBoundingClientRect();
    return (
      w.from +
      (Math.min(Math.max(event.clientX - box.left, 0), box.width) / box.width) * (w.to - w.from)
    );
  };
  const all = s.extent.value;
  const onDown = (event: PointerEvent) => {
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    corner.current = timeAt(event);
  };
  const onMove = (event: PointerEvent) => {
    // A ruler is an area of all processors.
    if (corner.current !== undefined && event.buttons === 1)
      pull(
        { time: corner.current, processor: all.top },
        { time: timeAt(event), processor: all.bottom },
      );
  };
  const ruler = rulerOf(w);
  return (
    <div
      class="time-axis"
      ref={ref}
      aria-hidden="true"
      title="Drag to measure"
      onPointerDown={onDown}
      onPointerMove={onMove}
      onPointerUp={() => (corner.current = undefined)}
    >
      {ruler && (
        <i class="ruler" style={{ left: `${100 * ruler.left}%`, width: `${100 * ruler.width}%` }}>
          <b>{ruler.text}</b>
        </i>
      )}
      {found.map(({ at, label }) => (
        <span key={at} style={{ left: `${((at - w.from) / (w.to - w.from)) * 100}%` }}>
          {label}
        </span>
      ))}
    </div>
  );
}

/** The whole run in small: utilisation of the first run, and the window as a handle. */
export function Minimap() {
  const [ref, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const lane = s.lanes.value.find((lane) => lane.hand && lane.facts);
  const all = s.extent.value;
  const data = useRef<{ bins: Float32Array; from: number; to: number } | undefined>(undefined);
  const asking = useRef(false);
  /** What was last asked; an answer to another question is followed by the next question. */
  const asked = useRef<unknown[]>([]);
  const [answers, setAnswers] = useState(0);
  const paint = () => {
    const context = canvas.current && prepare(canvas.current, size.width, size.height);
    if (!context || !data.current) return;
    const { bins, from, to } = data.current;
    const extent = s.extent.value;
    context.fillStyle = styled("--silhouette");
    const processors = Math.max(1, lane?.facts?.processors ?? 1);
    const used = bins.subarray(0, bins.length / ORDER.length);
    const width = (((to - from) / (extent.to - extent.from)) * size.width) / used.length;
    used.forEach((value, bin) => {
      const height = (value / processors) * size.height;
      context.fillRect(bin * width, size.height - height, width + 0.5, height);
    });
  };
  useEffect(() => {
    if (!lane?.hand || asking.current || size.width < 1) return;
    const question = [lane.hand, lane.drawn, all, size];
    if (question.every((part, at) => part === asked.current[at])) return;
    asked.current = question;
    asking.current = true;
    const [from, to] = [all.from, all.to];
    ask(lane.hand, (engine) => engine.overview(from, to, Math.round(size.width))).then(
      (bins) => {
        asking.current = false;
        setAnswers((answers) => answers + 1);
        if (bins) data.current = { bins, from, to };
        paint();
      },
      () => {
        asking.current = false;
        setAnswers((answers) => answers + 1);
      },
    );
  }, [lane?.hand, lane?.drawn, all, size, answers]);
  useEffect(paint, [size, s.theme.value]);

  const w = s.view.value;
  const toTime = (event: PointerEvent) => {
    const box = ref.current!.getBoundingClientRect();
    return all.from + ((event.clientX - box.left) / box.width) * (all.to - all.from);
  };
  const centre = (event: PointerEvent) => {
    const length = w.to - w.from;
    const from = Math.min(Math.max(toTime(event) - length / 2, all.from), all.to - length);
    show({ ...w, from, to: from + length });
  };
  const onDown = (event: PointerEvent) => {
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    centre(event);
  };
  const onMove = (event: PointerEvent) => {
    if (event.buttons === 1) centre(event);
  };
  const percent = (time: number) => ((time - all.from) / (all.to - all.from)) * 100;
  const unixStart = s.workload.value?.provenance.unix_start;
  return (
    <div class="minimap" ref={ref} onPointerDown={onDown} onPointerMove={onMove}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`The whole run from ${instant(all.from, unixStart)} to ${instant(all.to, unixStart)}; the window shows ${instant(w.from, unixStart)} to ${instant(w.to, unixStart)}`}
      />
      <div
        class="minimap-window"
        style={{ left: `${percent(w.from)}%`, width: `${percent(w.to) - percent(w.from)}%` }}
      />
    </div>
  );
}
