// Links hold the state of the page, and nothing harmful.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { LIMITS } from "../src/engine/limits.ts";
import { read, UPGRADES, VERSION, write } from "../src/link/format.ts";

/** Random numbers that are equal in every run. */
function stream(seed) {
  let state = seed;
  return (n) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * n);
  };
}

function randomLink(random) {
  const words = [
    "",
    "easy",
    "wait>1h -class:short",
    'naïve ☃ \u0000 "quoted"',
    "a".repeat(300),
    "\u{1f600}",
    "__proto__",
  ];
  const word = () => words[random(words.length)];
  const number = () => [0, -1.5, 1e15, 0.1 + 0.2, 123456789][random(5)];
  const settings = () =>
    Object.fromEntries(
      Array.from({ length: random(4) }, (_, at) => [`key${at}`, random(2) ? number() : word()]),
    );
  const area = () => [number() - 1e16, 1e17, 0, 1 + random(100)];
  const traces = [
    () => ({ kind: "model", model: word(), settings: settings(), name: word() }),
    () => ({ kind: "text", name: word(), text: word() }),
    () => ({
      kind: "file",
      name: word(),
      sha256: "0123456789abcdef".repeat(4),
      ...(random(2) ? { skipBadLines: true } : {}),
    }),
  ];
  const fields = {
    trace: () => traces[random(3)](),
    machine: word,
    shared: settings,
    runs: () =>
      Array.from({ length: 1 + random(4) }, () => ({
        policy: word(),
        ...(random(2) ? { machine: word(), preset: word(), settings: settings() } : {}),
      })),
    plan: word,
    card: word,
    tab: word,
    window: area,
    area,
    instant: number,
    job: () => random(1e6),
    colours: word,
    filter: word,
    rows: () => true,
    noBands: () => true,
  };
  return Object.fromEntries(
    Object.entries(fields)
      .filter(() => random(2))
      .map(([key, make]) => [key, make()]),
  );
}

test("what is written is read again, whatever it is", async () => {
  const random = stream(7);
  for (let round = 0; round < 500; round += 1) {
    const state = randomLink(random);
    const fragment = await write(state);
    assert.match(fragment, /^1\.[\w-]*$/);
    assert.deepEqual(await read(fragment), state);
  }
});

test("a link that is not understood is a problem that names the place", async () => {
  const told = async (state, version = 1) =>
    read((await write(state)).replace(/^1/, String(version))).then(
      () => "understood",
      (problem) => problem.what,
    );
  assert.match(await told({ tab: 5 }), /link\.tab is not a text/);
  assert.match(
    await told({ runs: [{ policy: "easy" }, { policy: 5 }] }),
    /link\.runs\[1\]\.policy is not a text/,
  );
  assert.match(await told({ runs: [] }), /link\.runs is not a list of 1 to 26 runs/);
  assert.match(await told({ shared: { load: null } }), /link\.shared\.load is not a number/);
  assert.match(await told({ window: [5, 1, 0, 1] }), /link\.window is not an area/);
  assert.match(
    await told({ trace: { kind: "constructor" } }),
    /link\.trace is not a known kind of trace/,
  );
  assert.match(
    await told({ trace: { kind: "file", name: "x", sha256: "../.." } }),
    /link\.trace\.sha256 is not a SHA-256/,
  );
  assert.match(await told({ toString: 1 }), /link\.toString is not a known field/);
  assert.match(await told([]), /link is not a group of fields/);
  assert.match(await told({}, 2), /made by a newer version of the page \(2; this one knows 1\)/);
  for (const bad of ["", "1", "1.", "x", "1.!!", "1.AAAA", "99999.AA", "0.AA", "-1.AA", "1.é"])
    await assert.rejects(
      read(bad),
      (problem) =>
        problem.what !== undefined && problem.why !== undefined && problem.next !== undefined,
      bad,
    );
  const whole = await write({ filter: "user:7 wait>1h", tab: "sweep" });
  for (let length = 2; length < whole.length; length += 1)
    await read(whole.slice(0, length)).catch((problem) => assert.ok(problem.what));
});

/** A fragment of any JSON, which the page itself would not write. */
const packed = (json) => `1.${deflateRawSync(json, { level: 9 }).toString("base64url")}`;

/** Returns the number of bytes that come out of DecompressionStream while something is done. */
async function countUnpacked(something) {
  const Whole = globalThis.DecompressionStream;
  let bytes = 0;
  globalThis.DecompressionStream = class {
    constructor(format) {
      const { readable, writable } = new Whole(format);
      const transform = (piece, to) => {
        bytes += piece.byteLength;
        to.enqueue(piece);
      };
      this.writable = writable;
      this.readable = readable.pipeThrough(new TransformStream({ transform }));
    }
  };
  try {
    await something();
  } finally {
    globalThis.DecompressionStream = Whole;
  }
  return bytes;
}

test("what is too much is refused before anything is made of it", async () => {
  const told = (fragment) =>
    read(fragment).then(
      () => "understood",
      (problem) => problem.what,
    );
  const of = (state) => told(packed(JSON.stringify(state)));
  // 100 MB of filter: unpacking stops at the limit.
  const bomb = packed(`{"filter":"${"a".repeat(1e8)}"}`);
  assert.ok(bomb.length < LIMITS.link_characters, `${bomb.length} characters`);
  const unpacked = await countUnpacked(async () => {
    assert.match(await told(bomb), /The link is too large/);
  });
  assert.ok(unpacked < 2 * LIMITS.link_bytes, `${unpacked} bytes were unpacked`);
  assert.match(await told(`1.${"A".repeat(LIMITS.link_characters)}`), /The link is too large/);
  assert.match(
    await of({ filter: "a".repeat(LIMITS.filter_bytes + 1) }),
    /link\.filter is not a text of at most 4096 characters/,
  );
  assert.equal(await of({ filter: "a".repeat(LIMITS.filter_bytes) }), "understood");
  assert.match(
    await of({ runs: [{ policy: "a".repeat(LIMITS.name_bytes + 1) }] }),
    /link\.runs\[0\]\.policy is not a text of at most 500 characters/,
  );
  assert.match(
    await of({ runs: Array(LIMITS.link_runs + 1).fill({ policy: "easy" }) }),
    /link\.runs is not a list of 1 to 26 runs/,
  );
  const many = Object.fromEntries(
    Array.from({ length: LIMITS.settings + 1 }, (_, at) => [`easy${at}.depth`, 1]),
  );
  assert.match(await of({ shared: many }), /link\.shared is not a list of at most 200 settings/);
  assert.match(
    await of({ shared: { candidates: "easy+".repeat(300) } }),
    /link\.shared\.candidates is not a text of at most 1000 characters/,
  );
  assert.match(
    await of({ shared: { ["a".repeat(501)]: 1 } }),
    /a key of link\.shared is not a text of at most 500 characters/,
  );
  const code = { id: "own", file: "own.js", code: "" };
  assert.match(
    await of({ own: Array(LIMITS.own_kept + 1).fill(code) }),
    /link\.own is not a list of at most 200 entries/,
  );
  assert.equal(await of({ own: Array(LIMITS.own_kept).fill(code) }), "understood");
  const jobs = Array(LIMITS.what_if_entries + 1).fill({ number: 1 });
  assert.match(
    await of({ runs: [{ policy: "easy", whatIf: { at: 1, jobs } }] }),
    /whatIf\.jobs is not a list of at most 1000 entries/,
  );
  assert.match(await told(packed("[".repeat(4e6))), /damaged or cut short|not a group of fields/);
  await assert.rejects(
    write({ plan: "x".repeat(LIMITS.link_bytes) }),
    (problem) => /The link is too large/.test(problem.what),
    "what cannot be read is not written",
  );
  const noise = randomBytes(LIMITS.link_characters).toString("hex");
  await assert.rejects(write({ plan: noise }), (problem) =>
    /The link is too large/.test(problem.what),
  );
});

test("every older version has an upgrade", () => {
  const known = Array.from({ length: VERSION - 1 }, (_, at) => String(at + 1));
  assert.deepEqual(Object.keys(UPGRADES), known);
});

test("an older link is brought up, step by step", async () => {
  const old = await write({ colour: "wait", run: "easy" });
  const upgrades = {
    1: ({ colour, ...rest }) => ({ ...rest, colours: colour }),
    2: ({ run, ...rest }) => ({ ...rest, runs: [{ policy: run }] }),
  };
  assert.deepEqual(await read(old, 3, upgrades), {
    colours: "wait",
    runs: [{ policy: "easy" }],
  });
  await assert.rejects(read(old, 4, upgrades), (problem) =>
    /has version 1, which the page no longer reads/.test(problem.what),
  );
});
