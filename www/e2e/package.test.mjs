// The npm package, as a user installs it, and the sizes of what is served.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { assert, root, stage, until } from "./support.mjs";

/** The files of the package. An additional or missing file is a change for its users. */
const FILES = [
  "LICENSE-APACHE",
  "LICENSE-MIT",
  "README.md",
  "THIRD-PARTY.txt",
  "compiled.js",
  "index.d.ts",
  "index.js",
  "package.json",
  "policy.d.ts",
  "policy.js",
  "wasm/schedscope.d.ts",
  "wasm/schedscope.js",
  "wasm/schedscope_bg.wasm",
];

/** Returns the examples of a README: the place of each (both if it names none), its text, and its output by its last comment. */
const examples = (path) =>
  [...readFileSync(join(root, path), "utf8").matchAll(/```js ?(\w*)\n([^]*?)```/g)].map(
    ([, place, text]) => ({
      place,
      text,
      prints: text
        .match(/(?:\/\/ .*\n)*$/)[0]
        .replaceAll("// ", "")
        .trim(),
    }),
  );
const [first] = examples("README.md");
const EXPECTED = /^fcfs mean wait \d+ s\neasy mean wait \d+ s$/;
const own = examples("pkg/README.md");
/** The three jobs of the first example. */
const TRACE = own[0].text.match(/`([^`]*)`/)[1];

let folder;
let s;
let packed;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "schedscope-package-"));
  const npm = (args, cwd) =>
    execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const said = npm(
    ["pack", "--json", "--offline", "--pack-destination", folder],
    join(root, "pkg"),
  );
  // Some versions of npm print the name of the script that they run before the JSON.
  [packed] = JSON.parse(said.slice(said.search(/^\[/m)));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  npm(["install", "--offline", "--no-audit", "--no-fund", `./${packed.filename}`], folder);
  writeFileSync(join(folder, "trace.swf"), TRACE);
  writeFileSync(join(folder, "trace.swf.gz"), gzipSync(TRACE));
  s = await stage({ folder });
});
after(() => s.close());

function inNode(text) {
  writeFileSync(join(folder, "example.mjs"), text);
  return execFileSync(process.execPath, ["example.mjs"], { cwd: folder, encoding: "utf8" }).trim();
}

/** Returns the lines that an example prints in a browser, by its import map or as a bundle: as many as expected. */
async function inBrowser(text, count, script = "example.mjs") {
  if (text !== undefined) writeFileSync(join(folder, script), text);
  const map =
    '<script type="importmap">{"imports": {"schedscope": "./node_modules/schedscope/index.js"}}</script>';
  writeFileSync(
    join(folder, "index.html"),
    `<!doctype html><link rel="icon" href="data:,">${map}<script type="module" src="${script}"></script>`,
  );
  const page = await s.browser.newPage();
  const lines = [];
  page.on("console", (message) => lines.push(message.text()));
  page.on("pageerror", (error) => lines.push(`${error}`));
  await page.goto(s.url);
  await until(
    () => lines.length,
    (found) => found >= count || lines.some((line) => /Error/.test(line)),
  );
  await page.close();
  return lines.join("\n");
}

test("the package holds exactly what a user needs", () => {
  assert.deepEqual(packed.files.map(({ path }) => path).sort(), FILES);
});

test("the README's example runs in Node and in a browser, with the same result", async () => {
  const found = inNode(first.text);
  assert.match(found, EXPECTED);
  assert.equal(await inBrowser(first.text, 2), found);
});

test("every example of the package's README prints what it says", async () => {
  assert.ok(own.length >= 6 && own.every(({ prints }) => prints !== ""));
  for (const { place, text, prints } of own) {
    if (place !== "browser") assert.equal(inNode(text), prints, "in Node");
    if (place !== "node")
      assert.equal(await inBrowser(text, prints.split("\n").length), prints, "in a browser");
  }
});

test("a bundle for browsers has the package in it, and the WebAssembly beside it", async () => {
  const text =
    'import url from "schedscope/schedscope_bg.wasm";\nimport init from "schedscope";\nawait init(url);\n';
  const entry = { contents: text + own[0].text, resolveDir: folder };
  const { warnings } = await build({
    stdin: entry,
    bundle: true,
    format: "esm",
    outfile: join(folder, "bundle/main.js"),
    loader: { ".wasm": "file" },
    publicPath: "/bundle",
  });
  assert.deepEqual(warnings, []);
  assert.ok(
    readdirSync(join(folder, "bundle")).some((name) => /^schedscope_bg-\w+\.wasm$/.test(name)),
  );
  assert.equal(
    await inBrowser(undefined, own[0].prints.split("\n").length, "bundle/main.js"),
    own[0].prints,
  );
});

test("the engine can be loaded from bytes, at once, and again after a failure", () => {
  const head =
    'import { readFileSync } from "node:fs";\nimport init, { catalog, initSync } from "schedscope";\nconst wasm = new URL(import.meta.resolve("schedscope/schedscope_bg.wasm"));\n';
  const tail = "console.log(catalog().engine.length);";
  const ways = [
    "initSync(readFileSync(wasm)); await init();",
    "initSync({ module: new WebAssembly.Module(readFileSync(wasm)) });",
    "await init(readFileSync(wasm));",
    "await init(wasm);",
    "await init({ module_or_path: wasm.href });",
    "await Promise.all([init(), init()]);",
  ];
  const again =
    'await init(new URL("missing.wasm", import.meta.url)).then(() => console.log("loaded"), () => undefined); await init();';
  for (const way of [...ways, again]) assert.equal(inNode(`${head}${way}\n${tail}`), "16", way);
});

/** Calls that break the types, by name. Each must throw a ProblemError. */
const WRONG = `
import { readFileSync } from "node:fs";
import init, * as schedscope from "schedscope";
const { Run, Trace, TraceReader, Hasher, ProblemError, readTrace, simulate } = schedscope;
const early = [];
for (const call of [() => Trace.generate("lublin", {}), () => new TraceReader(true), () => schedscope.catalog()])
  try { call(); } catch (error) { early.push(error instanceof ProblemError && error.what); }
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
  ["number of a piece", (x) => trace.piece(x), but("number")],
  ["first piece", (x) => Trace.ofPiece(x), all],
  ["next piece", (x) => trace.pushPiece(x), all],
  ["budget", (x) => run.advance(x), but("number")],
  ["milliseconds", (x) => run.advanceFor(x), but("number")],
  ["grouping", (x) => run.classes(x), all],
  ["filter", (x) => run.filter(x), all],
  ["job", (x) => run.job(x), but("number")],
  ["number", (x) => run.findJob(x), but("number")],
  ["time", (x) => run.bins(x, 1, 1), but("number")],
  ["parts", (x) => run.bins(0, 1, x), but("number")],
  ["forwards", (x) => run.nextChange(0, x), but("boolean")],
  ["window", (x) => run.raster(x, 1, 0, 1, 1, 1, 0, "wait", "light", "shared"), but("number")],
  ["colouring", (x) => run.raster(0, 1, 0, 1, 1, 1, 0, x, "light", "shared"), all],
  ["rows", (x) => run.area(0, 1, 0, 1, x), all],
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
      const isProblem = error instanceof ProblemError && error.message.startsWith(error.what) && ["what", "why", "next"].every((field) => typeof error[field] === "string" && error[field].length > 3);
      if (!isProblem || /panicked|unreachable|at line/.test(error.what)) found.push([name, kind, String(error?.what ?? error)]);
    }
const later = [
  ["text of readTrace", (x) => readTrace(x), all],
  ["trace of simulate", (x) => simulate(x, easy), all],
  ["scenario of simulate", (x) => simulate(trace, x), all],
];
for (const [name, call, wrong] of later)
  for (const kind of wrong)
    await call(things[kind]).then(() => found.push([name, kind, "nothing"]), (error) => error instanceof ProblemError || found.push([name, kind, String(error)]));
// And nothing was taken or broken by any of it.
while (!run.advance(100_000).done);
console.log(JSON.stringify({ found, early, tried: classes.reduce((sum, [, , wrong]) => sum + wrong.length, 0), digest: run.result().digest, fresh: (() => { const other = new Run(trace, easy); while (!other.advance(100_000).done); return other.result().digest; })(), engine: schedscope.catalog().engine, said: (() => { try { run.advance("x"); } catch (error) { return error; } })() }));
`;

test("arguments of wrong types throw a Problem as an Error, whatever they are", () => {
  const { found, early, tried, digest, fresh, engine, said } = JSON.parse(inNode(WRONG));
  assert.deepEqual(early, Array(3).fill("The engine is not loaded."));
  assert.deepEqual(found, []);
  assert.ok(tried > 300, `${tried}`);
  assert.equal(digest, fresh);
  assert.match(engine, /^[0-9a-f]{16}$/);
  assert.deepEqual(said, {
    what: "The argument `budget` is the string `x`, and not a number of at least 0.",
    why: "Every argument has the type that schedscope.d.ts gives it.",
    next: "Pass a number of at least 0.",
  });
});

/** A program that follows the types of the package, and breaks them in four places. */
const TYPED = `
import init, { catalog, jobsOf, ProblemError, readTrace, Run, simulate, Trace, type JobFacts, type Problem, type RunProgress, type Scenario, type SimulationResult } from "schedscope";
const scenario: Scenario = { policy: "easy", settings: { reservations: 2 } };
await init();
const trace: Trace = await readTrace("1 0 -1 9 4", { name: "a trace", skipBadLines: true });
const result: SimulationResult = await simulate(trace, scenario, { signal: new AbortController().signal, onProgress: ({ now }: RunProgress) => console.log(now.toFixed()) });
const wait: number | undefined = result.figures["wait.mean"];
const starts: (number | undefined)[] = [...jobsOf(result.run)].map((job: JobFacts) => job.start);
const names: string[] = catalog().policies.map(({ name }) => name);
const run = new Run(trace, scenario);
const end: number = result.end + run.result().end;
try {
  using reader = run;
} catch (error) {
  const problem: Problem | undefined = error instanceof ProblemError ? error : undefined;
  console.log(problem?.line, wait, starts, names, end, result.facts.workload.processors, result.digest.length);
}
// @ts-expect-error: a scenario has a policy
await simulate(trace, { machine: "flat" });
// @ts-expect-error: a number is no trace
await simulate(5, scenario);
// @ts-expect-error: there is no such setting of reading
await readTrace("", { skipBadLine: true });
// @ts-expect-error: a trace comes from readTrace or generate
new Trace();
`;

/** Returns the findings of the TypeScript compiler. */
function tsc(cwd, files, ...options) {
  const strict = [
    "--noEmit",
    "--strict",
    "--noUncheckedIndexedAccess",
    "--exactOptionalPropertyTypes",
    "--skipLibCheck",
    "false",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--lib",
    "es2023,dom",
    "--types",
    "",
  ];
  try {
    return execFileSync(
      join(root, "www/node_modules/.bin/tsc"),
      [...strict, ...options, ...files],
      { cwd, encoding: "utf8" },
    );
  } catch (error) {
    return error.stdout;
  }
}

test("a strict TypeScript program can use the package, and only as it is meant", () => {
  writeFileSync(join(folder, "typed.mts"), TYPED);
  assert.equal(tsc(folder, ["typed.mts"]), "");
});

test("the index is what its types say, and has all that the engine has", async () => {
  assert.equal(tsc(join(root, "pkg"), ["index.js"], "--allowJs", "--checkJs"), "");
  const names = Object.keys(await import(join(root, "pkg/index.js")));
  // The glue itself calls `start`; the types have the name only because they repeat all generated ones.
  const all = names.map((name) => `${name}: 0`).join(", ");
  writeFileSync(
    join(folder, "names.mts"),
    `import * as schedscope from "schedscope";\n({ ${all} }) satisfies Record<Exclude<keyof typeof schedscope, "start">, 0>;\n`,
  );
  assert.equal(tsc(folder, ["names.mts"]), "");
  // policy.js alone calls the functions of own policies.
  const engine = Object.keys(await import(join(root, "pkg/wasm/schedscope.js"))).filter(
    (name) => !["start", "PolicyCalls"].includes(name),
  );
  assert.deepEqual(
    engine.filter((name) => !names.includes(name)),
    [],
  );
});

test("the package is typed from the Rust types", () => {
  const types = readFileSync(join(root, "pkg/wasm/schedscope.d.ts"), "utf8");
  for (const type of [
    "interface Scenario",
    "interface RunResult",
    "interface JobFacts",
    "interface Problem",
    "type Settings",
    "class Run",
    "class Trace",
  ])
    assert.ok(types.includes(type), type);
  const ours = types.split("export interface InitOutput")[0];
  assert.ok(!/: any\b/.test(ours), "an untyped value crosses the border");
});

// With this variable, engines are built quickly, and are larger.
const isQuick = process.env.CARGO_PROFILE_RELEASE_LTO === "off";

test("sizes: first engine at most 600 KB brotli, the whole one 1,026, first load of HTML, CSS, JS and font at most 120 KB gzip", {
  skip: isQuick && "the engines are built without optimisation at link time",
}, (t) => {
  const file = (name) => readFileSync(join(root, "dist", name));
  const engines = ["schedscope_bg.wasm", "schedscope_whole_bg.wasm"];
  const [wasm, whole] = engines.map((name) => brotliCompressSync(file(name)).length);
  // The direct and indirect imports of main.js, without those that load with a tab.
  const scripts = new Set(["main.js"]);
  for (const name of scripts)
    for (const [, part] of String(file(name)).matchAll(
      /(?:from|import)\s*"\.\/(part-[\w-]+\.js)"/g,
    ))
      scripts.add(part);
  assert.ok(scripts.size > 1);
  const fonts = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".woff2"));
  assert.equal(fonts.length, 1);
  // The worker holds the glue of the engine.
  const first = ["index.html", "style.css", "worker.js", ...scripts, ...fonts];
  const page = first.reduce((sum, name) => sum + gzipSync(file(name)).length, 0);
  t.diagnostic(`wasm ${wasm} and ${whole} bytes brotli; HTML, CSS, JS and font ${page} bytes gzip`);
  assert.ok(wasm <= 600_000, `${wasm}`);
  assert.ok(whole <= 1_026_000, `${whole}`);
  assert.ok(page <= 120_000, `${page}`);
});
