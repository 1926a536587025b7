// Tools of the page's tests: a server, a browser, a page with a silent console.
import { strict as assert } from "node:assert";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "node:test";
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

/**
 * Milliseconds after which a waiting test has failed. It ends tests that hang and measures no
 * speed.
 */
const HANGS = 180_000;

/** The pages of the present test: they end with it, or their runs would slow the tests after it. */
const opened = new Set();
let isTesting = false;

if (process.env.NODE_TEST_CONTEXT) {
  beforeEach(() => {
    isTesting = true;
  });
  afterEach(async () => {
    isTesting = false;
    const ended = [...opened];
    opened.clear();
    await Promise.all(ended.map((context) => context.close()));
  });
}

/** Starts a server and a browser for one file of tests. */
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
    /**
     * Opens a fresh page. Returns it with its unexpected console messages. All panels are open, as
     * for a reader who left them so; with `atRest`, the page is that of a first visit. There is no
     * service worker unless `serviceWorkers` is "allow".
     */
    open: async ({ before, atRest = false, ...options } = {}) => {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        colorScheme: "light",
        // It would store the whole site for each page that a test opens.
        serviceWorkers: "block",
        ...options,
      });
      if (isTesting) opened.add(context);
      context.setDefaultTimeout(HANGS);
      const page = await context.newPage();
      const said = [];
      page.on(
        "console",
        (message) =>
          ["error", "warning"].includes(message.type()) &&
          !message.text().startsWith("Service Worker registration blocked") &&
          said.push(message.text()),
      );
      page.on("pageerror", (error) => said.push(error.message));
      if (!atRest)
        await page.addInitScript(() => {
          const open = { setup: true, dock: true, results: true };
          localStorage.layout ??= JSON.stringify({ open, strips: { work: true } });
        });
      await before?.(page);
      await page.goto(server.url);
      return { page, said, context };
    },
  };
}

/**
 * Waits until the page is at rest for some frames: all questions are answered, drawn, and in the
 * URL.
 */
export async function still(page) {
  await page.evaluate(async () => {
    for (let quiet = 0; quiet < 4; ) {
      await new Promise(requestAnimationFrame);
      // Effects run a frame later.
      await new Promise((resolve) => setTimeout(resolve));
      quiet = document.documentElement.dataset.pending ? 0 : quiet + 1;
    }
  });
}

/**
 * Scrolls the element into view and returns its box, once nothing on the page moves any more. A
 * box that is taken earlier may miss the element by the time the mouse gets there.
 */
export async function placed(page, element) {
  await element.scrollIntoViewIfNeeded();
  await still(page);
  return element.boundingBox();
}

/** Lets the page draw this many frames, in which any movement would show. */
export async function frames(page, count) {
  await page.evaluate(async (count) => {
    for (let at = 0; at < count; at += 1) await new Promise(requestAnimationFrame);
  }, count);
}

/** Asks until the answer is good. Returns the answer. */
export async function until(ask, isGood = Boolean, timeout = HANGS) {
  const end = Date.now() + timeout;
  for (;;) {
    const found = await ask();
    if (isGood(found)) return found;
    assert.ok(Date.now() < end, `still ${JSON.stringify(found)} after ${timeout / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until this many runs are done. */
export async function done(page, count, timeout = HANGS) {
  await page.waitForFunction(
    // The reading view has lights where the workspace has chips.
    (count) => document.querySelectorAll(".top .run-chip.done, .run-light.done").length === count,
    count,
    { timeout },
  );
}

/** Chooses an entry of the menu in the reading view. */
export async function chooseMore(page, name) {
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.locator(".popup").getByRole("button", { name, exact: true }).click();
}

/** Shows a view: by its tab, or in the reading view by its place or by the menu. */
export async function showView(page, name) {
  const tab = page.getByRole("tab", { name });
  if (await tab.count()) return tab.click();
  const places = page.getByRole("navigation", { name: "Places" });
  const place = places.getByRole("button", { name: name === "Timeline" ? "Time" : name });
  await ((await place.count()) ? place.click() : chooseMore(page, name));
}

/** Waits until the page has this trace, its runs are done, and their figures are visible. */
export async function finished(page, name, count = 2) {
  await page
    .locator(".chip", { hasText: name })
    .waitFor()
    .catch(async (error) => {
      const shown = (selector) => page.locator(selector).allInnerTexts();
      const found = `The page has ${await shown(".chip")}; its banners: ${await shown(".banner")}.`;
      // Reporters print the stack, which has the message of the beginning.
      throw new Error(`${name} is not open. ${found}`, { cause: error });
    });
  await done(page, count);
  // The figures of the previous trace may still be visible.
  await still(page);
}

/**
 * Chooses a policy for run B whose time grows with the square of an overloaded queue, and runs it:
 * with 40,000 jobs it lasts some seconds, with 200,000 it outlasts every test.
 */
export async function outlasting(page) {
  await page
    .locator(".lane-form")
    .nth(1)
    .getByLabel("Policy of run B")
    .selectOption({ label: "Conservative" });
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
}

/** Drops files on the page like a user. */
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

/** Returns jobs for a small machine as SWF, which form a long queue. */
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

/**
 * Downloads the file that a click saves. The click waits until the page is at rest, because a
 * button that moves between press and release of the mouse is not clicked.
 */
export async function download(page, click) {
  await still(page);
  await page.evaluate(() => {
    globalThis.heard = [];
    globalThis.hears ??= ["mousedown", "mouseup", "click"].map((name) =>
      addEventListener(
        name,
        ({ target }) => heard.push(`${name} on ${target.outerHTML.slice(0, 80)}`),
        true,
      ),
    );
  });
  const [saved] = await Promise.all([
    page.waitForEvent("download").catch(async (error) => {
      error.message += ` The page heard: ${await page.evaluate(() => heard.join("; "))}. Its banners: ${await page.locator(".banner").allTextContents()}.`;
      throw error;
    }),
    click(),
  ]);
  return { name: saved.suggestedFilename(), bytes: readFileSync(await saved.path()) };
}

export function temporary(name, content) {
  const path = join(mkdtempSync(join(tmpdir(), "schedscope-")), name);
  writeFileSync(path, content);
  return path;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Checks that axe finds nothing on the present page. */
export async function findings(page, state) {
  // Injected through the debugger, because the page's policy allows no foreign script.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  // A button that appears under the pointer takes its colour within some frames, and has too little
  // contrast meanwhile.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((each) => each instanceof CSSTransition)
        .map((each) => each.finished.catch(() => {})),
    ),
  );
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
