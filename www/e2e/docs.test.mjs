// The documentation site: it is whole, says what the code says, and its miniatures are run by the
// engine.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assert, done, findings, root, stage } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const pages = readdirSync(join(root, "dist/docs"), { recursive: true }).filter((path) =>
  path.endsWith(".html"),
);

/** A page of the site, and what it said on its console. */
async function open(path, options = {}) {
  const context = await s.browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme: "light",
    ...options,
  });
  const page = await context.newPage();
  const said = [];
  page.on(
    "console",
    (message) => ["error", "warning"].includes(message.type()) && said.push(message.text()),
  );
  page.on("pageerror", (error) => said.push(error.message));
  await page.goto(`${s.url}docs/${path}`);
  return { page, said };
}

/** Waits until a page's miniature has run. */
async function ran(page) {
  await page.waitForFunction(() => {
    const lanes = [...document.querySelectorAll(".miniature .lane")];
    return lanes.length > 0 && lanes.every((lane) => /mean wait/.test(lane.textContent));
  });
}

test("the simulator leads to the docs, the overview to every page, and every page to its neighbours", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page.getByRole("link", { name: "Docs" }).click();
  await page.getByRole("heading", { name: "Documentation", level: 1 }).waitFor();
  const linked = await page.locator("nav a").evaluateAll((links) => links.map((link) => link.href));
  assert.equal(new Set(linked).size, pages.length);
  for (const link of linked) assert.equal((await page.request.get(link)).status(), 200, link);
  await page.locator("main").getByRole("link", { name: "EASY", exact: true }).click();
  await page.getByRole("link", { name: /^Next: Conservative/ }).click();
  assert.match(page.url(), /docs\/policies\/conservative\.html$/);
  await page.getByRole("link", { name: "Open the simulator" }).click();
  await done(page, 2);
  assert.deepEqual(said, []);
});

test("each policy and machine has a miniature that the engine runs", async () => {
  const found = pages.filter((path) => /^(policies|machines)\//.test(path));
  assert.equal(
    found.length,
    readdirSync(join(root, "docs/policies")).length +
      readdirSync(join(root, "docs/machines")).length,
  );
  const { page, said } = await open("index.html");
  for (const path of found) {
    await page.goto(`${s.url}docs/${path}`);
    await ran(page);
    assert.equal(await page.locator(".miniature .notice").count(), 0, path);
  }
  assert.deepEqual(said, []);
});

test("a miniature shows what its text says, answers pointer and keyboard, and goes on in the simulator", async () => {
  const { page, said } = await open("policies/easy.html");
  await ran(page);
  assert.match(
    await page.locator(".miniature .lane").first().textContent(),
    /FCFS mean wait 95\.00 s/,
  );
  assert.match(
    await page.locator(".miniature .lane").nth(1).textContent(),
    /EASY mean wait 37\.50 s/,
  );
  await page
    .locator(".miniature canvas.overlay")
    .nth(1)
    .hover({ position: { x: 10, y: 10 } });
  await page.waitForFunction(() =>
    /job 1,/.test(document.querySelector(".miniature .hover").textContent),
  );
  await page.getByRole("button", { name: "Change it in the simulator" }).click();
  await page.locator(".chip", { hasText: "Eight jobs on eight processors" }).waitFor();
  await done(page, 2);
  assert.match(
    await page.locator(".sentence").textContent(),
    /On the same 8 jobs, the mean wait is 1 min 35 s under FCFS and 38 s under EASY/,
  );
  assert.deepEqual(said, []);
});

test("a paper's page has the figures of its card as it is now, and opens it", async () => {
  const texts = readdirSync(join(root, "docs/papers"))
    .map((name) => readFileSync(join(root, "docs/papers", name), "utf8"))
    .join("\n");
  for (const name of readdirSync(join(root, "www/papers"))) {
    const { id, plan, printed } = JSON.parse(readFileSync(join(root, "www/papers", name), "utf8"));
    const digest = createHash("sha256")
      .update(JSON.stringify([plan, printed]))
      .digest("hex")
      .slice(0, 12);
    assert.ok(
      texts.includes(`<!-- card: ${id} ${digest} -->`),
      `docs/papers/ is not of ${name} as it is: run www/papers.mjs`,
    );
  }
  const { page, said } = await open("papers/rajaei-and-dadfar.html");
  await page.getByRole("link", { name: "Run it in the simulator" }).first().click();
  await page.getByRole("tab", { name: "Papers" }).waitFor();
  await page.locator(".card [aria-expanded=true]").waitFor();
  assert.deepEqual(said, []);
});

test("who cites it finds the version", () => {
  const version = readFileSync(join(root, "Cargo.toml"), "utf8").match(/^version = "(.*)"/m)[1];
  assert.match(
    readFileSync(join(root, "docs/cite.md"), "utf8"),
    new RegExp(`version = \\{${version}\\}`),
  );
  assert.match(
    readFileSync(join(root, "CITATION.cff"), "utf8"),
    new RegExp(`^version: ${version}$`, "m"),
  );
});

test("the docs are there without the network", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await page.waitForFunction(
    () => navigator.serviceWorker?.controller || navigator.serviceWorker.ready,
  );
  await page.getByText("works without the network").waitFor();
  await page.context().setOffline(true);
  await page.goto(`${s.url}docs/policies/easy.html`);
  await ran(page);
  await page.goto(`${s.url}docs/`);
  await page.getByRole("heading", { name: "Documentation", level: 1 }).waitFor();
});

for (const colorScheme of ["light", "dark"])
  for (const width of [1440, 400])
    test(`axe finds nothing in the docs: ${colorScheme}, ${width} pixels`, async () => {
      const { page } = await open("index.html", { colorScheme, viewport: { width, height: 900 } });
      for (const path of [
        "index.html",
        "policies/easy.html",
        "machines/bsp.html",
        "formats/plan.html",
        "papers/krevat.html",
        "faq.html",
      ]) {
        await page.goto(`${s.url}docs/${path}`);
        if (/^(policies|machines)/.test(path)) await ran(page);
        await findings(page, path);
        assert.ok(
          await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
          `${path} is wider than the window`,
        );
      }
    });
