// Tables of jobs: the guess about their columns, its correction by keyboard, and its memory.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assert, done, drop, finished, root, stage, still } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const KNOWN = `job,user,submit,start,end,cores,walltime_minutes
1,ann,2024-05-06 08:00:00,2024-05-06 08:00:10,2024-05-06 09:00:10,4,120
2,bob,2024-05-06 08:01:00,2024-05-06 08:01:10,2024-05-06 08:31:10,2,60
3,ann,2024-05-06 08:02:00,2024-05-06 09:00:10,2024-05-06 09:10:10,8,30
`;

const STRANGE = `who,asked,at,until
ann,4,1600000000,1600003600
bob,8,1600000060,1600000660
`;

const DEMANDS = `job,cpu,network,disk,memory
1,0.8,0.1,0.1,0.3
2,0.1,0.1,0.8,0.3
3,0.8,0.1,0.1,0.3
`;

const queues = (name) => readFileSync(join(root, "tests/queues", name));

const dialog = (page) => page.getByRole("dialog");

test("a table shows its columns first, and is remembered by its header", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "jobs.csv", KNOWN);
  const box = dialog(page);
  await box.getByRole("heading", { name: "Columns of jobs.csv" }).waitFor();
  assert.equal(await box.locator("tbody tr").count(), 3);
  assert.equal(await box.getByLabel("Use of column submit").inputValue(), "submit");
  assert.equal(await box.getByLabel("Unit of column walltime_minutes").inputValue(), "minutes");
  assert.match(await box.getByRole("status").textContent(), /These columns tell a job/);
  // The keyboard alone: the first choice has the focus or is reached, and Enter accepts.
  await box.getByLabel("Zone of times without one").selectOption({ label: "UTC+02:00" });
  await box.getByRole("button", { name: "Open table" }).press("Enter");
  await finished(page, "jobs.csv");
  await page.getByText(/Import report: 3 read/).click();
  await page.getByText("read in the given zone").waitFor();
  await page.getByText("Time limit, given; minutes, given").waitFor();
  // The next table with this header opens at once.
  await drop(page, "more.csv", KNOWN.replace("bob", "eve"));
  await finished(page, "more.csv");
  assert.equal(await dialog(page).count(), 0);
  await page.getByText("You chose these columns for an earlier table").waitFor();
  // The link has the columns.
  await still(page);
  await page.waitForFunction(() => location.hash.length > 10);
  assert.deepEqual(said, []);
});

for (const [name, content, taken] of [
  ["two.conf", queues("two-nodes.conf"), (page) => page.getByLabel("Cluster", { exact: true })],
  [
    "queue.json",
    queues("wrapped.json"),
    (page) => page.getByText("queue.json; run times come from the"),
  ],
  [
    "demands.csv",
    DEMANDS,
    (page) => page.getByText("demands of 3 of 3 jobs from demands.csv").first(),
  ],
])
  test(`a file that belongs to a table waits until it is open: ${name}`, async () => {
    const { page, said } = await s.open();
    await done(page, 2);
    const box = dialog(page);
    await drop(page, "jobs.csv", KNOWN);
    await box.getByRole("heading", { name: "Columns of jobs.csv" }).waitFor();
    await drop(page, name, content);
    await page
      .locator(".banner", { hasText: `${name} is taken as soon as jobs.csv is open.` })
      .waitFor();
    await box.getByRole("button", { name: "Open table" }).click();
    await finished(page, "jobs.csv");
    await taken(page).waitFor({ state: "attached" });
    assert.equal(await page.locator(".banner").count(), 0);
    assert.deepEqual(said, []);
  });

test("a file that waits for a table is not taken for the log before, and says so", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "jobs.csv", KNOWN);
  await dialog(page).getByRole("heading", { name: "Columns of jobs.csv" }).waitFor();
  await drop(page, "two.conf", queues("two-nodes.conf"));
  await drop(page, "queue.json", queues("wrapped.json"));
  await page.getByText("queue.json is taken as soon as jobs.csv is open.").first().waitFor();
  await page.keyboard.press("Escape");
  await page
    .locator(".banner")
    .getByText(
      "two.conf was not taken, because jobs.csv was not opened. queue.json was not taken, because jobs.csv was not opened.",
    )
    .waitFor();
  await still(page);
  assert.equal(
    await page
      .locator(".banner")
      .getByText(/as soon as/)
      .count(),
    0,
  );
  // So do files that come together.
  await drop(page, "jobs.csv", KNOWN);
  await dialog(page).getByRole("heading", { name: "Columns of jobs.csv" }).waitFor();
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles(
      [
        ["two.conf", queues("two-nodes.conf")],
        ["accounts.txt", "Cluster - 'c'\nParent - 'root'\nAccount - 'one'\n"],
        ["queue.json", queues("wrapped.json")],
      ].map(([name, text]) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })),
    );
  const three = "two.conf, accounts.txt and queue.json";
  await page.getByText(`${three} are taken as soon as jobs.csv is open.`).first().waitFor();
  await page.keyboard.press("Escape");
  await page
    .locator(".banner")
    .getByText(`${three} were not taken, because jobs.csv was not opened.`, { exact: true })
    .waitFor();
  await still(page);
  assert.equal(await page.getByLabel("Model", { exact: true }).inputValue(), "flat");
  assert.equal(await page.getByRole("tab", { name: "Timeline", selected: true }).count(), 1);
  assert.deepEqual(said, []);
});

test("a strange table is mapped with the keyboard", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "strange.csv", STRANGE);
  const box = dialog(page);
  await box.waitFor();
  assert.match(await box.getByRole("status").textContent(), /no column that is known to hold/);
  assert.equal(await box.getByRole("button", { name: "Open table" }).isDisabled(), true);
  const choose = async (column, letters) => {
    const choice = box.getByLabel(`Use of column ${column}`);
    await choice.focus();
    await page.keyboard.type(letters);
    await page.keyboard.press("Tab");
  };
  await choose("asked", "Processors");
  await box.getByText("Processors, given").waitFor();
  await choose("at", "Submission");
  await box.getByText("Submission, given; seconds since 1970").waitFor();
  await choose("until", "End");
  await box.getByText("End, given; seconds since 1970").waitFor();
  // A column that has another use gives up the one it had.
  await choose("at", "Start");
  await box.getByText("These columns tell a job.").waitFor();
  assert.equal(await box.getByLabel("Use of column at").inputValue(), "start");
  await box.getByLabel("Use of column until").press("Enter");
  if (await box.count()) await box.getByRole("button", { name: "Open table" }).press("Enter");
  await finished(page, "strange.csv");
  // The columns can be changed afterwards, and the file is read again.
  await page.getByText(/Import report: 2 read/).click();
  await page.getByRole("button", { name: "Change columns…" }).press("Enter");
  await box.getByLabel("Use of column who").selectOption({ label: "User" });
  await box.getByText("User, given").waitFor();
  await box.getByRole("button", { name: "Read again" }).press("Enter");
  await finished(page, "strange.csv");
  await page.locator(".facts").getByText("2 of 2 users").waitFor();
  assert.deepEqual(said, []);
});

test("Escape keeps the page as it was", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "strange.csv", STRANGE);
  await dialog(page).waitFor();
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "detached" });
  await page.locator(".chip", { hasText: "Sample" }).waitFor();
  assert.deepEqual(said, []);
});

test("the zone of times without one is asked once", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const log = `JobIDRaw|Submit|Start|End|AllocCPUS|State
1|2024-01-10T12:00:00|2024-01-10T12:00:00|2024-01-10T13:00:00|1|COMPLETED
2|2024-03-31T02:30:00|2024-03-31T03:30:00|2024-03-31T04:30:00|1|COMPLETED
3|2024-10-27T02:30:00|2024-10-27T03:30:00|2024-10-27T04:30:00|1|COMPLETED
`;
  await drop(page, "cluster.sacct", log);
  await finished(page, "cluster.sacct");
  const asked = page.getByLabel("The log’s times tell no zone, and count as UTC");
  await asked.selectOption("Europe/Berlin");
  const known = page.getByLabel("Zone of the log’s times");
  await known.waitFor();
  await finished(page, "cluster.sacct");
  assert.equal(await known.inputValue(), "Europe/Berlin");
  await page.getByText(/Import report: 3 read/).click();
  await page.getByText("3 note: times without a zone: read in the given zone").waitFor();
  await page.getByText("1 note: times that clocks showed twice").waitFor();
  await page.getByText("1 note: times that clocks never showed").waitFor();
  await still(page);
  await page.waitForFunction(() => location.hash.length > 10);
  // The next log is read in that zone at once, and one whose times have a zone has no question.
  await drop(page, "again.sacct", log.replace("COMPLETED", "FAILED"));
  await finished(page, "again.sacct");
  assert.equal(await known.inputValue(), "Europe/Berlin");
  assert.equal(await asked.count(), 0);
  await drop(page, "jobs.csv", KNOWN);
  const inTable = dialog(page).getByLabel("Zone of times without one");
  await inTable.waitFor();
  assert.equal(await inTable.inputValue(), "Europe/Berlin");
  await page.keyboard.press("Escape");
  await drop(page, "zoned.sacct", log.replaceAll(/(T\d\d:\d\d:\d\d)/g, "$1Z"));
  await finished(page, "zoned.sacct");
  assert.equal((await known.count()) + (await asked.count()), 0);
  assert.deepEqual(said, []);
});
