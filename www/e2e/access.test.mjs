// The page with a keyboard and a screen reader: axe finds nothing, in every state, light and dark.
import { after, before, test } from "node:test";
import {
  assert,
  chooseMore,
  done,
  drop,
  findings,
  outlasting,
  placed,
  showView,
  stage,
  still,
  temporary,
  trace,
  until,
} from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

for (const colorScheme of ["light", "dark"])
  for (const width of [1440, 400])
    test(`axe finds nothing: ${colorScheme}, ${width} pixels`, async () => {
      const { page } = await s.open({ colorScheme, viewport: { width, height: 900 } });
      const isReading = width === 400;
      await findings(page, "empty");
      await done(page, 2);
      await findings(page, "result");
      if (!isReading) await outlasting(page);
      // The reading view has everything too, one thing after the other.
      if (isReading) await page.getByRole("button", { name: /^Inspector: / }).press("End");
      const unfold = async () => {
        for (const summary of await page.locator("summary").all()) await summary.click();
      };
      await unfold();
      await page.getByLabel("Job number").fill("400");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.locator(".why[data-run=B]").waitFor();
      if (isReading) {
        await findings(page, "the sheet");
        await showView(page, "Results");
      }
      await page.getByLabel("all figures").check();
      await findings(page, isReading ? "the results" : "everything open");
      if (isReading) {
        await chooseMore(page, "Set-up");
        await page.locator(".lane-form").first().waitFor();
        await unfold();
        await findings(page, "the set-up");
        await page.getByRole("button", { name: "More", exact: true }).click();
        // The parts of the menu load on demand, and one has a summary of its own.
        await page.locator(".popup summary").nth(4).waitFor();
        for (const summary of await page.locator(".popup summary").all()) await summary.click();
        await page.getByText(/Everything stays on this machine/).waitFor();
        await findings(page, "the menu");
        await page.keyboard.press("Escape");
        await outlasting(page);
      }
      await drop(page, "bad.swf", "1 2 3\n");
      await page.locator(".banner.bad").waitFor();
      await findings(page, "error");
      await page.setInputFiles(
        "input[type=file]",
        temporary("long.swf", trace(200_000, { gap: 20 })),
      );
      await page.getByRole("progressbar", { name: /Run B: running/ }).waitFor();
      await findings(page, "running");
    });

test("the whole journey by keyboard", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await page.keyboard.press("Tab");
  assert.equal(
    await page.evaluate(() => document.activeElement.textContent),
    "Skip to the content",
  );
  await page.keyboard.press("Enter");
  const reach = async (selector) => {
    for (let presses = 0; presses < 80; presses += 1) {
      if (await page.evaluate((selector) => document.activeElement?.matches(selector), selector))
        return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`the keyboard does not reach ${selector}`);
  };
  await reach("canvas.overlay");
  for (let presses = 0; presses < 12; presses += 1) await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() =>
    document.querySelector("[aria-live=polite]").textContent.includes("processor"),
  );
  await page.keyboard.press("Enter");
  await page.waitForFunction(() =>
    /Selected job|No job runs/.test(document.querySelector("[aria-live=polite]").textContent),
  );
  await reach(".metrics thead button");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".metrics th[aria-sort=ascending]").count(), 1);
  await reach(".files button");
});

const TABS = [
  "Machine",
  "Sharing",
  "Compare",
  "Forecast",
  "Sweep",
  "Workload",
  "Papers",
  "Timeline",
];

for (const [name, options] of [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["forced colours", { forcedColors: "active" }],
  ["200 % zoom", { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 }],
])
  test(`axe finds nothing in any tab, and nothing is too wide: ${name}`, async () => {
    const { page, said } = await s.open(options);
    await done(page, 2);
    const width = page.viewportSize().width;
    for (const tab of TABS) {
      await page.getByRole("tab", { name: tab }).click();
      await page.locator("#panel > :not(.quiet)").first().waitFor();
      await still(page);
      await findings(page, `${name}, ${tab}`);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, tab);
    }
    // On a torus and with time slots, the two tabs have their pictures.
    for (const [machine, tab, picture] of [
      ["torus", "Machine", "[data-occupancy]"],
      ["fat_tree", "Machine", "[data-tree]"],
      ["nodes", "Machine", "[data-nodes]"],
      ["gang", "Sharing", "[data-matrix]"],
    ]) {
      await page.getByRole("tab", { name: "Timeline" }).click();
      await page.getByLabel("Model", { exact: true }).selectOption(machine);
      await page.getByRole("button", { name: "Run what changed" }).click();
      await done(page, 2);
      await page.getByRole("tab", { name: tab }).click();
      await page.locator(picture).waitFor();
      await findings(page, `${name}, ${machine}`);
      assert.ok(
        (await page.evaluate(() => document.documentElement.scrollWidth)) <= width,
        machine,
      );
    }
    assert.deepEqual(
      said.filter((text) => !/WebGL|GPU|swiftshader/i.test(text)),
      [],
    );
  });

test("fingers: one drags, two pinch, a tap selects", async () => {
  const { page, said, context } = await s.open({
    hasTouch: true,
    isMobile: true,
    viewport: { width: 400, height: 900 },
  });
  await done(page, 2);
  const canvas = page.locator("canvas.overlay").first();
  const box = await placed(page, canvas);
  const cdp = await context.newCDPSession(page);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const touch = (type, ...points) =>
    cdp.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: points.map(([x, y], id) => ({ x, y, id })),
    });
  const rows = () => page.locator(".minimap canvas").getAttribute("aria-label");
  const before = await rows();
  await touch("touchStart", [x - 20, y], [x + 20, y]);
  for (let step = 1; step <= 6; step += 1)
    await touch("touchMove", [x - 20 - 15 * step, y], [x + 20 + 15 * step, y]);
  await touch("touchEnd");
  await page.waitForFunction(
    (before) => document.querySelector(".minimap canvas").getAttribute("aria-label") !== before,
    before,
  );
  const zoomed = await rows();
  await touch("touchStart", [x, y]);
  for (let step = 1; step <= 6; step += 1) await touch("touchMove", [x - 12 * step, y]);
  await touch("touchEnd");
  await page.waitForFunction(
    (before) => document.querySelector(".minimap canvas").getAttribute("aria-label") !== before,
    zoomed,
  );
  await page.touchscreen.tap(x, y);
  await page.waitForFunction(() =>
    /Selected job|No job runs/.test(document.querySelector("[aria-live=polite]").textContent),
  );
  assert.deepEqual(said, []);
});

test("who wants no motion gets none that is not asked for, and playing goes in steps", async () => {
  const { page } = await s.open({ reducedMotion: "reduce" });
  await done(page, 2);
  await page.getByRole("button", { name: "Zoom in (W)" }).click();
  const began = Date.now();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  const seen = new Set();
  await until(
    async () => seen.add(await page.locator(".strip-values").first().textContent()).size,
    (steps) => steps >= 4,
  );
  // The first picture existed before, and a step takes 0.7 s.
  assert.ok(Date.now() - began >= 2 * 700, `${seen.size} pictures in ${Date.now() - began} ms`);
});
