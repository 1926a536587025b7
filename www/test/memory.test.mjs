// A run that does not fit is refused before it begins, with a way out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { modelRefusal, needed, refusal } from "../src/engine/memory.ts";

test("a million jobs fit, ten million do not, and a window of them does", () => {
  assert.equal(refusal(1e6, 1e6, 0, undefined), undefined);
  assert.equal(refusal(7e6, 7e6, 0, 8), undefined);
  const told = refusal(1e7, 1e7, 0, 8);
  assert.match(told.what, /10,000,000 jobs does not fit into memory: it needs about 5\.3 GB/);
  assert.match(told.next, /^Choose a window of at most 7,000,000 jobs .* or use the command line/);
  assert.equal(refusal(6.9e6, 1e7, 0, 8), undefined);
});

test("a model of ten million jobs is refused before it is drawn", () => {
  assert.equal(modelRefusal(1e6, 8), undefined);
  assert.equal(
    modelRefusal(Number.NaN, 8),
    undefined,
    "what is no number is refused by the model itself",
  );
  const told = modelRefusal(1e7, undefined);
  assert.match(told.what, /10,000,000 jobs does not fit into memory: it needs about 5\.3 GB/);
  assert.match(told.next, /^Draw fewer jobs/);
});

test("on a small machine the other runs count", () => {
  assert.equal(refusal(1e6, 1e6, 0, 2), undefined);
  const told = refusal(1e6, 1e6, 2 * needed(1e6, 1e6), 2);
  assert.match(
    told.why,
    /The browser reports 2 GB for this machine, and other runs use about 1\.1 GB/,
  );
  assert.match(told.next, /remove a run/);
  assert.equal(
    refusal(1e6, 1e6, 2 * needed(1e6, 1e6), undefined),
    undefined,
    "nothing is refused on a guess",
  );
});
