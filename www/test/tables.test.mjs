// Tables and pictures as files.
import assert from "node:assert/strict";
import { test } from "node:test";
import { escaped, svgOf, wrapped } from "../src/files/picture.ts";
import { stem } from "../src/files/save.ts";
import { tableOf, write } from "../src/files/table.ts";

const COLUMNS = [
  { name: "run", value: ({ run }) => run },
  { name: "button" },
  { name: "wait (s)", value: ({ wait }) => wait },
];
const TABLE = tableOf("Waits", COLUMNS, [
  { run: "A|1", wait: 1234.5678 },
  { run: "50 % & more", wait: undefined },
]);

test("a file has the data of a table, not what is shown, and no buttons", () => {
  assert.deepEqual(TABLE, {
    title: "Waits",
    head: ["run", "wait (s)"],
    rows: [
      ["A|1", 1234.5678],
      ["50 % & more", undefined],
    ],
  });
});

test("a table as CSV, Markdown and LaTeX", () => {
  assert.equal(write(TABLE, "CSV"), "run,wait (s)\nA|1,1234.5678\n50 % & more,");
  assert.equal(
    write(TABLE, "Markdown"),
    "| run | wait (s) |\n| --- | ---: |\n| A\\|1 | 1234.5678 |\n| 50 % & more |  |",
  );
  assert.match(write(TABLE, "LaTeX"), /\{lr\}[^]*50 \\% \\& more & {2}\\\\/);
  assert.match(write({ ...TABLE, words: 2 }, "LaTeX"), /\{ll\}/);
});

test("names of files hold no marks", () => {
  assert.equal(stem("Timeline of run A: EASY (x=1)"), "timeline-of-run-a-easy-x-1");
});

test("a figure is SVG that holds its title, legend and caption as text", () => {
  assert.equal(escaped('<a "b" & c>'), "&lt;a &quot;b&quot; &amp; c&gt;");
  assert.deepEqual(wrapped("one two three", 7), ["one two", "three"]);
  const svg = svgOf({
    title: "<T>",
    caption: "from here",
    width: 100,
    panels: [{ name: "P & Q", height: 20, marks: '<path d="M0 0"/>' }],
    ticks: [{ at: 5, label: "day 1" }],
    legend: { title: "user", entries: [{ label: "7", colour: "#123456" }] },
    colours: { ink: "#000", paper: "#fff", line: "#888" },
  });
  for (const part of ["&lt;T&gt;", "P &amp; Q", "from here", "day 1", "#123456", "M0 0"])
    assert.ok(svg.includes(part), part);
});
