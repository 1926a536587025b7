// The address belongs to the reader and to the page. Neither loses what it wrote.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../src/page/address.ts";

/** An address that says how often the page wrote it. */
function bar(fragment) {
  const bar = {
    fragment,
    written: 0,
    steps: 0,
    read: () => bar.fragment,
    write: (fragment, isStep) => {
      bar.fragment = fragment;
      bar.written += 1;
      bar.steps += Number(isStep);
    },
  };
  return bar;
}

test("the page writes what it shows, once, and does not read its own words", () => {
  const at = bar("1.first");
  const address = new Address(at);
  assert.equal(address.known, "1.first");
  assert.equal(address.take(), undefined);
  address.put("1.second");
  address.put("1.second");
  assert.equal(at.fragment, "1.second");
  assert.equal(at.written, 1);
  assert.equal(address.take(), undefined);
});

test("a step makes an entry, also where the fragment cannot tell it", () => {
  const at = bar("1.page");
  const address = new Address(at);
  address.put("1.step", true);
  address.put("1.step", true);
  address.put("1.detail");
  assert.deepEqual([at.steps, at.written, at.fragment], [2, 3, "1.detail"]);
});

test("a link that the reader opens just before the page writes is not lost", () => {
  const at = bar("");
  const address = new Address(at);
  at.fragment = "1.reader";
  address.put("1.page");
  assert.equal(at.fragment, "1.reader");
  assert.equal(address.take(), "1.reader");
  assert.equal(address.take(), undefined);
  address.put("1.page");
  assert.equal(at.fragment, "1.page");
});

test("a reader who empties the address is heard", () => {
  const at = bar("1.page");
  const address = new Address(at);
  at.fragment = "";
  assert.equal(address.take(), "");
});
