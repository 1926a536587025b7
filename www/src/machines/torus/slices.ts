// The machine in slices: one grid for each layer along an axis, drawn on a canvas.

import type { GeometryFacts, OccupancyFacts } from "schedscope";
import { prepare, styled } from "../../ui/canvas";
import { CLOSED, colour, nodesOf, number, type Triple } from "./boxes";

/** The places of the slices on the canvas. */
interface Plan {
  /** The axis that is cut, and the horizontal and vertical axes. */
  axes: Triple;
  cell: number;
  /** Number of slices side by side. */
  columns: number;
  width: number;
  height: number;
}

/** The owner of what is no node. */
const OUTSIDE = -3;

const GAP = 18;

const TITLE = 14;

const MOST_CELL = 34;

const LEAST_CELL = 3;

/** Least width of a node, in CSS pixels, for a job's number. */
const LABEL_CELL = 22;

/** Returns the largest cells with which all slices fit the width and, if possible, a height. */
export function plan(geometry: GeometryFacts, axis: number, width: number, height: number): Plan {
  const axes = [
    [2, 0, 1],
    [1, 0, 2],
    [0, 1, 2],
  ][2 - axis] as unknown as Triple;
  const [layers, across, down] = axes.map((axis) => geometry.extent[axis]!) as [
    number,
    number,
    number,
  ];
  for (let cell = MOST_CELL; ; cell -= 1) {
    const columns = Math.max(
      1,
      Math.min(layers, Math.floor((width + GAP) / (across * cell + GAP))),
    );
    const needed = {
      width: columns * (across * cell + GAP) - GAP,
      height: Math.ceil(layers / columns) * (down * cell + GAP + TITLE),
    };
    if ((needed.width <= width && needed.height <= height) || cell <= LEAST_CELL)
      return {
        axes,
        cell,
        columns,
        width: Math.max(width, needed.width + 1),
        height: needed.height,
      };
  }
}

/** Returns the upper left corner of a slice. */
function origin(
  geometry: GeometryFacts,
  { axes, cell, columns }: Plan,
  layer: number,
): [number, number] {
  const [across, down] = [
    geometry.extent[axes[1]]! * cell + GAP,
    geometry.extent[axes[2]]! * cell + GAP + TITLE,
  ];
  return [(layer % columns) * across, Math.floor(layer / columns) * down + TITLE];
}

/** Returns the upper left corner of a node. */
export function cornerOf(geometry: GeometryFacts, plan: Plan, node: Triple): [number, number] {
  const { axes, cell } = plan;
  const [x, y] = origin(geometry, plan, node[axes[0]]!);
  return [x + node[axes[1]]! * cell, y + node[axes[2]]! * cell];
}

/** Returns the node at a point of the canvas. */
export function nodeAt(
  geometry: GeometryFacts,
  plan: Plan,
  x: number,
  y: number,
): Triple | undefined {
  const { axes, cell, columns } = plan;
  const [across, down] = [
    geometry.extent[axes[1]]! * cell + GAP,
    geometry.extent[axes[2]]! * cell + GAP + TITLE,
  ];
  const layer = Math.floor(x / across) + columns * Math.floor(y / down);
  const [a, b] = [Math.floor((x % across) / cell), Math.floor(((y % down) - TITLE) / cell)];
  if (
    x < 0 ||
    x >= columns * across ||
    a >= geometry.extent[axes[1]]! ||
    b < 0 ||
    b >= geometry.extent[axes[2]]! ||
    layer >= geometry.extent[axes[0]]!
  )
    return undefined;
  const node = [0, 0, 0];
  [node[axes[0]], node[axes[1]], node[axes[2]]] = [layer, a, b];
  return node as unknown as Triple;
}

interface Marks {
  /** Index of the marked job among the residents. */
  job: number;
  node: Triple | undefined;
  largest: boolean;
}

export function drawSlices(
  canvas: HTMLCanvasElement,
  geometry: GeometryFacts,
  occupancy: OccupancyFacts,
  owner: Int32Array,
  plan: Plan,
  marks: Marks,
): void {
  const context = prepare(canvas, plan.width, plan.height);
  if (!context) return;
  const { axes, cell } = plan;
  const [layers, across, down] = axes.map((axis) => geometry.extent[axis]!) as [
    number,
    number,
    number,
  ];
  const [ink, quiet, line, empty] = ["--ink", "--ink-2", "--line", "--lane"].map(styled) as [
    string,
    string,
    string,
    string,
  ];
  const place = (node: Triple) => cornerOf(geometry, plan, node);
  const of = (layer: number, a: number, b: number): number => {
    const node = [0, 0, 0];
    [node[axes[0]], node[axes[1]], node[axes[2]]] = [layer, a, b];
    return owner[number(geometry, node as unknown as Triple)]!;
  };
  context.textBaseline = "alphabetic";
  for (let layer = 0; layer < layers; layer++) {
    const [x, y] = origin(geometry, plan, layer);
    context.fillStyle = quiet;
    context.font = "11px system-ui, sans-serif";
    context.fillText(`${"xyz"[axes[0]]} = ${layer}`, x, y - 3);
    context.fillStyle = empty;
    context.fillRect(x, y, across * cell, down * cell);
    for (let b = 0; b < down; b++) {
      for (let a = 0; a < across; a++) {
        const job = of(layer, a, b);
        if (job === CLOSED) cross(context, x + a * cell, y + b * cell, cell, quiet);
        if (job < 0) continue;
        context.globalAlpha = marks.job >= 0 && marks.job !== job ? 0.35 : 1;
        context.fillStyle = colour(occupancy.residents[job]!);
        context.fillRect(x + a * cell, y + b * cell, cell, cell);
      }
    }
    context.globalAlpha = 1;
    // Lines between nodes are thin, lines between jobs thick.
    const at = (a: number, b: number): number =>
      a >= 0 && b >= 0 && a < across && b < down ? of(layer, a, b) : OUTSIDE;
    for (const [isThick, width, colour] of [
      [false, 0.5, line],
      [true, 1.5, ink],
    ] as const) {
      if (!isThick && cell < 8) continue;
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.beginPath();
      for (let b = 0; b <= down; b++) {
        for (let a = 0; a <= across; a++) {
          if (b < down && (at(a - 1, b) !== at(a, b)) === isThick)
            segment(context, x + a * cell, y + b * cell, 0, cell);
          if (a < across && (at(a, b - 1) !== at(a, b)) === isThick)
            segment(context, x + a * cell, y + b * cell, cell, 0);
        }
      }
      context.stroke();
    }
  }
  if (cell >= LABEL_CELL) label(context, geometry, occupancy, place, cell);
  if (marks.largest && occupancy.largest) outline(context, geometry, occupancy, owner, place, cell);
  if (marks.node) {
    const [x, y] = place(marks.node);
    context.strokeStyle = styled("--accent");
    context.lineWidth = 3;
    context.strokeRect(x + 1.5, y + 1.5, cell - 3, cell - 3);
  }
}

/** Crosses out a node that is out of service. */
function cross(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  cell: number,
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  segment(context, x + 1, y + 1, cell - 2, cell - 2);
  segment(context, x + cell - 1, y + 1, 2 - cell, cell - 2);
  context.stroke();
}

function segment(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  dx: number,
  dy: number,
): void {
  context.moveTo(x, y);
  context.lineTo(x + dx, y + dy);
}

/** Draws each job's number at its first node. */
function label(
  context: CanvasRenderingContext2D,
  geometry: GeometryFacts,
  { residents }: OccupancyFacts,
  place: (node: Triple) => [number, number],
  cell: number,
): void {
  context.font = "10px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const resident of residents) {
    for (const node of nodesOf(geometry, resident.box)) {
      const [x, y] = place(node);
      const text = String(resident.number % 10000);
      context.fillStyle = "rgb(255 255 255 / 82%)";
      context.fillRect(
        x + 2,
        y + cell / 2 - 6,
        Math.min(cell - 4, context.measureText(text).width + 2),
        12,
      );
      context.fillStyle = "#16191d";
      context.fillText(text, x + 3, y + cell / 2, cell - 4);
      break;
    }
  }
}

/** Draws a dot in each cell of the largest free box. */
function outline(
  context: CanvasRenderingContext2D,
  geometry: GeometryFacts,
  { largest }: OccupancyFacts,
  owner: Int32Array,
  place: (node: Triple) => [number, number],
  cell: number,
): void {
  context.fillStyle = styled("--accent");
  const radius = Math.max(0.8, cell / 9);
  for (const node of nodesOf(geometry, largest!)) {
    if (owner[number(geometry, node)]! >= 0) continue;
    const [x, y] = place(node);
    context.beginPath();
    context.arc(x + cell / 2, y + cell / 2, radius, 0, 7);
    context.fill();
  }
}
