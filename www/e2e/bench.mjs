// Measures the speed of wasm in a headless browser against the native program in the same run:
// `cargo xtask bench-web`. The figures are medians of several alternating rounds; the ratio counts.
// `node www/e2e/bench.mjs torus` takes only traces with this name.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { root, stage } from "./support.mjs";

const ROUNDS = 5;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const cargo = (...args) => execFileSync("cargo", args, { cwd: root, maxBuffer: 1 << 30 });

cargo("build", "--release", "--quiet", "--example", "timing");
cargo("build", "--release", "--quiet", "--bin", "schedscope");
const folder = mkdtempSync(join(tmpdir(), "schedscope-bench-"));
const traces = [];
const blue = join(
  process.env.SCHEDSCOPE_TRACES ?? join(root, "../shared/traces"),
  "SDSC-BLUE-2000-4.2-cln.swf.gz",
);
const generate = (jobs) =>
  execFileSync(
    join(root, "target/release/schedscope"),
    [
      "generate",
      "lublin",
      "--set",
      `jobs=${jobs}`,
      "--set",
      "processors=256",
      "--set",
      "overestimate=5",
    ],
    { maxBuffer: 1 << 30 },
  );
if (existsSync(blue)) traces.push(["SDSC-BLUE", gunzipSync(readFileSync(blue)), 1]);
// The factor gives a load of 0.9.
traces.push(["generated, 100,000 jobs", generate(100_000), 1.07]);
traces.push(["generated, 1,000,000 jobs", generate(1_000_000), 1]);
// The windows of the torus paper, under the schedulers of the torus.
for (const [name, first] of [
  ["NASA-iPSC-1993-3", 20_001],
  ["SDSC-SP2-1998-4.2-cln", 1],
]) {
  const path = join(
    process.env.SCHEDSCOPE_TRACES ?? join(root, "../shared/traces"),
    `${name}.swf.gz`,
  );
  if (existsSync(path)) traces.push([`${name}, torus`, gunzipSync(readFileSync(path)), 1, first]);
}

const s = await stage();
console.log(await s.browser.version());
const wanted = process.argv[2] ?? "";
for (const [name, text, factor, first] of traces.filter(([name]) => name.includes(wanted))) {
  const path = join(folder, "trace.swf");
  writeFileSync(path, text);
  const rounds = [];
  // A service worker would also fetch the trace.
  const context = await s.browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  await page.route("**/trace.swf", (route) => route.fulfill({ path, contentType: "text/plain" }));
  await page.goto(s.url);
  for (let round = 0; round < ROUNDS; round += 1) {
    const native = JSON.parse(
      execFileSync(join(root, "target/release/examples/timing"), [
        path,
        String(factor),
        ...(first ? [String(first)] : []),
      ]),
    );
    const web = await page.evaluate(measure, { factor, first });
    if (web.digest !== native.digest)
      throw new Error(`digests differ: ${web.digest} in the browser, ${native.digest} natively`);
    for (const [policy, [, digest]] of Object.entries(web.policies))
      if (digest !== native.policies[policy][1]) throw new Error(`digests differ under ${policy}`);
    rounds.push({ native, web });
  }
  await context.close();
  const { jobs } = rounds[0].native;
  console.log(
    `\n${name}: ${jobs} jobs, ${(text.length / 1e6).toFixed(1)} MB, the same digest in both`,
  );
  for (const what of ["parse", "easy", "draw"]) {
    const [native, web] = ["native", "web"].map((side) =>
      median(rounds.map((round) => round[side][what])),
    );
    const ratio = median(rounds.map((round) => round.web[what] / round.native[what]));
    console.log(
      `  ${what.padEnd(6)} native ${native.toFixed(1)} ms, wasm ${web.toFixed(1)} ms, ratio ${ratio.toFixed(2)}`,
    );
  }
  for (const policy of Object.keys(rounds[0].web.policies)) {
    const [native, web] = ["native", "web"].map((side) =>
      median(rounds.map((round) => round[side].policies[policy][0])),
    );
    const rate = (milliseconds) =>
      Math.round((1000 * (first ? 10_000 : jobs)) / milliseconds).toLocaleString("en");
    console.log(
      `  ${policy.padEnd(13)} native ${rate(native)} jobs/s, wasm ${rate(web)} jobs/s, ratio ${(web / native).toFixed(2)}`,
    );
  }
  console.log(
    `  draw 1 % of the time: wasm ${median(rounds.map((round) => round.web.part)).toFixed(1)} ms; wasm memory ${(rounds[0].web.memory / jobs).toFixed(0)} bytes a job`,
  );
}
await s.close();

/** Runs in the page the same work as `examples/timing.rs` does natively. */
async function measure({ factor, first: firstJob }) {
  const { catalog, default: init, Run, TraceReader } = await import("./schedscope.js");
  const wasm = await init();
  const bytes = new Uint8Array(await (await fetch("trace.swf")).arrayBuffer());
  let began = performance.now();
  const took = () => {
    const now = performance.now();
    const time = now - began;
    began = now;
    return time;
  };
  const reader = new TraceReader(false);
  for (let at = 0; at < bytes.length; at += 65536) reader.push(bytes.subarray(at, at + 65536));
  const trace = reader.finish("bench", "");
  const parse = took();
  const run = new Run(trace, { policy: "easy", machine: "flat", settings: {} });
  began = performance.now();
  run.advance(1e15);
  const easy = took();
  const { digest, end } = run.result();
  const { first, processors } = run.facts().workload;
  const window = (from, to) =>
    run.raster(from, to, 0, processors, 1600, 800, 0xffffff, "wait", "light", "shared");
  window(first, first + 1);
  began = performance.now();
  window(first, end);
  const draw = took();
  window(first + (end - first) * 0.4, first + (end - first) * 0.41);
  const part = took();
  const memory = wasm.memory.buffer.byteLength;
  const { jobs } = run.facts().workload;
  run.free();
  const policies = {};
  const machine = firstJob ? "torus" : "flat";
  const windowed = firstJob ? { first_job: firstJob, jobs: 10_000, incomplete: "drop_zero" } : {};
  for (const { id } of catalog().policies.filter(
    ({ machines }) => machines.includes(machine) && jobs < 300_000,
  )) {
    const run = new Run(trace, {
      policy: id,
      machine,
      settings: { arrival_factor: factor, ...windowed },
    });
    began = performance.now();
    run.advance(1e15);
    policies[id] = [took(), run.result().digest];
    run.free();
  }
  trace.free();
  return { parse, easy, draw, part, digest, memory, policies };
}
