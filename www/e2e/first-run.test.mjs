// The first visit of the page.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assert, done, drop, finished, root, stage, still, trace, until } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

test("the page opens on a finished comparison, with a sentence", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const sentence = await page.locator(".sentence").textContent();
  assert.match(
    sentence,
    /On the same 1,500 jobs, the mean wait is .* under FCFS and .* under EASY: [\d.]+ times less( \(by [\d.]+ ± [\d.]+ d\))?\./,
  );
  assert.equal(await page.locator(".metrics tbody tr").count(), 2);
  assert.ok((await page.locator(".metrics td.best").count()) >= 4);
  assert.deepEqual(said, []);
});

test("the first picture comes soon (reported, not asserted)", async (t) => {
  const { page } = await s.open();
  await page.waitForFunction(() => {
    const canvas = document.querySelector("canvas.raster");
    const context = canvas?.getContext("2d");
    if (!context || canvas.width < 10) return false;
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    return data.some((value, at) => at % 4 < 3 && value !== data[at % 4]);
  });
  t.diagnostic(
    `first picture ${Math.round(await page.evaluate(() => performance.now()))} ms after navigation`,
  );
});

test("the whole engine loads with the first file that needs it", async () => {
  const { page, said } = await s.open();
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const whole = () => asked.filter((path) => /whole/.test(path)).sort();
  await done(page, 2);
  await drop(page, "small.swf", trace(30));
  await finished(page, "small.swf");
  assert.deepEqual(whole(), []);
  await drop(page, "job_log.txt", readFileSync(join(root, "tests/logs/openpbs.txt")));
  await finished(page, "job_log.txt");
  assert.deepEqual(whole(), ["/schedscope_whole_bg.wasm", "/whole.js"]);
  assert.deepEqual(said, []);
});

test("a change is run on request, and the number of runs is free", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page.getByRole("button", { name: "+ EASY" }).click();
  await done(page, 3);
  // Nothing differs yet, and the table says so.
  const same = page.locator(".metrics tbody .same");
  assert.deepEqual(
    (await same.allTextContents()).map((text) => text.trim()),
    ["Same schedule as B"],
  );
  const third = page.locator(".lane-form").nth(2);
  await third.getByText("Parameters").click();
  await third.getByLabel("Scan order").selectOption("shortest");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 3);
  assert.match(await page.locator(".metrics tbody").textContent(), /EASY \(scan=shortest\)/);
  const figures = await page
    .locator(".metrics tbody tr")
    .evaluateAll((rows) => rows.map((row) => row.querySelector("td").textContent));
  assert.notEqual(figures[1], figures[2]);
  assert.equal(await same.count(), 0);
  await page.getByRole("button", { name: "Remove run A" }).click();
  assert.equal(await page.locator(".lane").count(), 2);
  assert.deepEqual(said, []);
});

test("a parameter out of range is refused with its range, and the page goes on", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const second = page.locator(".lane-form").nth(1);
  await second.getByText("Parameters").click();
  await second.getByLabel("Reservations").fill("-3");
  await second.getByLabel("Reservations").press("Enter");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await second.locator(".notice.bad").waitFor();
  assert.match(
    await second.locator(".notice.bad").textContent(),
    /Reservations \(jobs\) cannot be `-3`\. It is a whole number from 0 to 1000\./,
  );
  await second.getByLabel("Reservations").fill("2");
  await second.getByLabel("Reservations").press("Enter");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
  for (const size of ["0", "1000000000", "abc"]) {
    await page.getByLabel("Machine size processors").fill(size);
    await page.getByLabel("Machine size processors").press("Enter");
    await page.locator(".banner.bad").waitFor();
    assert.match(
      await page.locator(".banner.bad").textContent(),
      new RegExp(`Machine size \\(processors\\) cannot be \`${size}\``),
    );
    await page.getByRole("button", { name: "Dismiss" }).click();
  }
  assert.deepEqual(said, []);
});

test("the table sorts, marks the best and copies", async () => {
  const { page, context } = await s.open();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await done(page, 2);
  const wait = page.locator(".metrics thead button", { hasText: "Wait, mean" });
  const order = () =>
    page
      .locator(".metrics tbody th")
      .evaluateAll((cells) => cells.map((cell) => cell.textContent.trim()));
  await wait.click();
  assert.deepEqual(await order(), ["B EASY", "A FCFS"]);
  await wait.click();
  assert.deepEqual(await order(), ["A FCFS", "B EASY"]);
  const pasted = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy CSV" }).click();
  await page.getByText("Copied as CSV.").waitFor();
  assert.match(await pasted(), /^run,policy,wait\.mean,/);
  await page.getByRole("button", { name: "Copy Markdown" }).click();
  await page.getByText("Copied as Markdown.").waitFor();
  assert.match(await pasted(), /\| --- \| --- \| ---: \|/);
  await page.getByRole("button", { name: "Copy LaTeX" }).click();
  await page.getByText("Copied as LaTeX.").waitFor();
  assert.match(await pasted(), /\\begin\{tabular\}\{llr+\}[^]*bounded\\_slowdown/);
});

test("light and dark, remembered", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await page.getByRole("button", { name: "Use dark colours" }).click();
  await page.reload();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
});

test("the colours follow the system until the reader chooses", async () => {
  const { page } = await s.open();
  await done(page, 2);
  const shown = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await shown(), "light");
  await page.emulateMedia({ colorScheme: "dark" });
  await until(shown, (theme) => theme === "dark");
  await page.getByRole("button", { name: "Use light colours" }).click();
  await page.emulateMedia({ colorScheme: "light" });
  await page.emulateMedia({ colorScheme: "dark" });
  await still(page);
  assert.equal(await shown(), "light");
});

for (const width of [1440, 1024, 400])
  test(`nothing is wider than a window of ${width} pixels`, async () => {
    const { page } = await s.open({ viewport: { width, height: 800 } });
    await done(page, 2);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
  });
