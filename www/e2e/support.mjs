// What the page's tests share: a server, a browser, a page whose console stays silent.
import { strict as assert } from "node:assert";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "../server.mjs";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

const args = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Milliseconds after which a test that waits has failed: no measure of speed, only an end for what
 * hangs. */
const HANGS = 180_000;

/** A server and a browser for one file of tests. */
export async function stage(serving = {}) {
  const server = await serve(serving);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args,
  });
  return {
    url: server.url,
    browser,
    close: async () => {
      await browser.close();
      server.close();
    },
    /** A fresh page, and what it said on its console that it should not have. */
    open: async ({ before, ...options } = {}) => {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        colorScheme: "light",
        ...options,
      });
      context.setDefaultTimeout(HANGS);
      const page = await context.newPage();
      const said = [];
      page.on(
        "console",
        (message) => ["error", "warning"].includes(message.type()) && said.push(message.text()),
      );
      page.on("pageerror", (error) => said.push(error.message));
      await before?.(page);
      await page.goto(server.url);
      return { page, said, context };
    },
  };
}

/** Waits until the page is at rest: what was asked is answered, drawn and in the URL, and stays so
 * for some frames. */
export async function still(page) {
  await page.evaluate(async () => {
    for (let quiet = 0; quiet < 4; ) {
      await new Promise(requestAnimationFrame);
      // Effects run behind a frame.
      await new Promise((resolve) => setTimeout(resolve));
      quiet = document.documentElement.dataset.pending ? 0 : quiet + 1;
    }
  });
}

/** Lets the page draw so many frames: in them whatever moves would have moved. */
export async function frames(page, count) {
  await page.evaluate(async (count) => {
    for (let at = 0; at < count; at += 1) await new Promise(requestAnimationFrame);
  }, count);
}

/** Asks until the answer is good, and returns it. */
export async function until(ask, isGood = Boolean, timeout = HANGS) {
  const end = Date.now() + timeout;
  for (;;) {
    const found = await ask();
    if (isGood(found)) return found;
    assert.ok(Date.now() < end, `still ${JSON.stringify(found)} after ${timeout / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until so many runs are done. */
export async function done(page, count, timeout = HANGS) {
  await page.waitForFunction(
    (count) => document.querySelectorAll(".status.done").length === count,
    count,
    { timeout },
  );
}

/** The page has this trace, its runs are done, and what it shows is theirs. */
export async function finished(page, name, count = 2) {
  await page.locator(".chip", { hasText: name }).waitFor();
  await done(page, count);
  // The trace before it may still be shown with its figures.
  await still(page);
}

/** Chooses a policy for run B under which an overloaded trace of 200,000 jobs outlasts every test,
 * and runs what is there. */
export async function outlasting(page) {
  await page
    .locator(".lane-form")
    .nth(1)
    .getByLabel("Policy of run B")
    .selectOption({ label: "Conservative" });
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
}

/** Drops files on the page as a person would. */
export async function drop(page, name, bytes) {
  const data = await page.evaluateHandle(
    ({ name, bytes }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
      return transfer;
    },
    { name, bytes: Buffer.from(bytes).toString("base64") },
  );
  await page.dispatchEvent("body", "dragenter", { dataTransfer: data });
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}

/** Jobs for a small machine, as SWF; a long queue forms. */
export function trace(jobs, { processors = 64, gap = 60 } = {}) {
  const lines = [`; MaxProcs: ${processors}`, "; UnixStartTime: 843480031"];
  let state = 12345;
  const random = (n) => (state = (state * 1103515245 + 12345) % 2147483648) % n;
  for (let job = 1; job <= jobs; job += 1) {
    const run = 10 + random(3000);
    const size = 1 + (random(processors) >> random(5));
    lines.push(
      `${job} ${job * gap} -1 ${run} ${size} -1 -1 ${size} ${run * (1 + random(4))} -1 1 ${random(20)} 1 -1 1 -1 -1 -1`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Downloads what a click saves. */
export async function download(page, click) {
  const [saved] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: saved.suggestedFilename(), bytes: readFileSync(await saved.path()) };
}

export function temporary(name, content) {
  const path = join(mkdtempSync(join(tmpdir(), "schedscope-")), name);
  writeFileSync(path, content);
  return path;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** axe finds nothing on the page as it is now. */
export async function findings(page, state) {
  // Through the debugger: the page's policy allows no foreign script.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ["violations"] }),
  );
  assert.deepEqual(
    violations.map(
      ({ id, nodes }) => `${state}: ${id}: ${nodes.map((node) => node.html).join(" | ")}`,
    ),
    [],
  );
}

export { assert };
