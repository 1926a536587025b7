// Scenarios: each opens from the gallery, and shows what its words say.
import { after, before, test } from "node:test";
import { assert, done, stage, still } from "./support.mjs";

let s;
before(async () => {
  s = await stage();
});
after(() => s.close());

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
