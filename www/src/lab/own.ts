// The reader's own policies: keeps their code, lets it describe itself in a sandbox, and gives it to
// the workers of runs.
import type { Problem, Scenario } from "schedscope";
import { LIMITS } from "../engine/limits";
import type { DescribedPolicy, PolicyCode } from "../engine/protocol";
import { hire, PATIENCE, Silent, watched } from "../engine/workers";
import { placed } from "../format/places";
import { asProblem } from "../format/problem";
import * as s from "../state";

/** True if a text, such as settings as JSON, names a policy by its id. */
const names = (text: string, id: string): boolean =>
  new RegExp(`(^|[^\\w-])${id}($|[^\\w-])`).test(text);

/** Returns the own policies that a text names. */
export const ownIn = (text: string): s.OwnPolicy[] =>
  s.own.value.filter(({ policy, foreign }) => {
    const id = foreign ?? policy?.id;
    return id !== undefined && !s.isOfEngine(id) && names(text, id);
  });

/**
 * Returns the code of the own policies that a run or a plan uses: a policy, a candidate, a what-if.
 * Throws a problem if it is another's, which the reader has not let run.
 */
export function codeOf(used: object | string): PolicyCode[] {
  const found = ownIn(typeof used === "string" ? used : JSON.stringify(used));
  const stranger = found.find(({ foreign }) => foreign !== undefined);
  if (stranger) throw notLet(stranger);
  return found.flatMap(({ file, script }) =>
    script === undefined ? [] : [{ file, code: script }],
  );
}

const notLet = ({ file, foreign }: s.OwnPolicy): Problem => ({
  what: `The code of the policy \`${foreign}\` has not run.`,
  why: `It is not yours: it came in ${file}, with a link or a plan.`,
  next: "Read it in the tab Policy, and choose \u201cLet it run\u201d there.",
});

/** Counts the changes of each file. Answers about earlier code are dropped. */
const changes = new Map<string, number>();

/** What is known of code that has just arrived. */
const UNKNOWN = {
  script: undefined,
  sha256: undefined,
  policy: undefined,
  problem: undefined,
  shortcomings: undefined,
  foreign: undefined,
};

/** Takes the code of a file as it is written now. */
export function writeOwn(file: string, code: s.Code): void {
  changes.set(file, (changes.get(file) ?? 0) + 1);
  const known = s.ownFile(file);
  if (known) s.changeOwn(file, { code });
  else s.putOwn({ ...UNKNOWN, file, code });
}

/** For each file in TypeScript: the columns of its script's lines and those of the text. */
const places = new Map<string, number[][]>();

/** Takes the places of a script in its author's text; undefined if they are the same. */
export function knowPlaces(file: string, found: number[][] | undefined): void {
  if (found) places.set(file, found);
  else places.delete(file);
}

/** True if a policy has this id. */
export const isTaken = (id: string): boolean => s.policyNamed(id) !== undefined;

/** Gives a file another name. */
export function renameOwn(file: string, name: string): void {
  const known = s.ownFile(file);
  if (!known || s.ownFile(name)) return;
  s.replaceOwn(file, { ...known, file: name });
  s.showFile(name);
  void import("../storage/policies").then(async ({ forgetPolicy }) => {
    await forgetPolicy(file);
    await keep(name);
  });
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
  names(JSON.stringify([lane.policy, lane.settings, lane.whatIf]), id);

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
  writeOwn(name, code);
  s.changeOwn(name, { foreign: id });
  s.showFile(name);
}

/**
 * Lets a script describe its policy in a sandbox. Takes the description if it is still the file's
 * script. Returns true if it is.
 */
export async function describeOwn(file: string, script: s.Code): Promise<boolean> {
  const change = changes.get(file);
  const isNow = () => changes.get(file) === change && s.ownFile(file) !== undefined;
  try {
    const hand = await hire([{ file, code: script }]);
    hand.stop();
    const [described] = hand.own;
    if (!isNow() || !described) return false;
    accept(file, script, described);
    await keep(file);
    return true;
  } catch (error) {
    if (isNow()) s.changeOwn(file, { problem: problemOf(error, file) });
    return false;
  }
}

/** Takes a description. The runs that use the policy follow. */
function accept(file: string, script: s.Code, { policy, sha256 }: DescribedPolicy): void {
  const before = s.ownFile(file);
  const isOld = before?.script === script && before.policy?.id === policy.id;
  const found = { script, sha256, policy, problem: undefined, foreign: undefined };
  s.changeOwn(file, isOld ? found : { ...found, shortcomings: undefined });
  // Of two files with one id, the newer one has it.
  for (const other of s.own.value)
    if (other.file !== file && other.policy?.id === policy.id)
      s.changeOwn(other.file, {
        policy: undefined,
        problem: {
          what: `${file} has the id \`${policy.id}\` too.`,
          why: "Results name a policy by its id, and the newer file has it now.",
          next: "Change the id of one of them.",
        },
      });
  if (isOld) return;
  const old = before?.policy?.id;
  for (const lane of s.lanes.value) {
    if (old !== undefined && old !== policy.id && lane.policy === old)
      s.updateLane(lane.id, { policy: policy.id, stale: true });
    else if (isUsedBy(lane, policy.id)) s.updateLane(lane.id, { stale: true });
  }
}

/** Returns what code threw or did, with its place if that is known. */
export function problemOf(error: unknown, file: string): s.CodeProblem {
  if (error instanceof Silent)
    return {
      what: `The code of ${file} does not come to an end: it ran for ${error.seconds} s.`,
      why: "The page has stopped it.",
      next: "Look for a loop that does not end.",
    };
  const problem = asProblem(error);
  const [, line, column] = /at line (\d+), column (\d+)/.exec(problem.what) ?? [];
  if (line === undefined) return problem;
  const own = placeOf(file, Number(line), Number(column));
  return {
    ...problem,
    ...own,
    what: problem.what.replace(
      /at line \d+, column \d+/,
      `at line ${own.line}, column ${own.column}`,
    ),
  };
}

/** Returns the place in the author's text of a place in the script. Both count from 1. */
function placeOf(file: string, line: number, column: number): { line: number; column: number } {
  const pairs = places.get(file)?.[line - 1];
  if (!pairs) return { line, column };
  return { line, column: placed(pairs, column - 1) + 1 };
}

async function keep(file: string): Promise<void> {
  const policy = s.ownFile(file);
  if (policy && policy.foreign === undefined)
    await (await import("../storage/policies")).keepPolicy(policy);
}

/** Stores the code as it is written. */
export const keepOwn = keep;

/** Removes an own policy from page and storage. Its runs stay until they run again. */
export async function removeOwn(file: string): Promise<void> {
  const was = s.ownFile(file);
  if (!was) return;
  changes.set(file, (changes.get(file) ?? 0) + 1);
  s.dropOwn(file);
  const { forgetPolicy } = await import("../storage/policies");
  if (was.foreign === undefined) await forgetPolicy(file);
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
export function restoreOwn(): Promise<void> {
  restored ??= (async () => {
    const { keptPolicies } = await import("../storage/policies");
    for (const stored of await keptPolicies())
      if (!s.ownFile(stored.file)) s.putOwn({ ...UNKNOWN, ...stored });
    s.showFile(s.shownFile.value ?? s.own.value[0]?.file);
  })().catch(() => {});
  return restored;
}

/** Runs a policy on small workloads, in a sandbox of its own, and takes what it does wrong. */
export async function checkOwn(file: string): Promise<void> {
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
