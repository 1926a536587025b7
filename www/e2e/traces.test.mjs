// The user's own traces: dropped, chosen, simulated, viewed, saved.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  assert,
  done,
  download,
  drop,
  finished,
  outlasting,
  placed,
  root,
  stage,
  still,
  temporary,
  trace,
} from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

test("a plain and a gzipped trace are dropped and compared, with equal results", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const text = trace(2000);
  await drop(page, "mine.swf", text);
  await finished(page, "mine.swf");
  assert.match(await page.locator(".sentence").textContent(), /On the same 2,000 jobs/);
  assert.match(
    await page.locator(".report summary").textContent(),
    /2,000 read, 0 repaired, 0 skipped/,
  );
  const rows = () => page.locator(".metrics tbody").textContent();
  const plain = await rows();
  await drop(page, "mine.swf.gz", gzipSync(text));
  await finished(page, "mine.swf.gz");
  await page.waitForFunction(
    (plain) => document.querySelector(".metrics tbody").textContent === plain,
    plain,
  );
  assert.deepEqual(said, []);
});

test("a gzipped trace of several members is read like one of one, and what follows the last is refused", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const text = trace(2000);
  await drop(page, "mine.swf", text);
  await finished(page, "mine.swf");
  const rows = () => page.locator(".metrics tbody").textContent();
  const plain = await rows();
  const lines = text.split(/(?<=\n)/);
  // Members end within lines and between them. One is empty, and one holds its text unpacked.
  const members = [
    lines.slice(0, 500).join(""),
    `${lines.slice(500, 900).join("")}${lines[900].slice(0, 5)}`,
    "",
    `${lines[900].slice(5)}${lines.slice(901).join("")}`,
  ];
  const packed = Buffer.concat(
    members.map((member, at) => gzipSync(member, { level: at === 3 ? 0 : 6 })),
  );
  await drop(page, "several.swf.gz", packed);
  await finished(page, "several.swf.gz");
  await page.waitForFunction(
    (plain) => document.querySelector(".metrics tbody").textContent === plain,
    plain,
  );
  for (const junk of [Buffer.from("junk"), Buffer.alloc(9)]) {
    await drop(page, "junk.swf.gz", Buffer.concat([packed, junk]));
    await page
      .locator(".banner.bad", { hasText: "The gzip data of junk.swf.gz is damaged or cut short." })
      .waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
  }
  assert.deepEqual(said, []);
});

test("a machine's size that is a guess is told beside every result until it is confirmed", async () => {
  const { page, context, said } = await s.open();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await done(page, 2);
  assert.equal(await page.locator(".size-note").count(), 0, "the sample says its size");
  const text = trace(300, { processors: 60 });
  await drop(page, "bare.swf", text.replace(/^; MaxProcs.*\n/, ""));
  await finished(page, "bare.swf");
  const note = page.locator(".size-note");
  const guess =
    /The machine's size is a guess: \d+ processors \(the widest job\)\. The header gives neither MaxProcs nor MaxNodes\./;
  assert.match(await note.textContent(), guess);
  assert.match(await page.locator(".metrics").textContent(), guess);
  assert.match(
    await page.locator(".sentence").first().textContent(),
    /after you confirm the machine's size/,
  );
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("The machine's size in it is a guess.").first().waitFor();
  await page.getByRole("tab", { name: "Compare" }).click();
  assert.match(await note.textContent(), guess);
  await page.getByRole("tab", { name: "Timeline" }).click();
  // The paired difference comes after the figures.
  await still(page);
  const jobs = await page.locator(".metrics tbody").textContent();
  // One click keeps the size as a setting.
  const kept = (await note.getByRole("button").textContent()).match(/\d+/)[0];
  await note.getByRole("button", { name: "Keep" }).click();
  await note.waitFor({ state: "detached" });
  await done(page, 2);
  await still(page);
  assert.equal(await page.getByLabel("Machine size").inputValue(), kept);
  assert.match(await page.locator(".sentence").first().textContent(), /On the same 300 jobs/);
  assert.equal(await page.locator(".metrics tbody").textContent(), jobs, "the same runs");
  // Another trace has another guess, and the user can type another size.
  await drop(page, "zero.swf", text.replace(/^; MaxProcs.*\n/, "; MaxProcs: 0\n"));
  await finished(page, "zero.swf");
  assert.match(
    await note.textContent(),
    /The header's MaxProcs is `0`, not a whole number from 1 to 16777216\./,
  );
  await note.getByLabel("Use another size").fill("64");
  await note.getByLabel("Use another size").press("Enter");
  await note.waitFor({ state: "detached" });
  await done(page, 2);
  assert.equal(await page.getByLabel("Machine size").inputValue(), "64");
  assert.deepEqual(said, []);
});

test("after a new trace every picture is the new one, however quickly traces follow each other", async () => {
  const { page } = await s.open();
  await done(page, 2);
  for (const [name, jobs] of [
    ["first.swf", 3000],
    ["second.swf", 40],
    ["third.swf", 2500],
  ])
    await drop(page, name, trace(jobs));
  await finished(page, "third.swf");
  const inks = () =>
    page.locator("canvas.raster").evaluateAll((canvases) =>
      canvases.map((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.reduce(
          (count, value, at) => count + (at % 4 === 0 && value !== data[0] ? 1 : 0),
          0,
        );
      }),
    );
  await still(page);
  for (const ink of await inks()) assert.ok(ink > 1000, `a picture has ${ink} coloured pixels`);
});

test("of traces that come while the part that takes them loads, the last one is open", async () => {
  const { page } = await s.open();
  await done(page, 2);
  let release;
  const isReleased = new Promise((resolve) => (release = resolve));
  await page.route(/part-take-/, async (route) => {
    await isReleased;
    await route.continue();
  });
  // A browser may end several imports of one part in any order.
  const names = Array.from({ length: 12 }, (_, at) => `trace${at}.swf`);
  for (const name of names) await drop(page, name, trace(40));
  release();
  await finished(page, names.at(-1));
});

test("a trace whose begin is read slowly does not take the place of one that came later", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page.evaluate(() => {
    const { slice } = File.prototype;
    const isRead = new Promise((resolve) => {
      globalThis.letRead = resolve;
    });
    File.prototype.slice = function (...bounds) {
      const part = slice.apply(this, bounds);
      if (this.name === "slow.json")
        part.text = () => isRead.then(() => '{"jobs": [{"job_id": 1}]}');
      return part;
    };
  });
  await drop(page, "slow.json", trace(300));
  await drop(page, "quick.swf", trace(40));
  await finished(page, "quick.swf");
  await page.evaluate(() => globalThis.letRead());
  await still(page);
  await finished(page, "quick.swf");
  assert.deepEqual(said, []);
});

test("a file is chosen with the button, and the sample comes back", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await page.setInputFiles("input[type=file]", temporary("chosen.swf", trace(300)));
  await finished(page, "chosen.swf");
  await page.getByRole("button", { name: "Back to the sample" }).click();
  await finished(page, "Sample");
});

test("progress is shown and true, the picture grows, and cancel answers within 250 ms", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await outlasting(page);
  // In an overload the queue grows without end, and so does the time of a decision.
  await page.setInputFiles("input[type=file]", temporary("long.swf", trace(200_000, { gap: 20 })));
  const bar = page.getByRole("progressbar", { name: /Run B: running/ });
  await bar.waitFor();
  await page.waitForFunction(
    () =>
      Number(
        document
          .querySelector('[role=progressbar][aria-label*="running"]')
          ?.getAttribute("aria-valuenow"),
      ) > 0,
  );
  const picture = () =>
    page
      .locator("canvas.raster")
      .nth(1)
      .evaluate((canvas) => canvas.toDataURL());
  const before = await picture();
  await page.waitForFunction(
    (before) => document.querySelectorAll("canvas.raster")[1].toDataURL() !== before,
    before,
  );
  const text = await page.locator(".status.running .status-text").first().textContent();
  assert.match(text, /[\d,]+ of 200,000 jobs, [\d,]+ jobs\/s, .* left/);
  const took = await page.evaluate(async () => {
    const button = document.querySelector('button[aria-label="Cancel run B"]');
    const began = performance.now();
    button.click();
    while (!document.querySelector(".status.cancelled"))
      await new Promise((resolve) => setTimeout(resolve, 1));
    return performance.now() - began;
  });
  // The page waits 200 ms for the worker's answer. On a busy computer the page itself may be late.
  assert.ok(took < 1500, `cancel took ${took} ms`);
  assert.match(await page.locator(".status.cancelled").first().textContent(), /cancelled/);
  assert.deepEqual(said, []);
});

test("a job is inspected in every run", async () => {
  const { page } = await s.open();
  await drop(page, "mine.swf", trace(2000));
  await finished(page, "mine.swf");
  await page.getByLabel("Job number").fill("1500");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.locator('.job[data-job="1500"]').waitFor();
  const facts = await page.locator(".job-runs").textContent();
  assert.match(facts, /Wait.*Start.*1996-09-.*End.*Bounded slowdown.*Processors/);
  await page.getByRole("button", { name: "Zoom to job" }).click();
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await page.getByLabel("Job number").fill("99999");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByText("Job 99999 is not in these runs.").waitFor();
});

test("a click selects the job under the pointer, drag pans, the wheel zooms, keys work", async () => {
  const { page } = await s.open();
  await drop(page, "mine.swf", trace(2000));
  await finished(page, "mine.swf");
  const canvas = page.locator("canvas.overlay").first();
  const box = await placed(page, canvas);
  await page.mouse.click(box.x + box.width * 0.4, box.y + 8);
  await page.locator(".job").waitFor();
  assert.match(await page.locator(".hover").textContent(), /processor \d+: job \d+, user \d+/);
  const shown = () =>
    page
      .locator(".minimap-window")
      .evaluate((element) => [element.offsetLeft, element.offsetWidth]);
  const [, whole] = await shown();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -400);
  await page.keyboard.up("Control");
  await page.waitForFunction(
    (whole) => document.querySelector(".minimap-window").offsetWidth < whole * 0.6,
    whole,
  );
  const [left] = await shown();
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.2, box.y + 20, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(
    (left) => document.querySelector(".minimap-window").offsetLeft > left,
    left,
  );
  await canvas.focus();
  await page.keyboard.press("0");
  await page.waitForFunction(
    (whole) => document.querySelector(".minimap-window").offsetWidth === whole,
    whole,
  );
  await page.keyboard.press("w");
  await page.waitForFunction(
    (whole) => document.querySelector(".minimap-window").offsetWidth < whole,
    whole,
  );
  await page.keyboard.press("Backspace");
  await page.waitForFunction(
    (whole) => document.querySelector(".minimap-window").offsetWidth === whole,
    whole,
  );
  await page.keyboard.press("c");
  await page.locator(".legend", { hasText: "Job: each has" }).waitFor();
  await page.keyboard.press("c");
  await page.locator(".legend", { hasText: "Processors" }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() =>
    /processor/.test(document.querySelector("[aria-live=polite]").textContent),
  );
});

test("downloads hold what the page shows", async () => {
  const { page } = await s.open();
  await drop(page, "mine.swf", trace(500));
  await finished(page, "mine.swf");
  const csv = await download(page, () =>
    page.getByRole("button", { name: "Jobs of run B as CSV" }).click(),
  );
  assert.equal(csv.name, "mine-easy_jobs.csv");
  const rows = csv.bytes
    .toString()
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  assert.equal(rows.length, 501);
  const at = rows[0].indexOf("waiting_time");
  const mean = rows.slice(1).reduce((sum, row) => sum + Number(row[at]), 0) / 500;
  const summary = await download(page, () =>
    page.getByRole("button", { name: "Summary of run B as JSON" }).click(),
  );
  const { metrics, policy, trace: named } = JSON.parse(summary.bytes);
  assert.equal(policy.id, "easy");
  assert.equal(named.name, "mine.swf");
  assert.ok(Math.abs(metrics.wait.mean - mean) < 1e-6);
  const swf = await download(page, () =>
    page.getByRole("button", { name: "Schedule of run A as SWF" }).click(),
  );
  const jobs = swf.bytes
    .toString()
    .split("\n")
    .filter((line) => line && !line.startsWith(";"));
  assert.equal(jobs.length, 500);
  assert.ok(jobs.every((line) => line.trim().split(/\s+/).length === 18));
  const png = await download(page, () =>
    page.getByRole("button", { name: "Timeline of run A as PNG" }).click(),
  );
  assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
});

test("runs that leave out different jobs are not compared by place", async () => {
  const { page } = await s.open();
  await done(page, 2);
  const second = page.locator(".lane-form").nth(1);
  await second.getByText("Parameters").click();
  await second.getByLabel("Preset").selectOption("predictsim");
  const line = (job, submit, run) =>
    `${job} ${submit} -1 ${run} 2 -1 -1 2 50 -1 1 1 1 1 1 1 -1 -1\n`;
  await drop(
    page,
    "four.swf",
    `; MaxProcs: 2\n${line(1, 0, 5)}${line(2, 1, 0)}${line(3, 2, 7)}${line(4, 3, 9)}`,
  );
  await finished(page, "four.swf");
  assert.match(await page.locator(".sentence").textContent(), /On 4 and 3 jobs of the trace/);
  await page.getByLabel("Job number").fill("3");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.locator('.job[data-job="3"]').waitFor();
  const starts = await page.locator(".job-runs tbody tr").nth(1).locator("td").allTextContents();
  assert.deepEqual(starts, ["day 1, 00:00:05", "day 1, 00:00:05"]);
  assert.equal(await page.locator(".metrics .paired").nth(1).textContent(), "–");
});

test("the jobs as a table, a page at a time", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await page.getByText("Jobs as a table, run A").click();
  await page.locator(".job-table tbody tr").nth(24).waitFor();
  await page.getByRole("button", { name: "Later", exact: true }).click();
  await page.getByText("26 to 50 of 1,500").waitFor();
  await page.locator(".job-table tbody button", { hasText: "30" }).click();
  await page.locator('.job[data-job="30"]').waitFor();
});

test("a real log gives its published figures in the browser too", async (t) => {
  const path = join(
    process.env.SCHEDSCOPE_TRACES ?? join(root, "../shared/traces"),
    "KTH-SP2-1996-2.swf.gz",
  );
  if (!existsSync(path)) return t.skip("the traces folder is absent");
  const { page } = await s.open();
  await done(page, 2);
  const second = page.locator(".lane-form").nth(1);
  await second.getByText("Parameters").click();
  await second.getByLabel("Preset").selectOption("predictsim");
  await page.setInputFiles("input[type=file]", path);
  await finished(page, "KTH-SP2-1996-2.swf.gz");
  const { bytes } = await download(page, () =>
    page.getByRole("button", { name: "Summary of run B as JSON" }).click(),
  );
  const summary = JSON.parse(bytes);
  assert.equal(summary.metrics.wait.mean.toFixed(3), "6836.872");
  assert.equal(summary.metrics.bounded_slowdown.mean.toFixed(4), "92.5765");
});
