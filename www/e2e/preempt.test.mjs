// Preemption on the page: a job that runs in vain tells it, and figures that do not exist are missing.
import { after, before, test } from "node:test";
import { assert, done, findings, placed, stage, temporary, until } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const CONF = `PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=n[1-4] CPUs=4
PartitionName=low Nodes=ALL Default=YES PriorityTier=1
PartitionName=high Nodes=ALL PriorityTier=10
`;

/** Job 1 has all nodes, and job 2 of the other partition takes them ten minutes later. */
const LOG = `; Queue: 1 low
; Queue: 2 high
; MaxProcs: 16
1 0 -1 3600 16 -1 -1 16 7200 -1 1 1 1 1 1 -1 -1 -1
2 600 -1 300 16 -1 -1 16 600 -1 1 2 1 1 2 -1 -1 -1
3 700 -1 60 4 -1 -1 4 600 -1 1 3 1 1 1 -1 -1 -1
`;

/** Returns the cells of a figure, run by run. */
async function column(page, name) {
  const heads = await page.locator(".metrics thead th").allTextContents();
  const place = heads.indexOf(name);
  assert.ok(place > 0, name);
  const rows = await page.locator(".metrics tbody tr").all();
  return Promise.all(rows.map((row) => row.locator("th, td").nth(place).innerText()));
}

test("a preempted job tells its attempts, and no figure stands for a missing one", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([temporary("slurm.conf", CONF), temporary("preempted.swf", LOG)]);
  await page.locator(".lane", { hasText: "Slurm" }).first().waitFor();
  await page.getByRole("checkbox", { name: "all figures" }).check();
  await done(page, 3);
  // Starts that come with a requeue are not examined for fairness: there is no figure, and no 0.
  assert.deepEqual(await column(page, "Fair start miss, mean s"), ["0", "0", "–"]);
  assert.deepEqual(await column(page, "Preemptions, requeues"), ["0\n(best)", "0\n(best)", "1"]);
  // The pointer over an attempt in vain tells of that attempt.
  const overlay = page.getByRole("application", { name: /Timeline of run C/ });
  await overlay.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await placed(page, overlay);
  await page.mouse.move(x + 0.06 * width, y + height / 2);
  await until(
    () => page.locator(".hover").first().innerText(),
    (text) => /job 1, user 1, 16 processors, ran 10 min in vain/.test(text),
  );
  await page.getByLabel("Job number").fill("1");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.locator(".job[data-job='1']").waitFor();
  await until(
    () => page.locator(".job").innerText(),
    (text) =>
      /10 min: it ran in vain: it was preempted and started anew/.test(text) &&
      /Preempted\s+never\s+never\s+requeued once, after 10 min in vain/.test(text),
  );
  await findings(page, "a preempted job");
  assert.deepEqual(said, []);
  await page.context().close();
});

test("a suspended job tells how often and how long it was suspended", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const conf = CONF.replace(
    "PreemptMode=REQUEUE",
    "PreemptMode=SUSPEND,GANG\nSelectType=select/cons_tres",
  );
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([temporary("slurm.conf", conf), temporary("suspended.swf", LOG)]);
  await page.locator(".lane", { hasText: "Slurm" }).first().waitFor();
  await page.getByRole("checkbox", { name: "all figures" }).check();
  await done(page, 3);
  assert.deepEqual(await column(page, "Suspensions, times"), ["0\n(best)", "0\n(best)", "1"]);
  assert.deepEqual(await column(page, "Preemptions, requeues"), ["0", "0", "0"]);
  await page.getByLabel("Job number").fill("1");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await until(
    () => page.locator(".job").innerText(),
    (text) => /Preempted\s+never\s+never\s+suspended once, for 5 min/.test(text),
  );
  await findings(page, "a suspended job");
  assert.deepEqual(said, []);
  await page.context().close();
});
