// Bad input: exact messages, and no loss of the page's content.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  assert,
  done,
  drop,
  finished,
  outlasting,
  root,
  stage,
  temporary,
  trace,
} from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const folder = join(root, "tests/bad");
const messages = JSON.parse(readFileSync(join(folder, "messages.json")));

test("every bad file has its exact message, and the page keeps what it had", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  // The interval of the difference comes after the runs, and changes the sentence.
  await page.locator(".sentence").getByText("±").waitFor();
  const sentence = await page.locator(".sentence").textContent();
  for (const [name, message] of Object.entries(messages)) {
    await drop(page, name, readFileSync(join(folder, name)));
    // A table opens the dialog of its columns, which says what is missing.
    if (name.startsWith("table-")) {
      const dialog = page.getByRole("dialog");
      await dialog.getByText(message).waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      assert.equal(await page.locator(".sentence").textContent(), sentence, name);
      continue;
    }
    const alert = page.locator(".banner.bad b");
    await page
      .waitForFunction(
        (message) => document.querySelector(".banner.bad b")?.textContent === message,
        message,
      )
      .catch(async () => {
        assert.equal(await alert.textContent(), message, name);
      });
    assert.equal(await page.locator(".sentence").textContent(), sentence, name);
    assert.match(
      await page.locator(".banner.bad").textContent(),
      /The page keeps its previous content\./,
    );
    await page.getByRole("button", { name: "Dismiss" }).click();
  }
  assert.deepEqual(said, []);
});

test("bad lines are skipped and counted on request", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await drop(page, "letters.swf", `${trace(50)}1 2 3\n7 7 -1 abc 1 -1 -1 1 1 -1 1 1 1 1 1 1 1 1\n`);
  await page.getByRole("button", { name: "Skip bad lines" }).click();
  await finished(page, "letters.swf");
  await page.locator(".report summary").click();
  assert.match(
    await page.locator(".report").textContent(),
    /2 skipped: not 18 numbers: the line was skipped \(first lines 53, 54\)/,
  );
});

test("strange but legal traces: duplicates, disorder, zero lengths", async () => {
  const { page } = await s.open();
  await done(page, 2);
  const line = (job, submit, run) =>
    `${job} ${submit} -1 ${run} 2 -1 -1 2 50 -1 1 1 1 1 1 1 -1 -1\n`;
  await drop(
    page,
    "strange.swf",
    `; MaxProcs: 4\n${line(1, 9, 5)}${line(1, 3, 0)}${line(2, -7, 60)}`,
  );
  await finished(page, "strange.swf");
  await page.locator(".report summary").click();
  const report = await page.locator(".report").textContent();
  for (const rule of [
    /2 repaired: submitted before an earlier line: sorted/,
    /1 note: job number occurred before/,
    /1 note: run time of 0/,
    /1 note: submitted before the trace's zero/,
    /1 repaired: run time over the estimate/,
  ])
    assert.match(report, rule);
});

test("a second drop during a run takes its place; a bad one does not disturb it", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await outlasting(page);
  await page.setInputFiles("input[type=file]", temporary("long.swf", trace(200_000, { gap: 20 })));
  await page.getByRole("progressbar", { name: /Run B: running/ }).waitFor();
  await drop(page, "bad.swf", "not a trace\n");
  await page.locator(".banner.bad").waitFor();
  assert.ok(await page.getByRole("progressbar", { name: /Run B: running/ }).isVisible());
  assert.match(await page.locator(".chip").textContent(), /long\.swf/);
  await drop(page, "short.swf", trace(100));
  await finished(page, "short.swf");
  assert.equal(await page.locator(".banner.bad").count(), 0);
  assert.deepEqual(said, []);
});
