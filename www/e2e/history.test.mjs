// History: Back and Forward bring back what was there.
import { after, before, test } from "node:test";
import { assert, done, drop, finished, stage, still, temporary, trace } from "./support.mjs";

let s;
before(async () => {
  s = await stage();
});
after(() => s.close());

const tabOf = (page) => page.locator("[role=tab][aria-selected=true]").textContent();

/** Goes back or forward in the history, which the browser does some time later. */
const goes = (direction) => async (page) => {
  await page.evaluate(
    (direction) =>
      new Promise((resolve) => {
        addEventListener("popstate", resolve, { once: true });
        history[direction]();
      }),
    direction,
  );
  await still(page);
};
const [back, forward] = [goes("back"), goes("forward")];

test("Back and Forward go through tabs, zooms and selections", async () => {
  const { page, said, context } = await s.open();
  await done(page, 2);
  await still(page);
  const marks = await page.evaluate(() => history.length);
  await page.getByRole("tab", { name: "Papers" }).click();
  await still(page);
  await page.locator(".claims li").nth(9).waitFor();
  await page.locator("#panel").evaluate((panel) => panel.scrollTo(0, 300));
  const place = await page.locator("#panel").evaluate((panel) => panel.scrollTop);
  assert.ok(place > 0, "the list of papers is long");
  await page.getByRole("tab", { name: "Timeline" }).click();
  await still(page);
  await page.getByRole("button", { name: "Zoom in (W)" }).click();
  await still(page);
  const zoomed = page.url();
  await page.getByLabel("Job number").fill("700");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.locator(".job[data-job='700']").waitFor();
  await still(page);
  assert.equal(await page.evaluate(() => history.length), marks + 4);
  const worker = () => page.evaluate(() => document.querySelectorAll(".run-chip.done").length);

  await back(page);
  assert.equal(await page.locator(".job").count(), 0);
  assert.equal(page.url(), zoomed);
  await back(page);
  assert.ok(!page.url().includes("#"), "all is shown, and no job is selected");
  assert.equal(await tabOf(page), "Timeline");
  await back(page);
  assert.equal(await tabOf(page), "Papers");
  await page.waitForFunction(
    (place) => document.getElementById("panel").scrollTop === place,
    place,
  );
  await back(page);
  assert.equal(await tabOf(page), "Timeline");
  assert.equal(await worker(), 2, "no run has started again");
  for (let step = 0; step < 4; step += 1) await forward(page);
  await page.locator(".job[data-job='700']").waitFor();
  assert.deepEqual(said, []);
  await context.close();
});

test("Back goes from a tour to the list of tours, and from there to the runs", async () => {
  const { page, said, context } = await s.open();
  await done(page, 2);
  await still(page);
  await page
    .getByRole("navigation", { name: "Views" })
    .getByRole("button", { name: "Teach me" })
    .click();
  const list = page.getByRole("region", { name: "Tours" });
  await list.waitFor();
  await still(page);
  await page.getByRole("button", { name: "Begin: Fragmentation on a torus" }).click();
  await page.locator("[data-occupancy='0']").waitFor();
  await still(page);
  await page.goBack();
  await list.waitFor();
  assert.equal(await page.locator(".guide").count(), 0);
  await page.goBack();
  await list.waitFor({ state: "detached" });
  await page.locator(".lane").nth(1).waitFor();
  await page.goForward();
  await list.waitFor();
  // The link to the list opens it.
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByRole("region", { name: "Tours" }).waitFor();
  assert.deepEqual(
    said.filter((text) => !/WebGL|GPU|swiftshader/i.test(text)),
    [],
  );
  await context.close();
});

test("Back leaves the results and the set-up of the reading view", async () => {
  const { page, said, context } = await s.open({
    atRest: true,
    viewport: { width: 400, height: 860 },
  });
  await page.locator(".sentence", { hasText: "On the same" }).waitFor();
  await still(page);
  await page.getByRole("button", { name: "Results", exact: true }).click();
  await page.locator(".metrics").waitFor();
  await still(page);
  await page.getByRole("button", { name: /^Sample/ }).click();
  await page.getByRole("button", { name: "Close set-up" }).waitFor();
  await still(page);
  await page.goBack();
  await page.locator(".metrics").waitFor();
  await page.goBack();
  await page.locator(".metrics").waitFor({ state: "detached" });
  await page.locator(".lane canvas").first().waitFor();
  assert.deepEqual(said, []);
  await context.close();
});

test("a removed run can be brought back at once, with its result", async () => {
  const { page, context } = await s.open();
  await done(page, 2);
  await still(page);
  const table = await page.locator(".metrics tbody").textContent();
  await page.getByRole("button", { name: "Remove run A" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Run A, FCFS, was removed.").first().waitFor();
  assert.equal(await page.locator(".run-chip").count(), 1);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Undo");
  await page.keyboard.press("Control+z");
  await done(page, 2);
  await still(page);
  assert.equal(await page.locator(".metrics tbody").textContent(), table);
  assert.equal(await page.locator(".undo").count(), 0);
  await context.close();
});

test("Back brings back a removed run, and the trace before, though it was a file", async () => {
  const { page, context } = await s.open();
  await done(page, 2);
  await drop(page, "mine.swf", trace(60));
  await finished(page, "mine.swf");
  await page.getByRole("button", { name: "+ Conservative" }).click();
  await done(page, 3);
  await still(page);
  const table = await page.locator(".metrics tbody").textContent();
  await page.getByRole("button", { name: "Remove run C" }).click();
  await still(page);
  assert.equal(await page.locator(".run-chip").count(), 2);
  await back(page);
  await done(page, 3);
  await still(page);
  assert.equal(await page.locator(".metrics tbody").textContent(), table);
  // The page opens the file again without asking for it.
  for (let step = 0; step < 2; step += 1) await back(page);
  await finished(page, "Sample");
  await forward(page);
  await finished(page, "mine.swf");
  await forward(page);
  await done(page, 3);
  await still(page);
  assert.equal(await page.locator(".metrics tbody").textContent(), table);
  await context.close();
});

test("a session is kept with its log, is listed at the start, and is deleted with a way back", async () => {
  const { page, said, context } = await s.open();
  await done(page, 2);
  await drop(page, "mine.swf", trace(60));
  await finished(page, "mine.swf");
  await page.getByRole("button", { name: "Sessions" }).click();
  await page.getByLabel("Keep the present state as").fill("My cluster");
  await page.getByRole("button", { name: "Keep", exact: true }).click();
  await page.getByText("Kept.", { exact: true }).first().waitFor();
  // Another visit of the same reader.
  const other = await context.newPage();
  await other.goto(s.url);
  await done(other, 2);
  await other.locator(".doors").getByRole("link", { name: "My cluster" }).click();
  await finished(other, "mine.swf");
  await other.getByRole("button", { name: "Sessions" }).click();
  await other.getByRole("button", { name: "Delete the session My cluster" }).click();
  await other.getByText("The session My cluster is deleted.").first().waitFor();
  assert.equal(await other.getByRole("link", { name: "My cluster" }).count(), 0);
  await other.getByRole("button", { name: "Undo" }).click();
  await other.getByRole("button", { name: "Sessions" }).click();
  await other.getByRole("link", { name: "My cluster" }).waitFor();
  // Undo that comes late leaves a newer session of the same name as it is.
  const mine = other.locator(".sessions").getByRole("link", { name: "My cluster" });
  const old = await mine.getAttribute("href");
  await other.getByRole("button", { name: "Delete the session My cluster" }).click();
  await mine.waitFor({ state: "detached" });
  await other.getByLabel("Colour by").selectOption("size");
  await still(other);
  await other.getByLabel("Keep the present state as").fill("My cluster");
  await other.getByRole("button", { name: "Keep", exact: true }).click();
  await mine.waitFor();
  const newer = await mine.getAttribute("href");
  assert.notEqual(newer, old);
  await other.getByRole("button", { name: "Undo" }).click();
  await other.getByRole("button", { name: "Sessions" }).click();
  await mine.waitFor();
  assert.equal(await mine.getAttribute("href"), newer);
  assert.deepEqual(said, []);
  await context.close();
});

test("the panel of sessions fits a narrow window", async () => {
  const { page, context } = await s.open({
    atRest: true,
    viewport: { width: 400, height: 800 },
  });
  await done(page, 2);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.locator(".popup summary", { hasText: "Sessions" }).click();
  const field = page.getByLabel("Keep the present state as");
  await field.waitFor();
  for (const part of [page.locator(".popup:popover-open"), field]) {
    const { x, width } = await part.boundingBox();
    assert.ok(x >= 0 && x + width <= 400, `from ${x}, ${width} wide`);
  }
  await context.close();
});

test("the browser asks before a running sweep is left", async () => {
  const { page, context } = await s.open();
  await done(page, 2);
  const asks = () =>
    page.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })));
  await page.getByRole("tab", { name: "Sweep" }).click();
  await page.getByRole("button", { name: "Export the plan" }).waitFor();
  // Long enough for a click before its end on any machine.
  const plan = {
    schedscope_plan: 1,
    name: "Long",
    workloads: [{ model: { id: "lublin", settings: { jobs: 100_000, processors: 64 } } }],
    policies: [{ policy: "easy" }],
    seeds: [1, 2, 3, 4, 5, 6, 7, 8],
  };
  await page.getByLabel("Plan file").setInputFiles(temporary("plan.json", JSON.stringify(plan)));
  await page.getByRole("button", { name: "Run 8 cells" }).waitFor();
  assert.equal(await asks(), false);
  await page.getByRole("button", { name: /^Run \d+ cells?/ }).click();
  await page.getByRole("button", { name: "Pause" }).click();
  assert.equal(await asks(), true);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor({ state: "detached" });
  assert.equal(await asks(), false);
  await context.close();
});
