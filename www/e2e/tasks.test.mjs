// Tasks of somebody who has never seen the page, with the clicks and the time that each takes at
// least. docs/testing.md has the table.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  assert,
  done,
  download,
  drop,
  finished,
  placed,
  root,
  stage,
  still,
  trace,
} from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const LOG = join(root, "../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz");

/** Does a task from a first visit on; counts its clicks, and asserts that there are few enough. */
function task(name, most, begin, act) {
  test(`${name}: at most ${most} ${most === 1 ? "click" : "clicks"}`, async (t) => {
    const { page, said, context } = await s.open({
      atRest: true,
      before: (page) =>
        page.addInitScript(() => {
          globalThis.clicks = 0;
          addEventListener(
            "click",
            ({ detail }) => (globalThis.clicks += detail > 0 ? 1 : 0),
            true,
          );
        }),
    });
    await done(page, 2);
    await still(page);
    await begin(page);
    await page.evaluate(() => (globalThis.clicks = 0));
    const began = performance.now();
    await act(page, t);
    const seconds = (performance.now() - began) / 1000;
    const clicks = await page.evaluate(() => globalThis.clicks);
    t.diagnostic(`${clicks} clicks, ${seconds.toFixed(1)} s`);
    assert.ok(clicks <= most, `${clicks} clicks`);
    assert.deepEqual(
      said.filter((text) => !/WebGL|GPU|swiftshader/i.test(text)),
      [],
    );
    await context.close();
  });
}

const atOnce = async () => {};

task("a log under three policies, ranked", 2, atOnce, async (page, t) => {
  const isThere = existsSync(LOG);
  if (!isThere) t.diagnostic("shared/traces is not there; a generated log takes its place");
  await drop(page, "log.swf.gz", isThere ? readFileSync(LOG) : trace(2000));
  await finished(page, "log.swf");
  await page.getByRole("button", { name: /^Compare with/ }).click();
  await done(page, 3);
  await page
    .locator(".ranking")
    .filter({ hasText: /(?=.*FCFS)(?=.*EASY)(?=.*Conservative)/ })
    .waitFor();
});

task("the job that gains most from EASY, and why it waited", 2, atOnce, async (page) => {
  await page.getByRole("button", { name: "Largest gain" }).click();
  await page
    .locator(".inspector")
    .getByText(/% in line behind other jobs/)
    .first()
    .waitFor();
});

task(
  "the instant at which the torus was most fragmented",
  1,
  async (page) => {
    await page.getByRole("link", { name: "A fragmented torus" }).click();
    await page.getByRole("button", { name: "Most fragmented" }).waitFor();
    await done(page, 2);
    await page.getByLabel("Instant").fill("100000");
    await still(page);
  },
  async (page) => {
    await page.getByRole("button", { name: "Most fragmented" }).click();
    await page.getByText(/45 free; the largest free box is 2 × 2 × 2/).waitFor();
  },
);

task(
  "a paper's table, from its conclusions",
  1,
  (page) => page.getByRole("tab", { name: "Papers" }).click(),
  async (page) => {
    await page.locator(".claims li").first().getByRole("button").click();
    await page.locator("article table tbody tr").first().waitFor();
  },
);

task("a sweep of the open log, as SVG and CSV with intervals", 5, atOnce, async (page) => {
  await drop(page, "log.swf", trace(300));
  await finished(page, "log.swf");
  await page.getByRole("tab", { name: "Sweep" }).click();
  await page.getByRole("button", { name: "Run 18 cells" }).click();
  await page.getByText("18 of 18 cells are finished.").first().waitFor();
  const chart = page.locator(".sweep .chart").first();
  const svg = await download(page, () => chart.getByRole("button", { name: "SVG" }).click());
  assert.match(String(svg.bytes), /^<svg/);
  const csv = await download(page, () => chart.getByRole("button", { name: "CSV" }).click());
  assert.match(String(csv.bytes), /^series,load,wait\.mean,ci95,runs$/m);
});

task("an exercise for a class, from nothing to a link", 9, atOnce, async (page) => {
  await page.getByRole("button", { name: "Teach me", exact: true }).last().click();
  await page.getByRole("button", { name: "Make an exercise" }).click();
  const box = await placed(page, page.getByRole("group", { name: "Jobs as they arrive" }));
  for (const [left, right] of [
    [0.05, 0.4],
    [0.1, 0.5],
  ]) {
    await page.mouse.move(box.x + box.width * left, box.y + box.height * 0.6);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * right, box.y + box.height * 0.1, { steps: 4 });
    await page.mouse.up();
  }
  await page.getByRole("button", { name: "Add a question" }).click();
  await page.locator(".editor-answer").waitFor();
  await page.getByRole("button", { name: "Copy the link" }).click();
  await page.locator(".said", { hasText: /The link is copied|Copy the link from/ }).waitFor();
});
