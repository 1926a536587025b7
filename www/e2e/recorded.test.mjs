// The recorded schedule on the page: a run, the fit to it, and a size that the log contradicts.
import { after, before, test } from "node:test";
import { assert, done, drop, findings, finished, stage, until } from "./support.mjs";

let s;
before(async () => {
  s = await stage();
});
after(() => s.close());

/** Two jobs a day on ten processors, each for a day, which started an hour after submission. */
const LOG = (header) => {
  const lines = [header];
  for (let day = 0; day < 6; day += 1)
    for (const [at, size] of [6, 4].entries()) {
      const number = 2 * day + at + 1;
      lines.push(
        `${number} ${day * 86_400} 3600 86400 ${size} -1 -1 ${size} 90000 -1 1 ${number % 3} 1 1 1 1 -1 -1`,
      );
    }
  return new TextEncoder().encode(`${lines.join("\n")}\n`);
};

test("the recorded schedule is a run beside the others, and the fit says how far they are", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  // The sample is drawn from a model, so it has no recorded schedule.
  assert.equal(await page.getByRole("button", { name: "+ Recorded" }).count(), 0);
  await drop(page, "log.swf", LOG("; MaxProcs: 16"));
  await page.getByRole("button", { name: "+ Recorded" }).click();
  await done(page, 3);
  const rows = page.locator(".fit tbody tr");
  await rows.nth(2).waitFor();
  const cells = await rows.evaluateAll((all) =>
    all.map((row) => [...row.cells].map((cell) => cell.textContent.trim())),
  );
  assert.match(cells[0][0], /A Recorded/);
  assert.deepEqual(cells[0].slice(1, 7), ["12", "0 s", "0 s", "100.0 %", "100.0 %", "100.0 %"]);
  // Under EASY, every job starts when it is submitted: an hour earlier than recorded.
  assert.match(cells[2][0], /C EASY/);
  assert.deepEqual(cells[2].slice(1, 8), [
    "12",
    "1 h",
    "1 h",
    "0.0 %",
    "0.0 %",
    "100.0 %",
    "100.0 %",
  ]);
  assert.match(
    await page.locator(".fit .sentence").textContent(),
    /Under EASY, half of the jobs start within 1 h .* the log has 1 h\./,
  );
  // The inspector says the same about a job.
  await page.getByLabel("Job number").fill("3");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.locator(".job[data-job='3']").waitFor();
  const against = page.locator(".job-runs tr", { hasText: "Against the log" }).locator("td");
  // Each run tells it in its own time.
  const told = await until(
    () => against.allTextContents(),
    (texts) => !texts.includes("–"),
  );
  assert.deepEqual(told, ["started as recorded", "started 1 h earlier", "started 1 h earlier"]);
  await page.locator(".fit select").selectOption("user");
  await rows.nth(8).waitFor();
  await findings(page, "recorded");
  assert.deepEqual(said, []);
});

test("a log that contradicts its machine has no sentence before a size is chosen", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "log.swf", LOG("; MaxProcs: 8"));
  const note = page.getByRole("region", { name: "Machine size" });
  await note.getByText("The recorded schedule does not fit").waitFor();
  await note.getByText("The log contradicts this size").waitFor();
  await finished(page, "log.swf");
  assert.match(await page.locator(".centre .sentence").textContent(), /after you confirm/);
  await findings(page, "contradicted");
  await note.getByRole("button", { name: "Use 10 processors" }).click();
  await note.waitFor({ state: "detached" });
  await done(page, 2);
  assert.match(await page.locator(".centre .sentence").textContent(), /^On the same 12 jobs/);
  await page.locator("dl.facts dd", { hasText: /^10 processors$/ }).waitFor();
  assert.deepEqual(said, []);
});

test("a newcomer without a log sees how far EASY is from what a cluster did", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page.getByRole("button", { name: "See a cluster's week" }).click();
  await finished(page, "a-clusters-week.txt", 3);
  // The log gives no size, so the page infers one, and asks.
  const note = page.getByRole("region", { name: "Machine size" });
  await note.getByText("The recorded schedule does not fit").waitFor();
  await findings(page, "a week without a size");
  await note.getByRole("button", { name: /^Use \d+ processors$/ }).click();
  await note.waitFor({ state: "detached" });
  await done(page, 3);
  await page
    .locator(".fit .sentence", { hasText: "Under EASY, half of the jobs start within" })
    .waitFor();
  const options = await page.locator(".fit select option").allTextContents();
  assert.deepEqual(options, ["all jobs", "size", "user", "queue", "partition", "account", "QOS"]);
  assert.deepEqual(said, []);
});
