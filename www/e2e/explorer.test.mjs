// Exploration of timelines: filters, areas, the ruler, differences, play, commands.
import { after, before, test } from "node:test";
import {
  assert,
  done,
  download,
  findings,
  frames,
  placed,
  stage,
  still,
  until,
} from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const jobs = (text) => Number(text.match(/([\d,]+) of 1,500 jobs/)[1].replaceAll(",", ""));
const pixels = (page) => page.evaluate(() => document.querySelector("canvas.raster").toDataURL());

async function filter(page, text) {
  await page.keyboard.press("/");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

/** Drags over the first timeline, between shares of its size. */
async function drag(page, selector, [x1, y1], [x2, y2], key) {
  const box = await placed(page, page.locator(selector).first());
  if (key) await page.keyboard.down(key);
  await page.mouse.move(box.x + box.width * x1, box.y + box.height * y1);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * x2, box.y + box.height * y2, { steps: 5 });
  await page.mouse.up();
  if (key) await page.keyboard.up(key);
}

test("a filter dims the others, counts, and lists; a wrong one is told", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await still(page);
  const plain = await pixels(page);
  await filter(page, "size>16");
  const bar = page.locator(".filter-bar");
  await bar.filter({ hasText: "of 1,500 jobs" }).waitFor();
  const some = jobs(await bar.textContent());
  assert.ok(some > 0 && some < 1500);
  await until(
    () => pixels(page),
    (now) => now !== plain,
  );
  await filter(page, "-size>16");
  await page.waitForFunction(
    (some) =>
      !document
        .querySelector(".filter-bar")
        .textContent.includes(`: ${some.toLocaleString("en")} of`),
    some,
  );
  assert.equal(jobs(await bar.textContent()) + some, 1500);
  // The table lists the jobs that pass, the longest wait first.
  await page.getByText("Jobs as a table").click();
  await page.locator(".job-table select").nth(1).selectOption("wait");
  await page.waitForFunction(() => document.querySelectorAll(".job-table tbody tr").length > 0);
  const sizes = await page.locator(".job-table tbody tr td:nth-child(3)").allTextContents();
  assert.ok(
    sizes.every((size) => Number(size) <= 16),
    `${sizes}`,
  );
  await filter(page, "wate>1h");
  await bar.getByText("`wate>1h` is not a valid test: unknown field.").waitFor();
  await findings(page, "a filter that is not understood");
  await bar.getByRole("button", { name: "Clear the filter" }).click();
  await until(
    () => pixels(page),
    (now) => now === plain,
  );
  assert.deepEqual(said, []);
});

test("an area has statistics in every run; the ruler measures; both can be let go", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drag(page, "canvas.overlay", [0.4, 0.2], [0.6, 0.7], "Shift");
  await page.locator(".area-table").nth(1).waitFor();
  assert.match(
    await page.locator(".area-table caption").first().textContent(),
    /A: [\d,]+ jobs, [\d.]+ % of the area/,
  );
  assert.match(await page.locator("i.ruler").textContent(), /d|h/);
  await findings(page, "an area");
  // The whole area holds all jobs, and its utilisation equals the metric.
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Select", exact: true }).click();
  await drag(page, "canvas.overlay", [0.0001, 0.0001], [1.01, 1.01]);

  await page.waitForFunction(() =>
    /A: 1,(499|500) jobs/.test(document.querySelector(".area-table caption")?.textContent ?? ""),
  );
  // A run that is busy tells the new area later; until then its table is that of the old one.
  const mean = await page
    .locator("[aria-busy=false] .area-table[data-run=B] tbody tr")
    .first()
    .locator("td")
    .first()
    .textContent();
  assert.match(await page.locator(".sentence").textContent(), new RegExp(`and ${mean} under EASY`));
  await page.getByRole("button", { name: "Clear selection" }).first().click();
  assert.equal(await page.locator(".area").count(), 0);
  await drag(page, ".time-axis", [0.2, 0.5], [0.5, 0.5]);
  await page.locator(".area").waitFor();
  assert.match(await page.locator(".area dl").textContent(), /processors 0 to 127/);
  assert.deepEqual(said, []);
});

test("an area by keyboard", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await page.locator("canvas.overlay").first().focus();
  await page.keyboard.press("ArrowRight");
  for (let presses = 0; presses < 5; presses += 1) await page.keyboard.press("Shift+ArrowRight");
  for (let presses = 0; presses < 5; presses += 1) await page.keyboard.press("Shift+ArrowDown");
  await page.locator(".area-table").first().waitFor();
  await page.waitForFunction(() =>
    /of processors \d+ to \d+/.test(document.querySelector("[aria-live=polite]").textContent),
  );
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".area").count(), 0);
});

test("who runs in one run while it waits in the other", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page.locator(".versus canvas").waitFor();
  await still(page);
  /** Counts blue and orange pixels of the band. */
  const [less, more] = await page.locator(".versus canvas").evaluate((canvas) => {
    const copy = Object.assign(document.createElement("canvas"), {
      width: canvas.width,
      height: canvas.height,
    });
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const near = ([red, , blue]) =>
      Array.from({ length: data.length / 4 }, (_, at) => 4 * at).filter(
        (at) =>
          data[at + 3] > 200 && Math.abs(data[at] - red) < 30 && Math.abs(data[at + 2] - blue) < 30,
      ).length;
    return [near([0x1b, 0x62, 0xb5]), near([0xe0, 0x66, 0x00])];
  });
  assert.ok(less > 500 && less > 2 * more, `EASY runs much that FCFS lets wait: ${less}, ${more}`);
  await page.getByLabel("Colour by").selectOption("difference");
  await page.getByText("Wait compared with the other run").waitFor();
  await page.getByRole("button", { name: "Strips" }).click();
  await page.getByLabel("Difference").uncheck();
  assert.equal(await page.locator(".versus").count(), 0);
  assert.deepEqual(said, []);
});

test("the timeline plays, and stands still when asked", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await page.getByRole("button", { name: "Zoom in (W)" }).click();
  const values = () => page.locator(".strip-values").first().textContent();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  const first = await until(values, (now) => /A [\d.]+ %/.test(now));
  await until(values, (now) => now !== first);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await still(page);
  const last = await values();
  assert.match(last, /A [\d.]+ %/);
  await frames(page, 30);
  assert.equal(await values(), last);
});

test("commands by name", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("colour by size");
  await page.getByRole("option", { name: /Colour by size/ }).waitFor();
  await findings(page, "commands");
  await page.keyboard.press("Enter");
  assert.equal(await page.getByLabel("Colour by").inputValue(), "size");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("go to workload");
  await page.keyboard.press("Enter");
  assert.equal(
    await page.getByRole("tab", { name: "Workload" }).getAttribute("aria-selected"),
    "true",
  );
  // Late frames must not take the focus from a field with new text.
  await page.evaluate(() => {
    const soon = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (frame) => setTimeout(() => soon(frame), 300);
  });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("go to timeline");
  await page.keyboard.press("Enter");
  await page.keyboard.press("/");
  await page.keyboard.type("700", { delay: 150 });
  await page.keyboard.press("Enter");
  await page.locator(".job[data-job='700']").waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("qqqq");
  await page.getByText("No match.").waitFor();
  await page.keyboard.press("Escape");
  assert.deepEqual(said, []);
});

test("the page goes to what is longest, largest and worst", async () => {
  const { page, said, context } = await s.open();
  await done(page, 2);
  const places = page.getByRole("group", { name: "Take me to" });
  const words = () => page.locator("[role=status][aria-live=polite]").last().textContent();
  const go = async (name) => {
    await places.getByRole("button", { name }).click();
    await until(words, (text) => !text.startsWith("Selected"));
    await still(page);
  };
  // All jobs of both runs, for comparison.
  const jobs = [];
  for (const at of [0, 1]) {
    const { bytes } = await download(page, () =>
      page.getByRole("button", { name: `Jobs of run ${"AB"[at]} as CSV` }).click(),
    );
    const [head, ...lines] = String(bytes).trim().split("\n");
    const names = head.split(",");
    jobs.push(
      new Map(
        lines.map((line) => {
          const cells = line.split(",");
          return [cells[names.indexOf("job_id")], Number(cells[names.indexOf("waiting_time")])];
        }),
      ),
    );
  }
  const [a, b] = jobs;
  assert.equal(a.size, 1500);
  const greatest = (value) =>
    [...a.keys()].reduce((one, other) => (value(other) > value(one) ? other : one));
  const selected = () => page.locator(".job").getAttribute("data-job");
  await go("Longest wait");
  assert.equal(a.get(await selected()), Math.max(...a.values(), ...b.values()));
  await page.getByRole("button", { name: "Clear selection" }).click();
  await go("Largest gain");
  assert.equal(
    await selected(),
    greatest((job) => a.get(job) - b.get(job)),
  );
  await page.getByRole("button", { name: "Clear selection" }).click();
  await go("Largest loss");
  assert.equal(
    await selected(),
    greatest((job) => b.get(job) - a.get(job)),
  );
  await page.getByRole("button", { name: "Clear selection" }).click();
  // The second of two places that are asked for at once counts.
  await page.evaluate(() => {
    for (const name of ["Largest gain", "Longest queue"])
      [...document.querySelectorAll("button")].find((one) => one.textContent === name).click();
  });
  await until(words, (said) => /^Run A has the longest queue/.test(said));
  await still(page);
  assert.equal(await page.locator(".job").count(), 0);
  await go("Longest queue");
  assert.match(await words(), /^Run A has the longest queue: 3\d\d jobs at day 1[6-9]/);
  await go("Worst hour of utilisation");
  assert.match(await words(), /^Run [AB] uses \d+\.\d % of the machine for 1 h at day/);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("take me to the longest wait");
  await page.keyboard.press("Enter");
  await page.locator(".job").waitFor();
  assert.deepEqual(said, []);
  await context.close();
});
