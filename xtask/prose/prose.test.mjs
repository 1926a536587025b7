// Tests each rule on its own examples, on the examples of how we write, and the linter on files of each kind.
import { strict as assert } from "node:assert";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { compare, count, folderOf, lower } from "./left.mjs";
import { lint, rules } from "./lint.mjs";

/** Writes a text as a file in which it is of a kind: the path and the content. */
const FILES = {
  docs: (text) => ["docs/page.md", text],
  doc: (text) => ["src/file.rs", `${text.split("\n").map((line) => `/// ${line}`).join("\n")}\nfn f() {}\n`],
  "page doc": (text) => ["www/src/file.ts", `/** ${text} */\nexport const x = 1;\n`],
  comment: (text) => ["src/file.rs", `fn f() {\n${text.split("\n").map((line) => `    // ${line}`).join("\n")}\n    g();\n}\n`],
  help: (text) => ["src/file.rs", `const X: Param = Param { help: ${JSON.stringify(text)} };\n`],
  message: (text) => ["src/file.rs", `fn f() { Problem::new(format!(${JSON.stringify(text)}), x, y) }\n`],
  label: (text) => ["www/src/file.tsx", `export const X = () => <p>${text}</p>;\n`],
  button: (text) => ["www/src/file.tsx", `export const X = () => <button type="button">${text}</button>;\n`],
  commit: (text) => ["log.commits", `abc\0${text}\n\nThe reason.\n`],
};

async function found(kind, text) {
  const [path, content] = FILES[kind](text);
  return (await lint(content, path)).faults;
}

for (const [name, { wrong, right, message }] of rules) {
  test(`${name} finds its examples and nothing else`, async () => {
    assert.match(message, /^[A-Z].*\.$/);
    for (const [kind, texts] of Object.entries(wrong)) {
      for (const text of texts) assert((await found(kind, text)).some(({ rule }) => rule === name), `${kind}, not found: ${text}`);
    }
    for (const [kind, texts] of Object.entries(right)) {
      for (const text of texts) assert.deepEqual((await found(kind, text)).filter(({ rule }) => rule === name), [], `${kind}, found: ${text}`);
    }
  });
}

/** Pairs of an old wording and a better one. */
const REWRITTEN = [
  ["docs", "Of a policy that takes over on the way, they are its own.", "If a what-if switches the policy mid-run, use the successor's candidates."],
  ["comment", "One who hardly communicates does not, until it is judged again; whoever is of class F does.", "A process counts as communicating if its granularity was below DC_thresh at the last evaluation. Class F always does."],
  ["comment", "What a process does not wait by itself is no waiting.", "Time spent descheduled does not count as waiting."],
  ["doc", "Of two candidates one takes over from another one, of which this is the policy", "Called when `next` replaces `last`; `policy` is the outgoing policy."],
  ["doc", "How many of the turns that were asked for with wake_at are this one", "Number of timers that are due at this instant."],
  ["doc", "What settings say together that cannot be.", "Rejects combinations of settings that contradict each other."],
  ["comment", "As one question: each by itself can hardly be foreseen.", "Uses & instead of && on purpose: one unpredictable branch instead of three."],
  ["docs", "that they go, it does not know before", "The policy learns of the outage when it starts, and knows when it will end."],
  ["button", "Let the area go", "Clear selection"],
  ["label", "What is to be predicted would be told here.", "Hidden until you answer the question."],
  ["label", "it needs 1 processor, more than were free", "No free processor"],
  ["message", "Mend the line", "Fix the line"],
  ["label", "And 1042 causes more, 15 d 20 h in all", "1,042 more causes (15 d 20 h)"],
  ["commit", "Who communicates goes before who does not: class F", "Let communicating processes preempt class F (section 3.4)"],
];

test("each old wording is found, and no better one", async () => {
  for (const [kind, old, better] of REWRITTEN) {
    assert.notDeepEqual(await found(kind, old), [], `not found: ${old}`);
    assert.deepEqual(await found(kind, better), [], `found: ${better}`);
  }
});

test("a fault stands at its line and column", async () => {
  const places = async (path, text) => (await lint(text, path)).faults.map(({ line, column, rule }) => `${line}:${column} ${rule}`);
  assert.deepEqual(await places("src/a.rs", "//! A good module doc.\n\nfn f() {\n    // It waits. Of two\n    // jobs one runs.\n    g();\n}\n"), ["4:18 opening-of"]);
  assert.deepEqual(await places("src/a.rs", 'const S: Spec = Spec { summary: "Good text. \\\n    Whoever waits runs." };\n'), ["2:5 opening-question", "2:5 relative"]);
  assert.deepEqual(await places("docs/a.md", "# Whoever waits\n\nA **bold** and [linked](x.md) word, `whoever`. Of two jobs\none runs.\n"), ["1:3 relative", "3:48 opening-of"]);
  assert.deepEqual(await places("www/src/a.tsx", 'const x = <p title={isOn ? "Mend it" : "Fix it"}>Good\n  <b>whoever</b> reads</p>;\n'), ["1:29 word", "2:6 relative"]);
  assert.deepEqual(await places("www/src/a.ts", "/**\n * Number of jobs.\n *\n * Of two jobs one runs.\n */\nlet x;\n"), ["4:4 opening-of"]);
});

test("code is no prose", async () => {
  const clean = async (path, text) => assert.deepEqual((await lint(text, path)).faults, []);
  await clean("src/a.rs", 'const X: &str = "// Of two, one"; const Y: &str = r#"/// Of "x", y"#; const Z: char = \'"\'; fn f<\'a>(x: &\'a str) {} /* nested /* ok */ */\n');
  await clean("docs/a.md", "```rust\n// Of two, one\n```\n\n<!-- Of two, one -->\n\n| `Of x` |\n|---|\n");
  await clean("src/tests/a.rs", 'fn f() { Problem::new("Mend it", x, y) }\n');
  await clean("www/src/a.tsx", 'const f = (x: string) => <code>Of two, one</code>; const k = g("Mend it");\n');
});

test("a comment with a reason switches a rule off for its line and the next", async () => {
  const text = (comment) => `fn f() {\n    // ${comment}\n    // Of two jobs one runs.\n    g();\n}\n`;
  const said = async (comment) => {
    const { faults, allowed } = await lint(text(comment), "src/a.rs");
    return [faults.map(({ rule, message }) => `${rule}: ${message}`), allowed.length];
  };
  assert.deepEqual(await said("prose-ok opening-of: the paper's words"), [[], 1]);
  const [[fault], none] = await said("prose-ok opening-of");
  assert.match(fault, /reason/);
  assert.equal(none, 1);
  const [faults] = await said("prose-ok relative: no such word");
  assert.equal(faults.length, 2);
  assert.match(faults[0], /finds nothing/);
  const inString = await lint('const X: &str = "// prose-ok opening-of: no comment";\n', "src/a.rs");
  assert.deepEqual(inString.faults, []);
  assert.match((await said("prose-ok nonsense: why"))[0][0], /No rule/);
  const markdown = await lint("<!-- prose-ok opening-of: a quotation -->\nOf two jobs one runs.\n", "docs/a.md");
  assert.deepEqual([markdown.faults, markdown.allowed.length], [[], 1]);
  const doc = await lint("/// Runs the two jobs.\n///\n// prose-ok opening-of: a quotation\n/// Of two jobs one runs.\nfn f() {}\n", "src/a.rs");
  assert.deepEqual([doc.faults, doc.allowed.length], [[], 1]);
});

test("the counts of what is left can only shrink", () => {
  assert.deepEqual(["README.md", "docs/machines/smt.md", "src/policy/tools/spec.rs", "www/src/a.ts"].map(folderOf), [".", "docs", "src/policy", "www/src"]);
  const counts = count([{ rule: "who", path: "docs/a.md" }, { rule: "who", path: "docs/b/c.md" }, { rule: "word", path: "src/sim/a.rs" }]);
  assert.deepEqual(counts, { who: { docs: 2 }, word: { "src/sim": 1 } });
  const left = { who: { docs: 1, src: 3 }, word: { "src/sim": 2 } };
  assert.deepEqual(compare(counts, left), [
    { rule: "who", folder: "docs", now: 2, before: 1 },
    { rule: "who", folder: "src", now: 0, before: 3 },
    { rule: "word", folder: "src/sim", now: 1, before: 2 },
  ]);
  assert.deepEqual(lower(counts, left), { who: { docs: 1 }, word: { "src/sim": 1 } });
  assert.deepEqual(compare(counts, counts), []);
});

test("every rule has a file, and every file a rule", () => {
  assert.equal(readdirSync(new URL("rules/", import.meta.url)).length, rules.size);
});
