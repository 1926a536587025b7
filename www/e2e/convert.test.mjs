// The open trace saved in another format: complete, or without any of its words.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assert, done, download, drop, finished, root, stage } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const log = readFileSync(join(root, "tests/logs/sacct.txt"));

test("a log is saved as SWF, with further fields, as CSV and anonymised, with the keyboard", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "sacct.txt", log);
  await finished(page, "sacct.txt");
  await page.locator(".saving summary").focus();
  await page.keyboard.press("Enter");
  const kind = page.getByLabel("Format", { exact: true });
  await kind.waitFor();
  const saved = async (id) => {
    await kind.selectOption(id);
    const { name, bytes } = await download(page, async () => {
      await page.getByRole("button", { name: "Save the file" }).focus();
      await page.keyboard.press("Enter");
    });
    return { name, text: String(bytes) };
  };
  const jobs = (text) => text.split("\n").filter((line) => line && !line.startsWith(";"));
  const plain = await saved("swf");
  assert.equal(plain.name, "sacct.txt.swf");
  assert.ok(plain.text.includes("; Note: source: sacct.txt\n"), plain.text);
  assert.equal(jobs(plain.text).length, 10);
  assert.ok(jobs(plain.text).every((line) => line.split(" ").length === 18));
  await page
    .locator(".saving li", { hasText: "further columns: not in this file" })
    .waitFor({ timeout: 20_000 });
  const further = await saved("swf-extended");
  assert.equal(further.name, "sacct.txt-extended.swf");
  assert.ok(further.text.includes("(column account, words)"));
  assert.ok(further.text.includes("; Queue: 1 batch"));
  const table = await saved("csv");
  assert.equal(table.name, "sacct.txt.csv");
  assert.ok(table.text.startsWith("job_number,submit_time,"));
  assert.ok(table.text.includes(",ann,physics,"));
  await page.getByLabel(/Anonymise/).focus();
  await page.keyboard.press("Space");
  for (const id of ["swf", "swf-extended", "csv"]) {
    const { name, text } = await saved(id);
    assert.match(name, /^anonymised/);
    for (const word of ["ann", "physics", "batch", "n001", "solver", "sacct.txt", "1714982400"])
      assert.ok(!text.includes(word), `${word} in ${id}`);
    assert.ok(text.includes(id === "csv" ? ",COMPLETED," : "anonymised"), text);
  }
  // The saved file is opened again.
  await drop(page, "again.swf", Buffer.from(further.text));
  await finished(page, "again.swf");
  assert.match(await page.locator(".report summary").textContent(), /10 read/);
  assert.deepEqual(said, []);
});
