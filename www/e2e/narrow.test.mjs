// The reading view of narrow windows: five places, a sheet in three heights, and a menu of the rest.
import { after, before, test } from "node:test";
import {
  assert,
  chooseMore,
  done,
  findings,
  frames,
  placed,
  showView,
  stage,
  still,
  until,
} from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const VIEWPORT = { width: 400, height: 860 };

async function open(options) {
  const opened = await s.open({ atRest: true, viewport: VIEWPORT, ...options });
  await done(opened.page, 2);
  await still(opened.page);
  return opened;
}

const handle = (page, name = "Inspector") =>
  page.getByRole("button", { name: new RegExp(`^${name}: `) });
const places = (page) => page.getByRole("navigation", { name: "Places" }).getByRole("button");
const current = (page) => page.locator(".reading-nav [aria-current]").allTextContents();

/** Waits until the handle says this height, and the sheet has it. Returns its pixels. */
async function risen(page, height, name) {
  await page.getByRole("button", { name: `${name ?? "Inspector"}: ${height}` }).waitFor();
  const pixels = () =>
    page.locator(".sheet").evaluate((sheet) => sheet.getBoundingClientRect().height);
  let last;
  return until(pixels, (now) => {
    const isStill = now === last;
    last = now;
    return isStill;
  });
}

/** Selects a job by its number through the search field. */
async function select(page, number) {
  const search = page.getByRole("combobox", { name: "Search jobs, users, commands" });
  await search.fill(String(number));
  await search.press("Enter");
  await page.locator(`.job[data-job="${number}"]`).waitFor();
}

/** Returns by how many pixels the page is higher and wider than the window. */
const over = (page) =>
  page.evaluate(() => {
    const { scrollHeight, scrollWidth } = document.documentElement;
    return [scrollHeight - innerHeight, scrollWidth - innerWidth];
  });

test("five places, and the window is full and does not scroll", async () => {
  const { page, said, context } = await open();
  assert.deepEqual(await places(page).allTextContents(), [
    "Time",
    "Queue",
    "Results",
    "Papers",
    "Learn",
  ]);
  for (const place of await places(page).all()) {
    const { height, width } = await place.boundingBox();
    assert.ok(height >= 55 && width >= 64, `${width} x ${height}`);
  }
  for (const [place, region, content] of [
    ["Queue", "Timeline", ".queue-at table"],
    ["Results", "Results", ".metrics table"],
    ["Papers", "Papers", ".papers nav"],
    ["Learn", "Learn", ".tours li"],
    ["Time", "Timeline", ".timelines canvas"],
  ]) {
    await showView(page, place);
    await page.locator(content).first().waitFor();
    assert.deepEqual(await current(page), [place]);
    assert.equal(await page.getByRole("main").getAttribute("aria-label"), region);
    await still(page);
    assert.deepEqual(await over(page), [0, 0], place);
  }
  // The sentence stands above one bar for each run, in the figure that ranks them.
  await page.locator(".sentence").getByText("EASY").waitFor();
  const bars = page.getByRole("list", { name: "Runs by mean wait" }).getByRole("listitem");
  assert.deepEqual(
    (await bars.allTextContents()).map((text) => text.replace(/\d.*/, "").trim()),
    ["A FCFS", "B EASY"],
  );
  assert.deepEqual(said, []);
  await context.close();
});

test("the sheet has three heights, by pointer and by keyboard", async () => {
  const { page, said, context } = await open();
  assert.equal(await risen(page, "peek"), 88);
  const body = page.locator(".sheet-body");
  assert.equal(await body.isVisible(), false);
  const drag = async (pixels) => {
    const box = await placed(page, handle(page));
    const [x, y] = [box.x + box.width / 2, box.y + 12];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - pixels / 2, { steps: 5 });
    await page.mouse.move(x, y - pixels, { steps: 5 });
    // A sheet that rests before the button is released is not thrown.
    await page.waitForTimeout(100);
    await page.mouse.move(x, y - pixels + 1);
    await page.mouse.up();
  };
  await drag(280);
  assert.equal(await risen(page, "half"), 378);
  assert.equal(await body.isVisible(), true);
  await drag(300);
  assert.ok((await risen(page, "full")) > 700);
  // The covered page is out of reach.
  assert.equal(await page.locator("#panel").getAttribute("inert"), "");
  await drag(-620);
  await risen(page, "peek");
  // A tap goes on to the next height.
  for (const height of ["half", "full", "peek"]) {
    await handle(page).click();
    await risen(page, height);
  }
  for (const [key, height] of [
    ["ArrowUp", "half"],
    ["ArrowUp", "full"],
    ["ArrowDown", "half"],
    ["End", "full"],
    ["Home", "peek"],
    ["Enter", "half"],
  ]) {
    await handle(page).press(key);
    await risen(page, height);
    assert.equal(await handle(page).getAttribute("aria-expanded"), String(height !== "peek"));
  }
  // Escape inside the sheet lowers it, and keeps the focus on the sheet.
  await page.getByLabel("Job number").focus();
  await page.keyboard.press("Escape");
  await risen(page, "peek");
  assert.match(await page.evaluate(() => document.activeElement.ariaLabel), /^Inspector: peek$/);
  assert.deepEqual(said, []);
  await context.close();
});

test("a selected job raises the sheet and stays in sight, and closing it lowers the sheet", async () => {
  const { page, said, context } = await open({ hasTouch: true });
  // A tap in the last run, which the raised sheet would cover.
  const canvas = page.locator("canvas.overlay").last();
  const box = await placed(page, canvas);
  const tap = async (share) => page.touchscreen.tap(box.x + share * box.width, box.y + 60);
  let share = 0.3;
  await until(async () => {
    await tap((share += 0.01));
    await still(page);
    return page.locator(".sheet .job").count();
  });
  await risen(page, "half");
  const number = await page.locator(".sheet .job").getAttribute("data-job");
  await page.getByRole("heading", { name: `Job ${number}` }).waitFor();
  await still(page);
  const seen = await canvas.boundingBox();
  const sheet = await page.locator(".sheet").boundingBox();
  assert.ok(seen.y + 60 < sheet.y && seen.y + 60 > 48, `${seen.y}, ${sheet.y}`);
  await page.getByRole("button", { name: "Close the job" }).click();
  await risen(page, "peek");
  await page.getByText("Tap a job to see why it waited.").waitFor();
  assert.equal(await page.locator(".sheet .job").count(), 0);
  // The queue's jobs lead to the inspector.
  await showView(page, "Queue");
  await risen(page, "half", "Queue");
  await page.locator(".queue-at tbody th button").first().click();
  await page.locator(".sheet .job").waitFor();
  assert.deepEqual(await current(page), ["Time"]);
  assert.deepEqual(said, []);
  await context.close();
});

test("a run's name opens what can be done with the run", async () => {
  const { page, said, context } = await open();
  const name = page.getByRole("button", { name: "Run A, FCFS" });
  await name.click();
  await page.getByRole("button", { name: "Step through" }).click();
  await page.locator(".steps .told").waitFor();
  await risen(page, "half", "Step by step");
  await page.locator(".steps").getByRole("button", { name: "Next", exact: true }).click();
  await page.locator(".steps").getByRole("button", { name: "Close" }).click();
  await name.click();
  await page.getByRole("button", { name: "What if…" }).click();
  await page.locator(".what-if").waitFor();
  await page.locator(".what-if").getByRole("button", { name: "Close" }).click();
  assert.equal(
    await until(() => page.evaluate(() => document.activeElement.ariaLabel)),
    "Run A, FCFS",
  );
  await name.click();
  await page.getByRole("button", { name: "Hide its timeline" }).click();
  await name.waitFor({ state: "detached" });
  await chooseMore(page, "Set-up");
  await page.getByRole("button", { name: "Visibility of run A" }).click();
  await page.getByRole("button", { name: "Close set-up" }).click();
  await name.click();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.waitForFunction(() => /^part-run-/.test(document.activeElement.id));
  assert.deepEqual(said, []);
  await context.close();
});

test("the table of metrics is a page, and ranks the bars", async () => {
  const { page, said, context } = await open();
  await showView(page, "Results");
  await page.getByLabel("Rank by").selectOption({ label: "utilisation" });
  await page.getByRole("list", { name: "Runs by utilisation" }).getByText("%").first().waitFor();
  await page.getByLabel("all figures").check();
  const { height } = await page.locator("#panel").boundingBox();
  assert.equal(height, 860 - 48 - 56);
  // The names of the runs stay while the figures scroll.
  const table = page.getByRole("region", { name: "Metrics table" });
  await table.evaluate((region) => region.scrollTo(400, 0));
  await frames(page, 2);
  const [row, region] = await Promise.all([
    table.locator("tbody th").first().boundingBox(),
    table.boundingBox(),
  ]);
  assert.equal(Math.round(row.x), Math.round(region.x));
  assert.deepEqual(said, []);
  await context.close();
});

test("a tour's text, question and picture are there together", async () => {
  const { page, said, context } = await open();
  await showView(page, "Learn");
  await page
    .getByRole("button", { name: /^Begin: / })
    .first()
    .click();
  await page.locator(".guide h2").waitFor();
  await risen(page, "half", "Tour");
  assert.deepEqual(await current(page), ["Learn"]);
  // The steps of the run take turns with the text.
  await page.getByRole("button", { name: "Step by step", exact: true }).click();
  const steps = page.locator(".steps");
  await steps.getByRole("button", { name: "Reveal" }).click();
  await steps.locator(".verdict").waitFor();
  await page.getByRole("button", { name: "Text", exact: true }).click();
  const question = page.locator(".guide fieldset").first();
  for (let chapters = 0; chapters < 4 && (await question.count()) === 0; chapters += 1) {
    await page.getByRole("button", { name: "Next chapter" }).click();
    await page.getByText("Waiting for the runs…").waitFor({ state: "hidden" });
    await still(page);
  }
  await question.waitFor();
  await question.scrollIntoViewIfNeeded();
  // The picture is in sight above the question.
  const picture = await page.locator(".gantt").first().boundingBox();
  const sheet = await page.locator(".sheet").boundingBox();
  assert.ok(picture.y >= 48 && picture.y + 100 < sheet.y, `${picture.y}, ${sheet.y}`);
  await page.locator(".guide").getByRole("button", { name: "Reveal" }).first().click();
  await page.locator(".guide .verdict").first().waitFor();
  // “Time” lowers the text, and “Learn” brings it back.
  await showView(page, "Time");
  await risen(page, "peek", "Tour");
  await showView(page, "Learn");
  await risen(page, "half", "Tour");
  await findings(page, "in a tour");
  await page.getByRole("button", { name: "Leave the tour" }).click();
  await page.locator(".chip", { hasText: "Sample" }).waitFor();
  await risen(page, "peek");
  assert.deepEqual(said, []);
  await context.close();
});

test("everything else is in the menu, by name", async () => {
  const { page, said, context } = await open();
  for (const name of ["Machine", "Sharing", "Compare", "Sweep", "Workload"]) {
    await chooseMore(page, name);
    await page.getByRole("heading", { name, exact: true, level: 2 }).first().waitFor();
    await page.locator("#panel > :not(h2, .quiet)").first().waitFor();
    assert.equal(await page.getByRole("main").getAttribute("aria-label"), name);
    assert.deepEqual(await current(page), []);
    await still(page);
    assert.deepEqual(await over(page), [0, 0], name);
  }
  await chooseMore(page, "Set-up");
  await page.getByLabel("Model", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Compare with Conservative" }).click();
  await done(page, 3);
  await page.getByRole("button", { name: "Close set-up" }).click();
  assert.equal(await page.getByRole("main").getAttribute("aria-label"), "Timeline");
  await chooseMore(page, "Use dark colours");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    chooseMore(page, "Open a trace…"),
  ]);
  assert.ok(chooser);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.locator(".popup summary", { hasText: "Export" }).click();
  await page.getByRole("button", { name: "Jobs of run A as CSV" }).waitFor();
  await findings(page, "exports");
  await page.keyboard.press("Escape");
  // Escape closes the menu, and the focus returns to its button.
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("link", { name: "Docs" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".popup:popover-open").waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), "More");
  assert.deepEqual(said, []);
  await context.close();
});

test("a window that becomes wide is the workspace again, with its panels as they were", async () => {
  const { page, said, context } = await open();
  await showView(page, "Results");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("tab", { name: "Timeline" }).waitFor();
  assert.equal(await page.locator(".pane.dock").count(), 1);
  assert.equal(await page.locator(".metrics.open").count(), 0);
  assert.equal((await page.locator(".top").boundingBox()).height, 48);
  await page.setViewportSize(VIEWPORT);
  await risen(page, "peek");
  assert.deepEqual(await current(page), ["Time"]);
  // A low window is one column that scrolls.
  await page.setViewportSize({ width: 844, height: 390 });
  await page.getByRole("tab", { name: "Timeline" }).waitFor();
  assert.equal((await over(page))[1], 0);
  assert.deepEqual(said, []);
  await context.close();
});

for (const [width, height] of [
  [320, 568],
  [360, 640],
  [430, 932],
  [719, 900],
])
  test(`nothing is too wide or out of reach at ${width} x ${height}`, async () => {
    const { page, said, context } = await open({ viewport: { width, height } });
    for (const place of ["Queue", "Results", "Papers", "Learn", "Time"]) {
      await showView(page, place);
      await still(page);
      assert.deepEqual(await over(page), [0, 0], place);
    }
    await select(page, 400);
    await risen(page, "half");
    assert.deepEqual(await over(page), [0, 0], "a job");
    // The bars are full of controls that a finger can hit, and that do not overlap.
    const boxes = await page
      .locator(".reading-top button, .reading-search, .reading-nav button")
      .evaluateAll((all) =>
        all.map((each) => {
          const { x, y, right, bottom, width, height } = each.getBoundingClientRect();
          return { x, y, right, bottom, width, height };
        }),
      );
    assert.equal(boxes.length, 9);
    for (const [at, box] of boxes.entries()) {
      assert.ok(box.width >= 40 && box.height >= 40, JSON.stringify(box));
      assert.ok(box.x >= 0 && box.right <= width && box.bottom <= height, JSON.stringify(box));
      for (const other of boxes.slice(at + 1))
        assert.ok(
          box.right <= other.x + 0.5 || other.right <= box.x + 0.5 || box.bottom <= other.y,
          `${JSON.stringify(box)} and ${JSON.stringify(other)}`,
        );
    }
    assert.deepEqual(said, []);
    await context.close();
  });

for (const colorScheme of ["light", "dark"])
  test(`axe finds nothing in any place: ${colorScheme}`, async () => {
    const { page, context } = await open({ colorScheme });
    for (const place of ["Queue", "Results", "Papers", "Learn", "Time"]) {
      await showView(page, place);
      await page.locator("#panel > :not(.quiet)").first().waitFor();
      await still(page);
      await findings(page, place);
    }
    await select(page, 400);
    await page.locator(".why[data-run=B]").waitFor();
    await risen(page, "half");
    await findings(page, "half");
    await handle(page).press("End");
    await risen(page, "full");
    await findings(page, "full");
    await handle(page).press("Home");
    await page.getByRole("button", { name: "More", exact: true }).click();
    await findings(page, "menu");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Run B, EASY" }).click();
    await findings(page, "a run's menu");
    await context.close();
  });

test("the keyboard reaches every part, and the focus is seen", async () => {
  const { page, context } = await open();
  await page.keyboard.press("Tab");
  assert.equal(
    await page.evaluate(() => document.activeElement.textContent),
    "Skip to the content",
  );
  const met = new Set();
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    const found = await page.evaluate(() => {
      const { activeElement: now } = document;
      const { outlineStyle, outlineWidth } = getComputedStyle(now);
      const { width, height } = now.getBoundingClientRect();
      return {
        name: now.getAttribute("aria-label") ?? now.textContent.trim(),
        isSeen: outlineStyle !== "none" && outlineWidth !== "0px" && width > 0 && height > 0,
      };
    });
    if (found.name && !met.has(found.name)) assert.ok(found.isSeen, found.name);
    met.add(found.name);
    if (found.name === "Learn") break;
  }
  for (const name of [
    "Search jobs, users, commands",
    "More",
    "Zoom in (W)",
    "Strips",
    "Run A, FCFS",
    "Inspector: peek",
    "Time",
    "Learn",
  ])
    assert.ok(met.has(name), `${name} is not among ${[...met].join("; ")}`);
  await context.close();
});
