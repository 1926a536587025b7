// The dialog of a table's columns: what the reader chose last is what is read.
import assert from "node:assert/strict";
import test from "node:test";
import * as lab from "../src/lab/columns.ts";
import * as state from "../src/state/columns.ts";

const table = (mapping) => ({ header: "a", columns: [], mapping, text: JSON.stringify(mapping) });

/** Opens the dialog with a worker that answers when the test says so. */
function opened() {
  const looks = [];
  const accepted = lab.askReaderForColumns(
    { name: "jobs.csv", table: table({}), isOpen: false },
    (mapping) =>
      new Promise((resolve, reject) =>
        looks.push({ answer: () => resolve(table(mapping)), fail: reject }),
      ),
  );
  return { looks, accepted };
}

test("a choice that the worker has not looked at yet is accepted too", async () => {
  const { looks, accepted } = opened();
  void lab.setZone(120);
  void lab.acceptColumns();
  looks[0].answer();
  assert.deepEqual(JSON.parse(await accepted), { zone: 120 });
});

test("two choices in a row are both kept", async () => {
  const { looks, accepted } = opened();
  void lab.setZone(120);
  void lab.setRole({ reference: "1" }, "submit");
  void lab.acceptColumns();
  looks[1].answer();
  looks[0].answer();
  assert.deepEqual(JSON.parse(await accepted), {
    columns: [{ role: "submit", column: "1" }],
    zone: 120,
  });
});

test("a column has the use that was chosen last", async () => {
  const { looks, accepted } = opened();
  // Letters that are typed in a list choose one entry after the other.
  void lab.setRole({ reference: "1" }, "eligible");
  void lab.setRole({ reference: "1" }, "end");
  void lab.acceptColumns();
  looks[1].answer();
  assert.deepEqual(JSON.parse(await accepted), { columns: [{ role: "end", column: "1" }] });
});

test("a choice that fails is not accepted, and the dialog stays", async () => {
  const { looks, accepted } = opened();
  void lab.setZone(120);
  const done = lab.acceptColumns();
  looks[0].fail(new Error("the file is gone"));
  await done;
  assert.ok(state.columns.value);
  lab.dropColumns();
  assert.equal(await accepted, undefined);
});
