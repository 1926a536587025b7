// The page without the network, with a newer version, with its storage, and in two tabs at once.
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  assert,
  done,
  findings,
  finished,
  root,
  stage,
  still,
  temporary,
  trace,
} from "./support.mjs";

let s;
before(async () => (s = await stage({ prefix: "/some/where/" })));
after(() => s.close());

const ready = (page) => page.getByText("works without the network").waitFor();

test("after the first load the page works without the network, all tabs of it", async () => {
  const { page, context, said } = await s.open({ serviceWorkers: "allow" });
  await done(page, 2);
  await ready(page);
  await context.setOffline(true);
  await page.reload();
  await done(page, 2);
  for (const [tab, text] of [
    ["Machine", "Use a 4"],
    ["Compare", "Compare"],
    ["Sweep", "Export the plan"],
    ["Workload", "Users"],
    ["Papers", "Tables and figures of the paper"],
  ]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.locator("#panel").getByText(text).first().waitFor();
  }
  const other = await context.newPage();
  await other.goto(`${s.url}index.html`);
  await done(other, 2);
  assert.deepEqual(said, []);
});

test("it can be installed", async () => {
  const { page } = await s.open({ serviceWorkers: "allow" });
  const manifest = await page.evaluate(async () =>
    (await fetch(document.querySelector("link[rel=manifest]").href)).json(),
  );
  assert.equal(manifest.start_url, "./");
  assert.equal(manifest.display, "standalone");
  assert.equal(
    await page.evaluate(async (src) => (await fetch(src)).status, manifest.icons[0].src),
    200,
  );
});

test("a newer version is offered, and taken when the reader wants it; another tab goes on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "schedscope-"));
  cpSync(join(root, "dist"), folder, { recursive: true });
  const own = await stage({ folder });
  try {
    const { page, context } = await own.open({ serviceWorkers: "allow" });
    await done(page, 2);
    await ready(page);
    const other = await context.newPage();
    await other.goto(own.url);
    await done(other, 2);
    const stamp = /main\.js\?v=(\w+)/.exec(readFileSync(join(folder, "index.html"), "utf8"))[1];
    for (const name of readdirSync(folder).filter((name) => /\.(js|html)$/.test(name))) {
      const path = join(folder, name);
      writeFileSync(path, readFileSync(path, "utf8").replaceAll(stamp, "feedfeedfeed"));
    }
    const version = (page) =>
      page.evaluate(() => document.querySelector("script[src]").src.split("v=")[1]);
    await page.getByLabel("Colour by").selectOption("size");
    await still(page);
    await page.reload();
    await page.getByText("A newer version of the page is ready.").waitFor();
    assert.equal(await version(page), stamp, "not forced");
    await findings(page, "a newer version");
    await page.getByRole("button", { name: "Use new version" }).click();
    await page.waitForFunction(() =>
      document.querySelector("script[src]")?.src.endsWith("feedfeedfeed"),
    );
    await done(page, 2);
    assert.equal(
      await page.getByLabel("Colour by").inputValue(),
      "size",
      "what was seen is seen again",
    );
    await other.getByText("Another tab has changed to a newer version").waitFor();
    assert.equal(await version(other), stamp);
    // It still works, including code that was not loaded yet.
    await other.getByRole("tab", { name: "Workload" }).click();
    await other.locator("#panel").getByText("Users").first().waitFor();
    await other.getByRole("tab", { name: "Timeline" }).click();
    await other.getByRole("button", { name: "+ EASY" }).click();
    await done(other, 3);
  } finally {
    await own.close();
  }
});

test("a trace is kept when the reader asks, opens by its link, and is deleted", async () => {
  const { page, context, said } = await s.open({ serviceWorkers: "allow" });
  await done(page, 2);
  await page.setInputFiles("input[type=file]", temporary("kept.swf", trace(500)));
  await finished(page, "kept.swf");
  await page.getByText("Stored in this browser").click();
  await page.getByRole("button", { name: "Keep kept.swf here" }).click();
  await page.getByText("kept.swf is kept.").first().waitFor();
  await findings(page, "storage");
  await still(page);
  const other = await context.newPage();
  await other.goto(page.url());
  await finished(other, "kept.swf");
  assert.equal(await other.getByText("This link needs").count(), 0);
  await other.getByText("Stored in this browser").click();
  await other.getByRole("button", { name: "Delete kept.swf" }).click();
  await other.getByText("kept.swf is deleted.").first().waitFor();
  await other.getByRole("button", { name: "Undo" }).click();
  await other.getByRole("button", { name: "Delete kept.swf" }).waitFor();
  const again = await context.newPage();
  await again.goto(page.url());
  await finished(again, "kept.swf");
  await again.close();
  await other.getByRole("button", { name: "Delete kept.swf" }).click();
  await other.getByText("kept.swf is deleted.").first().waitFor();
  await other.reload();
  await other.getByText("This link needs the trace kept.swf").waitFor();
  // The first tab lists a trace that is gone. Opening it says so.
  await page.getByRole("button", { name: "Open kept.swf" }).click();
  await page.getByText("The trace is no longer kept.").first().waitFor();
  assert.deepEqual(said, []);
});

test("two tabs run the same plan at once, and both have all results", async () => {
  const { page, context, said } = await s.open({ serviceWorkers: "allow" });
  await done(page, 2);
  const other = await context.newPage();
  await other.goto(s.url);
  await done(other, 2);
  const rows = (page) => page.locator("[aria-label='Results table'] tbody tr");
  // Both tabs are ready before one begins. Otherwise it might finish first and leave nothing to
  // run.
  const run = (tab) => tab.getByRole("button", { name: /^Run/ }).first();
  for (const tab of [page, other]) {
    await tab.getByRole("tab", { name: "Sweep" }).click();
    await run(tab).waitFor();
  }
  for (const tab of [page, other]) await run(tab).click();
  for (const tab of [page, other])
    await tab.waitForFunction(
      () => document.querySelectorAll("[aria-label='Results table'] tbody tr").length === 18,
    );
  const text = async (tab) => (await rows(tab).allTextContents()).join("\n");
  assert.equal(await text(page), await text(other));
  await other.reload();
  await other.waitForFunction(
    () => document.querySelectorAll("[aria-label='Results table'] tbody tr").length === 18,
  );
  assert.equal(await text(other), await text(page));
  await other.getByText("Stored in this browser").click();
  await other.getByText("18 finished cells of plans, and your last plan").waitFor();
  await other.getByRole("button", { name: "Delete results and plan" }).click();
  await other.getByText("0 finished cells").waitFor();
  await other.getByRole("button", { name: "Undo" }).click();
  await other.getByText("18 finished cells of plans, and your last plan").waitFor();
  await other.reload();
  await other.waitForFunction(
    () => document.querySelectorAll("[aria-label='Results table'] tbody tr").length === 18,
  );
  assert.equal(await text(other), await text(page));
  assert.deepEqual(said, []);
});
