// The speed of own policies: the time of a run under each policy of the gallery, relative to the policy that it repeats. Medians
// of five rounds in turn, in Node and in the terminal: node e2e/bench-own.mjs ../../shared/traces/SDSC-BLUE-2000-4.2-cln.swf.gz
// More arguments are files of EASY, compiled to WebAssembly.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import init, { Run, readTrace } from "../../pkg/index.js";
import { root } from "./support.mjs";

const PAIRS = {
  fcfs: { policy: "fcfs" },
  easy: { policy: "easy" },
  "easy-by-hand": { policy: "easy" },
  conservative: { policy: "conservative" },
  shortest: { policy: "priority" },
  wfp3: { policy: "easy", settings: { order: "wfp3" } },
};
const ROUNDS = 5;
const PROGRAM = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "release/schedscope");
const [log, ...modules] = process.argv.slice(2);
const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];
const files = Object.fromEntries(
  Object.keys(PAIRS).map((name) => [name, join(root, `examples/policies/${name}.js`)]),
);
for (const file of modules) {
  PAIRS[basename(file)] = { policy: "easy" };
  files[basename(file)] = file;
}

await init();
const trace = await readTrace(gunzipSync(readFileSync(log)));
const jobs = new Run(trace, { policy: "fcfs" }).facts().workload.jobs;

/** Returns the milliseconds of a run, and its digest. */
function inNode(scenario) {
  const run = new Run(trace, scenario);
  const begin = performance.now();
  while (!run.advance(1e5).done);
  const time = performance.now() - begin;
  const { digest } = run.result();
  run.free();
  return { time, digest };
}

/** Returns the milliseconds of a command, and the digest that it prints. */
function inTerminal(...options) {
  const begin = performance.now();
  const { stdout, status } = spawnSync(PROGRAM, options, {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stdout);
  return {
    time: performance.now() - begin,
    digest: /Schedule digest +(\w+)/.exec(stdout)?.[1],
  };
}

for (const [name, known] of Object.entries(PAIRS)) {
  const policy = files[name].endsWith(".wasm")
    ? new WebAssembly.Module(readFileSync(files[name]))
    : (await import(files[name])).default;
  const settings = Object.entries(known.settings ?? {}).flatMap(([key, value]) => [
    "--set",
    `${key}=${value}`,
  ]);
  const times = { own: [], known: [], terminal: [], native: [], reading: [] };
  const digests = new Set();
  const measure = (list, { time, digest }) => {
    list.push(time);
    if (digest) digests.add(digest);
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    measure(times.own, inNode({ policy }));
    measure(times.known, inNode(known));
    measure(times.terminal, inTerminal("run", log, "--policy", files[name]));
    measure(times.native, inTerminal("run", log, "--policy", known.policy, ...settings));
    measure(times.reading, inTerminal("inspect", log));
  }
  const [own, built, terminal, native, reading] = Object.values(times).map(median);
  console.log(
    name.padEnd(14),
    `Node ${(own / built).toFixed(2)} (${Math.round(jobs / own)}k jobs/s)`,
    `terminal ${((terminal - reading) / (native - reading)).toFixed(2)}`,
    digests.size === 1 ? "same schedule" : "ANOTHER SCHEDULE",
  );
}
