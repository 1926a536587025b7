// The lines of strips, pixel by pixel.
import assert from "node:assert/strict";
import test from "node:test";
import { paintLine } from "../src/timeline/line.ts";

const blank = (width, height) => ({
  data: new Uint8ClampedArray(4 * width * height),
  width,
  height,
});

/** Returns how much of each pixel is covered, row by row, in tenths. */
const covers = ({ data, width, height }) =>
  Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, column) =>
      Math.round((10 * data[4 * (row * width + column) + 3]) / 255),
    ).join(" "),
  );

test("a line joins the heights of neighbouring columns, and is soft at its edges", () => {
  const pixels = blank(4, 5);
  const heights = [1, 1, 3.25, 3.25];
  paintLine(pixels, (column) => heights[column], 0x102030, [], 1);
  assert.deepEqual(covers(pixels), ["5 5 0 0", "5 5 10 0", "0 0 10 3", "0 0 10 7", "0 0 0 0"]);
  assert.deepEqual([...pixels.data.subarray(0, 3)], [0x10, 0x20, 0x30]);
});

test("a line has gaps, ends where it has no height, and stays in the picture", () => {
  const pixels = blank(6, 2);
  const heights = [0, 0, 0, Number.NaN, 9, 9];
  paintLine(pixels, (column) => heights[column], 0xffffff, [1, 1], 2);
  assert.deepEqual(covers(pixels), ["10 0 10 0 0 0", "0 0 0 0 0 0"]);
});

test("gaps are measured along the line, so that a steep part has some too", () => {
  const pixels = blank(2, 8);
  const heights = [0, 8];
  paintLine(pixels, (column) => heights[column], 0xffffff, [2, 2], 1);
  assert.deepEqual(covers(pixels), ["5 10", "0 0", "0 0", "0 10", "0 10", "0 0", "0 0", "0 10"]);
});

test("a steep part is as thick as a level one", () => {
  const pixels = blank(6, 6);
  const heights = [1.5, 1.5, 1.5, 5.5, 5.5, 5.5];
  paintLine(pixels, (column) => heights[column], 0xffffff, [], 3);
  assert.deepEqual(covers(pixels), [
    "10 10 10 0 0 0",
    "10 10 10 10 10 0",
    "10 10 10 10 10 0",
    "0 0 10 10 10 0",
    "0 0 10 10 10 10",
    "0 0 10 10 10 10",
  ]);
});

test("a later line covers an earlier one by its share of the pixel", () => {
  const pixels = blank(1, 1);
  paintLine(pixels, () => 0.5, 0xff0000, [], 1);
  paintLine(pixels, () => 0.25, 0x0000ff, [], 0.5);
  assert.deepEqual([...pixels.data], [128, 0, 128, 255]);
});
