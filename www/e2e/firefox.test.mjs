// The page in Firefox, if it is installed. Playwright cannot drive an ordinary Firefox; Puppeteer
// can.
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import puppeteer from "puppeteer-core";
import { serve } from "../server.mjs";
import { ATTACKER } from "./attack.mjs";
import { assert, still, temporary, trace } from "./support.mjs";

const path = [
  process.env.FIREFOX,
  "/usr/bin/firefox-esr",
  "/usr/bin/firefox",
  "/Applications/Firefox.app/Contents/MacOS/firefox",
].find((path) => path && existsSync(path));
const options = path ? {} : { skip: "no Firefox is installed (FIREFOX names one)" };

let server;
let browser;
before(async () => {
  if (!path) return;
  server = await serve();
  browser = await puppeteer.launch({ browser: "firefox", executablePath: path, headless: true });
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** Opens a fresh page. Returns it with its unexpected console messages. */
async function open(address = "") {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  const said = [];
  // Without a GPU, Firefox reports that WebGL is slow.
  page.on(
    "console",
    (message) =>
      ["error", "warn"].includes(message.type()) &&
      !/WebGL/.test(message.text()) &&
      said.push(message.text()),
  );
  page.on("pageerror", (error) => said.push(error.message));
  await page.goto(`${server.url}${address}`);
  return { page, said };
}

const done = (page, count) =>
  page.waitForFunction(
    (count) => document.querySelectorAll(".run-chip.done").length === count,
    { timeout: 180_000 },
    count,
  );
const press = (page, name) =>
  page.evaluate((name) => {
    const found = [...document.querySelectorAll("button, [role=tab], a")].find(
      (element) => (element.getAttribute("aria-label") ?? element.textContent).trim() === name,
    );
    if (!found) throw new Error(`there is no button “${name}”`);
    found.click();
  }, name);
const text = (page, selector) => page.$eval(selector, (element) => element.textContent);

test(
  "Firefox: the sample, a log of one's own, a third policy, a job and why it waited",
  options,
  async () => {
    const { page, said } = await open();
    await done(page, 2);
    assert.match(
      await text(page, ".sentence"),
      /On the same 1,500 jobs, the mean wait is 2 d 1 h under FCFS and 2 h 42 min under EASY/,
    );
    const input = await page.$("input[type=file]");
    await input.uploadFile(temporary("mine.swf", trace(3000)));
    await page.waitForFunction(() =>
      document.querySelector(".chip").textContent.includes("mine.swf"),
    );
    await done(page, 2);
    await press(page, "Compare with Conservative");
    await done(page, 3);
    // The picture is not empty, and the pointer finds jobs in it.
    const isDrawn = await page.$eval("canvas.raster", (canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size > 10;
    });
    assert.ok(isDrawn);
    const box = await (await page.$("canvas.overlay")).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForFunction(() =>
      /job \d+|free/.test(document.querySelector("p.hover").textContent),
    );
    await page.type("[aria-label='Search jobs, users, commands']", "400");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".why[data-run=B]");
    assert.deepEqual(said, []);
  },
);

test("Firefox: neither page nor worker can reach another origin", options, async () => {
  let asked = 0;
  const other = createServer((_, response) => {
    asked += 1;
    response.setHeader("access-control-allow-origin", "*").end("leak");
  });
  await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${other.address().port}/`;
  const { page } = await open();
  await done(page, 2);
  assert.equal(
    await page.evaluate(
      (url) =>
        fetch(url).then(
          () => "reached",
          () => "refused",
        ),
      url,
    ),
    "refused",
  );
  // A worker, started in the same way as on the page. A Firefox that knows trusted types refuses
  // even to start it.
  const answer = await page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const blob = new Blob(
          [
            `fetch(${JSON.stringify(url)}).then(() => postMessage("reached"), () => postMessage("refused"))`,
          ],
          { type: "text/javascript" },
        );
        try {
          new Worker(URL.createObjectURL(blob), { type: "module" }).addEventListener(
            "message",
            ({ data }) => resolve(data),
          );
        } catch (error) {
          resolve(error instanceof TypeError ? "refused" : String(error));
        }
      }),
    url,
  );
  assert.equal(answer, "refused");
  assert.equal(asked, 0);
  other.close();
});

test("Firefox: a tour, the torus in space, time slots, a plan", options, async () => {
  const { page, said } = await open();
  await done(page, 2);
  await press(page, "Teach me");
  await page.waitForSelector(".tours li");
  await press(page, "Begin: Fragmentation on a torus");
  await page.waitForSelector("[data-occupancy='0']");
  await page.type(".guide input[type=text]", "6");
  await press(page, "Reveal");
  await page.waitForFunction(
    () => document.querySelector(".guide .verdict")?.textContent === "Correct: 6 nodes.",
  );
  await press(page, "Leave the tour");
  await done(page, 2);
  await press(page, "Sharing");
  await page.waitForFunction(() =>
    [...document.querySelectorAll("button")].some(
      (button) => button.textContent === "Use time slots",
    ),
  );
  await press(page, "Use time slots");
  await page.waitForSelector("[data-matrix]", { timeout: 180_000 });
  await press(page, "Sweep");
  await page.waitForFunction(() =>
    [...document.querySelectorAll("button")].some(
      (button) => button.textContent === "Run 18 cells",
    ),
  );
  await press(page, "Run 18 cells");
  await page.waitForFunction(
    () => /18 of 18 cells are finished/.test(document.querySelector(".sweep").textContent),
    { timeout: 180_000 },
  );
  await page.waitForSelector(".sweep figure svg");
  assert.deepEqual(said, []);
});

test("Firefox: a miniature of the docs", options, async () => {
  const { page, said } = await open("docs/policies/easy.html");
  await page.waitForFunction(
    () =>
      [...document.querySelectorAll(".miniature .lane")].filter((lane) =>
        /mean wait/.test(lane.textContent),
      ).length === 2,
    { timeout: 180_000 },
  );
  assert.match(await text(page, ".miniature"), /FCFS mean wait 95\.00 s.*EASY mean wait 37\.50 s/s);
  assert.deepEqual(said, []);
});

test("Firefox: an exercise is drawn, asked and tried", options, async () => {
  const { page, said } = await open();
  await done(page, 2);
  await press(page, "Teach me");
  await page.waitForSelector(".exercises");
  await press(page, "Make an exercise");
  const board = await page.waitForSelector(".board svg");
  // The board is drawn twice: without a size, and once its size is known.
  await still(page);
  const { x, y, width, height } = await board.boundingBox();
  await page.mouse.move(x + width * 0.1, y + height * 0.8);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.4, y + height * 0.4, { steps: 4 });
  await page.mouse.up();
  await page.waitForSelector(".board-job");
  await page.$eval(".board-job", (job) => job.focus());
  const label = () => page.$eval(".board-job", (job) => job.getAttribute("aria-label"));
  const before = await label();
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(
    (before) => document.querySelector(".board-job").getAttribute("aria-label") !== before,
    {},
    before,
  );
  await press(page, "Add a question");
  await page.waitForFunction(() =>
    /Answer: \d+ s/.test(document.querySelector(".editor-answer")?.textContent),
  );
  await press(page, "Try it");
  await page.waitForFunction(() =>
    [...document.querySelectorAll("button")].some(({ textContent }) => textContent === "Reveal"),
  );
  await press(page, "Reveal");
  await page.waitForSelector(".answer");
  assert.deepEqual(said, []);
});

test("an own policy runs in a sandbox, out of reach of everything else", options, async () => {
  const { page, said } = await open();
  await done(page, 2);
  await press(page, "Policy");
  await page.waitForSelector(".own-welcome");
  const input = await page.$('input[aria-label="File of a policy"]');
  await input.uploadFile(temporary("attacker.js", ATTACKER));
  await page.waitForFunction(() =>
    /Ready/.test(document.querySelector(".own-state")?.textContent ?? ""),
  );
  // Firefox keeps `RegExp.input`, which holds no more than a variable of the module.
  const text = await page.$eval(".own-state", (element) => element.textContent);
  assert.match(text, /^Ready: attacker \(attacker\)\. (nothing|the last match )/);
  await press(page, "Run");
  await done(page, 3);
  const log = await page.$eval(".own-log", (element) => element.textContent);
  assert.match(log, /told/);
  assert.doesNotMatch(log, /changed/);
  // Firefox tells of each attempt to make a program of text.
  assert.deepEqual(
    said.filter((line) => !/injection sink|eval/i.test(line)),
    [],
  );
  await page.close();
});
