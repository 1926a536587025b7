// Links: the URL holds the state of the page, and restores it.
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";
import {
  assert,
  done,
  drop,
  finished,
  placed,
  root,
  stage,
  still,
  temporary,
  trace,
} from "./support.mjs";

let s;
let format;
before(async () => {
  s = await stage();
  const { outputFiles } = await build({
    entryPoints: [join(root, "www/src/link/format.ts")],
    bundle: true,
    format: "esm",
    write: false,
  });
  format = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
  );
});
after(() => s.close());

/** Returns a fragment of any JSON, including JSON that the page would not write. */
const packed = (json) => `1.${deflateRawSync(json, { level: 9 }).toString("base64url")}`;

/** Returns the URL after the page has written it. */
async function settled(page) {
  await still(page);
  return page.url();
}

test("all that is set and shown is in the URL, and comes back from it", async () => {
  const { page, context } = await s.open();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await done(page, 2);
  assert.ok(!(await settled(page)).includes("#"), "nothing is said of what is as usual");
  const second = page.locator(".lane-form").nth(1);
  await second.getByText("Parameters").click();
  await second.getByLabel("Scan order").selectOption("shortest");
  await page.getByRole("button", { name: "+ Conservative" }).click();
  await page.getByText("Workload", { exact: true }).last().click();
  await page.getByLabel("Load by arrivals").first().fill("1.1");
  await page.getByLabel("Load by arrivals").first().press("Enter");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 3);
  await page.getByLabel("Colour by").selectOption("wait");
  await page.getByRole("button", { name: "Zoom in (W)" }).click();
  await page.keyboard.press("/");
  await page.keyboard.type("size>8 -class:short");
  await page.keyboard.press("Enter");
  const box = await placed(page, page.locator("canvas.overlay").first());
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + box.width * 0.3, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 90, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.getByLabel("Job number").fill("700");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.locator(".job[data-job='700']").waitFor();
  const url = await settled(page);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("The link is copied.").first().waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), url);
  const said = await page.evaluate(() => document.querySelector(".filter-bar").textContent);
  const table = await page.locator(".metrics tbody").textContent();

  const other = await context.newPage();
  await other.goto(url);
  await done(other, 3);
  await other.locator(".job[data-job='700']").waitFor();
  assert.equal(await settled(other), url);
  assert.equal(await other.evaluate(() => document.querySelector(".filter-bar").textContent), said);
  assert.equal(await other.locator(".metrics tbody").textContent(), table);
  assert.equal(await other.getByLabel("Colour by").inputValue(), "wait");
  assert.equal(await other.locator(".area-table").count(), 3);
  // A reload acts as a link to the same page.
  await other.reload();
  await done(other, 3);
  assert.equal(await settled(other), url);
});

test("a plan and a tab are in the link; a reader's own plan is kept aside", async () => {
  const { page, context } = await s.open();
  await done(page, 2);
  await page.getByRole("tab", { name: "Sweep" }).click();
  await page.getByRole("button", { name: "Export the plan" }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("A plan of mine");
  await page.getByLabel("Name", { exact: true }).press("Enter");
  const url = await settled(page);
  const fresh = await s.browser.newContext();
  const other = await fresh.newPage();
  await other.goto(url);
  await other.getByRole("button", { name: "Back to my plan" }).waitFor();
  assert.equal(await other.getByLabel("Name", { exact: true }).inputValue(), "A plan of mine");
  await other.getByRole("button", { name: "Back to my plan" }).click();
  await other.waitForFunction(() =>
    [...document.querySelectorAll("input")].some(
      (input) => input.value === "Backfilling against load",
    ),
  );
  await fresh.close();
  await context.close();
});

test("a link to somebody's trace asks for the file with that hash", async () => {
  const { page, context } = await s.open();
  await done(page, 2);
  const mine = trace(400);
  await drop(page, "mine.swf", mine);
  await finished(page, "mine.swf");
  await page.getByLabel("Colour by").selectOption("size");
  const url = await settled(page);
  const other = await context.newPage();
  const said = [];
  other.on("pageerror", (error) => said.push(error.message));
  await other.goto(url);
  await other.getByText("This link needs the trace mine.swf").waitFor();
  assert.equal(await settled(other), url, "the link stays while its file is awaited");
  await other
    .locator('input[aria-label="The link\'s file"]')
    .setInputFiles(temporary("mine.swf", trace(401)));
  await other.getByText("mine.swf is not the trace that the link is about.").waitFor();
  await other.getByRole("button", { name: "Dismiss" }).click();
  await other
    .locator('input[aria-label="The link\'s file"]')
    .setInputFiles(temporary("renamed.swf", mine));
  await finished(other, "mine.swf");
  assert.equal(await other.getByLabel("Colour by").inputValue(), "size");
  assert.equal(await other.getByText("This link needs").count(), 0);
  assert.equal(await settled(other), url);
  assert.deepEqual(said, []);
});

test("a link stays in the address if the page changes while it is read", async () => {
  const { page, context } = await s.open();
  await done(page, 2);
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles(temporary("mine.swf", trace(300)));
  await finished(page, "mine.swf");
  const url = await settled(page);
  await context.close();
  const other = await s.open();
  await done(other.page, 2);
  await still(other.page);
  await other.page.evaluate((fragment) => {
    // Another view is a step, which the page writes at once.
    const change = () =>
      [...document.querySelectorAll("[role=tab]")]
        .find((tab) => tab.textContent.includes("Compare"))
        .click();
    addEventListener("hashchange", change, { once: true });
    location.hash = fragment;
  }, new URL(url).hash);
  await other.page.getByText("This link needs the trace mine.swf").waitFor();
  assert.equal(await settled(other.page), url);
  await other.page.reload();
  await other.page.getByText("This link needs the trace mine.swf").waitFor();
  await other.context.close();
});

test("a file that comes before the page has looked for the link's is taken", async () => {
  const { page, context } = await s.open();
  await done(page, 2);
  const mine = trace(300);
  await drop(page, "mine.swf", mine);
  await finished(page, "mine.swf");
  const url = await settled(page);
  const other = await context.newPage();
  let look;
  const looks = new Promise((resolve) => {
    look = resolve;
  });
  await other.route(/part-traces-/, async (route) => {
    await looks;
    await route.continue();
  });
  await other.goto(url);
  const input = other.locator('input[aria-label="The link\'s file"]');
  await input.setInputFiles(temporary("other.swf", trace(301)));
  look();
  await other.getByText("other.swf is not the trace that the link is about.").waitFor();
  // The page has the sample meanwhile.
  await done(other, 2);
  await input.setInputFiles(temporary("renamed.swf", mine));
  await finished(other, "mine.swf");
});

test("a bad link is told, and the page is as usual", async () => {
  const { page, context } = await s.open();
  await done(page, 2);
  const bomb = packed(`{"filter":"${"a".repeat(1e8)}"}`);
  for (const [fragment, what] of [
    [bomb, "The link is too large"],
    ["1.AAAA", "damaged or cut short"],
    ["2.AAAA", "newer version of the page"],
    ["1", "not understood"],
  ]) {
    const other = await context.newPage();
    await other.goto(`${s.url}#${fragment}`);
    await other.locator(".banner.bad", { hasText: what }).waitFor();
    await done(other, 2);
    await other.close();
  }
  // Opens a link in a page that is already there.
  await page.evaluate(
    (fragment) => (location.hash = fragment),
    await format.write({ runs: [{ policy: "nonsense" }], tab: "compare", colours: "nonsense" }),
  );
  await page.locator(".notice.bad", { hasText: "nonsense" }).first().waitFor();
});

test("colours tell jobs apart where users do not; links and the reader's choice stay", async () => {
  const { page, context, said } = await s.open();
  const colours = (page) => page.getByLabel("Colour by").inputValue();
  await done(page, 2);
  assert.equal(await colours(page), "user");
  const one = trace(40).replace(/^((\S+ ){11})\d+/gm, "$17");
  await drop(page, "one.swf", one);
  await finished(page, "one.swf");
  assert.equal(await colours(page), "job");
  await drop(page, "many.swf", trace(60));
  await finished(page, "many.swf");
  assert.equal(await colours(page), "user");
  await page.getByLabel("Colour by").selectOption("size");
  await drop(page, "one.swf", one);
  await finished(page, "one.swf");
  assert.equal(await colours(page), "size");
  // A link holds the colours, and means users where it names none.
  const model = { kind: "model", model: "lublin", settings: { jobs: 100 }, name: "No users" };
  for (const [state, wanted] of [
    [{ trace: model }, "user"],
    [{ trace: model, colours: "job" }, "job"],
  ]) {
    const other = await context.newPage();
    await other.goto(`${s.url}#${await format.write(state)}`);
    await finished(other, "No users");
    assert.equal(await colours(other), wanted);
    assert.deepEqual(
      (await format.read((await settled(other)).split("#")[1])).colours,
      state.colours,
    );
    await other.close();
  }
  assert.deepEqual(said, []);
});

test("a link that cannot be shown leaves what is usual, and the address is none that cannot be read", async () => {
  const { page, context, said } = await s.open();
  await done(page, 2);
  for (const state of [
    { trace: { kind: "model", model: "lublin", settings: { jobs: -5 }, name: "x" } },
    { shared: { demands: "file" } },
    { machine: "nonsense" },
  ]) {
    const other = await context.newPage();
    await other.goto(`${s.url}#${await format.write(state)}`);
    await other.locator(".banner.bad").waitFor();
    await done(other, 2);
    assert.ok(!(await settled(other)).includes("#"));
    await other.close();
  }
  // Returns from a link to the defaults. A place in the page does not count as a link.
  await page.evaluate(
    (fragment) => (location.hash = fragment),
    await format.write({ runs: [{ policy: "conservative" }], colours: "size" }),
  );
  await page.waitForFunction(() => document.querySelectorAll(".lane").length === 1);
  await done(page, 1);
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll(".lane").length === 2);
  await done(page, 2);
  await page.getByLabel("Colour by").selectOption("size");
  const url = await settled(page);
  await page.locator(".skip").focus();
  await page.keyboard.press("Enter");
  assert.equal(await settled(page), url);
  // Closed processors beyond the size of any machine neither run nor freeze the page.
  await page.evaluate(
    (fragment) => (location.hash = fragment),
    await format.write({
      runs: [
        { policy: "easy", whatIf: { at: 1000, closed: { first: 0, count: 1e17, seconds: 86400 } } },
      ],
    }),
  );
  await page.locator(".lane-form .notice.bad", { hasText: "What if:" }).waitFor();
  assert.deepEqual(said, []);
});
