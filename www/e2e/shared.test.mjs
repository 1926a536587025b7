// Machines on which jobs share processors: the rows of an Ousterhout matrix in the timeline, and processes on a cluster.
import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import { done, findings, stage } from "./support.mjs";

let st;
before(async () => (st = await stage()));
after(() => st.close());

async function on(machine, options) {
  const opened = await st.open(options);
  const { page } = opened;
  await done(page, 2);
  await page.getByRole("combobox", { name: "Model" }).selectOption(machine);
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
  return opened;
}

test("a timeline has the rows of the matrix, one below the other", async () => {
  const { page, said } = await on("gang");
  const canvas = page.getByRole("application", { name: /Timeline of run A/ });
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const seen = new Set();
  for (const share of [0.1, 0.5, 0.9]) {
    await canvas.hover({ position: { x: box.width / 2, y: box.height * share } });
    await page.waitForTimeout(150);
    const text = await page.locator(".hover").first().innerText();
    seen.add(/slot (\d)/.exec(text)?.[1]);
  }
  assert.deepEqual([...seen], ["1", "2", "3"]);
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
    for (const viewport of [{ width: 1440, height: 900 }, { width: 400, height: 900 }]) {
      const { page, context } = await on("gang", { colorScheme, viewport });
      await findings(page, `gang, ${colorScheme}, ${viewport.width} px`);
      await context.close();
    }
  }
});
