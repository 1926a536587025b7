// The store of own policies: keeps their code, lets it describe itself and checks it in sandboxes.

import { effect, untracked } from "@preact/signals";
import type { Problem, Scenario } from "schedscope";
import { LIMITS } from "../engine/limits";
import type { DescribedPolicy } from "../engine/protocol";
import { hire, PATIENCE, Stopped, watched } from "../engine/workers";
import { codeToRun, policiesIn, renamePolicy } from "../lab";
import * as s from "../state";
import { keepKnownCode, knownCode } from "../storage/choices";
import * as store from "../storage/policies";
import { problemOf } from "./places";

/** Counts the changes of each file. Answers about earlier code are dropped. */
const changes = new Map<string, number>();

/** The facts about code that has just arrived. */
const UNKNOWN = {
  script: undefined,
  sha256: undefined,
  alias: undefined,
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
export const isTaken = (id: string): boolean =>
  s.policyNamed(id) !== undefined ||
  // The engine's policies are known only once a worker has started.
  s.own.value.some(({ policy, foreign }) => policy?.id === id || foreign === id);

/** Gives a file another name, on the page only. */
function rename(file: string, name: string): void {
  const known = s.ownFile(file);
  if (!known || s.ownFile(name)) return;
  s.replaceOwn(file, { ...known, file: name });
  s.showFile(name);
  changes.set(name, 0);
}

/** Gives a file another name, also in the browser's storage. Returns the name. */
export async function renameKept(file: string, wanted: string): Promise<string> {
  const name = freeName(wanted);
  rename(file, name);
  const found = await keep(name);
  await store.forgetIfKnown(file, stored.get(file));
  stored.delete(file);
  return found;
}

/** Characters of a file's name without its ending. */
const LONGEST = 80;

/** Returns a name of a file that no own policy has, with characters that links and errors take. */
export function freeName(wanted: string): string {
  const clean = wanted.replaceAll(/[^\w.-]/g, "_");
  const [, stem = clean, end = ".js"] = /^(.*?)(\.(?:m?[jt]s|wasm))?$/i.exec(clean) ?? [];
  const base = stem.slice(0, LONGEST) || "mine";
  for (let at = 1; ; at += 1) {
    const name = `${base}${at === 1 ? "" : `-${at}`}${end.toLowerCase()}`;
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

const isSame = (one: s.Code, other: s.Code | undefined): boolean =>
  other !== undefined &&
  one.length === other.length &&
  (typeof one === "string"
    ? one === other
    : typeof other !== "string" && one.every((byte, at) => byte === other[at]));

/** Returns the number of bytes of code. */
export const bytesOf = (code: s.Code): number =>
  typeof code === "string" ? new Blob([code]).size : code.length;

/** Returns the SHA-256 of code; undefined where the browser has none to give. */
export async function hashOf(code: s.Code): Promise<string | undefined> {
  const bytes = typeof code === "string" ? new TextEncoder().encode(code) : code;
  const hash = await crypto.subtle?.digest("SHA-256", bytes);
  return (
    hash && Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("")
  );
}

/** Remembers that the reader has written code or let it run, or forgets it. */
async function know(code: s.Code | undefined, isKnown = true): Promise<void> {
  const hash = code === undefined ? undefined : await hashOf(code);
  if (hash !== undefined) keepKnownCode(hash, isKnown);
}

/** Returns an id that no policy has, also none that waits. */
export function freeId(wanted: string): string {
  for (let at = 1; ; at += 1) {
    const id = at === 1 ? wanted : `${wanted}-${at}`;
    if (!isTaken(id)) return id;
  }
}

/**
 * Takes code that came with a link or plan under an id. It does not run unless the reader has
 * written or allowed it. Returns the id that it has here, which is another one if the reader has a
 * policy of that id. Also returns its file if the reader knows the code but has it no longer, and
 * the file of a newer version that the reader has. Throws a problem if the code is too large.
 */
export async function takeForeign(
  id: string,
  file: string,
  code: s.Code,
): Promise<{ id: string; known?: string; newer?: string }> {
  const sameCode = s.own.value.find(
    (policy) =>
      (isSame(code, policy.code) || isSame(code, policy.script)) &&
      (policy.foreign ?? policy.policy?.id) !== undefined,
  );
  if (sameCode) return { id: sameCode.foreign ?? sameCode.policy!.id };
  const hash = await hashOf(code);
  const isKnown = hash !== undefined && knownCode().includes(hash);
  const mine = s.own.value.find(({ policy }) => policy?.id === id);
  // An earlier version of the reader's own policy: the page goes on with the newest.
  if (isKnown && mine) return { id, newer: mine.file };
  const name = freeName(file);
  const refusal = refusalOf(name, bytesOf(code));
  if (refusal) throw refusal;
  const own = isTaken(id) && !s.isOfEngine(id) ? freeId(id) : id;
  write(name, code);
  s.changeOwn(name, { foreign: own, alias: { to: own } });
  if (!isKnown) s.showFile(name);
  return isKnown ? { id: own, known: name } : { id: own };
}

/** Descriptions under way, by file. */
const describing = new Map<
  string,
  { script: s.Code; stop: AbortController; done: Promise<boolean> }
>();

/**
 * Lets a script describe its policy in a sandbox. Takes the description if it is still the file's
 * script. Returns true if it is. Code of another does not run unless the reader has let it.
 */
export function describe(file: string, script: s.Code, isLet = false): Promise<boolean> {
  if (s.ownFile(file)?.foreign !== undefined && !isLet) return Promise.resolve(false);
  const before = describing.get(file);
  if (before?.script === script) return before.done;
  before?.stop.abort();
  const stop = new AbortController();
  const done = described(file, script, stop.signal).finally(() => {
    if (describing.get(file)?.stop === stop) describing.delete(file);
  });
  describing.set(file, { script, stop, done });
  return done;
}

async function described(file: string, script: s.Code, signal: AbortSignal): Promise<boolean> {
  const change = changes.get(file);
  const isNow = () => changes.get(file) === change && s.ownFile(file) !== undefined;
  try {
    const hand = await hire({ own: codeToRun({ ...s.ownFile(file)!, script }), signal });
    hand.stop();
    const [found] = hand.own;
    if (!isNow() || !found) return false;
    const { id } = found.policy;
    const other = s.own.value.find((each) => each.file !== file && each.policy?.id === id);
    if (other) throw taken(id, other.file);
    accept(file, script, found);
    await Promise.all([keep(file), know(s.ownFile(file)?.code), know(script)]);
    return true;
  } catch (error) {
    if (isNow() && !signal.aborted && !(error instanceof Stopped))
      s.changeOwn(file, { problem: problemOf(error, file) });
    return false;
  }
}

const taken = (id: string, file: string): Problem => ({
  what: `${file} has the id \`${id}\` already.`,
  why: "Results name a policy by its id.",
  next: "Give this policy another id.",
});

/** Takes a description. The runs that use the policy follow. */
function accept(file: string, script: s.Code, { policy, sha256, ownId }: DescribedPolicy): void {
  const before = s.ownFile(file);
  const isOld = before?.script === script && before.policy?.id === policy.id;
  const alias = policy.id === ownId ? undefined : { of: ownId, to: policy.id };
  const found = { script, sha256, policy, alias, problem: undefined, foreign: undefined };
  s.changeOwn(file, isOld ? found : { ...found, shortcomings: undefined });
  if (isOld) return;
  const old = before?.policy?.id;
  for (const lane of s.lanes.value) {
    const { policy: id, settings, whatIf } = lane;
    const used = policiesIn({ policy: id, settings, whatIf });
    if (old !== undefined && old !== policy.id && used.has(old))
      s.updateLane(lane.id, {
        ...renamePolicy({ policy: id, settings, whatIf }, old, policy.id),
        stale: true,
        // The old id means nothing any more.
        ranWith: renamePolicy(lane.ranWith, old, policy.id),
      });
    else if (used.has(policy.id)) s.updateLane(lane.id, { stale: true });
  }
}

/** The code of each file as this tab has last read or written it in the browser's storage. */
const stored = new Map<string, s.Code>();

/**
 * Stores the code as it is written. If another tab has stored other code of this file, both stay:
 * this one under another name. Returns the name.
 */
export function keep(file: string): Promise<string> {
  // One after the other: each must know what the one before has stored.
  keeping = keeping.then(() => keepNow(file)).catch(() => file);
  return keeping;
}

let keeping: Promise<string> = Promise.resolve("");

async function keepNow(file: string): Promise<string> {
  const name = await kept(file);
  if (name !== file)
    s.tell({
      what: `Another tab of this page has changed ${file}.`,
      why: "Both versions stay.",
      next: `The version of this tab is now ${name}. Reload the page to see the other one.`,
    });
  return name;
}

/** Stores a file under its name or, if other code is there, under another. Returns the name. */
async function kept(file: string): Promise<string> {
  const policy = s.ownFile(file);
  if (!policy || policy.foreign !== undefined) return file;
  if (await store.keepPolicy(policy, stored.get(file))) {
    stored.set(file, policy.code);
    return file;
  }
  const name = freeName(file);
  stored.delete(name);
  rename(file, name);
  return kept(name);
}

/** Removes an own policy from page and storage. Its runs stay until they run again. */
export async function remove(file: string): Promise<void> {
  const was = s.ownFile(file);
  if (!was) return;
  changes.set(file, (changes.get(file) ?? 0) + 1);
  s.dropOwn(file);
  const known = stored.get(file);
  stored.delete(file);
  const isGone = await store.forgetIfKnown(file, known, was.code);
  await Promise.all([know(was.code, false), know(was.script, false)]);
  const words = isGone
    ? `${file} was deleted.`
    : `${file} was deleted here. Another tab has changed it; the browser keeps that version.`;
  s.say(words);
  s.offerUndo({
    words,
    end: () => {},
    undo: () => {
      if (s.ownFile(file)) return;
      s.putOwn(withoutClash(was));
      s.showFile(file);
      void keep(file);
      s.say(`${file} is back.`);
    },
  });
}

/** Returns an own policy without its description if another one has its id. */
function withoutClash(known: s.OwnPolicy): s.OwnPolicy {
  const id = known.policy?.id;
  const other = s.own.value.find(({ policy }) => id !== undefined && policy?.id === id);
  return other ? { ...known, policy: undefined, problem: taken(id!, other.file) } : known;
}

let restored: Promise<void> | undefined;

/** Brings back the own policies that this browser keeps. */
export function restore(): Promise<void> {
  restored ??= (async () => {
    for (const found of await store.keptPolicies())
      if (!s.ownFile(found.file)) {
        s.putOwn(withoutClash({ ...UNKNOWN, ...found }));
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
    hand = await hire({ own: codeToRun(known!) });
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

// The editor shows the place at which a run of the present code has failed.
effect(() => {
  const failed = s.lanes.value.filter(
    ({ state, problem, stale }) => state === "failed" && problem && !stale,
  );
  untracked(() => {
    for (const known of s.own.value) {
      const lane = failed.find(({ policy }) => policy === known.policy?.id);
      const found = lane && problemOf(lane.problem, known.file);
      if (found?.line !== undefined && known.problem === undefined)
        s.changeOwn(known.file, { problem: found });
    }
  });
});
