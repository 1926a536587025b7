// The npm package and the sizes of what is served.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { assert, root, stage, until } from "./support.mjs";

/** The README's example, as it stands there. */
const example = readFileSync(join(root, "README.md"), "utf8").match(/```js\n([^]*?)```/)[1];
const EXPECTED = /^fcfs mean wait \d+ s\neasy mean wait \d+ s$/;

let folder;
let s;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "schedscope-package-"));
  mkdirSync(join(folder, "node_modules"));
  cpSync(join(root, "pkg"), join(folder, "node_modules/schedscope"), { recursive: true });
  writeFileSync(join(folder, "example.mjs"), example);
  writeFileSync(join(folder, "index.html"), '<!doctype html><link rel="icon" href="data:,"><script type="importmap">{"imports": {"schedscope": "./node_modules/schedscope/schedscope.js"}}</script><script type="module" src="example.mjs"></script>');
  s = await stage({ folder });
});
after(() => s.close());

test("the README's example runs in Node", () => {
  assert.match(execFileSync(process.execPath, ["example.mjs"], { cwd: folder }).toString().trim(), EXPECTED);
});

test("the README's example runs in a browser, with the same result", async () => {
  const page = await s.browser.newPage();
  const lines = [];
  page.on("console", (message) => lines.push(message.text()));
  await page.goto(s.url);
  await until(() => lines.length, (count) => count >= 2);
  assert.equal(lines.join("\n"), execFileSync(process.execPath, ["example.mjs"], { cwd: folder }).toString().trim());
});

/** Every way to pass something else than the types say, by name: each must throw a Problem. */
const WRONG = `
import { readFileSync } from "node:fs";
import init, * as schedscope from "schedscope";
const { Run, Trace, TraceReader, Hasher } = schedscope;
await init({ module_or_path: readFileSync(new URL(import.meta.resolve("schedscope/schedscope_bg.wasm"))) });
const trace = Trace.generate("lublin", { jobs: 50, seed: 1 });
const easy = { policy: "easy", machine: "flat", settings: {} };
const run = new Run(trace, easy);
const things = { undefined: undefined, null: null, string: "x", number: 5, BigInt: 5n, symbol: Symbol("x"), object: {}, array: [1], function: () => 1, boolean: true, run, freed: (() => { const gone = Trace.generate("lublin", { jobs: 5, seed: 1 }); gone.free(); return gone; })(), circle: (() => { const circle = {}; circle.circle = circle; return circle; })() };
const all = Object.keys(things);
const but = (...names) => all.filter((name) => !names.includes(name));
const classes = [
  ["trace of a run", (x) => new Run(x, easy), all],
  ["scenario", (x) => new Run(trace, x), all],
  ["policy of a scenario", (x) => new Run(trace, { ...easy, policy: x }), all],
  ["settings of a scenario", (x) => new Run(trace, { ...easy, settings: x }), but("object", "undefined", "function", "symbol")],
  ["a setting", (x) => new Run(trace, { ...easy, settings: { depth: x } }), but("number", "undefined", "function", "symbol")],
  ["model", (x) => Trace.generate(x, {}), all],
  ["settings of a model", (x) => Trace.generate("lublin", x), but("object")],
  ["text of a trace", (x) => Trace.fromText("name", x), all],
  ["name of a trace", (x) => Trace.fromText(x, "1 0 -1 9 4 -1 -1 4 9 -1 1 1 1 -1 -1 -1 -1 -1\\n"), but("string")],
  ["demands", (x) => trace.withDemands("name", x), all],
  ["line", (x) => trace.line(x), but("number")],
  ["skipping", (x) => new TraceReader(x), but("boolean")],
  ["bytes of a trace", (x) => new TraceReader(true).push(x), all],
  ["bytes to hash", (x) => new Hasher().push(x), all],
  ["budget", (x) => run.advance(x), but("number")],
  ["milliseconds", (x) => run.advanceFor(x), but("number")],
  ["grouping", (x) => run.classes(x), all],
  ["filter", (x) => run.filter(x), all],
  ["job", (x) => run.job(x), but("number")],
  ["number", (x) => run.findJob(x), but("number")],
  ["time", (x) => run.bins(x, 1, 1), but("number")],
  ["parts", (x) => run.bins(0, 1, x), but("number")],
  ["forwards", (x) => run.nextChange(0, x), but("boolean")],
  ["window", (x) => run.raster(x, 1, 0, 1, 1, 1, 0, "wait", "light", false), but("number")],
  ["colouring", (x) => run.raster(0, 1, 0, 1, 1, 1, 0, x, "light", false), all],
  ["waits", (x) => run.comparison(x), all],
  ["two waits", (x) => schedscope.paired(x, x), all],
  ["columns", (x) => run.against(x, x, x, x), all],
  ["key", (x) => run.cellResult(x, []), all],
  ["keep", (x) => run.cellResult("key", x), all],
  ["sink", (x) => run.jobsCsv(x), but("function")],
  ["listener", (x) => schedscope.onPulse(x), but("function")],
  ["plan", (x) => schedscope.readPlan(x), all],
  ["results", (x) => schedscope.analysePlan(x, []), all],
  ["stored results", (x) => schedscope.checkResults(["key"], x), but("array")],
];
const found = [];
for (const [name, call, wrong] of classes)
  for (const kind of wrong)
    try {
      call(things[kind]);
      found.push([name, kind, "nothing"]);
    } catch (error) {
      const isProblem = error !== null && typeof error === "object" && !(error instanceof Error) && ["what", "why", "next"].every((field) => typeof error[field] === "string" && error[field].length > 3);
      if (!isProblem || /panicked|unreachable|at line/.test(error.what)) found.push([name, kind, String(error?.what ?? error)]);
    }
// And nothing was taken or broken by any of it.
while (!run.advance(100_000).done);
console.log(JSON.stringify({ found, tried: classes.reduce((sum, [, , wrong]) => sum + wrong.length, 0), digest: run.result().digest, fresh: (() => { const other = new Run(trace, easy); while (!other.advance(100_000).done); return other.result().digest; })(), engine: schedscope.catalog().engine, said: (() => { try { run.advance("x"); } catch (error) { return error; } })() }));
`;

test("arguments of wrong types throw a Problem, whatever they are", () => {
  writeFileSync(join(folder, "wrong.mjs"), WRONG);
  const { found, tried, digest, fresh, engine, said } = JSON.parse(execFileSync(process.execPath, ["wrong.mjs"], { cwd: folder }).toString());
  assert.deepEqual(found, []);
  assert.ok(tried > 300, `${tried}`);
  assert.equal(digest, fresh);
  assert.match(engine, /^[0-9a-f]{16}$/);
  assert.deepEqual(said, { what: "The argument `budget` is the string `x`, and not a number of at least 0.", why: "Every argument has the type that schedscope.d.ts gives it.", next: "Pass a number of at least 0." });
});

test("the package is typed from the Rust types", () => {
  const types = readFileSync(join(root, "pkg/schedscope.d.ts"), "utf8");
  for (const type of ["interface Scenario", "interface RunResult", "interface JobFacts", "interface Problem", "type Settings", "class Run", "class Trace"])
    assert.ok(types.includes(type), type);
  const ours = types.split("export interface InitOutput")[0];
  assert.ok(!/: any\b/.test(ours), "an untyped value crosses the border");
});

test("sizes: wasm at most 600 KB brotli, first load of HTML, CSS and JS at most 90 KB gzip", (t) => {
  const file = (name) => readFileSync(join(root, "dist", name));
  const wasm = brotliCompressSync(file("schedscope_bg.wasm")).length;
  // What main.js imports at once, and what that imports; not what is loaded with a tab.
  const scripts = new Set(["main.js"]);
  for (const name of scripts) for (const [, part] of String(file(name)).matchAll(/(?:from|import)\s*"\.\/(part-[\w-]+\.js)"/g)) scripts.add(part);
  assert.ok(scripts.size > 1);
  const page = ["index.html", "style.css", "worker.js", "schedscope.js", ...scripts].reduce((sum, name) => sum + gzipSync(file(name)).length, 0);
  t.diagnostic(`wasm ${wasm} bytes brotli; HTML, CSS and JS ${page} bytes gzip`);
  assert.ok(wasm <= 600_000, `${wasm}`);
  assert.ok(page <= 90_000, `${page}`);
});
