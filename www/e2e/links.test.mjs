// Links: the URL says what the page shows, and shows it again.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";
import { assert, done, drop, finished, root, stage, still, temporary, trace } from "./support.mjs";

let s;
let format;
/** The limits of docs/limits.md, which a native test compares with these. */
let LIMITS;
before(async () => {
  s = await stage();
  const { outputFiles } = await build({
    entryPoints: [join(root, "www/src/link/format.ts")],
    bundle: true,
    format: "esm",
    write: false,
  });
  format = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
  );
  const limits = await readFile(join(root, "www/src/engine/limits.ts"), "utf8");
  LIMITS = Object.fromEntries(
    [...limits.matchAll(/(\w+): ([\d_]+),/g)].map(([, name, most]) => [
      name,
      Number(most.replaceAll("_", "")),
    ]),
  );
});
after(() => s.close());

/** Random numbers that are the same in every run. */
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
    const fragment = await format.write(state);
    assert.match(fragment, /^1\.[\w-]*$/);
    assert.deepEqual(await format.read(fragment), state);
  }
});

test("a link that is not understood is a problem that names the place", async () => {
  const told = async (state, version = 1) =>
    format.read((await format.write(state)).replace(/^1/, String(version))).then(
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
    /link\.trace is not a trace of a kind that is known/,
  );
  assert.match(
    await told({ trace: { kind: "file", name: "x", sha256: "../.." } }),
    /link\.trace\.sha256 is not a SHA-256/,
  );
  assert.match(await told({ toString: 1 }), /link\.toString is not a field that is known/);
  assert.match(await told([]), /link is not a group of fields/);
  assert.match(await told({}, 2), /made by a newer version of the page \(2; this one knows 1\)/);
  for (const bad of ["", "1", "1.", "x", "1.!!", "1.AAAA", "99999.AA", "0.AA", "-1.AA", "1.é"])
    await assert.rejects(
      format.read(bad),
      (problem) =>
        problem.what !== undefined && problem.why !== undefined && problem.next !== undefined,
      bad,
    );
  const whole = await format.write({ filter: "user:7 wait>1h", tab: "sweep" });
  for (let length = 2; length < whole.length; length += 1)
    await format.read(whole.slice(0, length)).catch((problem) => assert.ok(problem.what));
});

/** A fragment of any JSON, which the page itself would not write. */
const packed = (json) => `1.${deflateRawSync(json, { level: 9 }).toString("base64url")}`;

test("what is too much is refused before anything is made of it", async () => {
  const told = (fragment) =>
    format.read(fragment).then(
      () => "understood",
      (problem) => problem.what,
    );
  const of = (state) => told(packed(JSON.stringify(state)));
  // 100 MB of filter: unpacking stops at the limit.
  const bomb = packed(`{"filter":"${"a".repeat(1e8)}"}`);
  assert.ok(bomb.length < LIMITS.link_characters, `${bomb.length} characters`);
  const began = performance.now();
  assert.match(await told(bomb), /The link holds too much/);
  assert.ok(performance.now() - began < 1000, "all of it was unpacked");
  assert.match(await told(`1.${"A".repeat(LIMITS.link_characters)}`), /The link holds too much/);
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
  const jobs = Array(LIMITS.what_if_entries + 1).fill({ number: 1 });
  assert.match(
    await of({ runs: [{ policy: "easy", whatIf: { at: 1, jobs } }] }),
    /whatIf\.jobs is not a list of at most 1000 entries/,
  );
  assert.match(await told(packed("[".repeat(4e6))), /damaged or cut short|not a group of fields/);
  await assert.rejects(
    format.write({ plan: "x".repeat(LIMITS.link_bytes) }),
    (problem) => /The link holds too much/.test(problem.what),
    "what cannot be read is not written",
  );
  const noise = randomBytes(LIMITS.link_characters).toString("hex");
  await assert.rejects(format.write({ plan: noise }), (problem) =>
    /The link holds too much/.test(problem.what),
  );
});

test("an older link is brought up, step by step", async () => {
  const old = await format.write({ colour: "wait", run: "easy" });
  const upgrades = {
    1: ({ colour, ...rest }) => ({ ...rest, colours: colour }),
    2: ({ run, ...rest }) => ({ ...rest, runs: [{ policy: run }] }),
  };
  assert.deepEqual(await format.read(old, 3, upgrades), {
    colours: "wait",
    runs: [{ policy: "easy" }],
  });
  await assert.rejects(format.read(old, 4, upgrades), (problem) =>
    /of version 1, which is no longer known/.test(problem.what),
  );
});

/** The URL once the page has written it. */
async function settled(page) {
  await still(page);
  return page.url();
}

test("all that is set and shown is in the URL, and comes back from it", async () => {
  const { page, context } = await s.open();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await done(page, 2);
  assert.ok(!(await settled(page)).includes("#"), "nothing is said of what is as usual");
  const second = page.locator(".lane-form").nth(1);
  await second.getByText("Parameters").click();
  await second.getByLabel("Scan order").selectOption("shortest");
  await page.getByRole("button", { name: "+ Conservative" }).click();
  await page.getByText("Workload", { exact: true }).last().click();
  await page.getByLabel("Load by arrivals").first().fill("1.1");
  await page.getByLabel("Load by arrivals").first().press("Enter");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 3);
  await page.getByLabel("Colour by").selectOption("wait");
  await page.getByRole("button", { name: "Zoom in (W)" }).click();
  await page.keyboard.press("/");
  await page.keyboard.type("size>8 -class:short");
  await page.keyboard.press("Enter");
  const box = await page.locator("canvas.overlay").first().boundingBox();
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + box.width * 0.3, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 90, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.getByLabel("Job number").fill("700");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.locator(".job[data-job='700']").waitFor();
  const url = await settled(page);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("The link is copied.").first().waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), url);
  const said = await page.evaluate(() => document.querySelector(".filter-bar").textContent);
  const table = await page.locator(".metrics tbody").textContent();

  const other = await context.newPage();
  await other.goto(url);
  await done(other, 3);
  await other.locator(".job[data-job='700']").waitFor();
  assert.equal(await settled(other), url);
  assert.equal(await other.evaluate(() => document.querySelector(".filter-bar").textContent), said);
  assert.equal(await other.locator(".metrics tbody").textContent(), table);
  assert.equal(await other.getByLabel("Colour by").inputValue(), "wait");
  assert.equal(await other.locator(".area-table").count(), 3);
  // A reload is a link to oneself.
  await other.reload();
  await done(other, 3);
  assert.equal(await settled(other), url);
});

test("a plan and a tab are in the link; a reader's own plan is kept aside", async () => {
  const { page, context } = await s.open();
  await done(page, 2);
  await page.getByRole("tab", { name: "Sweep" }).click();
  await page.getByRole("button", { name: "Export the plan" }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("A plan of mine");
  await page.getByLabel("Name", { exact: true }).press("Enter");
  const url = await settled(page);
  const fresh = await s.browser.newContext();
  const other = await fresh.newPage();
  await other.goto(url);
  await other.getByRole("button", { name: "Back to my own plan" }).waitFor();
  assert.equal(await other.getByLabel("Name", { exact: true }).inputValue(), "A plan of mine");
  await other.getByRole("button", { name: "Back to my own plan" }).click();
  await other.waitForFunction(() =>
    [...document.querySelectorAll("input")].some(
      (input) => input.value === "Backfilling against load",
    ),
  );
  await fresh.close();
  await context.close();
});

test("a link to somebody's trace asks for the file with that hash", async () => {
  const { page, context } = await s.open();
  await done(page, 2);
  const mine = trace(400);
  await drop(page, "mine.swf", mine);
  await finished(page, "mine.swf");
  await page.getByLabel("Colour by").selectOption("size");
  const url = await settled(page);
  const other = await context.newPage();
  const said = [];
  other.on("pageerror", (error) => said.push(error.message));
  await other.goto(url);
  await other.getByText("This link is about the trace mine.swf").waitFor();
  assert.equal(await settled(other), url, "the link stays while its file is awaited");
  await other
    .locator('input[aria-label="The link\'s file"]')
    .setInputFiles(temporary("mine.swf", trace(401)));
  await other.getByText("mine.swf is not the trace that the link is about.").waitFor();
  await other.getByRole("button", { name: "Dismiss" }).click();
  await other
    .locator('input[aria-label="The link\'s file"]')
    .setInputFiles(temporary("renamed.swf", mine));
  await finished(other, "mine.swf");
  assert.equal(await other.getByLabel("Colour by").inputValue(), "size");
  assert.equal(await other.getByText("This link is about").count(), 0);
  assert.equal(await settled(other), url);
  assert.deepEqual(said, []);
});

test("a bad link is told, and the page is as usual", async () => {
  const { page, context } = await s.open();
  await done(page, 2);
  const bomb = packed(`{"filter":"${"a".repeat(1e8)}"}`);
  for (const [fragment, what] of [
    [bomb, "The link holds too much"],
    ["1.AAAA", "damaged or cut short"],
    ["2.AAAA", "newer version of the page"],
    ["1", "not understood"],
  ]) {
    const other = await context.newPage();
    await other.goto(`${s.url}#${fragment}`);
    await other.locator(".banner.bad", { hasText: what }).waitFor();
    await done(other, 2);
    await other.close();
  }
  // One that is opened over a page that is there already.
  await page.evaluate(
    (fragment) => (location.hash = fragment),
    await format.write({ runs: [{ policy: "nonsense" }], tab: "compare", colours: "nonsense" }),
  );
  await page.locator(".notice.bad", { hasText: "nonsense" }).first().waitFor();
});

test("a link that cannot be shown leaves what is usual, and the address is none that cannot be read", async () => {
  const { page, context, said } = await s.open();
  await done(page, 2);
  for (const state of [
    { trace: { kind: "model", model: "lublin", settings: { jobs: -5 }, name: "x" } },
    { shared: { demands: "file" } },
    { machine: "nonsense" },
  ]) {
    const other = await context.newPage();
    await other.goto(`${s.url}#${await format.write(state)}`);
    await other.locator(".banner.bad").waitFor();
    await done(other, 2);
    assert.ok(!(await settled(other)).includes("#"));
    await other.close();
  }
  // Back from a link to what is usual; and a place in the page is no link.
  await page.evaluate(
    (fragment) => (location.hash = fragment),
    await format.write({ runs: [{ policy: "conservative" }], colours: "size" }),
  );
  await page.waitForFunction(() => document.querySelectorAll(".lane").length === 1);
  await done(page, 1);
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll(".lane").length === 2);
  await done(page, 2);
  await page.getByLabel("Colour by").selectOption("size");
  const url = await settled(page);
  await page.locator(".skip").focus();
  await page.keyboard.press("Enter");
  assert.equal(await settled(page), url);
  // Closed processors beyond any machine neither run nor freeze the page.
  await page.evaluate(
    (fragment) => (location.hash = fragment),
    await format.write({
      runs: [
        { policy: "easy", whatIf: { at: 1000, closed: { first: 0, count: 1e17, seconds: 86400 } } },
      ],
    }),
  );
  await page.locator(".lane-form .notice.bad", { hasText: "What if:" }).waitFor();
  assert.deepEqual(said, []);
});
