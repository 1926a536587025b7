// Checks the plan of src/ on the syntax of the sources. layers/table.mjs is the plan.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { arrows, faults } from "./layers/rules.mjs";
import { read } from "./layers/source.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const src = join(here, "../src");
const below = (folder) =>
  readdirSync(folder, { recursive: true }).map((path) => path.replaceAll("\\", "/"));

/** Every source, by its path below src/. */
const sources = () =>
  new Map(
    below(src)
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => [path, readFileSync(join(src, path), "utf8")]),
  );

/** The imports of these tests from the sources. */
const users = () =>
  below(here)
    .filter((path) => path.endsWith(".test.mjs"))
    .flatMap((path) => read(path, readFileSync(join(here, path), "utf8")).imports)
    .filter(({ from }) => from.startsWith("../src/"))
    .flatMap(({ from, names }) => names.map(({ name }) => `${from.slice(7)} ${name}`));

test("the page is as planned", () => {
  const texts = sources();
  assert.ok(texts.size > 100);
  if (process.env.SCHEDSCOPE_ARROWS) console.log(arrows(texts).join("\n"));
  assert.deepEqual(faults(texts, users()), []);
});

/** A violation: the file that gets a line, the line, and words of the expected fault. */
const VIOLATIONS = [
  // The inside of a folder is private.
  [
    "timeline/band.tsx",
    'import { view } from "../state/window";',
    "state/window.ts, which is private",
  ],
  ["page/page.tsx", 'import { runAll } from "../lab/runs";', "lab/runs.ts, which is private"],
  ["sharing/sharing.tsx", 'import { parts } from "../machines/torus/boxes";', "may not import"],
  [
    "inspect/area.tsx",
    'import { paintOverlay } from "../timeline/overlay";',
    "private to timeline/",
  ],
  // A lower layer knows nothing of a higher one.
  ["format/words.ts", 'import * as s from "../state";', "format/ may not import state/"],
  ["state/lanes.ts", 'import { open } from "../lab";', "state/ may not import lab/"],
  [
    "lab/trace.ts",
    'import { MACHINES } from "../machines/machines";',
    "lab/ may not import machines/",
  ],
  ["ui/canvas.ts", 'import * as s from "../state";', "ui/ may not import state/"],
  [
    "charts/axes.ts",
    'import { metricName } from "../plans/kinds";',
    "charts/ may not import plans/",
  ],
  ["engine/workers.ts", 'import { Page } from "../page/page";', "engine/ may not import page/"],
  ["worker/serve.ts", 'import * as s from "../state";', "worker/ may not import state/"],
  [
    "machines/torus/boxes.ts",
    'import { layoutOf } from "../fat_tree/layout";',
    "may not import machines/fat_tree/",
  ],
  ["sw.ts", 'import { hire } from "./engine/workers";', "sw.ts may not import engine/"],
  // Any form of import counts.
  ["format/words.ts", 'import type { Lane } from "../state";', "format/ may not import state/"],
  ["format/words.ts", 'import { type Lane } from "../state";', "format/ may not import state/"],
  ["format/words.ts", 'let x: import("../state").Lane;', "format/ may not import state/"],
  ["format/words.ts", 'let x: typeof import("../state");', "format/ may not import state/"],
  ["format/words.ts", 'void import("../state");', "format/ may not import state/"],
  ["format/words.ts", 'import "../state";', "format/ may not import state/"],
  ["format/words.ts", 'export * from "../state";', "format/ may not import state/"],
  ["format/words.ts", 'void import("../" + "state");', "whose name only a run tells"],
  ["format/words.ts", 'import x from "../../build.mjs";', "no file of src/"],
  ["format/words.ts", 'import x from "./nothing";', "no file of src/"],
  // Files do not export their imports.
  ["page/page.tsx", 'export { ask } from "../engine/workers";', "hands on engine/workers.ts"],
  ["page/page.tsx", 'export * from "../engine/workers";', "hands on engine/workers.ts"],
  [
    "page/page.tsx",
    'import { ask } from "../engine/workers"; export { ask };',
    "hands on engine/workers.ts",
  ],
  [
    "page/page.tsx",
    'import { ask } from "../engine/workers"; export const asked = ask;',
    "hands on",
  ],
  [
    "page/page.tsx",
    'import * as e from "../engine/workers"; export const asked = e.ask;',
    "hands on",
  ],
  // There are no cycles.
  ["state/window.ts", 'import { letter } from "./index";', "files import each other: state/"],
  [
    "runs/whatif.ts",
    'import { nameOf } from "./name";',
    "files import each other: runs/name.ts, runs/whatif.ts",
  ],
  ["runs/whatif.ts", 'import type { nameOf } from "./name";', "files import each other"],
  [
    "lab/scenario.ts",
    'import { Gantt } from "../timeline/gantt";',
    "folders import each other: lab, timeline",
  ],
  // Use of libraries.
  [
    "lab/trace.ts",
    'import * as Plot from "@observablehq/plot";',
    "uses the library @observablehq/plot",
  ],
  ["machines/torus/panes.tsx", 'import { Scene } from "three";', "uses the library three"],
  [
    "charts/axes.ts",
    'import { Orbit } from "three/addons/controls/OrbitControls.js";',
    "uses the library three",
  ],
  ["state/lanes.ts", 'import { proxy } from "comlink";', "uses the library comlink"],
  ["plans/plans.ts", 'import { openDB } from "idb";', "uses the library idb"],
  ["format/words.ts", 'import { useState } from "preact/hooks";', "uses the library preact"],
  ["lab/trace.ts", 'import { Run } from "schedscope";', "uses the library schedscope"],
  ["lab/trace.ts", 'void import("schedscope");', "uses the library schedscope"],
  ["lab/trace.ts", 'import _ from "lodash";', "lodash, which is not in the plan"],
  ["lab/trace.ts", 'import fs from "node:fs";', "node:fs, which is not in the plan"],
  // Use of the browser's globals.
  ["page/page.tsx", 'void fetch("https://example.org");', "uses fetch"],
  ["page/page.tsx", 'void window.fetch("/");', "uses fetch"],
  ["page/page.tsx", 'void window["fetch"]("/");', "uses fetch"],
  ["page/page.tsx", "const { fetch: ask } = window;", "uses fetch"],
  ["page/page.tsx", "const ask = fetch;", "uses fetch"],
  ["page/page.tsx", 'void globalThis["x"];', "uses globalThis"],
  ["page/page.tsx", 'new WebSocket("wss://example.org");', "uses WebSocket"],
  ["lab/trace.ts", 'navigator.sendBeacon("/");', "uses navigator.sendBeacon"],
  ["lab/trace.ts", 'navigator["sendBeacon"]("/");', "uses navigator.sendBeacon"],
  ["lab/trace.ts", "const n = navigator;", "uses navigator, of which the plan says nothing"],
  [
    "lab/trace.ts",
    "void navigator.userAgent;",
    "navigator.userAgent, of which the plan says nothing",
  ],
  [
    "lab/trace.ts",
    "void (navigator as { deviceMemory?: 1 }).deviceMemory;",
    "uses navigator.deviceMemory",
  ],
  ["guide/doors.tsx", 'localStorage.setItem("a", "b");', "uses localStorage"],
  ["storage/traces.ts", 'indexedDB.open("a");', "uses indexedDB"],
  ["page/storage.tsx", "void caches.keys();", "uses caches"],
  ["link/share.tsx", 'void navigator.clipboard.writeText("a");', "uses navigator.clipboard"],
  ["plans/pool.ts", 'new Worker("a.js");', "uses Worker"],
  ["format/words.ts", "void document.title;", "uses document"],
  ["lab/trace.ts", "void location.href;", "uses location"],
  ["timeline/gantt.tsx", 'history.pushState(null, "");', "uses history"],
  ["page/page.tsx", 'eval("1");', "uses eval"],
  ["page/page.tsx", 'new Function("1");', "uses Function"],
  ["page/page.tsx", 'console.log("1");', "uses console"],
  ["page/page.tsx", 'document.body.innerHTML = "<b>";', "uses innerHTML"],
  [
    "page/page.tsx",
    'void (<p dangerouslySetInnerHTML={{ __html: "" }} />);',
    "uses dangerouslySetInnerHTML",
  ],
  ["runs/name.ts", "void Math.random();", "uses Math.random"],
  ["runs/name.ts", "void Date.now();", "uses Date.now"],
  // Use of the state.
  ["page/page.tsx", 's.tab.value = "sweep";', "writes s of ../state"],
  ["page/page.tsx", "s.lanes.value[0]!.id = 1;", "writes s of ../state"],
  ["timeline/play.ts", "(s.instant as { value: number }).value += 1;", "writes s of ../state"],
  ["timeline/play.ts", "[s.instant.value] = [1];", "writes s of ../state"],
  ["inspect/jobs.tsx", 'applied.value = "";', "writes applied of ../explore/filter"],
  ["state/lanes.ts", "export const busy = signal(false);", "exports the signal busy"],
  ["state/lanes.ts", "export const all = own;", "exports the signal all"],
  ["state/lanes.ts", "export const raw = own.lanes;", "exports the signal raw"],
  ["state/lanes.ts", "export { own };", "exports the signal own"],
  ["timeline/play.ts", "const busy = signal(false); export { busy };", "exports the signal busy"],
  // Exports that nobody needs.
  ["format/words.ts", "export const nobody = 1;", "exports nobody, which nobody imports"],
  ["lab/select.ts", "export const nobody = 1;", "exports nobody, which nobody imports"],
];

test("every violation is found", () => {
  const texts = sources();
  const usual = new Set(faults(texts, users()));
  for (const [path, line, words] of VIOLATIONS) {
    assert.ok(texts.has(path), path);
    const changed = new Map(texts).set(path, `${texts.get(path)}\n${line}\n`);
    const found = faults(changed, users()).filter((fault) => !usual.has(fault));
    assert.ok(
      found.some((fault) => fault.includes(words)),
      `${path}: ${line} should be “${words}”, found are ${JSON.stringify(found)}`,
    );
  }
});

test("a file without a part, and a part without need, are found", () => {
  const texts = sources();
  const found = (path, text) => faults(new Map(texts).set(path, text), users()).join("\n");
  assert.match(found("new/thing.ts", "export {};"), /new\/thing.ts belongs to no part of the plan/);
  assert.match(
    found("teach/measures.ts", "export {};"),
    /teach\/ need not import machines\/torus\//,
  );
  assert.match(found("page/tabs.tsx", "export {};"), /papers\/papers.tsx need not be open/);
});

test("what is allowed is not found", () => {
  const texts = sources();
  for (const [path, line] of [
    ["page/page.tsx", 'const name = "fetch"; void { fetch: name }.fetch;'],
    ["page/page.tsx", "let worker: Worker | undefined; void worker;"],
    ["page/page.tsx", "const at = { value: 1 }; at.value = 2;"],
    ["format/words.ts", 'import type { Problem as P } from "schedscope"; let p: P;'],
  ]) {
    const changed = new Map(texts).set(path, `${texts.get(path)}\n${line}\n`);
    assert.deepEqual(faults(changed, users()), [], line);
  }
});
