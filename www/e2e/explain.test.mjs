// Explanations on the page: a run step by step, with or without predictions, and the causes of a
// job's wait.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assert, done, drop, finished, frames, placed, root, stage, still } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const walkThrough = readFileSync(join(root, "tests/cases/student-projects-walk-through/trace.swf"));

test("a run is predicted, revealed and told", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "walk.swf", walkThrough);
  await finished(page, "walk.swf");
  await page.getByRole("button", { name: "Step through run B" }).click();
  const steps = page.getByRole("region", { name: "Step by step" });
  await steps.getByLabel("Predict first").check();
  // Before the reader reveals the answer, nothing shows it.
  assert.equal(await steps.locator("table").count(), 0);
  assert.equal(await page.locator(".minimap").count(), 0);
  assert.match(await steps.locator("legend").textContent(), /16 processors are free/);
  for (const job of [1, 2, 5]) await steps.getByLabel(`Job ${job}:`).check();
  await steps.getByRole("button", { name: "Reveal" }).click();
  assert.match(await steps.textContent(), /Correct\./);
  assert.match(
    await steps.textContent(),
    /Job 3 holds a reservation for 3 s, its shadow time, with 4 extra processors/,
  );
  assert.match(
    await steps.locator("tbody tr").nth(2).textContent(),
    /job 6.*fewer than 4 free processors/,
  );
  // At 1 s job 6 starts on the extra nodes. A reader who expects no start learns it.
  await steps.getByRole("button", { name: "Next" }).click();
  assert.match(await steps.locator(".told").textContent(), /1 s: job 2 ended/);
  await steps.getByRole("button", { name: "Reveal" }).click();
  assert.match(await steps.textContent(), /Not quite: job 6 starts\./);
  assert.match(await steps.textContent(), /1 of 2 right/);
  await steps.getByRole("button", { name: "Last" }).click();
  assert.match(await steps.textContent(), /6 of 6/);
  await steps.getByRole("button", { name: "First" }).click();
  assert.match(await page.locator("[role=status].unseen").last().textContent(), /Step 1 of 6/);
  assert.deepEqual(said, []);
});

test("any policy is told step by step", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "walk.swf", walkThrough);
  await finished(page, "walk.swf");
  const form = page.locator(".lane-form").first();
  const offered = () =>
    form.locator("select").first().locator("option:not([disabled])").allTextContents();
  const tell = async (name) => {
    await form.getByLabel("Policy of run A").selectOption({ label: name });
    await page.getByRole("button", { name: "Run what changed" }).click();
    await done(page, 2);
    await page.getByRole("button", { name: "Step through run A" }).click();
    const steps = page.getByRole("region", { name: "Step by step" });
    await steps.waitFor();
    assert.ok((await steps.textContent()).includes(`run A, ${name}`));
    assert.match(await steps.textContent(), /Then jobs [\d, and]+ start;/);
    await steps.getByRole("button", { name: "Next" }).click();
    await steps.getByRole("button", { name: "Close" }).click();
  };
  const flat = await offered();
  assert.ok(flat.length >= 8);
  for (const name of flat) await tell(name);
  // The same sixteen nodes as a torus.
  await page.getByRole("combobox", { name: "Model" }).selectOption("torus");
  await page.locator(".experiment").getByRole("textbox", { name: "Z nodes" }).fill("1");
  const torus = await offered();
  assert.ok(torus.includes("Migration") && torus.includes("B+M"));
  for (const name of torus) await tell(name);
  assert.deepEqual(said, []);
});

test("a run of any length is told in parts, from the instant of a cause on", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page.getByLabel("Job number").fill("400");
  await page.getByRole("button", { name: "Show" }).click();
  const why = page.locator(".why[data-run=A]");
  assert.match(
    await why.locator("p").first().textContent(),
    /It waited 1 d 20 h to run 6 h 6 min: all of it in line behind other jobs\./,
  );
  // A cause opens the run at its first instant: the queue, with the job in it.
  const instant = why.locator("li").first().getByRole("button").last();
  const since = await instant.textContent();
  await instant.click();
  const steps = page.getByRole("region", { name: "Step by step" });
  const told = () => steps.locator(".told").textContent();
  await steps.waitFor();
  assert.ok((await told()).startsWith(since), `${await told()}, ${since}`);
  assert.match(
    await steps.textContent(),
    /Job \d+ holds up \d+ others: it needs \d+ processors, \d+ (is|are) free\./,
  );
  assert.deepEqual((await steps.locator("thead th").allTextContents()).slice(0, 5), [
    "#",
    "Job",
    "Needs",
    "Waited",
    "Starts in",
  ]);
  assert.equal(await steps.getByRole("button", { name: "Last" }).count(), 0);
  // Over the end of the part and back over its begin, no step is left out.
  const seen = [await told()];
  const go = async (name) => {
    const before = await told();
    await steps.getByRole("button", { name }).click();
    await page.waitForFunction(
      (before) => document.querySelector(".steps .told").textContent !== before,
      before,
    );
  };
  for (let step = 0; step < 64; step += 1) {
    await go("Next");
    seen.push(await told());
  }
  assert.equal(new Set(seen).size, seen.length);
  for (let step = 0; step < 64; step += 1) await go("Back");
  assert.equal(await told(), seen[0]);
  await go("Back");
  assert.ok(!seen.includes(await told()));
  await steps.getByRole("button", { name: "Close" }).click();
  assert.deepEqual(said, []);
});

test("the inspector says why a job waited, and its causes lead to the jobs", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "walk.swf", walkThrough);
  await finished(page, "walk.swf");
  await page.getByLabel("Job number").fill("6");
  await page.getByRole("button", { name: "Show" }).click();
  const [fcfs, easy] = [page.locator(".why[data-run=A]"), page.locator(".why[data-run=B]")];
  await easy.waitFor();
  // Under FCFS jobs 3, 4 and 5 are in its way in turn; under EASY only a lack of processors is.
  assert.match(
    await fcfs.textContent(),
    /It waited 5 s.*3 s: it may not pass job 3.*1 s: it may not pass job 4.*1 s: it may not pass job 5/,
  );
  assert.match(await easy.textContent(), /It waited 1 s.*1 s: fewer than 4 free processors/);
  assert.match(await easy.textContent(), /No job overtook it/);
  await fcfs.getByRole("button", { name: "job 4" }).first().click();
  await page.locator("[data-job='4']").waitFor();
  assert.match(
    await page.locator(".why[data-run=B]").textContent(),
    /2 arrived later and started earlier: job 5, job 6/,
  );
  assert.deepEqual(said, []);
});

test("a parameter is shown only where it matters", async () => {
  const { page } = await s.open();
  await done(page, 2);
  const form = page.locator(".lane-form").nth(1);
  await form.getByText("Parameters").click();
  assert.equal(await form.getByLabel("Weight of wait").count(), 0);
  await form.getByLabel("Queue order").selectOption("weights");
  assert.equal(await form.getByLabel("Weight of wait").count(), 1);
});

test("the queue follows the cursor, and is that of the step there", async () => {
  const { page, said, context } = await s.open();
  await done(page, 2);
  await page.getByText("Queue at the cursor").click();
  const queue = page.locator(".queue-at");
  const heads = () => queue.locator("p").first().textContent();
  const overlay = page.locator("canvas.overlay").nth(1);
  const box = await placed(page, overlay);
  await queue.getByLabel("Run").selectOption({ label: "B EASY" });
  const seen = new Set();
  for (const part of [0.3, 0.5, 0.7]) {
    await page.mouse.move(box.x + box.width * part, box.y + 30);
    await still(page);
    seen.add(await heads());
  }
  assert.equal(seen.size, 3, "each instant has its own queue");
  const rows = await queue.locator("tbody tr").allTextContents();
  const [, waiting] = /: ([\d,]+) waits?,/.exec(await heads());
  assert.equal(rows.length, Math.min(40, Number(waiting)));
  await page.getByRole("button", { name: "Step through from here" }).click();
  await page.locator(".steps .told").waitFor();
  assert.match(
    await page.locator(".steps summary").first().textContent(),
    new RegExp(`^${waiting} waits?$`),
  );
  assert.deepEqual(await page.locator(".steps tbody tr").allTextContents(), rows);
  assert.deepEqual(said, []);
  await context.close();
});

test("the card at the pointer says why the job waited, once the pointer rests", async () => {
  const { page, said, context } = await s.open({ atRest: true });
  await done(page, 2);
  const box = await placed(page, page.locator("canvas.overlay").first());
  const card = (hasText) => page.locator(".pointer-card.shown", { hasText });
  /** Moves the pointer over the picture until the card has such words. */
  const find = async (words) => {
    for (let part = 0.3; part < 0.99; part += 0.01) {
      await page.mouse.move(box.x + box.width * part, box.y + box.height * 0.5);
      await still(page);
      if ((await card(words).count()) > 0) return;
    }
    assert.fail(`nowhere ${words}`);
  };
  await find(/waited \d+ d/);
  await card(/waited \d+ d .+: .*(\d %|all of it) in line behind other jobs/).waitFor();
  // The card is that of the next point, not of the last.
  await find(/: free$/);
  await frames(page, 30);
  assert.equal(await card(/: free$/).count(), 1);
  assert.deepEqual(said, []);
  await context.close();
});
