// Scenarios: each opens from the gallery, and shows what its words say.
import { dirname } from "node:path";
import { after, before, test } from "node:test";
import { serve } from "../server.mjs";
import { assert, done, stage, still, temporary } from "./support.mjs";

let s;
/** The site of a course, which shows the page in a frame. */
let course;
before(async () => {
  s = await stage();
});
after(async () => {
  course?.close();
  await s.close();
});

/** Opens a scenario from the gallery of a first visit. */
async function scenario(title, runs) {
  const opened = await s.open({ atRest: true });
  const { page } = opened;
  await done(page, 2);
  await page.locator(".scenarios a:not([href='#'])").first().waitFor();
  await page.getByRole("link", { name: title }).click();
  await page.locator(".doors").waitFor({ state: "detached" });
  await done(page, runs);
  await still(page);
  assert.equal(await page.locator(".banner.bad").count(), 0);
  return opened;
}

/** Returns the letters of the runs, the best first, by this figure. */
async function order(page, figure) {
  await page.getByLabel("Rank by").selectOption({ label: figure });
  const ranked = await page.locator("p.ranking > span").allTextContents();
  return ranked.map((words) => words.trim()[0]).join("");
}

test("a wide job starves", async () => {
  const { page, said, context } = await scenario("A wide job that starves", 2);
  await page.locator(".job[data-job='4']").waitFor();
  const waits = await page
    .locator("table.job-runs tbody tr", { hasText: "Wait" })
    .first()
    .locator("td")
    .allTextContents();
  assert.match(waits[0], /^1 h/);
  assert.match(waits[1], /min|s$/);
  assert.deepEqual(said, []);
  await context.close();
});

test("a convoy", async () => {
  const { page, context } = await scenario("A convoy", 2);
  assert.equal(await order(page, "mean wait"), "BA");
  await context.close();
});

test("exact estimates need not help", async () => {
  const { page, context } = await scenario("Do exact estimates help?", 3);
  assert.match(await order(page, "mean bounded slowdown"), /C$/);
  await context.close();
});

test("a fragmented torus", async () => {
  const { page, context } = await scenario("A fragmented torus", 2);
  assert.equal(
    await page.getByRole("tab", { name: "Machine" }).getAttribute("aria-selected"),
    "true",
  );
  const free = page.getByText("45 free; the largest free box is 2 × 2 × 2, 17.8 % of them.");
  await free.waitFor();
  await page.getByLabel("Instant").fill("100000");
  await free.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Most fragmented" }).click();
  await free.waitFor();
  await page.getByRole("tab", { name: "Timeline" }).click();
  assert.equal(await order(page, "mean wait"), "BA");
  await context.close();
});

test("gang scheduling against batch", async () => {
  const { page, context } = await scenario("Gang scheduling against batch", 2);
  assert.equal(await order(page, "mean bounded slowdown"), "BA");
  await context.close();
});

test("two jobs on a node", async () => {
  const { page, context } = await scenario("Two jobs on a node", 2);
  assert.equal(await order(page, "mean response"), "BA");
  await context.close();
});

test("jobs spread over a network, with the same schedule", async () => {
  const { page, context } = await scenario("Jobs spread over a network", 2);
  await page.getByRole("tab", { name: "Timeline" }).click();
  assert.match(await page.locator("p.sentence").textContent(), /: the same\.$/);
  await context.close();
});

test("a policy that changes its mind", async () => {
  const { page, context } = await scenario("A policy that changes its mind", 3);
  await page.locator(".band").first().waitFor();
  await context.close();
});

test("a view stands inside a page of another origin, under the same policy", async () => {
  const { page, context } = await s.open({ atRest: true });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await done(page, 2);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("embeds this view");
  await page.keyboard.press("Enter");
  await page.getByText("The code for a frame is copied.").first().waitFor();
  const usual = await page.evaluate(() => navigator.clipboard.readText());
  await page.locator(".scenarios a:not([href='#'])").first().waitFor();
  const href = await page.getByRole("link", { name: "A convoy" }).getAttribute("href");
  const said = [];
  const other = await context.newPage();
  other.on("console", (message) => said.push(message.text()));
  other.on("pageerror", (error) => said.push(error.message));
  // The page of another site.
  const code = usual.replace('loading="lazy"', "").replace("embed.html", `embed.html${href}`);
  const path = temporary(
    "index.html",
    `<!doctype html><link rel="icon" href="data:,"><title>Course</title>${code}`,
  );
  course = await serve({ folder: dirname(path) });
  await other.goto(course.url);
  const frame = other.frameLocator("iframe");
  await frame.getByText(/the mean wait is 1 h 21 min under/).waitFor();
  assert.equal(await frame.locator("canvas.overlay").count(), 2);
  assert.equal(await frame.locator("header.top, nav.rail, footer").count(), 0);
  assert.equal(
    await frame.getByRole("link", { name: "Open in Schedscope" }).getAttribute("href"),
    `index.html${href}`,
  );
  const length = await other.evaluate(() => history.length);
  await frame.locator("canvas.overlay").first().click();
  await still(other.frames()[1]);
  assert.equal(await other.evaluate(() => history.length), length, "its steps are its own");
  assert.deepEqual(said, []);
  await context.close();
});
