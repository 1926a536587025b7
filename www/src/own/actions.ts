// The reader's actions on own policies: to write, open, run, check and save them.
import { gallery } from "own-policies";
import { begun } from "../engine/rest";
import { saveBlob } from "../files/save";
import { asProblem } from "../format/problem";
import * as lab from "../lab";
import { letOwnRun } from "../lab/held";
import * as s from "../state";
import { compile } from "./compile";
import { knowPlaces } from "./places";
import * as store from "./store";

/** Milliseconds without a key after which the code is read. */
const PAUSE = 400;

const waiting = new Map<string, { timer: ReturnType<typeof setTimeout>; over: () => void }>();

/** Takes what the reader writes, and reads it after a pause. */
export function write(file: string, text: string): void {
  const refusal = store.refusalOf(file, store.bytesOf(text));
  if (refusal) {
    s.tell(refusal);
    return;
  }
  store.write(file, text);
  unwait(file);
  const over = begun();
  const timer = setTimeout(() => void settle(file), PAUSE);
  waiting.set(file, { timer, over });
}

function unwait(file: string): void {
  const known = waiting.get(file);
  clearTimeout(known?.timer);
  known?.over();
  waiting.delete(file);
}

/** Reads the code as it is written now. Returns true if it describes a policy. */
export async function settle(file: string, isLet = false): Promise<boolean> {
  unwait(file);
  const over = begun();
  const read = s.ownFile(file)?.code;
  try {
    // Another tab may have other code of this file; this one then has another name.
    const name = await store.keep(file);
    if (name !== file) return settle(name, isLet);
    const { code, script, policy, problem } = s.ownFile(file) ?? {};
    if (code === undefined) return false;
    const made = typeof code === "string" ? await compile(file, code) : { script: code };
    if (s.ownFile(file)?.code !== code || code !== read) return false;
    knowPlaces(file, "places" in made ? made.places : undefined);
    if (policy && script === made.script && s.ownFile(file)?.foreign === undefined) {
      if (problem) s.changeOwn(file, { problem: undefined });
      return true;
    }
    return await store.describe(file, made.script, isLet);
  } catch (error) {
    if (s.ownFile(file)?.code === read) s.changeOwn(file, { problem: asProblem(error) });
    return false;
  } finally {
    over();
  }
}

/**
 * Looks at code that the browser has kept, without running it: its faults are not kept, nor are the
 * places in TypeScript.
 */
export async function look(file: string): Promise<void> {
  const { code, problem } = s.ownFile(file) ?? {};
  if (typeof code !== "string" || problem || waiting.has(file)) return;
  const over = begun();
  try {
    knowPlaces(file, (await compile(file, code)).places);
  } catch (error) {
    if (s.ownFile(file)?.code === code) s.changeOwn(file, { problem: asProblem(error) });
  } finally {
    over();
  }
}

/** Reads the code until it has not changed meanwhile. Returns true if it describes a policy. */
async function settleWritten(file: string): Promise<boolean> {
  for (;;) {
    const read = s.ownFile(file)?.code;
    if (await settle(file)) return true;
    if (s.ownFile(file)?.code === read) return false;
  }
}

/** Runs a policy beside the other runs, and checks it meanwhile. */
export async function run(file: string): Promise<void> {
  if (!(await settleWritten(file))) return;
  const { policy } = s.ownFile(file) ?? {};
  if (!policy) return;
  letOwnRun();
  const isThere = s.lanes.value.some((lane) => lane.policy === policy.id);
  if (isThere) lab.runAll();
  else lab.addLane(policy.id);
  s.say(`${policy.name} runs.`);
  await check(file);
}

export async function check(file: string): Promise<void> {
  if (!(await settle(file))) return;
  const over = begun();
  await store.check(file).finally(over);
}

/** Lets code of another author run, which the reader has seen. */
export async function letRun(file: string): Promise<void> {
  if (s.ownFile(file)?.foreign === undefined || !(await settle(file, true))) return;
  letOwnRun();
  lab.runAll();
}

/**
 * Takes the code of a link or plan. Code that the reader does not know waits. Returns the id that the
 * policy has here. Tells if the reader has a newer version, unless quiet. Throws a problem.
 */
export async function take(
  id: string,
  file: string,
  code: s.Code,
  isQuiet = false,
): Promise<string> {
  await store.restore();
  const taken = await store.takeForeign(id, file, code);
  if (taken.newer !== undefined && !isQuiet)
    s.tell({
      what: `The link or plan has an earlier version of ${taken.newer}.`,
      why: "It is your own code, which you have changed since.",
      next: "Its runs use the version in the tab Policy.",
    });
  if (taken.known !== undefined) await settle(taken.known, true);
  return taken.id;
}

/** A policy to begin with. */
const BLANK = `// The engine calls \`decide\` at each instant at which a job arrives or ends. A job that the policy does
// not start waits for the next call. All times are whole microseconds: 1 s is 1e6.

/** @type {import("schedscope/policy").Policy} */
export default {
  id: "mine",
  name: "My policy",
  summary: "Starts jobs in order of arrival.",

  decide(turn) {
    for (const job of turn.queue) {
      if (!job.start()) break;
    }
  },
};
`;

/** The file that has just been made. Its editor takes the focus. */
let fresh: string | undefined;

/** True once for a file that has just been made. */
export function isFresh(file: string): boolean {
  const found = fresh === file;
  if (found) fresh = undefined;
  return found;
}

/** Makes a file of the gallery's policy, or of the blank one, and shows it. */
export async function create(example?: (typeof gallery)[number]): Promise<void> {
  await store.restore();
  const { id, code } = example ?? { id: "mine", code: BLANK };
  const file = store.freeName(example?.file ?? "mine.js");
  const refusal = store.refusalOf(file, code.length);
  if (refusal) return s.tell(refusal);
  // A second copy gets an id of its own.
  store.write(file, code.replace(`id: "${id}"`, `id: "${store.freeId(id)}"`));
  fresh = file;
  s.showFile(file);
  await settle(file);
}

/** Opens a file of code, and shows it in the tab. */
export async function open(given: File): Promise<void> {
  await store.restore();
  const refusal = store.refusalOf(store.freeName(given.name), given.size);
  if (refusal) return s.tell(refusal);
  const bytes = new Uint8Array(await given.arrayBuffer());
  // Another file of this name may have come meanwhile.
  const file = store.freeName(given.name);
  const code = isCompiled(file) ? bytes : new TextDecoder().decode(bytes);
  store.write(file, code);
  s.showFile(file);
  s.showPage(undefined);
  s.goTo("policy");
  await settle(file);
}

export const isCompiled = (file: string): boolean => /\.wasm$/i.test(file);

/** Saves the code as a file. */
export function save(file: string): void {
  const code = s.ownFile(file)?.code;
  if (code !== undefined)
    saveBlob(
      new Blob([code], { type: isCompiled(file) ? "application/wasm" : "text/javascript" }),
      file,
    );
}

/** Gives a file another name. */
export async function rename(file: string, wanted: string): Promise<void> {
  const known = s.ownFile(file);
  const name = wanted.trim();
  if (!known || name === "" || name === file) return;
  const [end] = /\.\w+$/.exec(file) ?? [""];
  const isCode = /\.(m?[jt]s)$/i.test(name) && !isCompiled(file);
  const wholeName = isCode ? name : name.replace(/\.\w+$/, "") + end;
  const over = begun();
  try {
    await settle(await store.renameKept(file, wholeName));
  } finally {
    over();
  }
}

export { gallery };
