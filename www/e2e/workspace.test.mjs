// The workspace: a fixed window, panels that fold and resize, chips, strips, and the pointer's card.
import { after, before, test } from "node:test";
import { assert, done, download, findings, placed, stage, still } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const heights = (page) =>
  page
    .locator(".timelines .gantt")
    .evaluateAll((lanes) => lanes.map((lane) => lane.getBoundingClientRect().height));

/** Returns by how many pixels the page is higher and wider than the window. */
const over = (page) =>
  page.evaluate(() => {
    const { scrollHeight, scrollWidth } = document.documentElement;
    return [scrollHeight - innerHeight, scrollWidth - innerWidth];
  });

test("at rest two lanes fill 60 % of the window, and the window does not scroll", async () => {
  const { page, said } = await s.open({ atRest: true });
  await done(page, 2);
  await still(page);
  const lanes = await heights(page);
  assert.equal(lanes.length, 2);
  const share = (lanes[0] + lanes[1]) / 900;
  assert.ok(share >= 0.6, `${share}`);
  for (const panel of ["Set-up", "Results", "Inspector"]) {
    const fold = page.getByRole("group", { name: "Panels" }).getByRole("button", { name: panel });
    await fold.click();
    await still(page);
    assert.deepEqual(await over(page), [0, 0], panel);
    await findings(page, `${panel} turned`);
  }
  assert.deepEqual(said, []);
});

test("every view fits a window of each size", async () => {
  for (const [width, height] of [
    [1920, 1080],
    [1280, 720],
    [1024, 768],
  ]) {
    const { page } = await s.open({ atRest: true, viewport: { width, height } });
    await done(page, 2);
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      await still(page);
      assert.deepEqual(await over(page), [0, 0], `${width}, ${await tab.textContent()}`);
    }
    await page.context().close();
  }
});

test("panels resize by key and by mouse, and stay so", async () => {
  const { page, said } = await s.open({ atRest: true });
  await done(page, 2);
  const edge = () => page.getByRole("separator", { name: "Size of inspector" });
  const width = async () => (await page.locator(".pane.dock").boundingBox()).width;
  assert.equal(await width(), 320);
  await edge().focus();
  await page.keyboard.press("ArrowLeft");
  assert.equal(await edge().getAttribute("aria-valuenow"), "336");
  assert.equal(await width(), 336);
  await page.keyboard.press("End");
  assert.equal(await width(), 640);
  await page.keyboard.press("Home");
  assert.equal(await width(), 264);
  const box = await placed(page, edge());
  await page.mouse.move(box.x + 4, 400);
  await page.mouse.down();
  await page.mouse.move(box.x - 96, 400, { steps: 4 });
  await page.mouse.up();
  assert.equal(await width(), 364);
  await page.getByRole("button", { name: "Fold inspector" }).click();
  assert.equal(await page.locator(".pane.dock").count(), 0);
  await page.reload();
  await done(page, 2);
  assert.equal(await page.locator(".pane.dock").count(), 0);
  await page.getByRole("button", { name: "Inspector", exact: true }).click();
  assert.equal(await width(), 364);
  // A damaged memory counts for nothing.
  for (const bad of ["{", "7", '{"open":{"dock":3},"sizes":{"dock":"wide","results":1e999}}']) {
    await page.evaluate((bad) => (localStorage.layout = bad), bad);
    await page.reload();
    await done(page, 2);
    assert.equal(await width(), 320, bad);
  }
  assert.deepEqual(said, []);
});

test("chips open their part of the set-up, in order of the reader's choice", async () => {
  const { page, said } = await s.open({ atRest: true });
  await done(page, 2);
  /** Waits until the focus is on a part of the set-up. */
  const focused = (pattern) =>
    page.waitForFunction((pattern) => new RegExp(pattern).test(document.activeElement.id), pattern);
  await page
    .locator(".chip")
    .getByRole("button", { name: /Sample/ })
    .click();
  await focused("^part-trace$");
  await page
    .locator(".chip")
    .getByRole("button", { name: /128 processors/ })
    .click();
  await focused("^part-machine$");
  const runs = page.getByRole("group", { name: "Runs" });
  await runs.getByRole("button", { name: "B EASY" }).click();
  await focused("^part-run-");
  // The reader puts EASY first, by key and back by mouse.
  const names = () => runs.locator(".run-chip-name").allTextContents();
  await runs.getByRole("button", { name: "B EASY" }).press("Alt+ArrowLeft");
  assert.deepEqual(await names(), ["EASY", "FCFS"]);
  assert.match(await page.locator(".sentence").textContent(), /under EASY and .* under FCFS/);
  const from = await placed(page, runs.getByRole("button", { name: "A EASY" }));
  const to = await runs.getByRole("button", { name: "B FCFS" }).boundingBox();
  await page.mouse.move(from.x + 10, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width / 2, to.y + 10, { steps: 5 });
  await page.mouse.up();
  assert.deepEqual(await names(), ["FCFS", "EASY"]);
  // The eye hides a timeline; the figures stay.
  await runs.getByRole("button", { name: "Visibility of run A" }).click();
  assert.equal((await heights(page)).length, 1);
  assert.match(await page.locator(".ranking").textContent(), /EASY .*FCFS/);
  await runs.getByRole("button", { name: "Visibility of run A" }).click();
  assert.equal((await heights(page)).length, 2);
  await runs.getByRole("button", { name: "Compare with Conservative" }).click();
  await done(page, 3);
  assert.deepEqual(await names(), ["FCFS", "EASY", "Conservative"]);
  await findings(page, "three runs");
  assert.deepEqual(said, []);
});

test("strips and keys are in menus, which Escape closes", async () => {
  const { page, said } = await s.open({ atRest: true });
  await done(page, 2);
  const strips = page.locator(".strip");
  assert.equal(await strips.count(), 2);
  const menu = page.getByRole("button", { name: "Strips" });
  await menu.click();
  await page.getByRole("checkbox", { name: "Waiting work" }).check();
  await page.getByRole("checkbox", { name: "Utilisation" }).uncheck();
  await findings(page, "menu");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("checkbox", { name: "Waiting work" }).count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), "Strips");
  assert.deepEqual(
    (await page.locator(".strip-name").allTextContents()).map((text) => text.trim().slice(0, 5)),
    ["B onl", "Queue", "Waiti"],
  );
  await page.getByRole("button", { name: "Keys" }).click();
  await page.getByText("list the commands").waitFor();
  await page
    .locator("canvas.overlay")
    .first()
    .click({ position: { x: 300, y: 100 } });
  assert.equal(await page.getByText("list the commands").count(), 0);
  assert.deepEqual(said, []);
});

test("the colours of runs follow the theme, on the page and in its files", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const mark = page.locator(".run-chip .mark line").first();
  const stroke = () => mark.evaluate((line) => getComputedStyle(line).stroke);
  const line = async () => {
    const button = page.getByRole("button", { name: "Timeline of run A as SVG" });
    const { bytes } = await download(page, () => button.click());
    return String(bytes).match(/<polyline [^>]*stroke="([^"]+)"/)[1];
  };
  const light = await stroke();
  assert.equal(await line(), light);
  await page.getByRole("button", { name: "Use dark colours" }).click();
  await still(page);
  const dark = await stroke();
  assert.notEqual(dark, light);
  assert.equal(await line(), dark);
  assert.deepEqual(said, []);
});

test("the card at the pointer says what is there, and stays inside the window", async () => {
  const { page, said } = await s.open({ atRest: true });
  await done(page, 2);
  const card = page.locator(".pointer-card");
  const canvas = page.locator("canvas.overlay").first();
  const box = await placed(page, canvas);
  for (const share of [0.02, 0.5, 0.99]) {
    await page.mouse.move(box.x + share * box.width, box.y + share * box.height);
    await card.filter({ hasText: /processor \d+: (job \d+|free)/ }).waitFor();
    await still(page);
    const at = await card.boundingBox();
    assert.ok(at.x >= 0 && at.x + at.width <= 1440 && at.y >= 0 && at.y + at.height <= 900);
  }
  await page.mouse.move(5, 5);
  await card.waitFor({ state: "hidden" });
  assert.deepEqual(said, []);
});

test("strips and the legend have a card at the pointer too", async () => {
  const { page, said } = await s.open({ atRest: true });
  await done(page, 2);
  const card = page.locator(".pointer-card.shown");
  const point = async (element) => {
    const box = await placed(page, element);
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await page.mouse.move(at.x, at.y);
    await card.waitFor();
    await still(page);
    const found = await card.boundingBox();
    const isOver = (low, high, value) => value >= low && value <= high;
    assert.ok(
      !isOver(found.x, found.x + found.width, at.x) ||
        !isOver(found.y, found.y + found.height, at.y),
      "the card covers what is pointed at",
    );
    assert.ok(found.x >= 0 && found.x + found.width <= 1440 && found.y >= 0);
    assert.ok(found.y + found.height <= 900);
  };
  await point(page.locator(".strip-canvas").first());
  assert.match(await card.innerText(), /^Utilisation, day \d+.*\nA: [\d.]+ %\nB: [\d.]+ %$/);
  await page.mouse.move(5, 5);
  await card.waitFor({ state: "hidden" });
  await point(page.locator(".legend li").first());
  await card.filter({ hasText: "of 1,500 jobs" }).waitFor();
  assert.match(await card.innerText(), /^User, the ten with most work: \d+\n[\d,]+ of 1,500 jobs$/);
  await point(page.locator(".legend li", { hasText: "others" }));
  await card.filter({ hasText: /others\s[\d,]+ of 1,500 jobs/ }).waitFor();
  await page.mouse.move(5, 5);
  await card.waitFor({ state: "hidden" });
  assert.deepEqual(said, []);
});

test("below 1200 px the inspector lies over the view, and opens with a job", async () => {
  const { page, said } = await s.open({ viewport: { width: 1024, height: 768 } });
  await done(page, 2);
  assert.equal(await page.locator(".pane").count(), 0);
  const before = await heights(page);
  const search = page.getByRole("combobox", { name: "Search jobs, users, commands" });
  await search.fill("400");
  await search.press("Enter");
  await page.locator(".inspector .job").waitFor();
  assert.deepEqual(await heights(page), before);
  await findings(page, "inspector over the view");
  await page.getByRole("button", { name: "Fold inspector" }).click();
  assert.equal(await page.locator(".pane").count(), 0);
  assert.deepEqual(said, []);
});

test("a long form begins with a few settings, and finds the others", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page.getByLabel("Model", { exact: true }).selectOption("bsp");
  const form = page.locator(".experiment > .fields");
  const fields = form.locator(".field");
  assert.equal(await fields.count(), 5);
  await form.getByLabel("Find a setting").fill("quantum");
  const found = await fields.allTextContents();
  assert.ok(found.length > 0 && found.every((text) => /quantum/i.test(text)), found.join("; "));
  await form.getByLabel("Find a setting").fill("");
  await form.getByRole("button", { name: /^Show all \d+$/ }).click();
  assert.ok((await fields.count()) > 8);
  assert.deepEqual(said, []);
});

test("the sentence ranks the runs by the figure that the reader picks, with intervals", async () => {
  const { page, context } = await s.open({ atRest: true });
  await done(page, 2);
  const sentence = page.locator("p.sentence");
  await sentence.getByText("±").waitFor();
  assert.match(await sentence.textContent(), /mean wait .* times less \(.+ ± .+\)\.$/);
  await page.getByLabel("Rank by").selectOption({ label: "utilisation" });
  assert.match(await sentence.textContent(), /utilisation .* points more\.$/);
  assert.match(await page.locator("p.ranking").textContent(), /B EASY.*%.*A FCFS.*%/);
  await page.getByLabel("Rank by").selectOption({ label: "mean bounded slowdown" });
  await sentence.getByText("±").waitFor();
  await page.getByRole("button", { name: "Compare with" }).click();
  await done(page, 3);
  await sentence.getByText(/least under .*±/).waitFor();
  await still(page);
  const url = page.url();
  const other = await context.newPage();
  await other.goto(url);
  await done(other, 3);
  await other
    .locator("p.sentence")
    .getByText(/mean bounded slowdown is least under .*±/)
    .waitFor();
  await context.close();
});
