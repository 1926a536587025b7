// Forecasts on the page: the expected starts of waiting jobs, and how past forecasts held.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  assert,
  done,
  drop,
  findings,
  finished,
  root,
  stage,
  temporary,
  trace,
  until,
} from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

/** One job at a time has the whole machine, in the order of arrival: a log with recorded waits. */
function log(jobs) {
  const lines = ["; MaxProcs: 10", "; UnixStartTime: 1714000000"];
  let free = 0;
  for (let job = 1; job <= jobs; job += 1) {
    const submit = 90 * job;
    const run = 40 + ((job * 37) % 120);
    const start = Math.max(submit, free);
    free = start + run;
    lines.push(
      `${job} ${submit} ${start - submit} ${run} 10 -1 -1 10 200 -1 1 ${1 + (job % 2)} 1 -1 1 -1 -1 -1`,
    );
  }
  return `${lines.join("\n")}\n`;
}

test("the jobs that wait in a log at an instant have expected starts, and past ones are tested", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "waits.swf", log(400));
  await finished(page, "waits.swf");
  await page.getByRole("tab", { name: "Forecast" }).click();
  await page.getByLabel("Instant, hours after the begin").fill("9.9");
  await page.getByLabel("Samples").fill("40");
  await page.getByLabel("Policy", { exact: true }).selectOption({ index: 0 });
  await page.getByRole("button", { name: "Forecast", exact: true }).click();
  await page.locator(".forecast .tabled tbody tr").first().waitFor();
  assert.match(
    await page.locator(".forecast .sentence").first().textContent(),
    /\d+ jobs wait and 1 runs\. Half of the waiting jobs are expected to start within /,
  );
  await page.getByText(/40 samples, each until 14.d after the instant/).waitFor();
  await findings(page, "forecast");
  // Another setting makes the result an old one.
  await page.getByLabel("Later arrivals").selectOption("none");
  await page.getByText("The settings were changed since.").waitFor();
  await page.getByRole("button", { name: "Forecast", exact: true }).click();
  await page.getByText("no job arrives later", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Test past forecasts" }).click();
  await until(
    () => page.locator(".forecast .sentence").last().textContent(),
    (text) =>
      /At \d+ past moments of the log, .* started within their intervals of 90 %/.test(text),
  );
  assert.deepEqual(said, []);
  await page.context().close();
});

test("a queue of squeue goes to the Forecast tab, with the nodes of its cluster", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const folder = join(root, "tests/queues");
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([
      temporary("cluster.conf", readFileSync(join(folder, "two-nodes.conf"), "utf8")),
      temporary("waits.swf", log(60).replaceAll(" 10 -1 -1 10 ", " 4 -1 -1 4 ")),
    ]);
  await finished(page, "waits.swf");
  await drop(page, "queue.json", readFileSync(join(folder, "wrapped.json"), "utf8"));
  await page.getByText("queue.json; run times come from the open log.").waitFor();
  await page.getByRole("button", { name: "Forecast", exact: true }).click();
  await page.locator(".forecast .tabled tbody tr").first().waitFor();
  await page.getByText("The instant is that of the file.", { exact: false }).waitFor();
  assert.deepEqual(said, []);
  await page.context().close();
});

test("a log of sacct in JSON is opened, and no queue", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const at = 1_704_067_200;
  const jobs = Array.from({ length: 50 }, (_, index) => ({
    account: "phys",
    allocation_nodes: 1,
    job_id: index + 1,
    name: "solve",
    state: { current: ["COMPLETED"], reason: "None" },
    steps: [],
    time: {
      elapsed: 600,
      eligible: at + index * 60,
      end: at + index * 60 + 610,
      limit: { set: true, infinite: false, number: 20 },
      start: at + index * 60 + 10,
      submission: at + index * 60,
    },
    tres: { allocated: [{ type: "cpu", name: "", id: 1, count: 8 }] },
    user: "ann",
  }));
  await drop(page, "log.json", Buffer.from(JSON.stringify({ jobs, meta: {} })));
  await finished(page, "log.json");
  await page.getByText("50 of 1 user").waitFor();
  // The list of cores of a queue's first job can be longer than what tells the two documents apart.
  const queue = JSON.parse(readFileSync(join(root, "tests/queues/wrapped.json"), "utf8"));
  const [{ job_id, ...first }, ...others] = queue.jobs;
  const long = { job_id, job_resources: { cores: Array(20_000).fill("free") }, ...first };
  await drop(
    page,
    "queue.json",
    Buffer.from(JSON.stringify({ ...queue, jobs: [long, ...others] })),
  );
  await page.getByText("queue.json; run times come from the open log.").waitFor();
  assert.deepEqual(said, []);
  await page.context().close();
});

test("a forecast that cannot be made is told", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await page.getByRole("tab", { name: "Forecast" }).click();
  await page.getByLabel("Instant, hours after the begin").fill("1e7");
  await page.getByRole("button", { name: "Forecast", exact: true }).click();
  await page.locator(".banner.bad b").waitFor();
  await page.context().close();
});

test("a log, its slurm.conf and its queue come together", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const queue = (name) => ({
    name,
    mimeType: "application/json",
    buffer: readFileSync(join(root, "tests/queues/wrapped.json")),
  });
  const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([
      queue("first.json"),
      queue("second.json"),
      file("log.swf", trace(100)),
      file("slurm.conf", readFileSync(join(root, "tests/queues/two-nodes.conf"), "utf8")),
    ]);
  await page.getByText("first.json; run times come from the").waitFor();
  await page
    .locator(".banner")
    .getByText("second.json was not taken, because there is one queue, here first.json.")
    .waitFor();
  assert.equal(await page.getByRole("tab", { name: "Forecast", selected: true }).count(), 1);
  await page.getByRole("tab", { name: "Timeline" }).click();
  assert.equal(await page.getByLabel("Model", { exact: true }).inputValue(), "nodes");
  assert.deepEqual(said, []);
});
