// Traces packed with zstd, xz, bzip2 or zip: read like the plain text, with a program that loads with
// the first of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assert, done, drop, finished, root, stage } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const packed = (name) => readFileSync(join(root, "tests/packed", name));

test("every packing gives the same trace, whatever the name", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  const loads = () => asked.filter((url) => url.includes("schedscope_unpack_bg.wasm")).length;
  const hash = page.locator(".facts code[title]");
  await drop(page, "jobs.swf", packed("jobs.swf"));
  await finished(page, "jobs.swf");
  const wanted = await hash.getAttribute("title");
  assert.match(wanted, /^[0-9a-f]{64}$/);
  await drop(page, "jobs.swf.gz", packed("jobs.swf.gz"));
  await finished(page, "jobs.swf.gz");
  await drop(page, "plain.gz", packed("jobs.swf"));
  await finished(page, "plain.gz");
  assert.equal(loads(), 0, "the program loads without need");
  for (const name of [
    "jobs.swf.zst",
    "jobs.swf.xz",
    "jobs.swf.bz2",
    "jobs.zip",
    "several.swf.zst",
    "several.swf.xz",
    "several.swf.bz2",
    "stored.zip",
    "streamed.zip",
  ]) {
    // The name says nothing about the packing.
    const other = `${name.replaceAll(".", "-")}.txt`;
    await drop(page, other, packed(name));
    await finished(page, other);
    assert.equal(await hash.getAttribute("title"), wanted, name);
  }
  assert.equal(loads(), 1, "the program loads once");
  // A table in Parquet gives the same text as in CSV.
  const table = (name) => readFileSync(join(root, "tests/parquet", name));
  await drop(page, "jobs.csv", table("jobs.csv"));
  await page.getByRole("button", { name: "Open table" }).click();
  await finished(page, "jobs.csv");
  const plain = await hash.getAttribute("title");
  assert.notEqual(plain, wanted);
  for (const name of ["zstd", "snappy-pages-2", "lz4", "gzip"]) {
    await drop(page, `${name}.log`, table(`${name}.parquet`));
    await finished(page, `${name}.log`);
    assert.equal(await hash.getAttribute("title"), plain, name);
  }
  await drop(page, "brotli.parquet", table("brotli.parquet"));
  await page.getByText("The Parquet file brotli.parquet cannot be read").waitFor();
  assert.deepEqual(said, []);
});
