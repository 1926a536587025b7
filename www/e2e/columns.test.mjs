// Names and further columns of a log on the page: filters, colours, inspector, jobs, classes; and
// partitions, one by itself or each beside the others.
import { after, before, test } from "node:test";
import { assert, done, drop, findings, stage, still } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

/** A log of sacct with two partitions, three accounts and GPUs. */
const LOG = [
  "JobID|User|Group|Account|Partition|QOS|State|Submit|Eligible|Start|End|TimelimitRaw|AllocCPUS|AllocTRES|NodeList",
  ...Array.from({ length: 60 }, (_, job) => {
    const at = 1_700_000_000 + 60 * job;
    const isGpu = job % 3 === 0;
    const [partition, cpus, tres] = isGpu
      ? ["gpu", 8, `cpu=8,gres/gpu=${1 + (job % 4)}`]
      : ["batch", 4, "cpu=4"];
    const account = ["physics", "big project", "bio"][job % 5 === 0 ? 2 : job % 2];
    const state = job % 7 === 0 ? "TIMEOUT" : "COMPLETED";
    const user = ["ann", "bob", "eve"][job % 3];
    return `${job + 1}|${user}|staff|${account}|${partition}|normal|${state}|${at}|${at}|${at}|${at + 600}|20|${cpus}|${tres}|n[${job}-${job + 3}]`;
  }),
].join("\n");

async function opened(options) {
  const found = await s.open(options);
  const { page } = found;
  await done(page, 2);
  await drop(page, "cluster.txt", `${LOG}\n`);
  await page.locator(".chip", { hasText: "cluster.txt" }).waitFor();
  await done(page, 2);
  await still(page);
  return found;
}

async function filter(page, text) {
  await page.keyboard.press("/");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

test("names and columns are in filters, colours, the inspector and the list of jobs", async () => {
  const { page, said } = await opened();
  const bar = page.locator(".filter-bar");
  await filter(page, "account = physics user:ann gpus > 0");
  await bar.getByText(/\d+ of 60 jobs/).waitFor();
  await filter(page, "acount:x");
  await bar.getByText("Did you mean `account`?").waitFor();
  await bar.getByRole("button", { name: "Clear the filter" }).click();
  // The search field completes columns and words, by keyboard.
  await page.keyboard.press("/");
  await page.keyboard.type("acc");
  await page.getByRole("option", { name: "Filter account:" }).waitFor();
  // The command that colours by accounts comes first.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const field = page.getByRole("combobox", { name: "Search jobs, users, commands" });
  assert.equal(await field.inputValue(), "account:");
  await page.getByRole("option", { name: 'Filter account:"big project"' }).waitFor();
  await page.keyboard.type("phys");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal(await field.inputValue(), "account:physics");
  await page.keyboard.press("Enter");
  await bar.getByText(/\d+ of 60 jobs/).waitFor();
  await findings(page, "a completed filter");
  await bar.getByRole("button", { name: "Clear the filter" }).click();
  // Colours, with a legend of names.
  const legend = page.locator(".legend");
  await page.getByLabel("Colour by").selectOption("attribute:account");
  await legend.getByText("big project").waitFor();
  await page.getByLabel("Colour by").selectOption("attribute:gpus");
  await legend.getByText("unknown").waitFor();
  assert.match(await page.evaluate(() => location.hash), /./);
  await page.getByLabel("Colour by").selectOption("user");
  await legend.getByText("ann", { exact: true }).waitFor();
  // The inspector.
  await page.getByLabel("Job number").fill("7");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  const facts = page.locator(".job .facts");
  await facts.getByText("ann (1)").waitFor();
  for (const text of ["gpu (1)", "n[6-9]", "normal"]) await facts.getByText(text).waitFor();
  // The list of jobs.
  await page.getByText("Jobs as a table").click();
  await page.locator(".job-table").getByRole("columnheader", { name: "Account" }).waitFor();
  await page.locator(".job-table").getByRole("cell", { name: "big project" }).first().waitFor();
  await findings(page, "further columns");
  assert.deepEqual(said, []);
});

test("classes of accounts in Compare, and names of users in Workload", async () => {
  const { page, said } = await opened();
  await page.getByRole("tab", { name: "Compare" }).click();
  await page.getByLabel("Classes").selectOption("account");
  await page.getByText("Winners and losers by account").first().waitFor();
  await page.getByRole("tab", { name: "Workload" }).click();
  await page.getByRole("rowheader", { name: "ann" }).waitFor();
  assert.deepEqual(said, []);
});

test("one partition by itself, and each beside the others", async () => {
  const { page, said } = await opened();
  const choice = page.getByLabel("Partition", { exact: true });
  const options = await choice.locator("option").allTextContents();
  assert.deepEqual(options, [
    "All partitions",
    "gpu: 20 jobs, widest 8",
    "batch: 40 jobs, widest 4",
  ]);
  await choice.selectOption("gpu");
  await page.locator(".size-note", { hasText: "partition gpu" }).waitFor();
  await done(page, 2);
  await page.locator(".experiment .facts", { hasText: "20 of 1 users" }).waitFor();
  await findings(page, "a partition");
  await choice.selectOption("");
  await done(page, 2);
  await page.getByRole("button", { name: "Run each partition" }).click();
  await page.locator(".partition-note", { hasText: "Only partition batch" }).waitFor();
  await done(page, 2);
  await still(page);
  const notes = await page.locator(".partition-note").allTextContents();
  assert.deepEqual(notes, ["Only partition gpu", "Only partition batch"]);
  await findings(page, "each partition");
  assert.deepEqual(said, []);
});
