// Limits of the page beside those of links, exercises and answers.
import assert from "node:assert/strict";
import { register } from "node:module";
import { test } from "node:test";
import { LIMITS } from "../src/engine/limits.ts";
import { refusalOf } from "../src/own/store.ts";
import * as s from "../src/state/index.ts";

register("./engineless.mjs", import.meta.url);
const { bytes, take } = await import("../src/worker/read.ts");
const { admit, define, flush, logged } = await import("../src/worker/own.ts");

test("the page keeps no more own policies than the limit", () => {
  const { own_kept: most } = LIMITS;
  for (let at = 1; at < most; at += 1) s.putOwn({ file: `${at}.js`, code: "" });
  assert.equal(refusalOf("new.js", 0), undefined);
  s.putOwn({ file: "last.js", code: "" });
  assert.match(refusalOf("new.js", 0).why, /keeps at most 200/);
  // The code of a policy that is there may change.
  assert.equal(refusalOf("last.js", LIMITS.own_bytes), undefined);
  assert.match(refusalOf("last.js", LIMITS.own_bytes + 1).why, /at most 1048576 bytes/);
  for (const { file } of s.own.value) s.dropOwn(file);
});

test("the log of an own policy is cut, and further lines are counted", () => {
  const { own_log_lines: most, own_log_characters: length } = LIMITS;
  const module = {};
  admit({ "own.js": module });
  define([{ file: "own.js", code: "" }], {});
  const sent = () => {
    const messages = [];
    flush({ postMessage: (message) => messages.push(message) });
    return messages;
  };
  const log = (count, text) =>
    logged(() => {
      for (let at = 0; at < count; at += 1) module.log(0, text);
    });
  const line = { at: 0, text: "a".repeat(length) };
  log(1, line.text);
  log(1, `${line.text}b`);
  assert.deepEqual(sent(), [{ logged: [line, line], unlogged: 0 }]);
  // Lines that are sent already count too.
  log(most, "c");
  const [{ logged: lines, unlogged }] = sent();
  assert.deepEqual([lines.length, unlogged], [most - 2, 2]);
  log(1, "d");
  assert.deepEqual(sent(), [{ logged: [], unlogged: 1 }]);
});

/** A file whose pieces only tell their lengths, so that it takes no memory. */
const file = (...lengths) => ({
  name: "log.swf",
  slice: () => new Blob(["; a log"]),
  stream: () =>
    new ReadableStream({
      start(to) {
        for (const byteLength of lengths) to.enqueue({ byteLength });
        to.close();
      },
    }),
});

test("a file with more text than a page can hold is refused as it unpacks", async () => {
  const read = async (...lengths) => {
    let total = 0;
    for await (const { byteLength } of bytes(file(...lengths), { read: 0 })) total += byteLength;
    return total;
  };
  assert.equal(await read(1e9, 3e8), 1.3e9);
  await assert.rejects(read(1e9, 3e8, 1), {
    what: "log.swf is too large: more than 1300 MB of text.",
  });
});

test("a table of demands that is too large is refused before it is read", async () => {
  const taken = (size) => {
    const demands = { name: "d.csv", size, arrayBuffer: async () => new ArrayBuffer(0) };
    return take({ kind: "text", name: "a", text: "", demands }, () => {});
  };
  assert.ok(await taken(LIMITS.demands_bytes));
  await assert.rejects(taken(LIMITS.demands_bytes + 1), {
    what: "d.csv is too large: 67108865 bytes.",
  });
});
