// The rows and times that advance reservations keep, as boxes on the screen.
//
// A cluster can have thousands of periods on thousands of nodes. Boxes that lie closer together than
// the eye can tell become one, so that the work depends on the size of the timeline alone.

/** A box on the screen: left, right, top and bottom, in CSS pixels. */
export type Box = readonly [left: number, right: number, top: number, bottom: number];

/** Boxes of a timeline at most. With more, wider gaps are closed. */
const MOST = 4000;

/** Gaps up to this width are closed, in CSS pixels: two outlines would fill them. */
const GAP = 3;

/** Least width and height of a box for oblique lines in it, in CSS pixels. */
const HATCHED = 3;

/** Distance of oblique lines along an axis, in CSS pixels. */
const APART = 7;

/** Pixels beyond an edge of the timeline up to which boxes reach, so that their outlines stay hidden. */
const BEYOND = 9;

type Scale = (value: number) => number;

/** Joins intervals, which are in order, where the gap between two is at most `gap`. */
function joined(
  intervals: Iterable<readonly [from: number, to: number]>,
  gap: number,
): [number, number][] {
  const found: [number, number][] = [];
  for (const [from, to] of intervals) {
    const last = found.at(-1);
    if (last && from - last[1] <= gap) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
  }
  return found;
}

/** Returns the visible intervals in pixels. */
function* visible(
  intervals: Iterable<readonly [from: number, to: number]>,
  scale: Scale,
  most: number,
): Generator<[number, number]> {
  for (const [from, to] of intervals) {
    const [begin, end] = [Math.max(scale(from), -BEYOND), Math.min(scale(to), most + BEYOND)];
    if (end > begin) yield [begin, end];
  }
}

function* rowsOf(ranges: readonly (readonly [first: number, count: number])[]) {
  for (const [first, count] of ranges) yield [first, first + count] as const;
}

/** Returns the first of the periods, which are in order, that ends after an instant. */
function firstAfter(periods: readonly (readonly [number, number])[], at: number): number {
  let [from, to] = [0, periods.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (periods[middle]![1] <= at) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Returns the periods that have an instant of the window. */
function* within(
  periods: readonly (readonly [number, number])[],
  window: { from: number; to: number },
) {
  for (let at = firstAfter(periods, window.from); at < periods.length; at += 1) {
    const period = periods[at]!;
    if (period[0] >= window.to) return;
    yield period;
  }
}

/** The rows and the periods of each advance reservation, in order. */
type Kept = readonly {
  rows: readonly (readonly [first: number, count: number])[];
  periods: readonly (readonly [from: number, to: number])[];
}[];

interface Window {
  from: number;
  to: number;
  top: number;
  bottom: number;
}

interface Size {
  width: number;
  height: number;
}

/**
 * The last boxes, with their window and size. A timeline is painted again for each move of the
 * cursor.
 */
const known = new WeakMap<Kept, { key: string; boxes: Box[] }>();

/** Returns the boxes of kept rows and times, at most about 4,000. */
export function keptBoxes(kept: Kept, window: Window, size: Size): readonly Box[] {
  const { from, to, top, bottom } = window;
  const key = [from, to, top, bottom, size.width, size.height].join(" ");
  const last = known.get(kept);
  if (last?.key === key) return last.boxes;
  const boxes = boxesOf(kept, window, size);
  known.set(kept, { key, boxes });
  return boxes;
}

function boxesOf(kept: Kept, window: Window, size: Size): Box[] {
  const { from, to, top, bottom } = window;
  const x = (time: number) => ((time - from) / (to - from)) * size.width;
  const y = (row: number) => ((row - top) / (bottom - top)) * size.height;
  const share = Math.max(1, MOST / kept.length);
  const boxes: Box[] = [];
  for (const { rows, periods } of kept) {
    let times = joined(visible(within(periods, window), x, size.width), GAP);
    let lanes = joined(visible(rowsOf(rows), y, size.height), GAP);
    for (let gap = 2 * GAP; times.length * lanes.length > share; gap *= 2)
      [times, lanes] = [joined(times, gap), joined(lanes, gap)];
    for (const [left, right] of times)
      for (const [top, bottom] of lanes) boxes.push([left, right, top, bottom]);
  }
  return boxes;
}

/** Calls `line` with each oblique line in a box. The lines of neighbouring boxes meet. */
export function eachOblique(
  [left, right, top, bottom]: Box,
  line: (fromX: number, fromY: number, toX: number, toY: number) => void,
): void {
  if (right - left < HATCHED || bottom - top < HATCHED) return;
  // On a line, x + y is a multiple of the distance.
  const first = (Math.floor((left + top) / APART) + 1) * APART;
  for (let sum = first; sum < right + bottom; sum += APART) {
    const [fromX, toX] = [Math.max(left, sum - bottom), Math.min(right, sum - top)];
    line(fromX, sum - fromX, toX, sum - toX);
  }
}
