// Measures the ratio of wasm to native time for LOMARC, heuristic by heuristic, in the same run:
// medians of alternating rounds.
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { root, stage } from "./support.mjs";

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
execFileSync("cargo", ["build", "--release", "--quiet", "--example", "matching"], { cwd: root });

const s = await stage();
const page = await s.browser.newPage();
await page.goto(s.url);
const rounds = new Map();
for (let round = 0; round < ROUNDS; round += 1) {
  const native = spawnSync(join(root, "target/release/examples/matching"), [], {
    encoding: "utf8",
  }).stderr;
  for (const line of native.trim().split("\n")) {
    const [alpha, heuristic, digest, seconds] = line.split(" ");
    const settings = { heuristic, demands: "m1", slowdowns: "printed" };
    const web = await page.evaluate(measure, { alpha: Number(alpha), settings });
    if (web.digest !== digest) throw new Error(`digests of ${alpha}, ${heuristic} differ`);
    const key = `${alpha} ${heuristic}`;
    rounds.set(key, [...(rounds.get(key) ?? []), [Number(seconds), web.seconds]]);
  }
}
await s.close();
for (const [key, times] of rounds) {
  const [native, web] = [0, 1].map((side) => median(times.map((pair) => pair[side])));
  console.log(
    `${key.padEnd(26)} native ${native.toFixed(2)} s, wasm ${web.toFixed(2)} s, ratio ${median(times.map(([one, other]) => other / one)).toFixed(2)}`,
  );
}

async function measure({ alpha, settings }) {
  const glue = await import(new URL("schedscope.js", location.href).href);
  await glue.default({ module_or_path: new URL("schedscope_bg.wasm", location.href) });
  const run = new glue.Run(glue.Trace.generate("lublin", { jobs: 8000, alpha }), {
    policy: "lomarc",
    machine: "smt",
    settings,
  });
  const began = performance.now();
  while (!run.advanceFor(1000).done);
  const seconds = (performance.now() - began) / 1000;
  return { digest: run.result().digest, seconds };
}
