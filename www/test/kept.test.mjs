// The boxes of advance reservations on a timeline.
import assert from "node:assert/strict";
import test from "node:test";
import { eachOblique, keptBoxes } from "../src/timeline/kept.ts";

const SIZE = { width: 1000, height: 400 };

/** Returns the boxes of reservations on a timeline of so many seconds and rows. */
const boxesOf = (kept, [from, to], rows) =>
  keptBoxes(kept, { from, to, top: 0, bottom: rows }, SIZE);

const DAILY = Array.from({ length: 4000 }, (_, day) => [day * 100, day * 100 + 10]);

test("a box is drawn for the periods and rows of the window, and only for them", () => {
  const kept = [{ rows: [[1, 2]], periods: DAILY }];
  assert.deepEqual(boxesOf(kept, [350_000, 350_200], 4), [
    [0, 50, 100, 300],
    [500, 550, 100, 300],
  ]);
  // Boxes end a little beyond the edges.
  assert.deepEqual(boxesOf(kept, [350_002, 350_003], 4), [[-9, 1009, 100, 300]]);
  assert.deepEqual(boxesOf(kept, [350_020, 350_030], 4), []);
  assert.deepEqual(boxesOf(kept, [500_000, 600_000], 4), []);
});

test("neighbouring rows are one box", () => {
  const rows = [
    [0, 2],
    [2, 2],
    [6, 1],
  ];
  assert.deepEqual(boxesOf([{ rows, periods: [[0, 10]] }], [0, 20], 8), [
    [0, 500, 0, 200],
    [0, 500, 300, 350],
  ]);
});

test("boxes are found anew only for another window", () => {
  const kept = [{ rows: [[1, 2]], periods: DAILY }];
  const first = boxesOf(kept, [0, 200], 4);
  assert.equal(boxesOf(kept, [0, 200], 4), first);
  assert.notDeepEqual(boxesOf(kept, [0, 300], 4), first);
  assert.notDeepEqual(boxesOf(kept, [0, 200], 5), first);
});

test("many periods on many nodes are few boxes, and none is lost", () => {
  // Every other of 100,000 rows, at 4,000 times.
  const rows = Array.from({ length: 50_000 }, (_, at) => [2 * at, 1]);
  const kept = Array.from({ length: 64 }, () => ({ rows, periods: DAILY }));
  const boxes = boxesOf(kept, [0, 400_000], 100_000);
  assert.ok(boxes.length > 0 && boxes.length <= 4000, `${boxes.length} boxes`);
  // A period that is thinner than a pixel is a line.
  const [[left, right]] = boxesOf([{ rows: [[0, 4]], periods: [[500, 501]] }], [0, 1e6], 4);
  assert.deepEqual([left, Math.round(1000 * right)], [0.5, 501]);
});

test("oblique lines stay in their box, go on in the next one, and are left out of a thin one", () => {
  const lines = [];
  const of = (box) => eachOblique(box, (...line) => lines.push(line));
  of([0, 10, 0, 10]);
  assert.deepEqual(lines, [
    [0, 7, 7, 0],
    [4, 10, 10, 4],
  ]);
  lines.length = 0;
  of([10, 20, 0, 10]);
  assert.deepEqual(lines, [
    [10, 4, 14, 0],
    [11, 10, 20, 1],
    [18, 10, 20, 8],
  ]);
  lines.length = 0;
  of([0, 2, 0, 100]);
  assert.deepEqual(lines, []);
});
