// A newcomer's walk: drop a log, compare three policies, find the longest wait and its causes, take
// the figure along. Apart from the runs, no step takes longer than a second.
import { cpus } from "node:os";
import { after, before, test } from "node:test";
import { assert, done, download, drop, finished, stage, still, trace } from "./support.mjs";

let s;
/** The part of the machine's processor time that others use. */
let taken;
before(async () => {
  const [from, idle] = used();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const [to, later] = used();
  taken = 1 - (later - idle) / (to - from);
  s = await stage();
});
after(() => s.close());

/** Returns the processor time that has passed, and the part of it in which none was used. */
function used() {
  const times = cpus().map(({ times }) => times);
  const all = times.flatMap((times) => Object.values(times)).reduce((sum, time) => sum + time, 0);
  return [all, times.reduce((sum, { idle }) => sum + idle, 0)];
}

/** Longest time of a step, in milliseconds. */
const PATIENCE = 1000;

test("a newcomer's walk", async (t) => {
  const { page, said } = await s.open();
  await done(page, 2);
  const steps = [];
  const step = async (name, work) => {
    const began = performance.now();
    const answer = await work();
    steps.push([name, performance.now() - began]);
    return answer;
  };
  await step("drop", () =>
    drop(page, "cluster.swf", trace(3000, { gap: 100 })).then(() =>
      page.getByText("cluster.swf").first().waitFor(),
    ),
  );
  await finished(page, "cluster.swf");
  await step("a third policy", () =>
    page
      .getByRole("button", { name: "+ Conservative" })
      .click()
      .then(() => page.locator(".lane").nth(2).waitFor()),
  );
  await done(page, 3);
  const table = await step("the table", () => page.locator(".metrics tbody").textContent());
  assert.match(table, /FCFS[^]*EASY[^]*Conservative/);
  assert.match(
    await page.locator(".sentence").textContent(),
    /On the same 3,000 jobs, the mean wait is least under (EASY|Conservative): .*FCFS: /,
  );
  await step("the list of jobs", async () => {
    await page.getByText("Jobs as a table").click();
    await page.locator(".job-table select").first().selectOption({ label: "B" });
    await page.locator(".job-table select").nth(1).selectOption("wait");
    await page.waitForFunction(
      () => document.querySelectorAll(".job-table tbody tr").length === 25,
    );
  });
  // The list may still have the previous order.
  await still(page);
  const waits = await page.locator(".job-table tbody tr td:nth-child(4)").allTextContents();
  const worst = page.locator(".job-table tbody tr").first();
  const number = (await worst.locator("th").textContent()).trim();
  await step("the worst wait", () =>
    worst
      .getByRole("button")
      .click()
      .then(() => page.locator(`.job[data-job='${number}']`).waitFor()),
  );
  assert.ok(
    (await page.locator(".job-runs tr", { hasText: "Wait" }).textContent()).includes(waits[0]),
  );
  await step("why it waited", () => page.locator(".why[data-run=B] li").first().waitFor());
  assert.match(
    await page.locator(".why[data-run=B]").textContent(),
    /It waited .*: .*(free processor|may not pass)/,
  );
  await step("zoom to it", () =>
    page
      .getByRole("button", { name: "Zoom to job" })
      .click()
      .then(() => page.waitForFunction(() => location.hash !== "")),
  );
  const svg = await step("the figure", () =>
    download(page, () => page.getByRole("button", { name: "Timeline of run B as SVG" }).click()),
  );
  assert.match(svg.bytes.toString(), /cluster\.swf \(sha256 [0-9a-f]{12}\)/);
  await step("the table to paste", () =>
    download(page, () =>
      page
        .locator(".metrics")
        .getByRole("button", { name: "Copy LaTeX" })
        .click({ modifiers: ["Shift"] }),
    ),
  );
  for (const [name, took] of steps) t.diagnostic(`${name}: ${Math.round(took)} ms`);
  await t.test("no step takes longer than a person waits", (t) => {
    // If others use the machine, it is slow, not the page.
    if (taken > 0.25)
      return t.skip(`the machine is busy: others took ${Math.round(100 * taken)} % of it`);
    assert.deepEqual(
      steps.filter(([, took]) => took > PATIENCE),
      [],
    );
  });
  assert.deepEqual(said, []);
});
