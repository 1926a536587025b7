// Workers that work for long without an answer report their activity, are waited for, and can be
// stopped. A silent worker is replaced, and the page gives the true reason.
import { after, before, test } from "node:test";
import {
  assert,
  done,
  finished,
  frames,
  outlasting,
  stage,
  temporary,
  trace,
  until,
} from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

/**
 * Opens a page whose clock the test can put forward, because the time that a worker may be silent
 * is the page's own.
 */
const clocked = () => s.open({ before: (page) => page.clock.install() });

/** Jobs of zero length that all arrive at once. Under Flex, one decision plans them all. */
const atOnce = (jobs) => {
  const line = (_, at) =>
    `${at + 1} 0 -1 0 ${1 + ((at * 7919) % 61)} -1 -1 ${1 + ((at * 7919) % 61)} ${60 + ((at * 104729) % 3600)} -1 1 1 1 -1 1 -1 -1 -1`;
  return `; MaxProcs: 64\n${Array.from({ length: jobs }, line).join("\n")}\n`;
};

/**
 * Puts the page's time forward by more than a silent worker would get, while the text of the
 * activity changes.
 */
async function outlive(page, text) {
  for (let part = 0; part < 4; part += 1) {
    const before = await text();
    await page.clock.fastForward(7000);
    await until(text, (now) => now !== before);
  }
}

test("a decision that outlasts the watchdog is shown, not taken for a dead worker, and can be cancelled", async () => {
  const { page } = await clocked();
  await done(page, 2);
  await page.setInputFiles("input[type=file]", temporary("at-once.swf", atOnce(100_000)));
  await finished(page, "at-once.swf");
  await page.getByRole("button", { name: "+ Flex" }).click();
  const lane = page.locator(".lane-form").nth(2);
  const status = lane.locator(".status-text");
  await status
    .filter({ hasText: /^deciding at day 1, 00:00:00, queue of 100,000 jobs, \d+ s$/ })
    .waitFor();
  await outlive(page, () => status.textContent());
  assert.equal(await lane.locator(".notice").count(), 0);
  const workers = page.workers().length;
  await page.getByRole("button", { name: "Cancel run C" }).click();
  const cancelled = lane.locator(".status.cancelled");
  // The time that a worker has for answering a cancel is the page's, too.
  await until(async () => {
    await page.clock.fastForward(300);
    return cancelled.count();
  });
  assert.match(
    await lane.locator(".notice").textContent(),
    /^The worker did not answer \(deciding at day 1, 00:00:00, queue of [\d,]+ jobs, .*\) and was stopped\./,
  );
  await until(
    () => page.workers().length,
    (now) => now < workers,
  );
});

test("a model that draws five million jobs by a link says how far it is", async () => {
  const { page } = await clocked();
  await done(page, 2);
  const trace = {
    kind: "model",
    model: "lublin",
    name: "Five million",
    settings: { jobs: 5_000_000, processors: 128, seed: 1 },
  };
  await page.evaluate(
    async (linked) => {
      const bytes = new TextEncoder().encode(JSON.stringify(linked));
      const packed = new Response(
        new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw")),
      );
      const text = btoa(String.fromCharCode(...new Uint8Array(await packed.arrayBuffer())));
      location.hash = `${1}.${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
    },
    { trace },
  );
  const banner = page.locator(".banner", { hasText: "Reading Five million" });
  const drawing = banner.filter({ hasText: /drawing jobs: [\d,]+ of 5,000,000/ });
  const failed = page.locator(".banner.bad");
  await drawing.or(failed).first().waitFor();
  assert.deepEqual(await failed.allTextContents(), []);
  await outlive(page, () => banner.textContent());
  assert.deepEqual(await failed.allTextContents(), []);
  await banner.getByRole("button", { name: "Cancel" }).click();
  await banner.waitFor({ state: "detached" });
  assert.equal(await page.locator(".status.done").count(), 2, "what was there stays");
});

test("a worker that hangs is replaced with the true reason, once; the second time the run fails", async () => {
  const { page } = await clocked();
  await done(page, 2);
  await outlasting(page);
  await page.setInputFiles("input[type=file]", temporary("long.swf", trace(200_000, { gap: 20 })));
  const lane = page.locator(".lane-form").nth(1);
  const hung = new Set();
  const hang = async () => {
    await page.getByRole("progressbar", { name: /Run B: running/ }).waitFor();
    const newest = page.workers().at(-1);
    hung.add(newest);
    newest
      .evaluate(() => {
        for (;;);
      })
      .catch(() => {});
  };
  /**
   * Waits for a worker that hangs and never answers. The others have answered before time goes on.
   */
  const wait = (text) =>
    until(async () => {
      const others = page.workers().filter((worker) => !hung.has(worker));
      await Promise.all(others.map((worker) => worker.evaluate(() => 1).catch(() => {})));
      await frames(page, 3);
      await page.clock.fastForward(9000);
      return lane.getByText(text).count();
    });
  await hang();
  await wait(/^The worker was silent for \d+ s and was replaced\. The run started again\.$/);
  await hang();
  await wait(
    /^The worker of this run was silent for \d+ s, for the second time\. It sent no progress and no sign of life/,
  );
  assert.equal(await page.locator(".status.done").count(), 1);
});

test("a worker that breaks off says whether it failed or had too little memory", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await outlasting(page);
  const broken = async (panic) => {
    await page.setInputFiles(
      "input[type=file]",
      temporary("long.swf", trace(200_000, { gap: 20 })),
    );
    await page.getByRole("progressbar", { name: /Run B: running/ }).waitFor();
    await page
      .workers()
      .at(-1)
      .evaluate((panic) => {
        // An outside view of a panic, or of refused memory. The panic leaves a message.
        globalThis.schedscopePanic = panic;
        performance.now = () => {
          throw new WebAssembly.RuntimeError("unreachable");
        };
      }, panic);
    return page.locator(".lane-form").nth(1).locator(".notice.bad").textContent();
  };
  assert.match(
    await broken("panicked at src/somewhere.rs:7:7"),
    /^The simulator failed in this worker\. This is a defect\. It said: panicked at src\/somewhere\.rs:7:7\./,
  );
  assert.match(
    await broken(undefined),
    /^There is not enough memory: this worker has [\d.]+ GB and asked for more than it got\./,
  );
});
