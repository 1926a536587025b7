// Measures a run of the policy Slurm on the page, from the drop of its log until its figures are there:
// node e2e/bench-slurm.mjs LOG CLUSTER. `cargo run --release --example year` writes both files.
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { done, stage, trace } from "./support.mjs";

/** Milliseconds that a run may take. */
const MOST = 1_800_000;

const [log, cluster] = process.argv.slice(2);
if (!existsSync(log ?? "") || !existsSync(cluster ?? ""))
  throw new Error("node e2e/bench-slurm.mjs LOG CLUSTER");
const made = mkdtempSync(join(tmpdir(), "schedscope-bench-"));
const written = (name, text) => {
  const path = join(made, name);
  writeFileSync(path, text);
  return path;
};

const s = await stage();
console.log(await s.browser.version());
const { page } = await s.open();
await done(page, 2);
// The policy comes with a small log, and stays alone for the large one.
const conf = `${readFileSync(cluster, "utf8")}SchedulerParameters=bf_interval=30\n`;
const input = page.locator("input[type=file]").first();
await input.setInputFiles([written("slurm.conf", conf), written("small.swf", trace(300))]);
await done(page, 3);
for (let run = 0; run < 2; run += 1)
  await page.getByRole("button", { name: "Remove run A" }).click();
await done(page, 1);
const begin = performance.now();
await input.setInputFiles(log);
await page.locator(".top .run-chip:not(.done)").waitFor({ timeout: MOST });
const read = performance.now();
await done(page, 1, MOST);
const seconds = (from, to) => ((to - from) / 1000).toFixed(1);
console.log(
  `the log is read in ${seconds(begin, read)} s; its run is done ${seconds(read, performance.now())} s later`,
);
await s.close();
