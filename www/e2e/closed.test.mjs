// A closed loop on the page: jobs that follow others arrive at another time in each run.
import { after, before, test } from "node:test";
import { assert, done, drop, findings, finished, stage, still } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

/** Job 3 follows job 1 after a minute. Under FCFS job 1 waits behind job 2, under EASY it does not. */
const LOG = `; MaxProcs: 10
1 10 0 100 2 -1 -1 2 100 -1 1 1 1 -1 1 -1 -1 -1
4 0 0 500 8 -1 -1 8 500 -1 1 1 1 -1 1 -1 -1 -1
2 5 0 300 10 -1 -1 10 300 -1 1 1 1 -1 1 -1 -1 -1
3 200 0 50 1 -1 -1 1 50 -1 1 1 1 -1 1 -1 1 60
`;

test("a job that follows another is submitted after its end, in each run by itself", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "loop.swf", new TextEncoder().encode(LOG));
  await finished(page, "loop.swf");
  const show = async (number) => {
    await page.getByLabel("Job number").fill(String(number));
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.locator(`.job[data-job='${number}']`).waitFor();
  };
  await show(3);
  const rows = page.locator(".job-runs tr", { hasText: "Submitted" });
  assert.equal(await rows.count(), 0, "in an open run all runs have the same submission");
  await page.getByText("Workload", { exact: true }).last().click();
  const form = page.locator(".experiment > details", { hasText: "Workload" });
  await form.getByLabel("Find a setting").fill("closed");
  await form.getByLabel("Closed loop").selectOption("on");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
  await still(page);
  await show(3);
  await rows.waitFor();
  // FCFS starts job 1 at 800 s, EASY at 10 s.
  const cells = await rows.locator("td").allTextContents();
  assert.match(cells[0], /00:16:00.*1 min after job 1 ended/);
  assert.match(cells[1], /00:02:50.*1 min after job 1 ended/);
  await findings(page, "a job in a closed loop");
  assert.deepEqual(said, []);
});
