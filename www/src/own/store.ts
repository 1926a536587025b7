// The store of own policies: keeps their code, lets it describe itself and checks it in sandboxes.

import { effect } from "@preact/signals";
import type { Problem, Scenario } from "schedscope";
import { LIMITS } from "../engine/limits";
import type { DescribedPolicy } from "../engine/protocol";
import { hire, PATIENCE, watched } from "../engine/workers";
import { namesPolicy } from "../lab";
import * as s from "../state";
import * as store from "../storage/policies";
import { problemOf } from "./places";

/** Counts the changes of each file. Answers about earlier code are dropped. */
const changes = new Map<string, number>();

/** The facts about code that has just arrived. */
const UNKNOWN = {
  script: undefined,
  sha256: undefined,
  policy: undefined,
  problem: undefined,
  shortcomings: undefined,
  foreign: undefined,
};

/** Takes the code of a file as it is written now. */
export function write(file: string, code: s.Code): void {
  changes.set(file, (changes.get(file) ?? 0) + 1);
  const known = s.ownFile(file);
  if (known) s.changeOwn(file, { code });
  else s.putOwn({ ...UNKNOWN, file, code });
}

/** True if a policy has this id. */
export const isTaken = (id: string): boolean => s.policyNamed(id) !== undefined;

/** Gives a file another name, on the page only. */
function rename(file: string, name: string): void {
  const known = s.ownFile(file);
  if (!known || s.ownFile(name)) return;
  s.replaceOwn(file, { ...known, file: name });
  s.showFile(name);
  changes.set(name, 0);
}

/** Gives a file another name, also in the browser's storage. */
export async function renameKept(file: string, name: string): Promise<void> {
  rename(file, name);
  stored.delete(file);
  await store.forgetPolicy(file);
  await keep(name);
}

/** Returns a name of a file that no own policy has. */
export function freeName(wanted: string): string {
  const [, stem = wanted, end = ""] = /^(.*?)(\.\w+)?$/.exec(wanted) ?? [];
  for (let at = 1; ; at += 1) {
    const name = at === 1 ? wanted : `${stem}-${at}${end}`;
    if (!s.ownFile(name)) return name;
  }
}

/** Refuses code that is too large, and more policies than the page keeps. */
export function refusalOf(file: string, bytes: number): Problem | undefined {
  if (bytes > LIMITS.own_bytes)
    return {
      what: `${file} is too large: ${bytes} bytes.`,
      why: `The code of a policy has at most ${LIMITS.own_bytes} bytes (docs/limits.md).`,
      next: "Make it smaller.",
    };
  if (!s.ownFile(file) && s.own.value.length >= LIMITS.own_kept)
    return {
      what: `There are ${s.own.value.length} own policies already.`,
      why: `The page keeps at most ${LIMITS.own_kept}.`,
      next: "Delete one.",
    };
  return undefined;
}

const isUsedBy = (lane: s.Setup, id: string): boolean =>
  namesPolicy(JSON.stringify([lane.policy, lane.settings, lane.whatIf]), id);

const isSame = (one: s.Code, other: s.Code): boolean =>
  one.length === other.length &&
  (typeof one === "string"
    ? one === other
    : typeof other !== "string" && one.every((byte, at) => byte === other[at]));

/** Takes code that came with a link or plan. It does not run unless the reader has the same. */
export function takeForeign(id: string, file: string, code: s.Code): void {
  const isKnown = s.own.value.some(
    (policy) => isSame(policy.code, code) && (policy.foreign ?? policy.policy?.id) === id,
  );
  if (isKnown || s.own.value.length >= LIMITS.own_kept) return;
  const name = freeName(file);
  write(name, code);
  s.changeOwn(name, { foreign: id });
  s.showFile(name);
}

/** Stops the sandboxes in which files describe themselves. */
const describing = new Map<string, AbortController>();

/**
 * Lets a script describe its policy in a sandbox. Takes the description if it is still the file's
 * script. Returns true if it is. Code of another does not run unless the reader has let it.
 */
export async function describe(file: string, script: s.Code, isLet = false): Promise<boolean> {
  if (s.ownFile(file)?.foreign !== undefined && !isLet) return false;
  describing.get(file)?.abort();
  const stop = new AbortController();
  describing.set(file, stop);
  const change = changes.get(file);
  const isNow = () => changes.get(file) === change && s.ownFile(file) !== undefined;
  try {
    const hand = await hire([{ file, code: script }], stop.signal);
    hand.stop();
    const [described] = hand.own;
    if (!isNow() || !described) return false;
    const { id } = described.policy;
    const other = s.own.value.find((each) => each.file !== file && each.policy?.id === id);
    if (other) throw taken(id, other.file);
    accept(file, script, described);
    await keep(file);
    return true;
  } catch (error) {
    if (isNow()) s.changeOwn(file, { problem: problemOf(error, file) });
    return false;
  }
}

const taken = (id: string, file: string): Problem => ({
  what: `${file} has the id \`${id}\` already.`,
  why: "Results name a policy by its id.",
  next: "Give this policy another id.",
});

/** Takes a description. The runs that use the policy follow. */
function accept(file: string, script: s.Code, { policy, sha256 }: DescribedPolicy): void {
  const before = s.ownFile(file);
  const isOld = before?.script === script && before.policy?.id === policy.id;
  const found = { script, sha256, policy, problem: undefined, foreign: undefined };
  s.changeOwn(file, isOld ? found : { ...found, shortcomings: undefined });
  if (isOld) return;
  const old = before?.policy?.id;
  for (const lane of s.lanes.value) {
    if (old !== undefined && old !== policy.id && lane.policy === old)
      s.updateLane(lane.id, { policy: policy.id, stale: true });
    else if (isUsedBy(lane, policy.id)) s.updateLane(lane.id, { stale: true });
  }
}

/** The code of each file as this tab has last read or written it in the browser's storage. */
const stored = new Map<string, s.Code>();

/**
 * Stores the code as it is written. If another tab has stored other code of this file, both stay:
 * this one under another name.
 */
export async function keep(file: string): Promise<void> {
  const policy = s.ownFile(file);
  if (!policy || policy.foreign !== undefined) return;
  if (await store.keepPolicy(policy, stored.get(file))) {
    stored.set(file, policy.code);
    return;
  }
  const name = freeName(file);
  stored.delete(name);
  rename(file, name);
  s.tell({
    what: `Another tab of this page has changed ${file}.`,
    why: "Both versions stay.",
    next: `The version of this tab is now ${name}. Reload the page to see the other one.`,
  });
}

/** Removes an own policy from page and storage. Its runs stay until they run again. */
export async function remove(file: string): Promise<void> {
  const was = s.ownFile(file);
  if (!was) return;
  changes.set(file, (changes.get(file) ?? 0) + 1);
  s.dropOwn(file);
  stored.delete(file);
  await store.forgetPolicy(file);
  const words = `${file} was deleted.`;
  s.say(words);
  s.offerUndo({
    words,
    end: () => {},
    undo: () => {
      if (s.ownFile(file)) return;
      s.putOwn(was);
      s.showFile(file);
      void keep(file);
      s.say(`${file} is back.`);
    },
  });
}

let restored: Promise<void> | undefined;

/** Brings back the own policies that this browser keeps. */
export function restore(): Promise<void> {
  restored ??= (async () => {
    for (const found of await store.keptPolicies())
      if (!s.ownFile(found.file)) {
        s.putOwn({ ...UNKNOWN, ...found });
        stored.set(found.file, found.code);
      }
    s.showFile(s.shownFile.value ?? s.own.value[0]?.file);
  })().catch(() => {});
  return restored;
}

/** Runs a policy on small workloads, in a sandbox of its own, and takes what it does wrong. */
export async function check(file: string): Promise<void> {
  const known = s.ownFile(file);
  const { policy, script } = known ?? {};
  if (!policy || script === undefined) return;
  const isNow = () => s.ownFile(file)?.script === script;
  const scenario: Scenario = { machine: "flat", policy: policy.id, settings: {} };
  let hand: Awaited<ReturnType<typeof hire>> | undefined;
  try {
    hand = await hire([{ file, code: script }]);
    const { engine } = hand;
    const shortcomings = await watched(hand, (alive) => {
      alive(PATIENCE);
      return engine.checkPolicy(scenario);
    });
    if (isNow()) s.changeOwn(file, { shortcomings });
  } catch (error) {
    if (isNow()) s.changeOwn(file, { problem: problemOf(error, file) });
  } finally {
    hand?.stop();
  }
}

// The editor shows the place at which a run has failed.
effect(() => {
  for (const { state, problem, policy: id } of s.lanes.value) {
    if (state !== "failed" || !problem) continue;
    const known = s.own.peek().find(({ policy }) => policy?.id === id);
    const found = known && problemOf(problem, known.file);
    if (found?.line !== undefined && known?.problem?.what !== found.what)
      s.changeOwn(known!.file, { problem: found });
  }
});
