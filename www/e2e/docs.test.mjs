import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { renderDocs } from "../docs.mjs";
import { assert, done, findings, root, stage } from "./support.mjs";

let s;
before(async () => (s = await stage({ prefix: "/some/where/" })));
after(() => s.close());

const pages = readdirSync(join(root, "dist/docs"), { recursive: true }).filter((path) =>
  path.endsWith(".html"),
);

/** Opens a page of the site. Returns it with its console messages. */
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
  return { page, said, context };
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
  const linked = await page
    .locator("#contents a")
    .evaluateAll((links) => links.map((link) => link.href));
  assert.equal(new Set(linked).size, pages.length);
  for (const link of linked) assert.equal((await page.request.get(link)).status(), 200, link);
  await page.locator("main").getByRole("link", { name: "EASY", exact: true }).click();
  await page.getByRole("link", { name: "Next Conservative" }).click();
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

test("a page of the docs has its text beside the contents, under a bar of one line", async () => {
  const { page } = await open("policies/fcfs.html");
  for (const [width, least] of [
    [1440, 800],
    [1024, 500],
    [400, 380],
  ]) {
    await page.setViewportSize({ width, height: 900 });
    const [bar, text] = await page.evaluate(() =>
      ["header", "main"].map((name) => {
        const { width, height } = document.querySelector(name).getBoundingClientRect();
        return { width, height };
      }),
    );
    assert.ok(bar.height < 80, `${width}: the bar has ${bar.height} pixels`);
    assert.ok(text.width >= least, `${width}: the text has ${text.width} pixels`);
  }
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
  await page.getByRole("button", { name: "Open in the simulator" }).click();
  await page.locator(".chip", { hasText: "Eight jobs on eight processors" }).waitFor();
  await done(page, 2);
  assert.match(
    await page.locator(".sentence").textContent(),
    /On the same 8 jobs, the mean wait is 1 min 35 s under FCFS and 38 s under EASY/,
  );
  assert.deepEqual(said, []);
});

test("a paper's page opens its cards", async () => {
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

/** Opens the search of a page with a key. */
async function search(page, key, words) {
  await page.keyboard.press(key);
  const field = page.getByRole("combobox", { name: "Search the documentation" });
  await field.fill(words);
  return { field, results: page.locator("dialog.search [role=option]") };
}

test("the search opens with a key, is used with the keyboard, and leads to a section", async () => {
  const { page, said } = await open("faq.html");
  await page.locator("#text").focus();
  const { field, results } = await search(page, "/", "shadow time");
  await results.first().waitFor();
  assert.match(await page.locator("dialog.search [role=status]").textContent(), /^\d+ results$/);
  assert.match(await results.first().locator("mark").first().textContent(), /shadow|time/i);
  const chosen = () => page.locator("dialog.search [aria-selected=true]").getAttribute("id");
  assert.equal(await chosen(), "result-0");
  await field.press("ArrowDown");
  assert.equal(await chosen(), "result-1");
  assert.equal(await field.getAttribute("aria-activedescendant"), "result-1");
  await field.press("ArrowUp");
  await field.press("ArrowUp");
  assert.equal(
    await chosen(),
    `result-${(await results.count()) - 1}`,
    "the first result follows the last",
  );
  await field.press("Escape");
  await page.locator("dialog.search").waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => document.activeElement.id), "text", "the focus returns");

  const again = await search(page, "Control+K", "one start for the head");
  await again.results.first().getByText("One start for the head").waitFor();
  await again.field.press("Enter");
  await page.waitForURL(/docs\/policies\/easy\.html#one-start-for-the-head-reservation$/);
  const top = await page
    .locator("#one-start-for-the-head-reservation")
    .evaluate((heading) => heading.getBoundingClientRect().top);
  assert.ok(
    top > 50 && top < 200,
    `the heading is ${top} pixels below the top, beside nothing that covers it`,
  );

  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("combobox", { name: "Search the documentation" }).fill("qqqqqq");
  await page.getByText("No results for “qqqqqq”.").waitFor();
  assert.deepEqual(said, []);
});

test("the search says when it cannot load, and tries again", async () => {
  const { page } = await open("faq.html");
  const address = (url) => url.pathname.endsWith("/search.json");
  await page.route(address, (route) => route.abort());
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("alert").getByText("could not load").waitFor();
  await page.keyboard.press("Escape");
  await page.unroute(address);
  const { results } = await search(page, "/", "easy");
  await results.first().waitFor();
});

/** Returns the visible colours of a page. */
const seen = (page) =>
  page.evaluate(() => {
    const { backgroundColor, color } = getComputedStyle(document.body);
    const probe = document.body.appendChild(document.createElement("i"));
    const tokens = [
      "bg",
      "surface",
      "lane",
      "ink",
      "ink-2",
      "line",
      "accent",
      "accent-ink",
      "hover",
      "bad",
      "bad-soft",
      "silhouette",
      "code-key",
    ].map((name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    });
    probe.remove();
    return [backgroundColor, color, ...tokens].join(" ");
  });

test("the colours follow the system until the reader chooses; the simulator has the same choice", async () => {
  const { page, said } = await open("faq.html");
  const light = await seen(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  const dark = await seen(page);
  assert.notEqual(dark, light);
  await page.getByLabel("Colours").selectOption("Light");
  assert.equal(await seen(page), light);
  await page.getByRole("link", { name: "Open the simulator" }).click();
  await done(page, 2);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  await page.goto(`${s.url}docs/policies/easy.html`);
  await page.getByLabel("Colours").selectOption("System");
  assert.equal(await seen(page), dark);
  assert.equal(await page.evaluate(() => localStorage.getItem("theme")), null);
  assert.deepEqual(said, []);
  for (const [colorScheme, colours] of Object.entries({ light, dark })) {
    const plain = await open("faq.html", { colorScheme, javaScriptEnabled: false });
    assert.equal(await seen(plain.page), colours, `${colorScheme}, without JavaScript`);
  }
});

test("without JavaScript a page is read as with it: contents, outline, text", async () => {
  for (const width of [1440, 400]) {
    const { page, said } = await open("policies/easy.html", {
      javaScriptEnabled: false,
      viewport: { width, height: 900 },
    });
    await page.getByRole("heading", { name: "EASY", level: 1, exact: true }).waitFor();
    assert.equal(
      await page.getByRole("button", { name: "Search" }).isVisible(),
      false,
      "what needs a script is not offered",
    );
    if (width < 900) {
      assert.equal(await page.locator("#contents").isVisible(), false);
      await page.getByRole("button", { name: "On this page" }).click();
      await page.locator("#outline").getByRole("link", { name: "Departures" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Contents" }).click();
    }
    await page.locator("#contents").getByRole("link", { name: "Maui", exact: true }).click();
    await page.getByRole("heading", { name: "Maui", level: 1, exact: true }).waitFor();
    assert.deepEqual(said, []);
  }
});

test("a page has its outline, its version, its source and its neighbours", async () => {
  const { page, said } = await open("policies/easy.html");
  const outline = page.locator("#outline");
  const wanted = await page.locator("article").locator("h2, h3").allTextContents();
  assert.deepEqual(await outline.getByRole("link").allTextContents(), wanted);
  await outline.getByRole("link", { name: "Departures" }).click();
  await outline.locator("a[aria-current=location]").getByText("Departures").waitFor();
  assert.match(page.url(), /#departures$/);

  const version = readFileSync(join(root, "Cargo.toml"), "utf8").match(/^version = "(.*)"/m)[1];
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8").match(/^## (\d[\w.-]*)/m)[1];
  assert.equal(changelog, version, "the first version of CHANGELOG.md is the one that is built");
  await page.locator(".versions summary").click();
  assert.match(
    await page.locator(".versions [aria-current]").textContent(),
    new RegExp(`^${version.replaceAll(".", "\\.")}`),
  );
  assert.match(
    await page.getByRole("link", { name: "All releases" }).getAttribute("href"),
    /\/releases$/,
  );
  await page.locator(".versions summary").press("Escape");
  assert.equal(await page.getByRole("link", { name: "All releases" }).isVisible(), false);

  assert.match(
    await page.getByRole("link", { name: "Edit this page" }).getAttribute("href"),
    /\/edit\/main\/docs\/policies\/easy\.md$/,
  );
  assert.match(
    await page.getByRole("link", { name: "Previous FCFS" }).getAttribute("href"),
    /^fcfs\.html$/,
  );
  assert.deepEqual(said, []);
});

test("older versions are listed from CHANGELOG.md", () => {
  const folder = mkdtempSync(join(tmpdir(), "schedscope-"));
  cpSync(join(root, "docs"), join(folder, "docs"), { recursive: true });
  cpSync(join(root, "tests/cases"), join(folder, "tests/cases"), { recursive: true });
  for (const name of readdirSync(root).filter((name) => name.endsWith(".md")))
    cpSync(join(root, name), join(folder, name));
  mkdirSync(join(folder, "www"), { recursive: true });
  writeFileSync(
    join(folder, "CHANGELOG.md"),
    "# Changelog\n\n## 0.2.0, 2027-01-01\n\n## 0.1.0, 2026-12-01\n",
  );
  const { pages } = renderDocs({
    root: folder,
    stamp: "",
    policy: "",
    repository: "https://example.org/r",
    version: "0.2.0",
  });
  const page = pages.get("policies/easy.html");
  assert.ok(
    page.includes('<a href="https://example.org/r/blob/v0.1.0/docs/policies/easy.md">0.1.0</a>'),
  );
  assert.ok(!page.includes("blob/v0.2.0"));
});

test("a link that leads nowhere fails the build", () => {
  const folder = mkdtempSync(join(tmpdir(), "schedscope-"));
  mkdirSync(join(folder, "docs"));
  writeFileSync(join(folder, "CHANGELOG.md"), "");
  const build = (overview, page) => {
    writeFileSync(join(folder, "docs/README.md"), `# Docs\n\n## Begin\n\n${overview}\n`);
    writeFileSync(join(folder, "docs/page.md"), `# Page\n\n${page}\n`);
    return renderDocs({ root: folder, stamp: "", policy: "", repository: "", version: "0" });
  };
  assert.throws(
    () => build("[Page](page.md)", "[No](no.md)"),
    /docs\/page\.md: no\.md leads nowhere/,
  );
  assert.throws(() => build("[Page](page.md)", "![No](no.svg)"), /no\.svg leads nowhere/);
  assert.throws(
    () => build("[Page](page.md#no)", ""),
    /docs\/README\.md: page\.md#no names no heading/,
  );
  assert.throws(() => build("", ""), /docs\/page\.md is not in docs\/README\.md/);
  assert.equal(build("[Page](page.md)", "[Itself](#page)").pages.size, 2);
});

test("code is coloured, and copied as it is", async () => {
  const { page, context, said } = await open("formats/plan.html");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const code = page.locator(".code").first();
  assert.ok((await code.locator(".hljs-attr").count()) > 5);
  await code.getByRole("button", { name: "Copy" }).click();
  await code.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(
    JSON.parse(await page.evaluate(() => navigator.clipboard.readText())).schedscope_plan,
    1,
  );
  assert.deepEqual(said, []);
});

test("a page without a miniature loads little", async () => {
  const { page } = await open("faq.html");
  await page.waitForLoadState("networkidle");
  const loaded = await page.evaluate(() =>
    performance.getEntriesByType("resource").map(({ name }) => name),
  );
  const files = new Set(
    [page.url(), ...loaded].map((url) => new URL(url).pathname.replace("/some/where/", "")),
  );
  const size = (path) => gzipSync(readFileSync(join(root, "dist", path))).length;
  const fonts = [...files].filter((path) => path.endsWith(".woff2"));
  const others = [...files].filter((path) => !fonts.includes(path));
  const sum = (paths) => paths.reduce((sum, path) => sum + size(path), 0);
  assert.equal(fonts.length, 1);
  assert.ok(sum(fonts) < 28_000, `${sum(fonts)} bytes of fonts`);
  assert.ok(sum(others) < 20_000, `${sum(others)} bytes of gzip in ${others.join(", ")}`);
});

test("the docs are there without the network", async () => {
  const { page } = await s.open({ serviceWorkers: "allow" });
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
  const { results } = await search(page, "/", "easy");
  await results.first().waitFor();
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
      const { results } = await search(page, "/", "job");
      await results.first().waitFor();
      await findings(page, "search");
      if (width > 900) return;
      await page.keyboard.press("Escape");
      for (const name of ["Contents", "On this page"]) {
        await page.getByRole("button", { name }).click();
        await findings(page, name);
        await page.keyboard.press("Escape");
      }
    });
