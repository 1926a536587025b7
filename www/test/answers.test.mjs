// Files of answers of a class.
import assert from "node:assert/strict";
import { test } from "node:test";

// The tour asks before the page closes.
globalThis.addEventListener ??= () => {};
globalThis.removeEventListener ??= () => {};
const { classes, closeClass, readMore } = await import("../src/teach/answers.ts");

test("of two files of answers that come at once, both are read", async () => {
  const anna = readMore(new File(["no answers"], "anna.json"));
  const ben = readMore(new File(["no answers"], "ben.json"));
  await Promise.all([anna, ben]);
  assert.deepEqual(
    classes.value.faults.map(({ file }) => file),
    ["anna.json", "ben.json"],
  );
  closeClass();
  await readMore(new File(["no answers"], "cem.json"));
  assert.equal(classes.value.files.length, 1);
  closeClass();
});
