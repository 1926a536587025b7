// The Policy tab: policies that the reader writes, opens or gets with a link, and what their code
// cannot reach.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { parse } from "acorn";
import binaryen from "binaryen";
import { ATTACKER } from "./attack.mjs";
import {
  assert,
  done,
  download,
  drop,
  finished,
  root,
  stage,
  still,
  trace,
  until,
} from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const example = (file) => readFileSync(join(root, "examples/policies", file));

/** Opens a page, and the Policy tab with a dropped file. */
async function opened(file, code, options = {}) {
  const found = await s.open(options);
  await done(found.page, 2);
  await drop(found.page, file, code);
  await found.page.locator(".own-state").waitFor();
  await still(found.page);
  return found;
}

/** Returns what the tab says of the shown policy. */
const state = async (page) => {
  await still(page);
  return page.locator(".own-state [role=status]").textContent();
};

const run = (page) => page.getByRole("button", { name: "Run", exact: true }).click();

/**
 * Runs the shown policy until all three runs are done. The page first keeps the code, so runs that
 * are done say nothing before it is at rest.
 */
async function ran(page) {
  await run(page);
  await still(page);
  await done(page, 3);
}

/** Returns the texts of the table of runs. */
const runs = async (page) => {
  await still(page);
  return page.locator(".own-runs tbody tr").allTextContents();
};

/** The code of a policy with this body of `decide`, and these lines before it. */
const policy = (body, { before = "", id = "mine", more = "" } = {}) =>
  `${before}\nexport default {\n  id: "${id}",\n${more}  decide(turn, state) {\n${body}\n  },\n};\n`;

const FIRST = "for (const job of turn.queue) if (!job.start()) break;";

/** Returns the state that a link of the page holds. */
const linkedBy = async (page) => {
  await still(page);
  const fragment = await page.evaluate(() => location.hash);
  return JSON.parse(inflateRawSync(Buffer.from(fragment.slice(3), "base64url")).toString());
};

/** Returns the address of a link. */
const linkTo = (state) =>
  `${s.url}#1.${deflateRawSync(JSON.stringify(state)).toString("base64url")}`;

/** Replaces the text of an editor by another, as a paste does. */
async function paste(editor, text) {
  await editor.click();
  await editor.press("Control+A");
  await editor.evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const paste = { clipboardData, bubbles: true, cancelable: true };
    element.dispatchEvent(new ClipboardEvent("paste", paste));
  }, text);
}

test("the code of a policy reaches nothing but its turn", async () => {
  const { page, said } = await opened("attacker.js", ATTACKER);
  assert.match(await state(page), /^Ready: attacker \(attacker\)\. nothing/);
  await ran(page);
  const log = await page.getByRole("region", { name: "Log of run C" }).textContent();
  assert.match(log, /told/);
  assert.doesNotMatch(log, /changed/);
  // The browser says that the imports were refused.
  assert.deepEqual(
    said.filter(
      (line) => !/import|Content Security Policy|dynamically|Failed to fetch/i.test(line),
    ),
    [],
  );
  await page.close();
});

test("the engine asks a sandbox for no name that is not the language's", () => {
  const text = readFileSync(join(root, "dist/sandbox.js"), "utf8");
  const [declared, used] = [new Set(), new Set()];
  const walk = (node, parent, key) => {
    if (node.type === "Identifier") {
      const isName =
        (parent.type === "MemberExpression" && key === "property" && !parent.computed) ||
        (/^(Property|MethodDefinition|PropertyDefinition)$/.test(parent.type) &&
          key === "key" &&
          !parent.computed);
      const isDeclared =
        (parent.type === "VariableDeclarator" && key === "id") ||
        /^(params|param|left|elements|argument)$/.test(key) ||
        (key === "value" && parent.type === "Property") ||
        (/^(Function|Class)/.test(parent.type) && key === "id");
      if (!isName) used.add(node.name);
      if (isDeclared) declared.add(node.name);
    }
    for (const [name, inner] of Object.entries(node))
      for (const each of Array.isArray(inner) ? inner : [inner])
        if (typeof each?.type === "string") walk(each, node, name);
  };
  const program = parse(text, { ecmaVersion: "latest", sourceType: "module" });
  walk(program, program, "");
  const sealed = readFileSync(join(root, "www/src/security/sealed.ts"), "utf8");
  const language = new Set(
    [...sealed.matchAll(/\.\.\."([^"]+)"\.split/g)].flatMap(([, words]) => words.split(" ")),
  );
  assert.ok(language.has("Uint8Array"));
  // Before the seal, these are the browser's; after it, nobody can add them.
  const before = "EventTarget WebAssembly addEventListener postMessage removeEventListener";
  const syntax = "arguments default import meta";
  assert.deepEqual(
    [...used].filter((name) => !declared.has(name) && !language.has(name)).sort(),
    `${before} ${syntax}`.split(" ").sort(),
  );
});

test("a policy is written, run beside the others, checked, changed and kept", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page.getByRole("tab", { name: "Policy" }).click();
  await page
    .getByRole("region", { name: "Begin" })
    .getByRole("button", { name: /^EASY L/ })
    .click();
  assert.match(await state(page), /^Ready: My EASY \(own-easy\)/);
  await ran(page);
  const [, easy, own] = await runs(page);
  assert.equal(own.replace("C My EASY", "B EASY"), easy, "it makes EASY's schedule");
  const check = page.getByRole("region", { name: "Check" });
  await check.getByText("It conforms").waitFor();

  // A change of the code makes the run old; the check is of the new code only.
  const editor = page.getByRole("textbox", { name: "Code of easy.js" });
  const write = (text) => paste(editor, text);
  await write(
    policy(`turn.log('free', turn.free); if (turn.free === 0) return;\n${FIRST}`, {
      id: "own-easy",
    }),
  );
  assert.match(await state(page), /^Ready: own-easy/);
  assert.match((await runs(page))[2], /older code/);
  assert.equal(await check.getByText("It conforms").count(), 0);
  await page.keyboard.press("Control+Enter");
  await still(page);
  await done(page, 3);
  const [fcfs, , mine] = await runs(page);
  assert.equal(mine.replace("C own-easy", "A FCFS"), fcfs);
  await page.getByRole("region", { name: "Log of run C" }).getByText("free 128").first().waitFor();

  // Another id: the run follows.
  await write(policy(FIRST, { id: "renamed" }));
  assert.match((await runs(page))[2], /C renamed.*older code/);
  // The reader can undo changes, also after a look at another file.
  await page.getByRole("button", { name: "New policy" }).click();
  await page.getByRole("button", { name: /^FCFS/ }).click();
  assert.match(await state(page), /^Ready: My FCFS/);
  assert.equal(await page.getByRole("group", { name: "New policy" }).count(), 0);
  await page.getByRole("button", { name: "easy.js", exact: true }).click();
  await editor.click();
  await page.keyboard.press("Control+Z");
  assert.match(await state(page), /^Ready: own-easy/);
  await page.keyboard.press("Control+Y");
  assert.match(await state(page), /^Ready: renamed/);
  // Another file of the same id is at fault; the first one stays.
  await page.getByRole("button", { name: "fcfs.js" }).click();
  await paste(
    page.getByRole("textbox", { name: "Code of fcfs.js" }),
    "export default { id: 'renamed', decide() {} }",
  );
  assert.match(await state(page), /easy\.js has the id renamed already/);
  await page.getByRole("button", { name: "Delete fcfs.js" }).click();
  await page.getByRole("button", { name: "easy.js", exact: true }).click();
  assert.match(await state(page), /^Ready: renamed/);
  // A name that ends in .ts makes it TypeScript.
  await page.getByRole("textbox", { name: "File", exact: true }).fill("mine.ts");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Code of mine.ts" }).waitFor();
  await page.getByRole("textbox", { name: "File", exact: true }).fill("easy.js");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Code of easy.js" }).waitFor();

  // The browser keeps it, and so does the address.
  await ran(page);
  await page.reload();
  await done(page, 3);
  assert.match((await runs(page))[2], /C renamed/);
  const { name, bytes } = await download(page, () =>
    page.getByRole("button", { name: "Save as file" }).click(),
  );
  assert.equal(name, "easy.js");
  assert.equal(bytes.toString(), policy(FIRST, { id: "renamed" }));
  await page.getByRole("button", { name: "Delete easy.js" }).click();
  await page.getByRole("region", { name: "Begin" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  assert.match(await state(page), /^Ready: renamed/);
  assert.deepEqual(said, []);
  await page.close();
});

test("mistakes are told with line and column, in JavaScript and in TypeScript", async () => {
  const { page } = await opened("mine.js", policy(FIRST).replace("id:", "id"));
  assert.match(await state(page), /not understood at line 3, column 6: Unexpected token/);
  // The editor marks the line a little after the message.
  await page.locator(".own-editor .cm-lint-marker-error").waitFor();

  const of = async (file, code, pattern) => {
    await drop(page, file, code);
    await page.getByRole("button", { name: new RegExp(`^${file}`), pressed: true }).waitFor();
    assert.match(await state(page), pattern);
  };
  await of(
    "imports.js",
    `import x from "./x.js";\n${policy(FIRST)}`,
    /imports another module at line 1/,
  );
  await of("later.js", `${policy(FIRST)}\nimport("./x.js");`, /imports another module at line 9/);
  await of("waits.js", policy(`(async () => {})();\n${FIRST}`), /has async or await/);
  const long = '"x".repeat(1e8)';
  await of("long.js", `throw new Error(${long});`, /cannot be loaded.*x{100}…/);
  await of(
    "what.js",
    `export default { decide() {}, get id() { throw { what: ${long} }; } };`,
    /x{100}…/,
  );
  await of("half.js", Buffer.from(policy(`"\ud800";${FIRST}`), "utf16le"), /not understood/);
  await of("typed.js", `const a: number = 1;\n${policy(FIRST)}`, /end in \.ts/);
  await of("none.js", "export const a = 1;", /none\.js is no policy/);
  await of("engines.js", policy(FIRST, { id: "easy" }), /easy/);
  await of(
    "throws.js",
    `nothing();\n${policy(FIRST)}`,
    /cannot be loaded, line 1: .*nothing is not defined/,
  );
  await of(
    "early.js",
    policy(FIRST, { before: "const e = Math.exp(1);", id: "early" }),
    /Math\.exp.*from begin on/,
  );
  await of(
    "chance.js",
    policy(FIRST, { before: "const e = Math.random();" }),
    /Math\.random.*turn\.random/,
  );
  await of(
    "types.ts",
    `import type { Policy, Turn } from "schedscope/policy";\n${policy(
      "const size = (turn.free as number); const none: any = undefined; if (size < 9) none.job();\n" +
        FIRST,
      { id: "types" },
    ).replace("(turn, state)", "(turn: Turn): void")}`.replace(/;\n$/, " satisfies Policy;\n"),
    /^Ready: types/,
  );
  await run(page);
  await until(
    () => state(page),
    (text) => /failed/.test(text),
  );
  const code = await page.locator(".own-state").textContent();
  const [, line, column] = /at line (\d+), column (\d+): TypeError/.exec(code);
  // In the text with its types.
  const text =
    "const size = (turn.free as number); const none: any = undefined; if (size < 9) none.job();";
  assert.deepEqual([Number(line), Number(column)], [6, text.indexOf("job()") + 1]);
  await of("broken.ts", "const a: = 1;", /not understood at line 1, column 10/);
  await page.close();
});

test("code that does not end is stopped, and the page says where", async () => {
  const { page } = await opened("loop.js", "for (;;);\nexport default {};");
  await until(
    () => state(page),
    (text) => /does not come to an end/.test(text),
  );
  await drop(
    page,
    "late.js",
    policy(`if (turn.now > 0 && turn.queue.length > 1) for (;;);\n${FIRST}`, { id: "late" }),
  );
  await page.getByText("Ready: late").waitFor();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const status = page.locator(".own-aside .status.failed");
  await status.waitFor();
  assert.match(
    await status.textContent(),
    /late\.js did not return for \d+ s, and was stopped.*turn begins at/,
  );
  assert.equal(await page.locator(".top .run-chip.done").count(), 2, "the others stay");
  await page.close();
});

test("code of a link is shown, and runs only when the reader says so", async () => {
  const { page } = await opened("shared.js", policy(FIRST, { id: "shared" }));
  await ran(page);
  const url = page.url();
  const { page: other, said } = await s.open({ before: async () => {} });
  await done(other, 2);
  await other.goto(url);
  await other.reload();
  await done(other, 2);
  await still(other);
  const stranger = other.getByRole("region", { name: "Code of another author" });
  await stranger.waitFor();
  assert.match(await stranger.textContent(), /This code is not yours/);
  assert.match(
    await other.locator(".own-aside .status.failed").textContent(),
    /`shared` has not run/,
  );
  assert.equal(
    await other.locator(".own-editor .cm-content").getAttribute("contenteditable"),
    "false",
  );
  assert.equal(await other.getByRole("button", { name: "Run", exact: true }).count(), 0);
  await other.locator(".own-editor .cm-content").focus();
  await other.keyboard.press("Control+Enter");
  assert.match(await state(other), /It has not run/, "no key runs it either");
  assert.equal(other.url(), url, "the link stays the same");
  await stranger.getByRole("button", { name: "Let it run" }).click();
  await done(other, 3);
  const [fcfs, , shared] = await runs(other);
  assert.equal(shared.replace("C shared", "A FCFS"), fcfs);
  // It is the reader's now.
  await other.reload();
  await done(other, 3);
  assert.deepEqual(said, []);

  // The reader's own code of the same id does not run in its place.
  const { page: third } = await opened(
    "mine.js",
    policy(`turn.log(1);\n${FIRST}`, { id: "shared" }),
  );
  await third.goto(url);
  await third.reload();
  await done(third, 2);
  await still(third);
  assert.match(await third.locator(".own-aside .status.failed").textContent(), /has not run/);
  await third.getByRole("button", { name: "Let it run" }).click();
  await done(third, 3);
  assert.match((await runs(third))[2], /C shared-2/);
  await Promise.all([page, other, third].map((each) => each.close()));
});

test("code that was removed is gone, also if it has failed", async () => {
  const { page } = await opened("shared.js", policy(FIRST, { id: "shared" }));
  await ran(page);
  const evil = await linkedBy(page);
  await page.close();
  evil.own[0].code = "throw new Error('mine');";
  const { page: other } = await s.open();
  await done(other, 2);
  await other.goto(linkTo(evil));
  await other.reload();
  await other.getByRole("button", { name: "Let it run" }).click();
  await until(
    () => state(other),
    (text) => /mine/.test(text),
  );
  await other.getByRole("button", { name: "Remove it" }).click();
  await other.goto(`${s.url}#`);
  await other.reload();
  await done(other, 2);
  await other.getByRole("tab", { name: "Policy" }).click();
  await other.getByRole("region", { name: "Begin" }).waitFor();
  await other.close();
});

test("own policies do not run by themselves after the page has ended with one", async () => {
  const { page } = await opened("mine.js", policy(FIRST));
  await ran(page);
  assert.equal(await page.evaluate(() => sessionStorage.own), undefined, "no run is noted");
  // As a page leaves it that was ended from outside.
  await page.evaluate(() => (sessionStorage.own = "running"));
  await page.reload();
  await done(page, 2);
  await page.locator(".own-aside .status.failed", { hasText: "has not run again" }).waitFor();
  await ran(page);
  await page.reload();
  await done(page, 3);
  await page.close();
});

test("two tabs that change one file both keep their versions", async () => {
  const { page, context } = await opened("mine.js", policy(FIRST));
  const other = await context.newPage();
  await other.goto(s.url);
  await done(other, 2);
  await other.getByRole("tab", { name: "Policy" }).click();
  assert.match(await state(other), /^Ready: mine/);
  const [first, second] = [policy(`turn.log(1);\n${FIRST}`), policy(`turn.log(2);\n${FIRST}`)];
  await paste(page.getByRole("textbox", { name: "Code of mine.js" }), first);
  await state(page);
  await paste(other.getByRole("textbox", { name: "Code of mine.js" }), second);
  await other.getByText("Another tab of this page has changed mine.js").waitFor();
  await other.reload();
  await done(other, 2);
  const files = other.getByRole("group", { name: "Files" }).getByRole("button");
  await files.nth(1).waitFor();
  assert.deepEqual(
    (await files.allTextContents()).map((text) => text.replace(/ \(.*/, "")).sort(),
    ["mine-2.js", "mine.js"],
  );
  for (const [file, code] of [
    ["mine.js", first],
    ["mine-2.js", second],
  ]) {
    await files.filter({ hasText: file }).click();
    const { bytes } = await download(other, () =>
      other.getByRole("button", { name: "Save as file" }).click(),
    );
    assert.equal(bytes.toString(), code);
  }
  await context.close();
});

test("a file that another tab has changed is not lost when this one deletes it", async () => {
  const { page, context } = await opened("mine.js", policy(FIRST));
  const other = await context.newPage();
  await other.goto(s.url);
  await done(other, 2);
  await other.getByRole("tab", { name: "Policy" }).click();
  const newer = policy(`turn.log(2);\n${FIRST}`);
  await paste(other.getByRole("textbox", { name: "Code of mine.js" }), newer);
  await state(other);
  await still(other);
  await page.getByRole("button", { name: "Delete mine.js" }).click();
  await page.getByText("Another tab has changed it").first().waitFor();
  await other.reload();
  await done(other, 2);
  await state(other);
  const { bytes } = await download(other, () =>
    other.getByRole("button", { name: "Save as file" }).click(),
  );
  assert.equal(bytes.toString(), newer);
  await context.close();
});

test("a slow policy shows its progress, and can be cancelled", async () => {
  const slow = policy(`for (let at = 0; at < 3e6; at += 1);\n${FIRST}`, { id: "slow" });
  const { page } = await opened("slow.js", slow);
  await run(page);
  await page.locator(".own-aside .status", { hasText: "jobs/s" }).waitFor();
  await page.getByRole("button", { name: "Cancel run C" }).click();
  const status = page.locator(".own-aside .status.cancelled");
  await status.waitFor();
  await still(page);
  assert.doesNotMatch(await status.textContent(), /did not answer/);
  await page.close();
});

test("a compiled policy runs on the page, and goes into a link", async () => {
  const module = binaryen.parseText(example("easy.wat").toString());
  const { page, said } = await opened("easy.wasm", Buffer.from(module.emitBinary()));
  assert.match(await state(page), /^Ready: /);
  await ran(page);
  const [, easy, own] = await runs(page);
  assert.equal(own.replace(/^.*?(?=\d)/, ""), easy.replace(/^.*?(?=\d)/, ""));
  await still(page);
  const { page: other } = await s.open();
  await other.goto(page.url());
  await other.reload();
  await other.getByRole("button", { name: "Let it run" }).click();
  await done(other, 3);
  await drop(page, "no.wasm", Buffer.from("no module"));
  await until(
    () => state(page),
    (text) => /no\.wasm is no WebAssembly/.test(text),
  );
  assert.deepEqual(said, []);
  await Promise.all([page, other].map((each) => each.close()));
});

test("the check says in words what a policy does wrong", async () => {
  const { page } = await opened(
    "starves.js",
    policy("const job = turn.queue.head; if (job && job.size < 5) job.start();", { id: "starves" }),
  );
  await page.getByRole("button", { name: "Check" }).click();
  const check = page.getByRole("region", { name: "Check" });
  await check.getByText(/never/i).first().waitFor();
  assert.match(await check.textContent(), /fault/);
  await page.close();
});

test("the editor completes the members of a turn, and describes them", async () => {
  const { page } = await opened("mine.js", policy("    turn.queue.head;"));
  const line = page.locator(".own-editor .cm-line", { hasText: "turn.queue.head" });
  await line.click();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await page.keyboard.type(".");
  const list = page.locator(".own-editor .cm-tooltip-autocomplete");
  await list.waitFor();
  const options = await list.locator("li").allTextContents();
  assert.ok(
    options.some((text) => text.startsWith("start")) &&
      options.some((text) => text.startsWith("expected")),
    options.join(),
  );
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.ok(
    await page.evaluate(() => !document.activeElement.matches(".own-editor")),
    "the focus leaves the editor",
  );
  // A misspelt member is marked.
  await line.click();
  await page.keyboard.press("End");
  await page.keyboard.type("turn.fre");
  await page.locator(".own-editor .cm-lint-marker-warning").waitFor();
  await page.close();
});

test("a what-if goes on with an own policy", async () => {
  const { page } = await opened("shared.js", policy(FIRST, { id: "shared" }));
  await ran(page);
  const linked = await linkedBy(page);
  const whatIf = { at: 500_000, policy: "shared" };
  linked.runs = [{ policy: "fcfs" }, { policy: "easy", whatIf }, { policy: "fcfs", whatIf }];
  await page.goto(linkTo(linked));
  await page.reload();
  await done(page, 3);
  await still(page);
  const [fcfs, changed, same] = await page.locator(".own-runs tbody td").allTextContents();
  assert.equal(same, fcfs, "FCFS goes on as its copy");
  assert.notEqual(changed, fcfs, "EASY has run until then");
  await page.close();
});

test("candidates and plans take an own policy like any other", async () => {
  const { page, said } = await opened("shared.js", policy(FIRST, { id: "shared" }));
  await ran(page);
  // As a candidate of an adaptive policy.
  const form = page.locator(".own-aside .lane-form");
  await form.getByLabel("Policy of run C").selectOption({ label: "PBAS" });
  await page.getByRole("tab", { name: "Timeline" }).click();
  const third = page.locator(".lane-form").nth(2);
  await third.getByText("Parameters", { exact: false }).first().click();
  await third.getByLabel("Candidate 1", { exact: true }).selectOption({ label: "shared" });
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 3);
  // In a sweep: every cell of FCFS and of its copy has the same schedule.
  await page.getByRole("tab", { name: "Sweep" }).click();
  const plan = {
    schedscope_plan: 1,
    name: "own",
    workloads: [{ model: { id: "lublin", settings: { jobs: 300, processors: 64 } } }],
    policies: [{ policy: "fcfs" }, { policy: "shared" }],
    seeds: [1, 2],
  };
  await drop(page, "plan.json", JSON.stringify(plan));
  await still(page);
  await page.getByRole("button", { name: /^Run 4 cells/ }).click();
  await page.getByText("4 of 4").first().waitFor();
  await still(page);
  const { bytes } = await download(page, () =>
    page.getByRole("button", { name: "All figures as CSV" }).click(),
  );
  const [head, ...rows] = bytes
    .toString()
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  const of = (name) => rows.map((row) => row[head.indexOf(name)]);
  assert.equal(rows.length, 4);
  assert.deepEqual(new Set(of("digest")).size, 2, "two seeds, one schedule each");
  assert.deepEqual(new Set(of("key")).size, 4);
  // Its file holds the code; other code gives other cells.
  const saved = await download(page, () =>
    page.getByRole("button", { name: "Export the plan" }).click(),
  );
  const exported = JSON.parse(saved.bytes);
  assert.equal(exported.own[0].code, policy(FIRST, { id: "shared" }));
  const { page: other } = await s.open();
  await done(other, 2);
  await drop(other, "plan.json", saved.bytes);
  await other.getByText("The code of the policy `shared` has not run").waitFor();
  await other.getByRole("tab", { name: "Policy" }).click();
  await other.getByRole("button", { name: "Let it run" }).click();
  await still(other);
  await other.getByRole("tab", { name: "Sweep" }).click();
  await other.getByRole("button", { name: /^Run 4 cells/ }).waitFor();
  assert.deepEqual(said, []);
  await Promise.all([page, other].map((each) => each.close()));
});

test("the steps of a run stop where the policy considers a job, with what it logged", async () => {
  const code = policy(`turn.log("free", turn.free);\n${FIRST}`);
  const { page, said } = await opened("mine.js", code);
  await drop(page, "small.swf", trace(100));
  await finished(page, "small.swf");
  await ran(page);
  await page.getByRole("button", { name: "Step through it" }).click();
  const steps = page.getByRole("region", { name: "Step by step" });
  await steps
    .getByRole("region", { name: "Log of the step" })
    .getByText(/^free \d+$/)
    .waitFor();
  await still(page);
  const told = steps.locator(".told");
  const before = await told.textContent();
  // A job that starts some steps later.
  const next = steps.getByRole("button", { name: "Next", exact: true });
  for (let step = 0; step < 10 || !/ job \d+ starts/.test(await told.textContent()); step += 1) {
    await next.click();
    await still(page);
  }
  const there = await told.textContent();
  const [, job] = / job (\d+) starts/.exec(there);
  for (let step = 0; step < 3; step += 1) {
    await steps.getByRole("button", { name: "Back", exact: true }).click();
    await still(page);
  }
  await steps.getByLabel("Stop where job").fill(job);
  for (let step = 0; step < 100 && (await told.textContent()) !== there; step += 1) {
    await steps.getByRole("button", { name: "To a later step with the job" }).click();
    await still(page);
    assert.match(await steps.textContent(), new RegExp(`\\b${job}\\b`));
  }
  assert.equal(await told.textContent(), there);
  assert.notEqual(there, before);
  await steps.getByRole("button", { name: "To a later step with the job" }).click();
  await page.getByText(`No later step considers job ${job}`).waitFor();
  assert.deepEqual(said, []);
  await page.close();
});
