// Places the nodes of a cluster in a picture: the kinds one below the other, each with a heading and
// as many nodes in a line as there is room for.
import type { NodeKindFacts } from "schedscope";

/** A kind of nodes in the picture. */
interface Block {
  kind: NodeKindFacts;
  /** Top of the heading, and of the first line of nodes. */
  head: number;
  top: number;
}

interface Layout {
  /** Width and height of a node, in CSS pixels, and the distance from one node to the next. */
  node: { width: number; height: number };
  step: { x: number; y: number };
  inLine: number;
  blocks: Block[];
  width: number;
  height: number;
}

const HEAD = 24;

/** Sizes of a node, from the most legible one to the smallest that a pointer can hit. */
const SIZES = [
  { width: 74, height: 40 },
  { width: 46, height: 30 },
  { width: 30, height: 22 },
  { width: 18, height: 16 },
  { width: 11, height: 11 },
  { width: 6, height: 8 },
];

/** Height that the picture should not exceed, if a smaller size of nodes avoids it. */
const TALL = 720;

function placed(kinds: NodeKindFacts[], room: number, node: Layout["node"]): Layout {
  const gap = node.width < 12 ? 1 : 3;
  const step = { x: node.width + gap, y: node.height + gap };
  const inLine = Math.max(1, Math.floor((room + gap) / step.x));
  let height = 0;
  const blocks = kinds.map((kind) => {
    const head = height;
    height += HEAD + Math.ceil(kind.count / inLine) * step.y + 8;
    return { kind, head, top: head + HEAD };
  });
  const most = Math.max(0, ...kinds.map(({ count }) => Math.min(count, inLine)));
  return { node, step, inLine, blocks, width: Math.max(room, most * step.x), height };
}

/** Returns the layout with the largest nodes that fit into a given width. */
export function layoutOf(kinds: NodeKindFacts[], room: number): Layout {
  const layouts = SIZES.map((size) => placed(kinds, room, size));
  return layouts.find(({ height }) => height <= TALL) ?? layouts.at(-1)!;
}

/** Returns the kind of a node. */
export const blockOf = (layout: Layout, node: number): Block =>
  layout.blocks.findLast(({ kind }) => kind.first_node <= node)!;

/** Returns the upper left corner of a node. */
export function nodeAt(layout: Layout, node: number): { left: number; top: number } {
  const block = blockOf(layout, node);
  const at = node - block.kind.first_node;
  return {
    left: (at % layout.inLine) * layout.step.x,
    top: block.top + Math.floor(at / layout.inLine) * layout.step.y,
  };
}

/** Returns the node at a point, and how far the point is across it, from 0 to 1. */
export function nodeUnder(
  layout: Layout,
  x: number,
  y: number,
): { node: number; across: number } | undefined {
  const block = layout.blocks.findLast(({ top }) => top <= y);
  if (!block || x < 0) return undefined;
  const column = Math.floor(x / layout.step.x);
  const line = Math.floor((y - block.top) / layout.step.y);
  const at = line * layout.inLine + column;
  if (column >= layout.inLine || at >= block.kind.count) return undefined;
  const across = (x - column * layout.step.x) / layout.node.width;
  return { node: block.kind.first_node + at, across: Math.min(1, across) };
}
