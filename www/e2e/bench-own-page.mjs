// The speed of own policies in a browser: the time of a run under EASY of the gallery, and under EASY compiled to WebAssembly,
// relative to the engine's. Medians of eleven rounds in turn, without the page around them, of five browsers:
// node e2e/bench-own-page.mjs LOG.swf.gz easy.wasm
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { root } from "./support.mjs";

const [log, module] = process.argv.slice(2);
if (module === undefined)
  throw new Error("usage: node e2e/bench-own-page.mjs LOG.swf.gz easy.wasm");
const TYPES = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };
const FIXED = {
  "/": () => "<!doctype html>",
  "/log": () => gunzipSync(readFileSync(log)),
  "/easy.js": () => readFileSync(join(root, "examples/policies/easy.js")),
  "/easy.wasm": () => readFileSync(module),
};
const server = createServer(({ url }, response) => {
  try {
    const content = FIXED[url]?.() ?? readFileSync(join(root, url));
    const type = TYPES[url === "/" ? "html" : url.split(".").at(-1)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type }).end(content);
  } catch {
    response.writeHead(404).end();
  }
}).listen(0, "127.0.0.1");

const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];
const found = [];
for (let round = 0; round < 5; round += 1) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  found.push(
    await page.evaluate(async () => {
      const { default: init, Run, readTrace } = await import("/pkg/index.js");
      await init();
      const trace = await readTrace(new Uint8Array(await (await fetch("/log")).arrayBuffer()));
      const policies = [
        "easy",
        (await import("/easy.js")).default,
        await WebAssembly.compileStreaming(fetch("/easy.wasm")),
      ];
      const times = policies.map(() => []);
      for (let turn = 0; turn < 11; turn += 1)
        for (const [at, policy] of policies.entries()) {
          const run = new Run(trace, { policy });
          const began = performance.now();
          while (!run.advance(100_000).done);
          times[at].push(performance.now() - began);
          run.free();
        }
      const [known, ...own] = times.map((all) => all.sort((one, other) => one - other)[5]);
      return own.map((time) => time / known);
    }),
  );
  await browser.close();
}
server.close();
for (const [at, name] of ["easy.js", "easy.wasm"].entries()) {
  const all = found.map((ratios) => ratios[at]);
  const [least, most] = [Math.min(...all), Math.max(...all)].map((ratio) => ratio.toFixed(2));
  console.log(`${name}: ${median(all).toFixed(2)} times as long as EASY (${least} to ${most})`);
}
