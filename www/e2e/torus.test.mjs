// The Machine tab with a torus: slices and space of one instant, linked with the timeline, from the
// keyboard, and without WebGL.
import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import { done, findings, frames, placed, showView, stage, still, until } from "./support.mjs";

let st;
before(async () => (st = await stage()));
after(() => st.close());

/** The driver's messages on the cost of a screenshot are not the page's. */
const ours = (said) => said.filter((line) => !line.includes("GL Driver Message"));

async function onTorus(options) {
  const opened = await st.open(options);
  const { page } = opened;
  await done(page, 2);
  await showView(page, "Machine");
  await page.getByRole("button", { name: /Use a 4/ }).click();
  await done(page, 2);
  await page.locator(".torus .sentence").waitFor();
  return opened;
}

const sentence = (page) => page.locator(".torus .sentence").innerText();
const instant = (page) =>
  page.locator(".torus .sentence").getAttribute("data-occupancy").then(Number);

test("an instant in slices and in space, with its timeline", async () => {
  const { page, said } = await onTorus();
  await page.locator(".space canvas[data-ready=yes]").waitFor();
  assert.match(await sentence(page), /^\d+ jobs? on \d+ of 128 nodes, \d+ waiting\./);
  const before = await instant(page);
  await page.getByRole("button", { name: "Next change" }).click();
  await page.waitForFunction(
    (before) => Number(document.querySelector(".torus .sentence").dataset.occupancy) > before,
    before,
  );
  await page.getByRole("button", { name: "Last change before" }).click();
  await page.waitForFunction(
    (before) => Number(document.querySelector(".torus .sentence").dataset.occupancy) === before,
    before,
  );
  // The keyboard's cursor over the slices speaks. Enter selects the job for the inspector.
  const slices = page.locator(".slices canvas");
  await slices.focus();
  let described = "";
  for (let moves = 0; moves < 128 && !/: job/.test(described); moves += 1) {
    await page.keyboard.press(
      moves % 4 === 3 ? (moves % 16 === 15 ? "PageDown" : "ArrowDown") : "ArrowRight",
    );
    described = await page.locator(".torus .hover").innerText();
  }
  const number = /: job (\d+), (\d+ × \d+ × \d+) nodes/.exec(described)[1];
  await page.locator(".torus .pointer-card.shown", { hasText: /[Ww]aited \d/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(`.job[data-job="${number}"]`).waitFor();
  // The boxes as a table have the same job.
  await page.getByText("Boxes as a table").click();
  await page.locator(".torus table th button", { hasText: new RegExp(`^${number}$`) }).waitFor();
  // Hovering a job in the timeline marks it. Hovering a node names its job.
  const where = await placed(page, slices);
  await page.mouse.move(where.x + 5, where.y + 20);
  const card = page.locator(".torus .pointer-card");
  assert.match(await card.innerText(), /^Node \(0, 0, 0\)/);
  const shown = await card.boundingBox();
  assert.ok(shown.x > where.x + 5 || shown.y > where.y + 20, "the card covers the node");
  await page.mouse.move(5, 5);
  await card.waitFor({ state: "hidden" });
  // A click into the timeline moves the instant.
  const gantt = page.locator(".torus .gantt .overlay");
  const box = await placed(page, gantt);
  await gantt.click({ position: { x: box.width / 4, y: box.height / 2 } });
  await page.waitForFunction(
    (before) => Number(document.querySelector(".torus .sentence").dataset.occupancy) < before,
    before,
  );
  // Playing continues by itself, and stops.
  const start = await instant(page);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(
    (start) => Number(document.querySelector(".torus .sentence").dataset.occupancy) > start,
    start,
  );
  await page.getByRole("button", { name: "Pause" }).click();
  await still(page);
  const paused = await instant(page);
  await frames(page, 40);
  assert.equal(await instant(page), paused);
  // At one change a second, the pace is exact.
  await page.getByRole("combobox", { name: "Pace" }).selectOption("1");
  const seen = new Set();
  const began = Date.now();
  await page.getByRole("button", { name: "Play" }).click();
  await until(
    async () => seen.add(await instant(page)).size,
    (changes) => changes >= 4,
  );
  // The first change is already there, and the second comes at once.
  assert.ok(Date.now() - began >= 2000, `${seen.size} changes in ${Date.now() - began} ms`);
  await page.getByRole("button", { name: "Pause" }).click();
  assert.deepEqual(ours(said), []);
});

test("what cannot run on the torus is not offered, and migration only there", async () => {
  const { page, said } = await onTorus();
  const policies = page.getByRole("combobox", { name: "Policy of run A" });
  assert.equal(await policies.locator("option[value=conservative]").isDisabled(), true);
  assert.equal(await policies.locator("option[value=migration]").isDisabled(), false);
  await page.getByRole("button", { name: "+ B+M" }).click();
  await done(page, 3);
  await page.getByRole("combobox", { name: "Model" }).selectOption("flat");
  assert.equal(await policies.locator("option[value=migration]").isDisabled(), true);
  assert.equal(await page.getByRole("combobox", { name: "Policy of run C" }).inputValue(), "easy");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 3);
  await page.getByText("Use a 4").waitFor();
  assert.deepEqual(ours(said), []);
});

test("without WebGL there are the slices, and a sentence", async () => {
  const context = await st.browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => {
    const real = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind.startsWith("webgl") ? null : real.call(this, kind, ...rest);
    };
  });
  await page.goto(st.url);
  await done(page, 2);
  await page.click("#tab-torus");
  await page.getByRole("button", { name: /Use a 4/ }).click();
  await page.getByText("This browser has no WebGL").waitFor();
  await page.locator(".slices canvas").waitFor();
});

test("65,536 nodes come through many instants", async () => {
  const { page, said } = await onTorus();
  for (const [name, nodes] of [
    ["X", "32"],
    ["Y", "32"],
    ["Z", "64"],
  ]) {
    const field = page.locator(".experiment").getByRole("textbox", { name: `${name} nodes` });
    await field.fill(nodes);
    // Typed text survives a new drawing of the form.
    await page.evaluate(() =>
      [...document.querySelectorAll("button")]
        .find((button) => button.textContent === "Run what changed")
        ?.click(),
    );
    await still(page);
    assert.equal(await field.inputValue(), nodes);
    await field.press("Tab");
  }
  await page.getByRole("button", { name: "Run what changed" }).click();
  await page.getByText(/of 65,536 nodes/).waitFor();
  await page.locator(".space canvas[data-ready=yes]").waitFor();
  // A time limit would test the computer. Progress through many instants does not.
  for (let steps = 0; steps < 10; steps += 1) {
    const before = await instant(page);
    await page.getByRole("button", { name: "Next change" }).click();
    await page.waitForFunction(
      (before) => Number(document.querySelector(".torus .sentence").dataset.occupancy) > before,
      before,
    );
  }
  assert.deepEqual(ours(said), []);
});

test("axe finds nothing, light and dark, wide and narrow", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 400, height: 900 },
    ]) {
      const { page, context } = await onTorus({ colorScheme, viewport });
      await page.locator(".space canvas[data-ready=yes]").waitFor();
      await findings(page, `torus, ${colorScheme}, ${viewport.width} px`);
      await context.close();
    }
  }
});
