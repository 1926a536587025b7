// Measures the waits of a reader: for the first picture, for the first result of a dropped log, for
// the program itself. The figures are medians of several rounds, each in a browser without a cache.
// `node www/e2e/bench-page.mjs`; docs/performance.md has the figures. The page gets KTH and
// SDSC-BLUE if the folder in SCHEDSCOPE_TRACES has them, and a log of 447,794 jobs made of SDSC-BLUE.
// With target/release/schedscope, the terminal runs the same in turn; the ratios count.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { brotliCompressSync, gunzipSync, gzipSync } from "node:zlib";
import { done, root, stage } from "./support.mjs";

const ROUNDS = 5;
const folder = process.env.SCHEDSCOPE_TRACES ?? join(root, "../shared/traces");
const median = (values) =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];
const say = (what, values) =>
  console.log(
    `${what.padEnd(46)} median ${median(values).toFixed(0)} ms, worst ${Math.max(...values).toFixed(0)} ms of ${values.length}`,
  );

const s = await stage();
console.log(await s.browser.version());

/**
 * Opens a page for the first time and waits until its sample is done. Returns the times of its
 * steps since navigation began.
 */
async function fresh() {
  const context = await s.browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    globalThis.seen = {};
    const look = () => {
      const canvas = document.querySelector("canvas.raster");
      if (canvas && !seen.picture) {
        const data =
          canvas.width > 0 &&
          canvas.getContext("2d").getImageData(0, canvas.height >> 1, canvas.width, 1).data;
        // A pixel that is not background.
        if (data?.some((value, at) => at % 4 < 3 && value !== data[at % 4]))
          seen.picture = performance.now();
      }
      if (!seen.result && document.querySelectorAll(".run-chip.done").length === 2)
        seen.result = performance.now();
      if (!seen.picture || !seen.result) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(s.url);
  await page.waitForFunction(() => globalThis.seen.picture && globalThis.seen.result);
  return { context, page, seen: await page.evaluate(() => globalThis.seen) };
}

const first = { picture: [], result: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  const { context, seen } = await fresh();
  first.picture.push(seen.picture);
  first.result.push(seen.result);
  await context.close();
}
say("first picture of the sample", first.picture);
say("both runs of the sample, with figures", first.result);

/** Writes a log of this many jobs: a log, and its beginning once more after its end. */
function repeated(path, jobs) {
  const lines = gunzipSync(readFileSync(path)).toString().trimEnd().split("\n");
  const fields = (line) => line.trim().split(/\s+/);
  const first = lines.findIndex((line) => !line.startsWith(";"));
  const [last, end] = fields(lines.at(-1)).map(Number);
  const later = lines.slice(first, first + jobs - (lines.length - first)).map((line) => {
    const [number, submitted, ...rest] = fields(line);
    return [Number(number) + last, Number(submitted) + end + 100, ...rest].join(" ");
  });
  const written = join(made, `${jobs}-jobs.swf`);
  writeFileSync(written, `${[...lines, ...later].join("\n")}\n`);
  return written;
}

const made = mkdtempSync(join(tmpdir(), "schedscope-bench-"));
const terminal = join(root, "target/release/schedscope");
const blue = join(folder, "SDSC-BLUE-2000-4.2-cln.swf.gz");
const logs = [join(folder, "KTH-SP2-1996-2.swf.gz"), blue];
if (existsSync(blue)) logs.push(repeated(blue, 447_794));
for (const path of logs) {
  const name = basename(path);
  if (!existsSync(path)) {
    console.log(`${name}: not in ${folder}`);
    continue;
  }
  const [known, figures, all, ratios] = [[], [], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { context, page } = await fresh();
    await page.evaluate(() => {
      globalThis.begun = undefined;
      globalThis.found = {};
      document
        .querySelector("input[type=file]")
        .addEventListener("change", () => (globalThis.begun = performance.now()), {
          capture: true,
        });
      const look = () => {
        const since = performance.now() - (globalThis.begun ?? Number.POSITIVE_INFINITY);
        const isNew = !document.querySelector(".chip")?.textContent.includes("Sample");
        const ready = document.querySelectorAll(".run-chip.done").length;
        if (since > 0 && isNew) found.known ??= since;
        if (since > 0 && isNew && ready >= 1) found.first ??= since;
        if (since > 0 && isNew && ready === 2) found.all ??= since;
        if (!found.all) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.setInputFiles("input[type=file]", path);
    await done(page, 2, 120_000);
    await page.waitForFunction(() => globalThis.found.all);
    const found = await page.evaluate(() => globalThis.found);
    known.push(found.known);
    figures.push(found.first);
    all.push(found.all);
    await context.close();
    if (!existsSync(terminal)) continue;
    const began = performance.now();
    execFileSync(terminal, ["run", "-p", "fcfs", "-p", "easy", path], { maxBuffer: 1 << 28 });
    ratios.push(found.all / (performance.now() - began));
  }
  say(`${name}: known`, known);
  say(`${name}: first result`, figures);
  say(`${name}: FCFS and EASY`, all);
  if (ratios.length > 0)
    console.log(`${name}: ${median(ratios).toFixed(2)} times as long as the terminal`);
}
rmSync(made, { recursive: true });

const dist = join(root, "dist");
const size = (name, by) => by(readFileSync(join(dist, name))).length;
const scripts = new Set(["main.js"]);
for (const name of scripts)
  for (const [, part] of String(readFileSync(join(dist, name))).matchAll(
    /(?:from|import)\s*"\.\/(part-[\w-]+\.js)"/g,
  ))
    scripts.add(part);
const page = ["index.html", "style.css", "worker.js", "schedscope.js", ...scripts].reduce(
  (sum, name) => sum + size(name, gzipSync),
  0,
);
const later = readdirSync(dist)
  .filter((name) => /^part-.*\.js$/.test(name) && !scripts.has(name))
  .map((name) => size(name, gzipSync));
console.log(
  `wasm ${size("schedscope_bg.wasm", brotliCompressSync)} bytes brotli; first load ${page} bytes gzip; loaded when first shown ${later.reduce((sum, each) => sum + each, 0)} bytes gzip in ${later.length} parts, the largest ${Math.max(...later)}`,
);
await s.close();
