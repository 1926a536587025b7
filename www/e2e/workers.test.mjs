// Workers that die, and the limits of workers.
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { assert, done, finished, outlasting, stage, still, temporary, trace } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

test("a worker that is killed while it runs is replaced, and the page says so", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await outlasting(page);
  await page.setInputFiles("input[type=file]", temporary("long.swf", trace(40_000, { gap: 20 })));
  await page.getByRole("progressbar", { name: /Run B: running/ }).waitFor();
  // The newest worker belongs to run B. It ends silently, as when a browser runs out of memory.
  await page
    .workers()
    .at(-1)
    .evaluate(() => self.close());
  await page.getByText("The worker was silent for").waitFor();
  await finished(page, "long.swf");
  assert.equal(await page.locator(".metrics tbody tr").count(), 2);
});

test("a run reads the file itself if the worker that holds the trace has died", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await page.setInputFiles("input[type=file]", temporary("mine.swf", trace(500)));
  await finished(page, "mine.swf");
  // The first worker is the one that opened the file; the others belong to runs.
  await page
    .workers()
    .at(0)
    .evaluate(() => self.close());
  await page.getByRole("button", { name: "+ EASY" }).click();
  await finished(page, "mine.swf", 3);
  // The worker of the run is well, and did not wait until it seemed silent.
  assert.equal(await page.getByText("The worker was silent for").count(), 0);
  // The runs under EASY are equal: one was given the trace, the other read it.
  const rows = await page.locator(".metrics tbody tr").allInnerTexts();
  const figures = rows.filter((row) => row.includes("EASY")).map((row) => row.split("\t").slice(1));
  assert.equal(figures.length, 2);
  assert.deepEqual(figures[0], figures[1]);
});

test("a worker that crashes fails its run only, and the next one runs", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await outlasting(page);
  await page.setInputFiles("input[type=file]", temporary("long.swf", trace(200_000, { gap: 20 })));
  await page.getByRole("progressbar", { name: /Run B: running/ }).waitFor();
  await page
    .workers()
    .at(-1)
    .evaluate(() => {
      // An outside view of a panic in wasm.
      setTimeout(() => {
        throw new WebAssembly.RuntimeError("unreachable");
      });
    });
  const status = page.locator(".lane-form").nth(1).locator(".notice.bad");
  await status.waitFor();
  assert.match(await status.textContent(), /The simulator failed in this worker\./);
  assert.equal(await page.locator(".status.done").count(), 1);
  await page
    .locator(".lane-form")
    .nth(1)
    .getByLabel("Policy of run B")
    .selectOption({ label: "EASY" });
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
});

test("runs that are cancelled before their workers are ready keep no processor", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  // More runs than the page has at once, whose workers never answer.
  await page.evaluate(() => {
    globalThis.RealWorker = Worker;
    globalThis.Worker = class {
      addEventListener() {}
      postMessage() {}
      terminate() {}
    };
  });
  const names = ["C", "D", "E", "F", "G", "H", "I", "J"];
  for (const name of names) {
    await page.getByRole("button", { name: "+ EASY" }).click();
    await page.getByRole("button", { name: `Cancel run ${name}` }).click();
  }
  await page.evaluate(() => {
    globalThis.Worker = globalThis.RealWorker;
  });
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2 + names.length);
  assert.deepEqual(said, []);
});

test("neither page nor worker can reach another origin", async () => {
  let asked = 0;
  const other = createServer((_, response) => {
    asked += 1;
    response.setHeader("access-control-allow-origin", "*").end("leak");
  });
  await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${other.address().port}/`;
  const { page } = await s.open();
  await done(page, 2);
  const attempt = async (url) => {
    try {
      await fetch(url);
      return "reached";
    } catch {
      return "refused";
    }
  };
  assert.equal(await page.evaluate(attempt, url), "refused");
  const workers = page.workers();
  assert.ok(workers.length >= 2);
  for (const worker of workers) assert.equal(await worker.evaluate(attempt, url), "refused");
  assert.equal(
    await page.evaluate(
      (url) =>
        new Promise(
          (resolve) =>
            (Object.assign(new Image(), {
              onload: () => resolve("reached"),
              onerror: () => resolve("refused"),
            }).src = url),
        ),
      url,
    ),
    "refused",
  );
  assert.equal(asked, 0);
  // The test can fail: without the policy, the same server is reached.
  const bare = await s.browser.newPage();
  assert.equal(await bare.evaluate(attempt, url), "reached");
  other.close();
});

test("a run asks no other host for anything, and sends nothing", async () => {
  const { page } = await s.open();
  await done(page, 2);
  const asked = [];
  page.on("request", (request) => asked.push(request));
  await page.setInputFiles("input[type=file]", temporary("mine.swf", trace(500)));
  await finished(page, "mine.swf");
  assert.ok(
    asked.every((request) => request.url().startsWith(s.url) || request.url().startsWith("blob:")),
  );
  assert.ok(
    asked.every((request) => request.method() === "GET" && !request.url().includes("mine")),
  );
});

test("once the page is there it needs no network", async () => {
  const { page, context, said } = await s.open({ serviceWorkers: "allow" });
  await done(page, 2);
  await still(page);
  // The page requests its service worker last, when it has nothing else to do.
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.waitForLoadState("networkidle");
  await context.setOffline(true);
  await page.getByRole("button", { name: "+ EASY" }).click();
  await done(page, 3);
  await page.setInputFiles("input[type=file]", temporary("mine.swf", trace(500)));
  await finished(page, "mine.swf", 3);
  assert.deepEqual(said, []);
});

test("dist/ works below any path", async () => {
  const below = await stage({ prefix: "/some/where/" });
  try {
    const { page, said } = await below.open();
    await done(page, 2);
    assert.deepEqual(said, []);
  } finally {
    await below.close();
  }
});
