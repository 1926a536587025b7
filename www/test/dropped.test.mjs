// Files that come together: the ones that the page takes, and sentences about the others.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { awaited, goOnWithout, holdCluster, show } from "../src/page/arrive.ts";
import { notTaken, sorted, withoutTrace } from "../src/page/dropped.ts";
import * as s from "../src/state/index.ts";
import { CATALOG, WORKLOAD } from "./fixtures.mjs";

const files = (...names) => names.map((name) => ({ name }));

beforeEach(() => s.endNotice());

test("the first slurm.conf and the first other file are taken, and the others are told", () => {
  const found = sorted(files("a.swf", "slurm.CONF", "b.swf", "c.csv", "old.conf"));
  assert.deepEqual([found.other.name, found.conf.name], ["a.swf", "slurm.CONF"]);
  assert.deepEqual(notTaken(found), [
    "b.swf and c.csv were not taken, because the page takes one trace, plan or policy at a time, here a.swf.",
    "old.conf was not taken, because a cluster has one slurm.conf, here slurm.CONF.",
  ]);
  assert.deepEqual(notTaken(sorted(files("a.swf", "slurm.conf"))), []);
  assert.deepEqual(notTaken(sorted([])), []);
});

test("a slurm.conf beside a file that is no open trace is told", () => {
  const [conf, swf, plan] = files("slurm.conf", "a.swf", "plan.json");
  assert.equal(
    withoutTrace(conf, swf, "failed"),
    "slurm.conf was not taken, because a.swf was not opened.",
  );
  assert.equal(
    withoutTrace(conf, plan, "other"),
    "slurm.conf was not taken, because it belongs to a trace, and plan.json is none.",
  );
});

test("a slurm.conf waits with a link for its trace, and is told if this does not come", async () => {
  s.knowCatalog(CATALOG);
  s.putTrace({ kind: "text", name: "a", text: "" }, WORKLOAD, {});
  await show({ trace: { kind: "file", name: "log.swf", sha256: "ab" }, shared: {} });
  assert.equal(awaited.value?.name, "log.swf");
  const [one, other] = files("one.conf", "other.conf");
  holdCluster(one);
  assert.equal(awaited.value.conf, one);
  assert.equal(s.notice.value, undefined);
  holdCluster(other);
  assert.match(s.notice.value, /one.conf was not taken, because other.conf takes its place/);
  goOnWithout();
  assert.equal(awaited.value, undefined);
  assert.match(s.notice.value, /other.conf was not taken/);
});
