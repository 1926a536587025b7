// The page for people who use a keyboard or a screen reader: axe finds nothing, in every state, light and dark.
import { after, before, test } from "node:test";
import { assert, done, drop, findings, stage, temporary, trace } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

for (const colorScheme of ["light", "dark"])
  for (const width of [1440, 400])
    test(`axe finds nothing: ${colorScheme}, ${width} pixels`, async () => {
      const { page } = await s.open({ colorScheme, viewport: { width, height: 900 } });
      await findings(page, "empty");
      await done(page, 2);
      await findings(page, "result");
      for (const summary of await page.locator("summary").all()) await summary.click();
      await page.getByLabel("Job number").fill("400");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.locator(".why[data-run=B]").waitFor();
      await page.getByLabel("all figures").check();
      await findings(page, "everything open");
      await page.getByRole("button", { name: "Teach me" }).click();
      await page.locator(".steps").waitFor();
      await findings(page, "to be predicted");
      await page.getByRole("button", { name: "Reveal" }).click();
      await findings(page, "revealed");
      await page.getByRole("button", { name: "Leave the lesson" }).click();
      await done(page, 2);
      await drop(page, "bad.swf", "1 2 3\n");
      await page.locator(".banner.bad").waitFor();
      await findings(page, "error");
      await page.setInputFiles("input[type=file]", temporary("long.swf", trace(200_000, { gap: 20 })));
      await page.getByRole("progressbar", { name: /Run B: running/ }).waitFor({ timeout: 60_000 });
      await findings(page, "running");
    });

test("the whole journey by keyboard", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
  await page.keyboard.press("Enter");
  const reach = async (selector) => {
    for (let presses = 0; presses < 80; presses += 1) {
      if (await page.evaluate((selector) => document.activeElement?.matches(selector), selector)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`the keyboard does not reach ${selector}`);
  };
  await reach("canvas.overlay");
  for (let presses = 0; presses < 12; presses += 1) await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => document.querySelector("[aria-live=polite]").textContent.includes("processor"));
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /Selected job|No job runs/.test(document.querySelector("[aria-live=polite]").textContent));
  await reach(".metrics thead button");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".metrics th[aria-sort=ascending]").count(), 1);
  await reach(".files button");
});
