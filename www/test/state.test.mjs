// The state of the page changes only through named actions.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { effect } from "@preact/signals";
import { applied, filterBy, wanted } from "../src/explore/filter.ts";
import { newLane } from "../src/lab/index.ts";
import * as s from "../src/state/index.ts";
import { back, colourings, nextColouring, panBy, show, zoomBy } from "../src/timeline/navigate.ts";
import { CATALOG, WORKLOAD } from "./fixtures.mjs";

beforeEach(() => {
  s.knowCatalog(CATALOG);
  s.putTrace({ kind: "text", name: "a", text: "" }, WORKLOAD, {});
  s.putLanes([]);
  s.forgetWindows();
  s.endStepping();
  s.endLesson();
  s.leaveChapter();
});

test("runs are added, changed, dropped, and known by their letters", () => {
  const [a, b] = [newLane({ policy: "fcfs" }), newLane({ policy: "easy" })];
  assert.notEqual(a.id, b.id);
  s.putLanes([a]);
  s.appendLane(b);
  s.updateLane(b.id, { state: "done" });
  assert.deepEqual(
    s.lanes.value.map(({ policy, state }) => `${policy} ${state}`),
    ["fcfs waiting", "easy done"],
  );
  assert.equal(s.laneOf(b.id)?.state, "done");
  s.dropLane(a.id);
  assert.equal(s.laneOf(a.id), undefined);
  assert.deepEqual([0, 25, 26].map(s.letter), ["A", "Z", "A"]);
});

test("shared settings that change leave no run up to date", () => {
  s.putLanes([newLane({ policy: "fcfs" })]);
  assert.equal(s.lanes.value[0].stale, false);
  s.shareSettings({ load: 0.5 });
  assert.deepEqual(s.shared.value, { load: 0.5 });
  assert.equal(s.lanes.value[0].stale, true);
});

test("the first catalogue stays, and only a file is kept for plans", () => {
  s.knowCatalog({ ...CATALOG, version: "other" });
  assert.equal(s.catalog.value.version, "1.2.3");
  assert.equal(s.opened.value, undefined);
  const file = new File(["x"], "a.swf");
  s.tellOpening({ name: "a.swf" });
  s.putTrace({ kind: "file", file, skipBadLines: false }, WORKLOAD, { load: 1 });
  assert.equal(s.opened.value, file);
  assert.equal(s.opening.value, undefined);
});

test("one sees everything until one zooms, and as runs grow", () => {
  assert.deepEqual(s.view.value, { from: 0, to: 1000, top: 0, bottom: 100 });
  const lane = { ...newLane({ policy: "fcfs" }), progress: { now: 5000 } };
  s.putLanes([lane]);
  assert.equal(s.view.value.to, 5000);
  s.zoomTo({ from: 1, to: 2, top: 0, bottom: 10 });
  assert.equal(s.view.value.to, 2);
});

test("a run that goes on changes no window that it has not outgrown", () => {
  const done = { ...newLane({ policy: "fcfs" }), result: { end: 9000 } };
  const running = { ...newLane({ policy: "easy" }), progress: { now: 10 } };
  s.putLanes([done, running]);
  const before = s.view.value;
  s.updateLane(running.id, { progress: { now: 8000 } });
  assert.equal(s.view.value, before);
  s.updateLane(running.id, { progress: { now: 9001 } });
  assert.equal(s.view.value.to, 9001);
});

test("rows of a matrix have lanes of their own, if they are not drawn shared", () => {
  s.putLanes([{ ...newLane({ policy: "fcfs" }), slots: 3, facts: WORKLOAD }]);
  assert.equal(s.extent.value.bottom, 100);
  s.drawRows("slots");
  assert.equal(s.extent.value.bottom, 300);
  s.drawRows("shared");
});

test("back goes to the window before; a gesture is one step", () => {
  show({ from: 0, to: 500, top: 0, bottom: 100 });
  for (let turn = 0; turn < 5; turn += 1) zoomBy(1.5, "time", 0.5, "wheel");
  assert.equal(s.zooms.value.length, 2);
  back();
  assert.deepEqual(s.zoom.value, { from: 0, to: 500, top: 0, bottom: 100 });
  back();
  assert.equal(s.zoom.value, undefined);
  back();
  assert.equal(s.zooms.value.length, 0);
});

test("no more than fifty windows can be gone back to", () => {
  for (let at = 0; at < 60; at += 1) s.goToWindow({ from: at, to: at + 10, top: 0, bottom: 1 });
  assert.equal(s.zooms.value.length, 50);
  assert.equal(s.zooms.value.at(-1).from, 58);
});

test("a window is cut at what there is, and is not too narrow", () => {
  show({ from: -500, to: 400, top: 20, bottom: 20.1 });
  const { from, to, top, bottom } = s.zoom.value;
  assert.deepEqual([from, to], [0, 900]);
  assert.equal(bottom - top, 0.5);
  show({ from: -500, to: 4000, top: -5, bottom: 500 });
  assert.equal(s.zoom.value, undefined, "everything is no window");
  show({ from: 900, to: 1000, top: 0, bottom: 100 });
  panBy(1, 0);
  assert.equal(s.view.value.to, 1000);
});

test("colours go round, without those that say nothing here", () => {
  const names = () => colourings().map(([name]) => name);
  assert.deepEqual(names(), ["user", "job", "size", "wait", "slowdown"]);
  s.colourBy("slowdown");
  nextColouring();
  assert.equal(s.colouring.value, "user");
  s.putLanes([newLane({ policy: "fcfs" }), { ...newLane({ policy: "easy" }), processes: true }]);
  assert.deepEqual(names().slice(5), ["difference", "class"]);
  s.cover({ from: [], tab: "timeline" });
  assert.deepEqual(names().slice(5), [], "what is to be predicted is not told by colours");
});

test("a step that is told ends with its run only", () => {
  const stepping = { lane: 7, steps: [], jobs: new Map(), at: 0, predicts: true };
  s.beginStepping(stepping);
  assert.equal(s.isPredicting.value, true);
  s.changeStepping({ at: 3 });
  assert.equal(s.stepping.value.at, 3);
  s.endStepping(8);
  assert.equal(s.stepping.value.lane, 7);
  s.endStepping(7);
  assert.equal(s.stepping.value, undefined);
  s.changeStepping({ at: 4 });
  assert.equal(s.stepping.value, undefined, "what is over is not begun again");
});

test("a tour keeps what was there before the first of them, and hides what is to be predicted", () => {
  const before = { tab: "sweep", lanes: [] };
  s.beginLesson(before);
  s.beginLesson({ tab: "compare", lanes: [] });
  assert.equal(s.lesson.value, before);
  s.enterChapter({ id: "backfilling", chapter: 2 }, "timeline");
  assert.deepEqual(s.tour.value, { id: "backfilling", chapter: 2 });
  assert.equal(s.isPredicting.value, true);
  s.leaveChapter();
  assert.equal(s.isPredicting.value, false);
});

test("a tour is asked for, and no longer", () => {
  globalThis.document ??= { getElementById: () => null };
  s.showTab("papers");
  s.wantTour();
  assert.deepEqual([s.tourWanted.value, s.tab.value], [{ from: "papers" }, "timeline"]);
  s.wantTour();
  assert.equal(s.tourWanted.value, undefined);
});

test("there is no filter while something is to be predicted", () => {
  filterBy(" user:7 ");
  assert.equal(wanted.value, "user:7");
  s.cover({ from: [], tab: "timeline" });
  filterBy("wait>1h");
  assert.equal(wanted.value, "user:7");
  assert.match(s.spoken.value, /Filters are off until/);
  filterBy("");
  assert.deepEqual([wanted.value, applied.value], ["", ""]);
});

test("a picture without a legend leaves the one that is there", () => {
  s.explainColours({ title: "user", entries: [], continuous: false });
  s.explainColours(null);
  assert.equal(s.legend.value.title, "user");
});

test("pictures are kept by run and dropped with it", () => {
  s.keepPicture(1, { view: {} });
  s.keepPicture(2, { view: {} });
  s.dropPicture(1);
  assert.deepEqual([...s.pictures.value.keys()], [2]);
});

test("an action of several changes is seen once", () => {
  let seen = 0;
  const stop = effect(() => {
    void [s.zoom.value, s.zooms.value];
    seen += 1;
  });
  s.goToWindow({ from: 1, to: 2, top: 0, bottom: 1 });
  s.forgetWindows();
  stop();
  assert.equal(seen, 3);
});

test("rows are GPUs where a run has some, and processors elsewhere", () => {
  s.putLanes([{ ...newLane({ policy: "fcfs" }), gpus: 8, facts: WORKLOAD }]);
  s.drawRows("gpus");
  assert.equal(s.extent.value.bottom, 8);
  s.putLanes([{ ...newLane({ policy: "fcfs" }), facts: WORKLOAD }]);
  assert.equal(s.rowsBy.value, "shared");
  assert.equal(s.extent.value.bottom, 100);
  s.drawRows("shared");
});
