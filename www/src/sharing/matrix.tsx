// An Ousterhout matrix at an instant. Rows are time slots, columns are processors, and a mark shows
// the row that has its turn.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { MatrixFacts, Seat } from "../engine/protocol";
import { figureOfCanvas, PictureTools } from "../export/tools";
import { count, counted } from "../format/words";
import * as lab from "../lab";
import * as s from "../state";
import { useWho } from "../timeline/who";
import { prepare, styled, useSize } from "../ui/canvas";
import { Card, type Place } from "../ui/card";
import { DataTable } from "../ui/table";

/**
 * Least width of a column, in CSS pixels. A wider matrix scrolls, up to the largest width of a
 * canvas.
 */
const NARROWEST = 3;

const WIDEST = 8000;

const LEFT = 58;

/** CPUs of a node, where processes are visible. */
const NODE = 4;

interface Cell {
  row: number;
  column: number;
}

export function MatrixPicture({
  lane,
  at,
  matrix,
}: {
  lane: s.Lane;
  at: number;
  matrix: MatrixFacts;
}) {
  const [ref, room] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const cell = useSignal<Cell | undefined>(undefined);
  const place = useSignal<Place | undefined>(undefined);
  const processors = lane.facts?.processors ?? 1;
  const wide =
    Math.max(room.width - LEFT - 2, Math.min(NARROWEST * processors, WIDEST)) / processors;
  const high = lane.slots > 16 ? 12 : lane.slots > 6 ? 20 : 30;
  const [width, height] = [LEFT + wide * processors + 2, high * lane.slots + 2];
  const seatAt = (where: Cell | undefined): Seat | undefined =>
    where &&
    matrix.seats.find(
      (seat) =>
        seat.row === where.row &&
        seat.first <= where.column &&
        where.column < seat.first + seat.count,
    );
  const here = seatAt(cell.value);
  const outage = lane.whatIf?.closed;
  const since = at - (lane.whatIf?.at ?? 0);
  const closed = outage && since >= 0 && since < outage.seconds ? outage : undefined;
  const who = useWho(lane, here?.job);
  const selected = s.selected.value;
  useEffect(() => {
    const context =
      canvas.current && room.width > 0 ? prepare(canvas.current, width, height) : null;
    if (!context) return;
    const box = ({ row, first, count }: Pick<Seat, "row" | "first" | "count">) =>
      [LEFT + first * wide, row * high + 1, count * wide, high] as const;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (let row = 0; row < lane.slots; row += 1) {
      context.fillStyle = styled("--lane");
      context.fillRect(...box({ row, first: 0, count: processors }));
      // Processors that are out of service are grey.
      context.fillStyle = "#777777";
      if (closed) context.fillRect(...box({ row, ...closed }));
      context.fillStyle = styled("--ink");
      context.fillText(`slot ${row + 1}`, 14, row * high + high / 2 + 1);
    }
    for (const seat of matrix.seats) {
      context.fillStyle = `#${seat.colour.toString(16).padStart(6, "0")}`;
      context.fillRect(...box(seat));
    }
    context.strokeStyle = styled("--lane");
    if (lane.processes && wide * NODE > 6)
      for (let node = NODE; node < processors; node += NODE)
        context.strokeRect(LEFT + node * wide, 0, 0, height);
    for (const seat of runs(matrix.seats)) {
      const [left, top, across, down] = box(seat);
      context.lineWidth = 1;
      context.strokeStyle = styled("--lane");
      if (across > 3) context.strokeRect(left, top, across, down);
      const text = String(seat.number);
      const needed = context.measureText(text).width + 8;
      if (across >= needed && down >= 14) {
        context.fillStyle = "rgb(255 255 255 / 82%)";
        context.fillRect(left + across / 2 - needed / 2, top + down / 2 - 7, needed, 14);
        context.fillStyle = "#16191d";
        context.fillText(text, left + across / 2 - needed / 2 + 4, top + down / 2 + 0.5);
      }
      if (seat.record === selected || seat.job === here?.job) {
        context.lineWidth = 2;
        context.strokeStyle = styled("--ink");
        context.strokeRect(left + 1, top + 1, Math.max(1, across - 2), down - 2);
      }
    }
    context.lineWidth = 2;
    context.strokeStyle = styled("--accent");
    context.fillStyle = styled("--accent");
    if (matrix.turn !== undefined) {
      const top = matrix.turn * high;
      context.beginPath();
      context.moveTo(2, top + high / 2 - 5);
      context.lineTo(11, top + high / 2 + 1);
      context.lineTo(2, top + high / 2 + 7);
      context.fill();
      context.strokeRect(LEFT - 1, top + 1, wide * processors + 2, high);
    }
    if (cell.value) {
      context.strokeStyle = styled("--ink");
      context.strokeRect(
        LEFT + cell.value.column * wide,
        cell.value.row * high + 1,
        Math.max(2, wide),
        high,
      );
    }
  }, [matrix, room.width, wide, high, cell.value, selected, s.theme.value]);
  const under = (event: { clientX: number; clientY: number }): Cell | undefined => {
    const box = canvas.current!.getBoundingClientRect();
    const found = {
      row: Math.floor((event.clientY - box.top - 1) / high),
      column: Math.floor((event.clientX - box.left - LEFT) / wide),
    };
    return found.row >= 0 &&
      found.row < lane.slots &&
      found.column >= 0 &&
      found.column < processors
      ? found
      : undefined;
  };
  const describe = (where: Cell | undefined): string => {
    if (!where) return "";
    const seat = seatAt(where);
    const isClosed =
      closed && closed.first <= where.column && where.column < closed.first + closed.count;
    return `Slot ${where.row + 1}, processor ${where.column}: ${seat ? `job ${seat.number}, ${counted(seat.processors, "processor")}` : isClosed ? "out of service" : "free"}`;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[
      event.key
    ];
    const now = cell.value ?? { row: 0, column: 0 };
    if (event.key === "Enter") void lab.select(seatAt(cell.value)?.record);
    else if (event.key === "Escape") void lab.select(undefined);
    else if (by) {
      cell.value = {
        row: (now.row + by[0]! + lane.slots) % lane.slots,
        column: (now.column + by[1]! + processors) % processors,
      };
      const box = canvas.current!.getBoundingClientRect();
      place.value = {
        x: box.left + LEFT + cell.value.column * wide,
        y: box.top + cell.value.row * high,
        width: wide,
        height: high,
      };
      s.say(describe(cell.value));
    } else return;
    event.preventDefault();
  };
  const jobs = new Set(matrix.seats.map((seat) => seat.job)).size;
  const held = new Set(
    matrix.seats.flatMap((seat) => Array.from({ length: seat.count }, (_, at) => seat.first + at)),
  ).size;
  return (
    <>
      <p class="sentence" data-matrix={at}>
        {counted(jobs, "job")} in {new Set(matrix.seats.map((seat) => seat.row)).size} of{" "}
        {lane.slots} slot
        {lane.slots === 1 ? "" : "s"}, on {count(held)} of {counted(processors, "processor")}.
        {closed && ` ${count(closed.count)} out of service.`}
        {matrix.turn !== undefined && ` Slot ${matrix.turn + 1} has its turn.`}
        {lane.processes &&
          matrix.turn === undefined &&
          lane.slots > 1 &&
          " Each processor decides by itself which job runs."}
      </p>
      <div ref={ref} class="scroll">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          style={{ width: `${width}px`, height: `${height}px` }}
          aria-label={`Ousterhout matrix: ${lane.slots} slots of ${counted(processors, "processor")}. Arrow keys move a cursor, Enter selects the job there.`}
          onPointerMove={(event) => {
            cell.value = under(event);
            place.value = { x: event.clientX, y: event.clientY };
          }}
          onPointerLeave={() => (cell.value = undefined)}
          onBlur={() => (cell.value = undefined)}
          onClick={(event) => void lab.select(seatAt(under(event))?.record)}
          onKeyDown={onKeyDown}
        />
      </div>
      <PictureTools
        title="The matrix"
        of={() =>
          figureOfCanvas(
            canvas.current!,
            `Ousterhout matrix at ${Math.round(at)} s`,
            `${lane.slots} slots, one below the other, of ${processors} processors`,
          )
        }
      />
      <Card at={cell.value && place.value} words={[describe(cell.value), who].join("\n").trim()} />
      <p class="quiet">
        Point at a cell, or focus the matrix to use the keyboard. Click to select the job.
      </p>
      <Table seats={matrix.seats} />
    </>
  );
}

/** Joins neighbouring cells of a job that have different colours. */
function runs(seats: Seat[]): Seat[] {
  const found: Seat[] = [];
  for (const seat of seats) {
    const last = found.at(-1);
    if (last?.job === seat.job && last.row === seat.row && last.first + last.count === seat.first)
      found[found.length - 1] = { ...last, count: last.count + seat.count };
    else found.push(seat);
  }
  return found;
}

function Table({ seats }: { seats: Seat[] }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>The matrix as a table</summary>
      {isOpen.value && (
        <DataTable
          label="The matrix as a table"
          rows={runs(seats).sort((one, other) => one.row - other.row || one.first - other.first)}
          columns={[
            { name: "Slot", value: ({ row }) => row + 1 },
            {
              name: "Job",
              isHead: true,
              value: ({ number }) => number,
              show: ({ number, record }) => (
                <button type="button" class="link" onClick={() => void lab.select(record)}>
                  {number}
                </button>
              ),
            },
            { name: "Processors", value: (seat) => seat.count, show: (seat) => count(seat.count) },
            { name: "From", value: ({ first }) => first },
            { name: "To", value: (seat) => seat.first + seat.count - 1 },
          ]}
        />
      )}
    </details>
  );
}
