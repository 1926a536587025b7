// Incidents in the life of a page: its file changes on disk, the browser's storage is full, the tab
// sleeps while it works.
import { appendFileSync, rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { assert, done, finished, outlasting, stage, temporary, trace } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

test("a file that changed on disk since it was opened is told, and what is there stays", async () => {
  const { page } = await s.open();
  await done(page, 2);
  const path = temporary("mine.swf", trace(500));
  await page.setInputFiles("input[type=file]", path);
  await finished(page, "mine.swf");
  appendFileSync(path, "501 40000 -1 10 1 -1 -1 1 10 -1 1 1 1 -1 1 -1 -1 -1\n");
  await page.getByRole("button", { name: "+ Conservative" }).click();
  const told = page.locator(".lane-form").nth(2).locator(".notice.bad");
  await told.waitFor();
  assert.equal(
    (await told.textContent()).trim(),
    "The file can no longer be read. It was changed, moved or deleted since it was opened. Open it again.",
  );
  assert.equal(await page.locator(".status.done").count(), 2);
  // Opened again, the file is read in its present state.
  await page.setInputFiles("input[type=file]", path);
  await page.locator(".chip", { hasText: "501 jobs" }).waitFor();
  await done(page, 3);
  rmSync(path);
  await page.getByRole("button", { name: "+ Maui" }).click();
  await page
    .locator(".lane-form")
    .nth(3)
    .locator(".notice.bad", { hasText: "can no longer be read" })
    .waitFor();
});

/** Takes all storage of the page's origin. */
async function fill(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Storage.overrideQuotaForOrigin", {
    origin: new URL(s.url).origin,
    quotaSize: 1,
  });
}

test("a full storage keeps nothing, says so, and the page goes on", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await page.setInputFiles("input[type=file]", temporary("mine.swf", trace(20_000)));
  await finished(page, "mine.swf");
  await fill(page);
  await page.getByText("Stored in this browser").click();
  await page.getByRole("button", { name: "Keep mine.swf here" }).click();
  await page.locator(".banner.bad", { hasText: "The browser's storage is full." }).waitFor();
  await page.getByRole("button", { name: "Dismiss" }).click();
  // The plan still runs to its end.
  await page.getByRole("tab", { name: "Sweep" }).click();
  await page.locator(".sweep").getByRole("button", { name: /^Run/ }).click();
  await page.locator(".sweep").getByText("This browser cannot store results").waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".sweep figure svg").length > 0);
});

test("a tab that sleeps while it simulates goes on where it was", async (t) => {
  const { page } = await s.open();
  await done(page, 2);
  await outlasting(page);
  await page.evaluate(() => {
    globalThis.longest = 0;
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      globalThis.longest = Math.max(globalThis.longest, now - last);
      last = now;
    }, 100);
  });
  await page.setInputFiles("input[type=file]", temporary("long.swf", trace(40_000, { gap: 20 })));
  await page.getByRole("progressbar", { name: /Run B: running/ }).waitFor();
  // The processes of pages and their workers stand still, as when a laptop is closed.
  const session = await s.browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  for (const { id } of renderers) process.kill(id, "SIGSTOP");
  // Longer than a worker may be silent.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  for (const { id } of renderers) process.kill(id, "SIGCONT");
  await finished(page, "long.swf");
  const slept = await page.evaluate(() => globalThis.longest);
  t.diagnostic(`slept for ${Math.round(slept)} ms`);
  assert.ok(slept > 10_000, "the tab did not sleep");
  assert.equal(await page.getByText("was silent").count(), 0);
  assert.equal(await page.locator(".metrics tbody tr").count(), 2);
});
