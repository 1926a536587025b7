// The speed of the machine with nodes in Node, relative to the native program, for runs with placements. Medians of five rounds in
// turn: node e2e/bench-nodes.mjs LOG CLUSTER. `cargo run --release --example cluster` writes both files.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import init, { Run, readTrace } from "../../pkg/index.js";
import { root } from "./support.mjs";

const ROUNDS = 5;
const PROGRAM = join(
  process.env.CARGO_TARGET_DIR ?? join(root, "target"),
  "release/examples/measure",
);
const [log, file] = process.argv.slice(2);
const cluster = readFileSync(file, "utf8");
const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];

await init();
const trace = await readTrace(readFileSync(log));

/** Returns the seconds of a run, without the preparation of its jobs. */
function inNode(policy, settings) {
  const run = new Run(trace, { policy, machine: "nodes", settings });
  const begin = performance.now();
  while (!run.advance(1e5).done);
  const time = (performance.now() - begin) / 1000;
  run.free();
  return time;
}

/** Returns the seconds that the native program prints. */
function natively(policy, settings) {
  const given = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  const options = [`policy=${policy}`, "machine=nodes", `file=${log}`, ...given];
  const { stdout, status } = spawnSync(PROGRAM, options, { encoding: "utf8" });
  if (status !== 0) throw new Error(stdout);
  return Number(stdout.split(" ")[0]);
}

for (const policy of ["fcfs", "priority", "easy", "conservative"])
  for (const nodes_by of ["weight", "best"]) {
    const settings = { cluster, nodes_by };
    const [wasm, native] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      native.push(natively(policy, settings));
      wasm.push(inNode(policy, settings));
    }
    const ratio = median(wasm) / median(native);
    console.log(
      `${policy} ${nodes_by}: native ${median(native).toFixed(2)} s, Node ${median(wasm).toFixed(2)} s, ratio ${ratio.toFixed(2)}`,
    );
  }
