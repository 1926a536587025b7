// The npm package and the sizes of what is served.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { assert, root, stage } from "./support.mjs";

/** The README's example, as it stands there. */
const example = readFileSync(join(root, "README.md"), "utf8").match(/```js\n([^]*?)```/)[1];
const EXPECTED = /^fcfs mean wait \d+ s\neasy mean wait \d+ s$/;

let folder;
let s;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "schedscope-package-"));
  mkdirSync(join(folder, "node_modules"));
  cpSync(join(root, "pkg"), join(folder, "node_modules/schedscope"), { recursive: true });
  writeFileSync(join(folder, "example.mjs"), example);
  writeFileSync(join(folder, "index.html"), '<!doctype html><link rel="icon" href="data:,"><script type="importmap">{"imports": {"schedscope": "./node_modules/schedscope/schedscope.js"}}</script><script type="module" src="example.mjs"></script>');
  s = await stage({ folder });
});
after(() => s.close());

test("the README's example runs in Node", () => {
  assert.match(execFileSync(process.execPath, ["example.mjs"], { cwd: folder }).toString().trim(), EXPECTED);
});

test("the README's example runs in a browser, with the same result", async () => {
  const page = await s.browser.newPage();
  const lines = [];
  page.on("console", (message) => lines.push(message.text()));
  await page.goto(s.url);
  for (let tries = 0; tries < 200 && lines.length < 2; tries += 1) await page.waitForTimeout(50);
  assert.equal(lines.join("\n"), execFileSync(process.execPath, ["example.mjs"], { cwd: folder }).toString().trim());
});

test("the package is typed from the Rust types", () => {
  const types = readFileSync(join(root, "pkg/schedscope.d.ts"), "utf8");
  for (const type of ["interface Scenario", "interface RunResult", "interface JobFacts", "interface Problem", "type Settings", "class Run", "class Trace"])
    assert.ok(types.includes(type), type);
  const ours = types.split("export interface InitOutput")[0];
  assert.ok(!/: any\b/.test(ours), "an untyped value crosses the border");
});

test("sizes: wasm at most 450 KB brotli, first load of HTML, CSS and JS at most 90 KB gzip", (t) => {
  const file = (name) => readFileSync(join(root, "dist", name));
  const wasm = brotliCompressSync(file("schedscope_bg.wasm")).length;
  // What main.js imports at once, and what that imports; not what is loaded with a tab.
  const scripts = new Set(["main.js"]);
  for (const name of scripts) for (const [, part] of String(file(name)).matchAll(/(?:from|import)\s*"\.\/(part-[\w-]+\.js)"/g)) scripts.add(part);
  assert.ok(scripts.size > 1);
  const page = ["index.html", "style.css", "worker.js", "schedscope.js", ...scripts].reduce((sum, name) => sum + gzipSync(file(name)).length, 0);
  t.diagnostic(`wasm ${wasm} bytes brotli; HTML, CSS and JS ${page} bytes gzip`);
  assert.ok(wasm <= 450_000, `${wasm}`);
  assert.ok(page <= 90_000, `${page}`);
});
