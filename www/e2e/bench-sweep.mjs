// Measures the speed of a sweep on the page, by workers, against the command line, by threads:
// `cargo xtask bench-web`. It has 60 cells: 4 policies x 15 loads, 10,000 jobs each. Rounds
// alternate; the ratios within one run count.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { root, stage } from "./support.mjs";

const ROUNDS = 5;
const CORES = availableParallelism();
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const plan = {
  schedscope_plan: 1,
  workloads: [
    { model: { id: "lublin", settings: { jobs: 10_000, processors: 128, overestimate: 5 } } },
  ],
  policies: ["fcfs", "easy", "lookahead", "conservative"].map((policy) => ({ policy })),
  loads: { offered: Array.from({ length: 15 }, (_, at) => Number((0.3 + 0.04 * at).toFixed(2))) },
};
const folder = mkdtempSync(join(tmpdir(), "schedscope-sweep-"));
const file = join(folder, "plan.json");
writeFileSync(file, JSON.stringify(plan));
execFileSync("cargo", ["build", "--release", "--quiet", "--bin", "schedscope"], { cwd: root });

/** Digests by key. */
const digests = (csv) => {
  const [head, ...rows] = csv
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  return Object.fromEntries(
    rows.map((row) => [row[head.indexOf("key")], row[head.indexOf("digest")]]),
  );
};

function natively(threads) {
  const out = join(folder, "out");
  rmSync(out, { recursive: true, force: true });
  const began = performance.now();
  execFileSync(
    join(root, "target/release/schedscope"),
    ["sweep", file, "--out", out, "--threads", String(threads)],
    { stdio: "ignore" },
  );
  return {
    seconds: (performance.now() - began) / 1000,
    digests: digests(readFileSync(join(out, "results.csv"), "utf8")),
  };
}

const s = await stage();
const { page } = await s.open();
await page.getByRole("tab", { name: "Sweep" }).click();
await page.locator(".plan-form").waitFor();
await page.getByLabel("Plan file").setInputFiles(file);
async function onThePage(workers) {
  await page.getByRole("button", { name: "Run 60 cells" }).waitFor();
  await page.getByRole("spinbutton", { name: "Workers" }).fill(String(workers));
  await page.getByRole("spinbutton", { name: "Workers" }).press("Tab");
  // The page reports the end, because repeated questions would take time of a core.
  const seconds = await page.evaluate(async () => {
    const began = performance.now();
    const button = [...document.querySelectorAll("button")].find(
      (button) => button.textContent === "Run 60 cells",
    );
    const bar = button.parentElement;
    const over = new Promise((resolve) => {
      // The button is missing during the run. If a cell fails, the button offers that cell.
      const text = () => bar.querySelector("button.primary")?.textContent ?? "Run 60 cells";
      new MutationObserver((_, observer) => {
        if (text() === "Run 60 cells") return;
        observer.disconnect();
        resolve(text());
      }).observe(bar, { subtree: true, childList: true, characterData: true });
    });
    button.click();
    if ((await over) !== "All cells are finished") throw new Error("a cell failed");
    return (performance.now() - began) / 1000;
  });
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "All figures as CSV" }).click(),
  ]);
  const found = digests(readFileSync(await saved.path(), "utf8"));
  await page.getByRole("button", { name: "Delete the results…" }).click();
  await page.getByRole("button", { name: "Delete them for good" }).click();
  return { seconds, digests: found };
}

// The browser still compiles during a page's first sweep. One worker leaves it a core for that,
// several workers do not. The comparison starts after that.
const { seconds: first, digests: found } = await onThePage(CORES);
const ways = {
  "page, 1 worker": () => onThePage(1),
  [`page, ${CORES} workers`]: () => onThePage(CORES),
  "command line, 1 thread": () => natively(1),
  [`command line, ${CORES} threads`]: () => natively(CORES),
};
const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
const expected = JSON.stringify(found);
for (let round = 0; round < ROUNDS; round += 1)
  for (const [name, run] of Object.entries(ways)) {
    const { seconds, digests } = await run();
    if (JSON.stringify(digests) !== expected) throw new Error(`digests differ: ${name}`);
    times[name].push(seconds);
  }
await s.close();
rmSync(folder, { recursive: true });
console.log(
  "A sweep of 60 cells (4 policies x 15 loads, 10,000 jobs), the same digests everywhere:",
);
console.log("| way | seconds | cells/s |\n|---|---|---|");
console.log(
  `| page, first sweep, ${CORES} workers | ${first.toFixed(2)} | ${(60 / first).toFixed(1)} |`,
);
for (const [name, all] of Object.entries(times))
  console.log(`| ${name} | ${median(all).toFixed(2)} | ${(60 / median(all)).toFixed(1)} |`);
for (const [way, one, all] of [
  ["page", "1 worker", `${CORES} workers`],
  ["command line", "1 thread", `${CORES} threads`],
]) {
  const pairs = times[`${way}, ${one}`].map((seconds, at) => seconds / times[`${way}, ${all}`][at]);
  console.log(
    `${way}: ${all} are ${median(pairs).toFixed(2)} times as fast as one (${(median(pairs) / CORES).toFixed(2)} x as many)`,
  );
}
