// Files that come together: the ones that the page takes, and sentences about the others.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { hasSwitchesOnly, withSwitches } from "../src/experiment/switches.ts";
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

test("a topology.conf belongs to the slurm.conf that comes with it", () => {
  const found = sorted(files("Topology.conf", "slurm.conf", "topology-old.conf"));
  assert.deepEqual([found.conf.name, found.switches.name], ["slurm.conf", "Topology.conf"]);
  assert.deepEqual(notTaken(found), [
    "topology-old.conf was not taken, because a cluster has one slurm.conf, here slurm.conf.",
  ]);
  const alone = sorted(files("topology.conf"));
  assert.deepEqual([alone.conf.name, alone.switches], ["topology.conf", undefined]);
});

test("the switches of a topology.conf replace those of a cluster", () => {
  const topology = "# two leaves\nSwitchName=a \\\n  Nodes=n[1-2]\r\n switchname = b Nodes=n3\n";
  assert.equal(hasSwitchesOnly(topology), true);
  assert.equal(hasSwitchesOnly(`NodeName=n[1-3]\n${topology}`), false);
  assert.equal(hasSwitchesOnly("NodeName=n[1-3]"), false);
  assert.equal(
    withSwitches("# mine\nNodeName=n[1-3]\nSwitchName=old Nodes=n1", topology),
    "# mine\nNodeName=n[1-3]\nSwitchName=a    Nodes=n[1-2]\nswitchname = b Nodes=n3",
  );
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
