// Machines with shared processors: the rows of an Ousterhout matrix in the timeline, and processes
// on a cluster.
import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import { chooseMore, done, findings, placed, showView, stage, still, until } from "./support.mjs";

let st;
before(async () => (st = await stage()));
after(() => st.close());

async function on(machine, options) {
  const opened = await st.open(options);
  const { page } = opened;
  await done(page, 2);
  // The reading view has the set-up behind its menu.
  if (page.viewportSize().width < 720) await chooseMore(page, "Set-up");
  await page.getByRole("combobox", { name: "Model" }).selectOption(machine);
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
  return opened;
}

test("a timeline has the rows of the matrix, one below the other", async () => {
  const { page, said } = await on("gang");
  const canvas = page.getByRole("application", { name: /Timeline of run A/ });
  await page.getByRole("combobox", { name: "Lanes" }).selectOption("slots");
  const box = await placed(page, canvas);
  const seen = new Set();
  for (const share of [0.1, 0.5, 0.9]) {
    await canvas.hover({ position: { x: box.width / 2, y: box.height * share } });
    await still(page);
    const text = await page.locator(".hover").first().innerText();
    seen.add(/slot (\d)/.exec(text)?.[1]);
  }
  assert.deepEqual([...seen], ["1", "2", "3"]);
  assert.deepEqual(said, []);
});

test("each processor is drawn once: by shares from afar, turn by turn from near", async () => {
  const { page, said } = await on("gang");
  const overlay = page.getByRole("application", { name: /Timeline of run A/ });
  await overlay.scrollIntoViewIfNeeded();
  await overlay.focus();
  // Two minutes have twelve turns of 10 s.
  for (let zooms = 0; zooms < 28; zooms += 1) await page.keyboard.press("w");
  const box = await placed(page, overlay);
  const met = new Set();
  for (let step = 1; step < 24; step += 1) {
    await overlay.hover({ position: { x: (box.width * step) / 24, y: box.height * 0.02 } });
    await still(page);
    met.add(/job (\d+)/.exec(await page.locator(".hover").first().innerText())?.[1] ?? "free");
  }
  assert.ok(met.size >= 2, `${[...met]} take turns on one processor`);
  assert.deepEqual(said, []);
});

const instant = (page) =>
  page.locator(".sharing .sentence").getAttribute("data-matrix").then(Number);

test("the Ousterhout matrix at an instant, by keyboard and as a table, playing", async () => {
  const { page, said } = await st.open();
  await done(page, 2);
  await page.click("#tab-sharing");
  await page.getByRole("button", { name: "Use time slots" }).click();
  await done(page, 2);
  await page.locator(".sharing .sentence").waitFor();
  assert.match(
    await page.locator(".sharing .sentence").innerText(),
    /^\d+ jobs? in \d of 3 slots, on \d+ of 128 processors\. Slot \d has its turn\.$/,
  );
  const matrix = page.getByRole("application", {
    name: /Ousterhout matrix: 3 slots of 128 processors/,
  });
  await matrix.focus();
  let described = "";
  for (let moves = 0; moves < 60 && !/: job/.test(described); moves += 1) {
    await page.keyboard.press(moves % 3 === 2 ? "ArrowDown" : "ArrowRight");
    described = await page.locator(".sharing .hover").first().innerText();
  }
  const [, slot, number] = /^Slot (\d), processor \d+: job (\d+),/.exec(described);
  await page.locator(".sharing .pointer-card.shown", { hasText: /User \d+, waited \d/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(`.job[data-job="${number}"]`).waitFor();
  await page
    .locator(".job-runs td", { hasText: `in slot ${slot}` })
    .first()
    .waitFor();
  await page.getByText("The matrix as a table").click();
  const row = page
    .locator(".sharing tbody tr", { has: page.getByRole("button", { name: number, exact: true }) })
    .first();
  assert.equal(await row.locator("td").first().innerText(), slot);
  const before = await instant(page);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(
    (before) => Number(document.querySelector(".sharing .sentence").dataset.matrix) > before,
    before,
  );
  await page.getByRole("button", { name: "Pause" }).click();
  assert.deepEqual(said, []);
});

/**
 * Shows two programs on a small cluster under three algorithms. Returns the microscope's tables of
 * the first processor.
 */
async function onCluster(options) {
  const opened = await st.open(options);
  const { page } = opened;
  await done(page, 2);
  await showView(page, "Sharing");
  await page.getByRole("button", { name: "Show a cluster" }).click();
  await done(page, 3);
  await page.locator(".sharing .sentence").waitFor();
  await page.getByRole("combobox", { name: "Colour by" }).selectOption("class");
  await page.getByRole("combobox", { name: "For", exact: true }).selectOption("0.5");
  await page.getByRole("button", { name: /Look from the instant/ }).click();
  await page.locator(".scope canvas").nth(2).waitFor();
  await still(page);
  return opened;
}

test("a microscope on a processor: gang scheduling spins, spin-block and flexible coscheduling do not", async () => {
  const { page, said } = await onCluster();
  const shares = await page
    .locator(".scope")
    .evaluateAll((scopes) =>
      scopes.map((scope) =>
        [...scope.querySelectorAll("tbody tr")].map((row) =>
          [...row.querySelectorAll("td")].map((cell) => Number.parseFloat(cell.textContent)),
        ),
      ),
    );
  assert.equal(shares.length, 3);
  for (const processes of shares)
    for (const process of processes)
      assert.ok(Math.abs(process.reduce((sum, share) => sum + share, 0) - 100) < 0.5, `${process}`);
  const [gang, spinBlock, flexible] = shares.map((processes) =>
    processes.reduce((sum, process) => sum + process[1], 0),
  );
  assert.ok(gang > 15 && spinBlock < 8 && flexible < 8, `${gang} ${spinBlock} ${flexible}`);
  // Zooming by keyboard changes the picture and back.
  const scope = page.locator(".scope canvas").first();
  const picture = () => scope.evaluate((canvas) => canvas.toDataURL());
  const whole = await picture();
  await scope.focus();
  await page.keyboard.press("w");
  await until(picture, (now) => now !== whole);
  await page.keyboard.press("0");
  await until(picture, (now) => now === whole);
  // The classes have their legend.
  await page.getByRole("combobox", { name: "Run", exact: true }).selectOption({ index: 2 });
  await page.getByText("DC: does not care").waitFor();
  assert.deepEqual(said, []);
});

test("policies that reckon with numbers alone are not offered", async () => {
  const { page, said } = await st.open();
  await done(page, 2);
  await page.getByRole("combobox", { name: "Model" }).selectOption("bsp");
  const policies = page.getByRole("combobox", { name: "Policy of run A" });
  assert.equal(await policies.locator("option[value=conservative]").isDisabled(), true);
  assert.equal(await policies.locator("option[value=lookahead]").isDisabled(), false);
  assert.deepEqual(said, []);
});

test("axe finds nothing, light and dark, wide and narrow", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 400, height: 900 },
    ]) {
      const { page, context } = await on("gang", { colorScheme, viewport });
      await findings(page, `gang, ${colorScheme}, ${viewport.width} px`);
      if (viewport.width < 720) {
        await showView(page, "Timeline");
        await findings(page, `timelines, ${colorScheme}, ${viewport.width} px`);
      }
      await showView(page, "Sharing");
      await page.locator(".sharing .sentence").waitFor();
      await findings(page, `the matrix, ${colorScheme}, ${viewport.width} px`);
      await context.close();
      const cluster = await onCluster({ colorScheme, viewport });
      await findings(cluster.page, `the microscope, ${colorScheme}, ${viewport.width} px`);
      assert.equal(
        await cluster.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        true,
        `${viewport.width} px are enough`,
      );
      await cluster.context.close();
    }
  }
});
