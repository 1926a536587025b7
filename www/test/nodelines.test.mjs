// The form for kinds of nodes edits the lines that it can show, and keeps the others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { freeName, partsOf, textOf, withRow } from "../src/experiment/nodelines.ts";

const TEXT = `# A cluster
NodeName=DEFAULT RealMemory=1000
nodename=c[1-24] CPUs=32 IdleWatts=100
NodeName=g[1-4] Gres=gpu:a100:4 \\
 Weight=10
NodeName=h1 Gres=gpu:2; NodeName=h2
PartitionName=batch Nodes=ALL Default=YES`;

test("lines that the form cannot show stay as they are", () => {
  const parts = partsOf(TEXT);
  assert.deepEqual(
    parts.map(({ is }) => is),
    ["other", "other", "nodes", "other", "other", "other", "partition"],
  );
  assert.deepEqual(parts[2], {
    is: "nodes",
    values: { NodeName: "c[1-24]", CPUs: "32" },
    rest: "IdleWatts=100",
  });
  assert.equal(textOf(parts), TEXT.replace("nodename=", "NodeName="));
});

test("a value can be changed, removed and added", () => {
  const [row] = partsOf("NodeName=a CPUs=4 Gres=gpu:2 Weight=3 Foo=1");
  const values = { ...row.values, CPUs: "8", Weight: "", RealMemory: "2048" };
  assert.equal(textOf([{ ...row, values }]), "NodeName=a CPUs=8 RealMemory=2048 Gres=gpu:2 Foo=1");
  // A typed resource stays as it is. A key that occurs twice is for the text alone.
  const [typed] = partsOf("NodeName=a Gres=gpu:a100:4");
  assert.deepEqual([typed.values.Gres, typed.rest], ["gpu:a100:4", ""]);
  assert.equal(partsOf("NodeName=a CPUs=4 CPUs=8")[0].is, "other");
});

test("a new row comes behind the others of its sort, with a free name", () => {
  const kind = { is: "nodes", values: { NodeName: "x" }, rest: "" };
  const parts = partsOf("NodeName=n[1-2]\nPartitionName=p");
  assert.equal(textOf(withRow(parts, kind)), "NodeName=n[1-2]\nNodeName=x\nPartitionName=p");
  assert.equal(textOf(withRow(partsOf(""), kind)), "NodeName=x");
  assert.equal(freeName(parts, "nodes"), "a[1-16]");
  assert.equal(freeName([], "nodes"), "n[1-16]");
  assert.equal(freeName(parts, "partition"), "part1");
});
