// Files of answers of a class.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "../src/engine/limits.ts";

// The tour asks before the page closes.
globalThis.addEventListener ??= () => {};
globalThis.removeEventListener ??= () => {};
const { classes, closeClass, readClass, readMore } = await import("../src/teach/answers.ts");

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

test("a file of answers that is too long is left out, and named", async () => {
  const { answers_bytes: most } = LIMITS;
  const blank = (length, name) => new File([" ".repeat(length)], name);
  // The last file is so large that it is not even read.
  await readClass([
    blank(most, "a.json"),
    blank(most + 1, "b.json"),
    blank(4 * most + 1, "c.json"),
  ]);
  const [fits, ...tooLong] = classes.value.faults;
  assert.match(fits.why, /It is not JSON/);
  assert.deepEqual(tooLong, [
    { file: "b.json", why: "It has more than 524,288 characters." },
    { file: "c.json", why: "A file of answers has at most 524,288 characters." },
  ]);
  closeClass();
});

test("more files of answers than the limit are refused", async () => {
  const files = Array(LIMITS.answers_files).fill(new File(["no answers"], "anna.json"));
  await assert.rejects(readClass([...files, files[0]]), { what: "There are 1,001 files." });
  assert.equal(classes.value, undefined);
  await readClass(files);
  assert.equal(classes.value.faults.length, LIMITS.answers_files);
  closeClass();
});
