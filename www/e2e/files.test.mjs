// Files and copies: pictures with captions, tables, traces, reports.
import { after, before, test } from "node:test";
import { assert, done, download, findings, stage, temporary } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

test("a timeline as SVG has runs, strips, axis, legend and caption; as PNG it is a picture", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page.getByRole("button", { name: "Zoom in (W)" }).click();
  await page.getByRole("button", { name: "Zoom in (W)" }).click();
  const svg = (
    await download(page, () =>
      page.getByRole("button", { name: "Timeline of run B as SVG" }).click(),
    )
  ).bytes.toString();
  assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  for (const part of [
    /Timeline B easy/,
    /<image href="data:image\/png;base64,/,
    /Utilisation, 0 to 100 %/,
    /Queue length, 0 to [\d,]+ jobs/,
    /Waiting work/,
    /User, the ten with most work/,
    /sha256 [0-9a-f]{12}/,
    /schedule [0-9a-f]{16}/,
    /runs in B, waits in A/,
  ])
    assert.match(svg, part);
  assert.ok((svg.match(/<rect x/g) ?? []).length > 50, "outlines of jobs");
  assert.ok(!/<script|href="http/.test(svg));
  // The SVG is well-formed. A page without the policy parses it, because ours makes no markup from
  // text.
  const bare = await s.browser.newPage();
  assert.equal(
    await bare.evaluate(
      (svg) =>
        new DOMParser().parseFromString(svg, "image/svg+xml").querySelector("parsererror")
          ?.textContent,
      svg,
    ),
    undefined,
  );
  const png = await download(page, () =>
    page.getByRole("button", { name: "Timeline of run A as PNG" }).click(),
  );
  assert.match(png.name, /^timeline-a-fcfs\.png$/);
  assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(png.bytes.readUInt32BE(16) > 2000, "twice as fine as it is shown");
  assert.deepEqual(said, []);
});

test("a run as a Chrome trace", async () => {
  const { page } = await s.open();
  await done(page, 2);
  const { name, bytes } = await download(page, () =>
    page.getByRole("button", { name: "Run B as a Chrome trace" }).click(),
  );
  assert.match(name, /\.trace\.json$/);
  const { traceEvents } = JSON.parse(bytes.toString());
  const jobs = new Set(traceEvents.filter(({ ph }) => ph === "X").map(({ args }) => args.job));
  assert.equal(jobs.size, 1500);
  assert.ok(traceEvents.every(({ ph, pid }) => ["X", "M", "C"].includes(ph) && pid > 0));
});

test("every table as CSV, Markdown and LaTeX; with Shift as a file", async () => {
  const { page, context } = await s.open();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await done(page, 2);
  await page.getByLabel("Job number").fill("700");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  const box = page.locator(".tabled", {
    has: page.getByRole("region", { name: "The job in every run" }),
  });
  await box.waitFor();
  await box.getByRole("button", { name: "Copy LaTeX" }).click();
  await box.getByText("Copied as LaTeX.").waitFor();
  assert.match(
    await page.evaluate(() => navigator.clipboard.readText()),
    /\\begin\{tabular\}\{lrr\}[^]*Wait \(s\) & [^]*\\end\{tabular\}/,
  );
  const saved = await download(page, () =>
    box.getByRole("button", { name: "Copy CSV" }).click({ modifiers: ["Shift"] }),
  );
  assert.match(saved.name, /\.csv$/);
  assert.match(saved.bytes.toString(), /^Fact,A,B\nWait \(s\),\d/);
});

test("a report is one file that needs nothing else", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const { name, bytes } = await download(page, () =>
    page.getByRole("button", { name: "Report" }).click(),
  );
  assert.match(name, /^report-.*\.html$/);
  const html = bytes.toString();
  assert.ok(!/<script|<link|src=/.test(html));
  const context = await s.browser.newContext({ offline: true, javaScriptEnabled: false });
  const other = await context.newPage();
  const path = temporary(name, html);
  await other.goto(`file://${path}`);
  assert.match(await other.locator("h1").textContent(), /Sample: 1,500 generated jobs/);
  assert.match(
    await other.locator("p").first().textContent(),
    /On the same 1,500 jobs, the mean wait is .* under FCFS and .* under EASY/,
  );
  const figures = other.locator("table").first();
  assert.deepEqual(await figures.locator("th").allTextContents(), ["", "A", "B"]);
  assert.match(
    await figures.locator("tbody tr").first().textContent(),
    /^Wait, mean \(s\)[\d,.]+$/,
  );
  // The changes, the winners and losers, and the basis of the figures.
  assert.equal(
    await other.locator("h2 + pre").first().textContent(),
    "- policy=fcfs\n+ policy=easy",
  );
  assert.match(
    await other.locator("p", { hasText: "Under B a job waits" }).textContent(),
    /less on average than under A \(± .*\)\. Of 1,500 jobs, .* % wait less/,
  );
  const groups = await other.locator("h4").allTextContents();
  assert.deepEqual(groups.slice(-3), ["By size", "By run time", "By user"]);
  assert.match(await other.locator("body").textContent(), /Read from the log: 1,500 records/);
  assert.ok((await other.locator("body > svg").boundingBox()).height > 500);
  assert.match(await other.locator("pre").nth(2).textContent(), /"policy": "easy"/);
  await context.close();
  assert.deepEqual(said, []);
});

test("Export in the top bar saves timelines, figures, runs and the trace from one menu", async () => {
  const { page, said } = await s.open({ atRest: true });
  await done(page, 2);
  await page.getByRole("button", { name: "Export" }).click();
  const menu = page.getByRole("group", { name: "Export" });
  await menu.getByRole("button", { name: "Timelines as SVG" }).waitFor();
  await findings(page, "export");
  const saved = (name) => download(page, () => menu.getByRole("button", { name }).click());
  const svg = await saved("Timelines as SVG");
  assert.equal(svg.name, "timelines.svg");
  for (const part of [/A FCFS: rows/, /B EASY: rows/]) assert.match(String(svg.bytes), part);
  for (const [name, file, begin] of [
    ["Figures as CSV", "metrics.csv", /^run,policy,wait\.mean,/],
    ["Figures as Markdown", "metrics.md", /^\| run \| policy \| wait\.mean \|/],
    ["Figures as LaTeX", "metrics.tex", /^\\begin\{tabular\}/],
  ]) {
    const table = await saved(name);
    assert.equal(table.name, file);
    assert.match(String(table.bytes), begin);
  }
  assert.match((await saved("Jobs of run B as CSV")).name, /easy_jobs\.csv$/);
  assert.match((await saved("Report")).name, /^report-.*\.html$/);
  await menu.getByText("Save the trace as…").click();
  assert.match((await saved("Save the file")).name, /\.swf$/);
  // Another view has its charts there.
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Workload" }).click();
  await page.locator(".chart svg").first().waitFor();
  await page.getByRole("button", { name: "Export" }).click();
  const chart = menu.getByRole("button", { name: /as SVG file$/ }).first();
  assert.match(String((await download(page, () => chart.click())).bytes), /^<svg /);
  assert.equal(await menu.getByRole("button", { name: "Timelines as SVG" }).count(), 0);
  assert.deepEqual(said, []);
});

test("a plan's report has its charts, points and plan", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page.getByRole("tab", { name: "Sweep" }).click();
  await page.getByRole("button", { name: /^Run/ }).first().click();
  await page.locator(".chart svg").first().waitFor();
  await page.getByRole("button", { name: "Report" }).waitFor();
  await page.waitForFunction(
    () => document.querySelectorAll("[aria-label='Results table'] tbody tr").length === 18,
  );
  const html = (
    await download(page, () => page.getByRole("button", { name: "Report" }).click())
  ).bytes.toString();
  assert.match(html, /<h1>Schedscope: Backfilling against load<\/h1>/);
  assert.ok(/<svg/.test(html) && !/<script/.test(html));
  assert.match(html, /&quot;schedscope_plan&quot;: 1/);
  assert.deepEqual(said, []);
});
