// The week of a cluster that comes with the page.
import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { PARTITIONS, week } from "../src/guide/week.ts";

test("the week is the same file each time, and no partition is overbooked", () => {
  const text = week();
  assert.equal(week(), text);
  const [head, ...rows] = text
    .trimEnd()
    .split("\n")
    .map((line) => line.split("|"));
  const at = (name) => head.indexOf(name);
  assert.ok(rows.length > 400 && rows.length < 1500, `${rows.length} rows`);
  let waited = 0;
  for (const [partition, capacity] of Object.entries(PARTITIONS)) {
    const jobs = rows
      .filter((row) => row[at("Partition")] === partition)
      .map((row) => ["Submit", "Start", "End", "AllocCPUS"].map((name) => Number(row[at(name)])));
    for (const [submit, start, end] of jobs) {
      assert.ok(submit <= start && start < end);
      waited += Number(start > submit + 60);
      const used = jobs.filter(([, from, to]) => from <= start && start < to);
      assert.ok(used.reduce((sum, job) => sum + job[3], 0) <= capacity);
    }
  }
  assert.ok(waited > 50, `${waited} jobs waited`);
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  assert.equal(hash, "2d5392fa8b91");
});
