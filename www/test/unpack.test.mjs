// Gzip data of one or more members unpacks as on the command line.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Damaged, TooManyMembers, unpack } from "../src/worker/unpack.ts";

/** Unpacks bytes that come in pieces of a given size. */
async function unpacked(bytes, size, most) {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size)
      yield new Uint8Array(bytes.subarray(at, at + size));
  }
  const parts = [];
  for await (const part of unpack(pieces(), most)) parts.push(part);
  return Buffer.concat(parts);
}

/** Bytes that do not compress well, so that a member's first bytes occur by chance. */
function noise(length, seed) {
  let state = seed;
  const next = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return (state >> 16) & 255;
  };
  return Buffer.from(Array.from({ length }, next));
}

test("members are unpacked one after the other, in pieces of any size", async () => {
  const texts = ["one\n", "", "two ".repeat(5000), "", "three\n"].map((text) => Buffer.from(text));
  const whole = Buffer.concat(texts);
  const packed = Buffer.concat(texts.map((text) => gzipSync(text)));
  for (const size of [1, 2, 3, 7, 19, 100, packed.length])
    assert.deepEqual(await unpacked(packed, size), whole, `pieces of ${size}`);
  assert.deepEqual(await unpacked(gzipSync(whole), 50), whole, "one member");
});

test("a member's first bytes within a member end nothing", async () => {
  // Stored blocks hold the bytes unchanged: headers, whole members, and headers behind a size.
  const inner = Buffer.concat([
    gzipSync("inside"),
    Buffer.from([0x1f, 0x8b, 8, 0x1f, 0x8b, 0x1f, 0x1f, 0x8b, 8]),
    Buffer.from([9, 0, 0, 0, 0x1f, 0x8b, 8]),
    noise(200_000, 3),
  ]);
  const packed = Buffer.concat([gzipSync(inner, { level: 0 }), gzipSync(inner, { level: 0 })]);
  const whole = Buffer.concat([inner, inner]);
  for (const size of [997, 65_536, packed.length])
    assert.deepEqual(await unpacked(packed, size), whole, `pieces of ${size}`);
});

test("what is damaged or cut short is refused", async () => {
  const packed = Buffer.concat([gzipSync("one\n"), gzipSync("two\n")]);
  const flipped = Buffer.from(packed);
  // The checksum of the first member.
  flipped[gzipSync("one\n").length - 6] ^= 1;
  const bad = {
    cut: packed.subarray(0, -1),
    "cut within a header": packed.subarray(0, gzipSync("one\n").length + 2),
    flipped,
  };
  for (const [name, bytes] of Object.entries(bad))
    for (const size of [5, bytes.length])
      await assert.rejects(unpacked(bytes, size), Damaged, name);
});

test("more members than the limit are refused", async () => {
  const empty = gzipSync("");
  const many = Buffer.concat(Array(5).fill(empty));
  assert.equal((await unpacked(many, 1 << 20, 5)).length, 0);
  await assert.rejects(unpacked(many, 1 << 20, 4), TooManyMembers);
});
