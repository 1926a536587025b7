// The drawing board of an exercise: its jobs as they arrive, as if processors were unlimited.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { LIMITS } from "../engine/limits";
import { count, counted } from "../format/words";
import * as s from "../state";
import { changeChapter, editing, removeJob } from "../teach/editing";
import { type Line, stageOf } from "../teach/format";
import { type Placed, pack, stepOf } from "../teach/packing";
import { useSize } from "../ui/canvas";
import { ticks } from "../ui/ticks";

/** Seconds that an empty board shows. */
const EMPTY = 240;

/** Pixels near an edge that move it. */
const EDGE = 7;

/** Pixels after which a pressed pointer draws. */
const MOVES = 4;

/** Height of the time axis, in pixels. */
const AXIS = 20;

interface Scale {
  seconds: number;
  rows: number;
  step: number;
}

/** A change under way: a new job, or a job that is moved or whose size changes. */
interface Drag {
  kind: "draw" | "move" | "time" | "rows";
  index: number;
  from: { at: number; row: number };
  before: Line;
  now: Line;
  scale: Scale;
  /** True if the pointer has moved: a click alone draws no job. */
  hasMoved: boolean;
}

function scaleOf(placed: Placed[], processors: number): Scale {
  const end = placed.reduce((most, job) => Math.max(most, job.arrives + job.runs), 0);
  const top = placed.reduce((most, job) => Math.max(most, job.top + job.processors), 0);
  const seconds = placed.length === 0 ? EMPTY : Math.ceil(end * 1.15);
  return {
    seconds,
    rows: Math.max(top + Math.max(1, Math.round(processors / 4)), processors * 1.25),
    step: stepOf(seconds),
  };
}

export function Board() {
  const [ref, size] = useSize<HTMLDivElement>();
  const drag = useSignal<Drag | undefined>(undefined);
  const surface = useRef<SVGSVGElement>(null);
  const now = editing.value;
  if (!now) return null;
  const { jobs, processors, machine } = stageOf(now.exercise, now.at);
  const dragged = drag.value;
  const drawn = dragged
    ? dragged.kind === "draw"
      ? [...jobs, dragged.now]
      : jobs.with(dragged.index, dragged.now)
    : jobs;
  const placed = pack(drawn);
  const scale = dragged?.scale ?? scaleOf(placed, processors);
  const height = Math.max(1, size.height - AXIS);
  const x = (seconds: number) => (seconds / scale.seconds) * size.width;
  const y = (rows: number) => height - (rows / scale.rows) * height;
  const place = (event: PointerEvent) => {
    const box = surface.current!.getBoundingClientRect();
    return {
      at: ((event.clientX - box.left) / box.width) * scale.seconds,
      row: ((box.top + height - event.clientY) / height) * scale.rows,
    };
  };
  const round = (seconds: number, least: number) =>
    Math.min(
      Math.max(least, Math.round(seconds / scale.step) * scale.step),
      LIMITS.exercise_number,
    );
  const set = (index: number, job: Line) => changeChapter({ jobs: jobs.with(index, job) });
  const isSized = s.catalog.value?.machines.find(({ id }) => id === machine)?.sizes_itself;

  const begin = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const from = place(event);
    const under = (event.target as Element).closest<SVGElement>("[data-job]")?.dataset.job;
    surface.current!.setPointerCapture(event.pointerId);
    if (under !== undefined) {
      const job = placed[Number(under)]!;
      const { index, top, ...before } = job;
      const [right, upper] = [x(job.arrives + job.runs), y(top + job.processors)];
      const kind =
        Math.abs(x(from.at) - right) < EDGE
          ? "time"
          : Math.abs(y(from.row) - upper) < EDGE
            ? "rows"
            : "move";
      drag.value = { kind, index, from, before, now: before, scale, hasMoved: false };
      return;
    }
    if (jobs.length >= LIMITS.exercise_jobs || from.row < 0) return;
    const arrives = round(from.at, 0);
    const before = { arrives, processors: 1, runs: scale.step };
    drag.value = {
      kind: "draw",
      index: jobs.length,
      from,
      before,
      now: before,
      scale,
      hasMoved: false,
    };
  };
  const move = (event: PointerEvent) => {
    const { value: was } = drag;
    if (!was) return;
    const { at, row } = place(event);
    const { before, from } = was;
    const rows = (change: number) => Math.min(Math.max(1, change), LIMITS.exercise_number);
    const now =
      was.kind === "move"
        ? { ...before, arrives: round(before.arrives + at - from.at, 0) }
        : was.kind === "time"
          ? { ...before, runs: round(at - before.arrives, scale.step) }
          : was.kind === "rows"
            ? { ...before, processors: rows(before.processors + Math.round(row - from.row)) }
            : {
                arrives: round(Math.min(at, from.at), 0),
                runs: round(Math.abs(at - from.at), scale.step),
                processors: rows(Math.ceil(Math.abs(row - from.row))),
              };
    const hasMoved = was.hasMoved || Math.hypot(x(at) - x(from.at), y(row) - y(from.row)) >= MOVES;
    drag.value = { ...was, hasMoved, now: claimsOf(now, before) };
  };
  const end = () => {
    const { value: was } = drag;
    drag.value = undefined;
    if (!was) return;
    if (was.kind === "draw" && !was.hasMoved) return;
    if (was.kind === "draw") changeChapter({ jobs: [...jobs, was.now] });
    else if (JSON.stringify(was.now) !== JSON.stringify(was.before)) set(was.index, was.now);
  };
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const job = jobs[index]!;
    const { step } = scale;
    const most = (value: number) => Math.min(value, LIMITS.exercise_number);
    const changed: Record<string, () => Line> = {
      ArrowLeft: () =>
        event.shiftKey
          ? { ...job, runs: Math.max(step, job.runs - step) }
          : { ...job, arrives: Math.max(0, job.arrives - step) },
      ArrowRight: () =>
        event.shiftKey
          ? { ...job, runs: most(job.runs + step) }
          : { ...job, arrives: most(job.arrives + step) },
      ArrowUp: () => ({ ...job, processors: most(job.processors + 1) }),
      ArrowDown: () => ({ ...job, processors: Math.max(1, job.processors - 1) }),
    };
    if (event.key === "Delete") {
      removeJob(index);
      document
        .querySelector<SVGElement>(`.board-job[data-job="${index === 0 ? 1 : index - 1}"]`)
        ?.focus();
    } else if (changed[event.key]) {
      const next = claimsOf(changed[event.key]!(), job);
      set(index, next);
      s.say(inWords(index, next));
    } else return;
    event.preventDefault();
  };
  return (
    <section class="board" aria-label="Drawing board">
      <p class="quiet">
        Drag on the board to draw a job: from its arrival to the right, as high as its processors.
        Drag a job to move it, its right or upper edge to change it. The board shows the jobs as
        they arrive, not as they start.
        {!isSized && " The dashed line is the size of the machine."}
      </p>
      <div class="board-surface" ref={ref}>
        <svg
          ref={surface}
          width={size.width}
          height={size.height}
          role="group"
          aria-label="Jobs as they arrive"
          onPointerDown={begin}
          onPointerMove={move}
          onPointerUp={end}
          onPointerCancel={() => (drag.value = undefined)}
        >
          {ticks(0, scale.seconds, Math.max(2, size.width / 90), null, scale.seconds).map(
            ({ at, label }) => (
              <g key={at} class="board-tick">
                <line x1={x(at)} x2={x(at)} y1={0} y2={height} />
                <text x={x(at) + 3} y={size.height - 6}>
                  {label}
                </text>
              </g>
            ),
          )}
          {placed.map((job) => (
            <g
              key={job.index}
              data-job={job.index}
              class="board-job"
              tabindex={0}
              role="button"
              aria-label={`${inWords(job.index, job)}. Arrows move it and change its processors, Shift and arrows its run time, Delete removes it.`}
              onKeyDown={(event) => onKeyDown(event, job.index)}
            >
              {job.claims !== undefined && job.claims > job.runs && (
                <rect
                  class="board-claim"
                  x={x(job.arrives)}
                  width={x(job.claims)}
                  y={y(job.top + job.processors)}
                  height={y(0) - y(job.processors)}
                />
              )}
              <rect
                x={x(job.arrives)}
                width={Math.max(2, x(job.runs))}
                y={y(job.top + job.processors)}
                height={Math.max(2, y(0) - y(job.processors))}
              />
              <text x={x(job.arrives) + 5} y={y(job.top + job.processors) + 14}>
                {job.index + 1}
              </text>
            </g>
          ))}
          {!isSized && (
            <g class="board-size">
              <line x1={0} x2={size.width} y1={y(processors)} y2={y(processors)} />
              <text x={size.width - 4} y={y(processors) - 4}>
                {counted(processors, "processor")}
              </text>
            </g>
          )}
        </svg>
      </div>
    </section>
  );
}

/** Keeps an exact estimate exact when the run time changes. */
function claimsOf(now: Line, before: Line): Line {
  const { claims, ...rest } = now;
  return claims === undefined || claims === before.runs ? rest : now;
}

const inWords = (index: number, { arrives, processors, runs }: Line): string =>
  `Job ${index + 1}: arrives at ${count(arrives)} s, ${counted(processors, "processor")}, runs ${count(runs)} s`;
