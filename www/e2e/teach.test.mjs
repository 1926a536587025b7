// The tours: answers are hidden until the prediction, right answers come from the runs, and the
// previous page comes back.
import { after, before, test } from "node:test";
import { assert, done, drop, findings, finished, stage, still, trace } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

/** Returns the page's guide after a chapter's runs are done. */
async function chapter(page, number) {
  const guide = page.getByRole("region", { name: "Tour", exact: true });
  await page.waitForFunction(
    (number) =>
      document.querySelector(".guide p")?.textContent.includes(`chapter ${number} of`) &&
      !document.querySelector(".guide").textContent.includes("Waiting for the runs"),
    number,
  );
  return guide;
}

async function begin(page, title) {
  await page
    .getByRole("navigation", { name: "Views" })
    .getByRole("button", { name: "Teach me" })
    .click();
  await page.getByRole("button", { name: `Begin: ${title}` }).click();
  return chapter(page, 1);
}

async function next(page, number) {
  await page.getByRole("button", { name: "Next chapter" }).click();
  return chapter(page, number);
}

/**
 * Answers the present question: a number, the name of a choice, or a list of jobs. Returns the
 * verdict of the page.
 */
async function predict(page, value) {
  const form = page.locator(".guide form").last();
  const forms = await page.locator(".guide form").count();
  if (typeof value === "number") await form.getByRole("textbox").pressSequentially(String(value));
  else if (typeof value === "string") await form.getByLabel(value, { exact: true }).check();
  else for (const job of value) await form.getByLabel(`Job ${job}:`).check();
  await form.getByRole("button", { name: "Reveal" }).click();
  return (
    await page
      .locator(".guide form")
      .nth(forms - 1)
      .locator(".verdict")
      .textContent()
  ).trim();
}

test("backfilling, from beginning to end, with right and wrong predictions", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const guide = await begin(page, "From first come, first served to backfilling");
  // Parts that would give the answers away are missing.
  const steps = page.getByRole("region", { name: "Step by step" });
  assert.equal(await steps.locator("table").count(), 0);
  for (const part of [".minimap", ".metrics", ".sentence", ".experiment", ".inspector"])
    assert.equal(await page.locator(part).count(), 0, part);
  await steps.getByLabel("Job 1:").check();
  await steps.getByRole("button", { name: "Reveal" }).click();
  assert.match(await steps.textContent(), /Correct\./);
  await steps.getByRole("button", { name: "Next" }).click();
  assert.match(await steps.locator(".told").textContent(), /20 s: job 4 arrived/);
  await page.locator("canvas.overlay").hover({ position: { x: 400, y: 20 } });
  await page.waitForFunction(
    () => document.querySelector("p.hover").textContent === "Hidden until you answer the question.",
  );
  // Job 1 runs from 0 s for 50 s, then job 2 for 60 s, and job 3 is behind them.
  assert.match(await predict(page, 100), /^Not quite: 110 s\.$/);
  assert.match(await guide.textContent(), /0 of 1 right/);

  await next(page, 2);
  assert.equal(await predict(page, "a quarter to a half"), "Correct: a quarter to a half.");
  assert.equal(await predict(page, 6), "Correct: 6 jobs.");
  await next(page, 3);
  assert.equal(await predict(page, 50), "Correct: 50 s.");
  assert.equal(await predict(page, 2), "Correct: 2 processors.");
  assert.equal(await page.getByRole("region", { name: "Step by step" }).count(), 0);
  assert.match(await predict(page, "Yes: it ends by the shadow time"), /^Correct/);
  assert.match(
    await page.getByRole("region", { name: "Step by step" }).textContent(),
    /Job 2 holds a reservation for 50 s, its shadow time, with 2 extra/,
  );
  await next(page, 4);
  assert.equal(await predict(page, [3, 6, 7, 8]), "Correct: jobs 3, 6, 7 and 8.");

  await next(page, 5);
  // The second run is hidden: neither pointer nor keyboard tells its jobs.
  assert.equal(await page.locator(".metrics").count(), 0);
  const veiled = page.locator("canvas.overlay").nth(1);
  await veiled.hover({ position: { x: 20, y: 20 } });
  await page
    .locator("p.hover")
    .last()
    .filter({ hasText: "Hidden until you answer the question." })
    .waitFor();
  await veiled.click({ position: { x: 20, y: 20 } });
  await page.waitForFunction(() =>
    /Hidden until you answer the question/.test(
      document.querySelector("[role=status].unseen").textContent,
    ),
  );
  // Other tabs, colours and filters do not tell either.
  await page.getByRole("tab", { name: "Compare" }).click();
  assert.match(await page.locator("#panel").textContent(), /Hidden until you answer the question/);
  await page.getByRole("button", { name: "Go back to it" }).click();
  assert.equal(
    await page.getByLabel("Colour by").locator("option", { hasText: "other run" }).count(),
    0,
  );
  await page.getByRole("combobox", { name: "Search jobs" }).fill("wait>1");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".filter-bar").count(), 0);
  // A selected job is invisible where the run is hidden.
  await page
    .locator("canvas.overlay")
    .first()
    .click({ position: { x: 20, y: 20 } });
  assert.equal(await predict(page, 4), "Correct: 4 jobs.");
  assert.equal(await predict(page, [5]), "Correct: job 5.");
  await page.locator(".metrics").waitFor();
  await still(page);
  await veiled.hover({ position: { x: 22, y: 20 } });
  await page.waitForFunction(() => /job 1,/.test(document.querySelector("p.hover").textContent));
  await next(page, 6);
  assert.equal(await predict(page, [8]), "Correct: job 8.");
  assert.equal(await predict(page, [5]), "Correct: job 5.");
  await next(page, 7);
  assert.match(await guide.locator("thead").textContent(), /Estimate/);
  assert.equal(await predict(page, "later"), "Correct: later.");
  assert.equal(await predict(page, "it rises"), "Not quite: it falls.");
  assert.match(
    await guide.textContent(),
    /from 37\.5 s to 36\.25 s: job 2 from 50 s to 80 s, job 4 from 110 s to 20 s/,
  );
  await next(page, 8);
  assert.match(await page.locator(".metrics").textContent(), /FCFS[^]*EASY[^]*Conservative/);
  assert.match(await guide.textContent(), /11 of 13 right/);
  await guide.getByRole("button", { name: "Leave the tour" }).click();
  await done(page, 2);
  assert.match(await page.locator(".chip").textContent(), /Sample: 1,500 generated jobs/);
  assert.equal(await page.locator(".lane").count(), 2);
  assert.equal(await page.locator(".guide").count(), 0);
  assert.deepEqual(said, []);
});

test("fragmentation on a torus", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const guide = await begin(page, "Fragmentation on a torus");
  await page.locator("[data-occupancy='0']").waitFor();
  assert.equal(await predict(page, 6), "Correct: 6 nodes.");
  await next(page, 2);
  await page.locator("[data-occupancy='60']").waitFor();
  assert.doesNotMatch(await page.locator("[data-occupancy]").textContent(), /largest free box/);
  assert.equal(await predict(page, "No"), "Correct: No.");
  assert.match(await guide.textContent(), /It starts at 200 s/);
  assert.equal(await predict(page, 6), "Correct: 6 nodes.");
  assert.match(
    await page.locator("[data-occupancy]").textContent(),
    /the largest free box is 3 × 2/,
  );
  await next(page, 3);
  await page.locator("[data-occupancy='59']").waitFor();
  assert.equal(await predict(page, [3]), "Correct: job 3.");
  // After the migration, no node of the machine is free.
  await page.locator("[data-occupancy='60']", { hasText: "3 jobs on 16 of 16 nodes" }).waitFor();
  assert.match(await predict(page, "a quarter of the time, or more"), /^Correct/);
  await next(page, 4);
  assert.equal(await predict(page, "Backfilling"), "Not quite: Migration.");
  assert.equal(await predict(page, "Both"), "Correct: Both.");
  assert.match(
    await guide.textContent(),
    /first come, first served 97 s, backfilling 56 s, migration 43 s, both 33 s/,
  );
  await next(page, 5);
  await page.getByRole("button", { name: "Keep these runs" }).click();
  assert.equal(await page.locator(".guide").count(), 0);
  assert.match(await page.locator(".chip").textContent(), /seven jobs on a 4 × 4 torus/);
  assert.deepEqual(
    said.filter((text) => !/WebGL|GPU|swiftshader/i.test(text)),
    [],
  );
});

test("the Ousterhout matrix", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const guide = await begin(page, "Taking turns: the Ousterhout matrix");
  assert.equal(await predict(page, 220), "Correct: 220 s.");
  await next(page, 2);
  await page.locator("[data-matrix='15']").waitFor();
  assert.equal(await predict(page, "The third slot"), "Correct: The third slot.");
  await page.locator("[data-matrix='25']").waitFor();
  assert.equal(await predict(page, "None: it waits"), "Correct: None: it waits.");
  await page.locator("[data-matrix='61']").waitFor();
  await next(page, 3);
  assert.equal(await predict(page, 55), "Correct: 60 s.");
  assert.equal(await predict(page, "later"), "Correct: later.");
  assert.equal(await predict(page, "it falls"), "Correct: it falls.");
  await next(page, 4);
  assert.equal(await predict(page, [4]), "Correct: job 4.");
  await next(page, 5);
  assert.equal(await predict(page, "longer"), "Correct: longer.");
  assert.match(await guide.textContent(), /It is 290 s instead of 200 s/);
  assert.deepEqual(said, []);
});

test("coscheduling under the microscope", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const guide = await begin(page, "Spin-block against flexible coscheduling");
  assert.equal(await page.locator(".microscope").count(), 0);
  // 1 ms of 2.045 ms is computing: a round takes the time of a slow process and a message.
  assert.match(await predict(page, 52), /^Correct: 5[12]\.?\d? %\.$/);
  await page.locator(".microscope .scope").waitFor();
  await next(page, 2);
  assert.equal(await predict(page, "after about 240 s"), "Correct: after about 240 s.");
  await next(page, 3);
  assert.equal(await predict(page, "after about 180 s"), "Correct: after about 180 s.");
  await page.locator(".microscope .scope").nth(1).waitFor();
  await next(page, 4);
  assert.match(await predict(page, "after about 280 s"), /^Correct/);
  await next(page, 5);
  assert.match(await predict(page, "DC: don't care"), /^Correct/);
  assert.match(await predict(page, "F: frustrated"), /^Correct/);
  await next(page, 6);
  assert.equal(await predict(page, "Flexible coscheduling"), "Correct: Flexible coscheduling.");
  assert.equal(await predict(page, "Batch"), "Correct: Batch.");
  assert.match(await guide.textContent(), /flexible coscheduling 195 s/);
  assert.deepEqual(said, []);
});

test("numbers are typed as anybody types them", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const guide = await begin(page, "Spin-block against flexible coscheduling");
  const field = guide.getByRole("textbox");
  await field.pressSequentially("half");
  await guide.getByRole("button", { name: "Reveal" }).click();
  await guide.getByText("“half” is not a number.").waitFor();
  await field.fill("");
  await field.pressSequentially("52,5");
  await page.keyboard.press("Enter");
  assert.match(await guide.locator(".verdict").textContent(), /^Correct/);
  // The focus is at the answer.
  assert.ok(await page.evaluate(() => document.activeElement.matches(".answer")));
  assert.deepEqual(said, []);
});

test("what was on the page is not lost by a tour", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "mine.swf", trace(300));
  await page.locator(".chip", { hasText: "mine.swf" }).waitFor();
  await done(page, 2);
  await page.getByRole("combobox", { name: "Search jobs" }).fill("user:7");
  await page.keyboard.press("Enter");
  await page.locator(".filter-bar").waitFor();
  await page.getByRole("button", { name: "Zoom in (W)" }).click();
  await still(page);
  const address = page.url();
  await page.getByRole("tab", { name: "Papers" }).click();
  await begin(page, "Taking turns: the Ousterhout matrix");
  assert.equal(await page.locator(".filter-bar").count(), 0);
  // From the tour into a plan's runs, and back to the runs from before the tour.
  await page.getByRole("button", { name: "Leave the tour" }).click();
  await page
    .getByRole("tab", { name: "Papers" })
    .and(page.locator("[aria-selected=true]"))
    .waitFor();
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.locator(".chip", { hasText: "mine.swf" }).waitFor();
  await done(page, 2);
  await page.waitForFunction((address) => location.href === address, address);
  await begin(page, "Fragmentation on a torus");
  for (let number = 2; number <= 5; number += 1) await next(page, number);
  await page.getByRole("button", { name: "Keep these runs" }).click();
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.getByRole("button", { name: "Back to my runs" }).click();
  await page.locator(".chip", { hasText: "mine.swf" }).waitFor();
  // A trace of one's own runs under the settings from before the tour.
  await begin(page, "Fragmentation on a torus");
  await drop(page, "other.swf", trace(200));
  await page.locator(".chip", { hasText: "other.swf" }).waitFor();
  await done(page, 2);
  assert.equal(await page.getByRole("combobox", { name: "Model" }).inputValue(), "flat");
  assert.equal(await page.locator(".lane").count(), 2);
  assert.deepEqual(
    said.filter((text) => !/WebGL|GPU|swiftshader/i.test(text)),
    [],
  );
});

test("a tour that begins while the page returns from another one returns to the same page", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "mine.swf", trace(60_000));
  await finished(page, "mine.swf");
  await begin(page, "From first come, first served to backfilling");
  // The log takes a while to be read again.
  await page.getByRole("button", { name: "Leave the tour" }).click();
  await begin(page, "From first come, first served to backfilling");
  await page.getByRole("button", { name: "Leave the tour" }).click();
  await finished(page, "mine.swf");
  // A reader who gives up the reading has a button that returns. No worker is told to read meanwhile.
  await begin(page, "From first come, first served to backfilling");
  await page.evaluate(() => {
    globalThis.post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
      if (message?.path?.at(-1) !== "load") post.call(this, message, ...rest);
    };
  });
  await page.getByRole("button", { name: "Leave the tour" }).click();
  await page.locator(".banner").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Back to my runs" }).waitFor();
  await page.evaluate(() => (Worker.prototype.postMessage = post));
  await page.getByRole("button", { name: "Back to my runs" }).click();
  await finished(page, "mine.swf");
  assert.deepEqual(said, []);
});

test("a tour has a link, gives way to a trace of one's own, and brings settings and machine back", async () => {
  const { page, said, context } = await s.open();
  await done(page, 2);
  await page.getByLabel("Machine size").fill("200");
  await page.getByLabel("Machine size").press("Enter");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
  await begin(page, "Fragmentation on a torus");
  await next(page, 2);
  await still(page);
  const link = page.url();
  await page.getByRole("button", { name: "Leave the tour" }).click();
  await page.locator(".chip", { hasText: "200 processors" }).waitFor();
  await done(page, 2);
  assert.equal(
    await page.getByRole("tab", { name: "Timeline" }).getAttribute("aria-selected"),
    "true",
  );
  assert.equal(await page.getByRole("combobox", { name: "Model" }).inputValue(), "flat");
  const other = await context.newPage();
  await other.goto(link);
  await chapter(other, 2);
  assert.match(await other.locator(".guide h2").textContent(), /Free but of no use/);
  await drop(other, "mine.swf", trace(50));
  await other.locator(".chip", { hasText: "mine.swf" }).waitFor();
  assert.equal(await other.locator(".guide").count(), 0);
  assert.equal(await other.locator(".experiment").count(), 1);
  await page.evaluate(async () => {
    const bytes = new Uint8Array(
      await new Response(
        new Blob([JSON.stringify({ tour: "nowhere" })])
          .stream()
          .pipeThrough(new CompressionStream("deflate-raw")),
      ).arrayBuffer(),
    );
    location.hash = `1.${btoa(String.fromCharCode(...bytes))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "")}`;
  });
  await page.locator(".banner.bad", { hasText: "There is no tour “nowhere”" }).waitFor();
  assert.deepEqual(
    said.filter((text) => !/WebGL|GPU|swiftshader/i.test(text)),
    [],
  );
});

test("three doors stand open until one has gone in", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const doors = page.getByRole("region", { name: "Where to begin" });
  await doors.getByRole("button", { name: "Teach me" }).click();
  await page.getByRole("region", { name: "Tours" }).getByRole("listitem").nth(3).waitFor();
  await page.getByRole("button", { name: "Not now" }).click();
  await doors.getByRole("button", { name: "Reproduce a paper" }).click();
  assert.equal(
    await page.getByRole("tab", { name: "Papers" }).getAttribute("aria-selected"),
    "true",
  );
  await page.getByRole("tab", { name: "Timeline" }).click();
  await doors.getByRole("button", { name: "Explore" }).click();
  assert.equal(await doors.count(), 0);
  // The address still names the tab Papers until it is written again.
  await still(page);
  await page.reload();
  await done(page, 2);
  assert.equal(await doors.count(), 0);
  assert.deepEqual(said, []);
});

for (const colorScheme of ["light", "dark"])
  test(`axe finds nothing in a tour: ${colorScheme}`, async () => {
    const { page } = await s.open({ colorScheme });
    await done(page, 2);
    await page
      .getByRole("navigation", { name: "Views" })
      .getByRole("button", { name: "Teach me" })
      .click();
    await page.getByRole("region", { name: "Tours" }).waitFor();
    await findings(page, "tours");
    await page
      .getByRole("button", { name: "Begin: Spin-block against flexible coscheduling" })
      .click();
    await chapter(page, 1);
    await findings(page, "asked");
    await predict(page, 10);
    await page.locator(".microscope .scope").waitFor();
    await findings(page, "told");
    for (const title of [
      "From first come, first served to backfilling",
      "Fragmentation on a torus",
    ]) {
      await page.getByRole("button", { name: "Leave the tour" }).click();
      await done(page, 2);
      await begin(page, title);
      await page.locator(".guide form").getByRole("button", { name: "Reveal" }).click();
      await findings(page, title);
    }
  });
