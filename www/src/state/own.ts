// The reader's own policies: their code, and what is known of it.
import { computed, signal } from "@preact/signals";
import type { Catalog, Choosable, Problem, Shortcoming } from "schedscope";
import type { LogLine, PolicyAlias } from "../engine/protocol";
import type { Seen } from "./seen";

export type Code = string | Uint8Array<ArrayBuffer>;

/** The code of a policy that is not the engine's. */
export interface OwnPolicy {
  /** Name of its file. No two have the same. */
  file: string;
  /** The code as its author wrote it: text, or WebAssembly. */
  code: Code;
  /** The last code that described a policy, as JavaScript or WebAssembly. It runs. */
  script: Code | undefined;
  /** The SHA-256 of `script`. */
  sha256: string | undefined;
  /** The description that it gave. */
  policy: Choosable | undefined;
  /** The fault of the code as it is written now. */
  problem: CodeProblem | undefined;
  /** The findings of the check of `script`; undefined until it has run. */
  shortcomings: Shortcoming[] | undefined;
  /** Another id than the code gives, where that one was taken. */
  alias: PolicyAlias | undefined;
  /** The id that a link or plan gives; the code is another's, which the reader has not let run. */
  foreign: string | undefined;
}

/** A problem with the place in the code. */
export type CodeProblem = Problem & { column?: number };

/** The lines that own policies have logged in a run. */
export interface RunLog {
  lines: LogLine[];
  /** Number of lines that were too many. */
  unlogged: number;
}

const state = {
  /** The policies, machines, models and parameters of the engine. */
  engineCatalog: signal<Catalog | undefined>(undefined),
  own: signal<OwnPolicy[]>([]),
  /** The file that the editor shows. */
  shownFile: signal<string | undefined>(undefined),
  /** Logs of runs, by the ids of their lanes. */
  logs: signal<ReadonlyMap<number, RunLog>>(new Map()),
};
export const { own, shownFile, logs }: Seen<typeof state> = state;

/** All policies, the reader's among them, machines, models and parameters. */
export const catalog = computed((): Catalog | undefined => {
  const { value: known } = state.engineCatalog;
  const found = own.value.flatMap(({ policy }) => (policy ? [policy] : []));
  return known && found.length > 0 ? { ...known, policies: [...known.policies, ...found] } : known;
});

export function knowCatalog(found: Catalog): void {
  state.engineCatalog.value ??= found;
}

/** Returns the description of a policy, or of the recorded schedule. */
export function policyNamed(id: string): Choosable | undefined {
  const { value: known } = catalog;
  return known && [...known.policies, known.recorded].find((policy) => policy.id === id);
}

/** True if the engine has a policy with this id. */
export const isOfEngine = (id: string): boolean =>
  state.engineCatalog.value?.policies.some((policy) => policy.id === id) ?? false;

/** True if the reader's own code decides under this id, or would if it were let run. */
export const isOwn = (id: string): boolean =>
  own.value.some(({ policy, foreign }) => policy?.id === id || foreign === id);

export const ownFile = (file: string | undefined): OwnPolicy | undefined =>
  own.value.find((policy) => policy.file === file);

/** Adds an own policy, or replaces the one of the same file. */
export function putOwn(wanted: OwnPolicy): void {
  const isThere = own.value.some(({ file }) => file === wanted.file);
  state.own.value = isThere
    ? own.value.map((policy) => (policy.file === wanted.file ? wanted : policy))
    : [...own.value, wanted];
}

/** Replaces an own policy where it stands, possibly by one of another file. */
export function replaceOwn(file: string, wanted: OwnPolicy): void {
  state.own.value = own.value.map((policy) => (policy.file === file ? wanted : policy));
}

export function changeOwn(file: string, change: Partial<OwnPolicy>): void {
  const policy = ownFile(file);
  if (policy) putOwn({ ...policy, ...change });
}

export function dropOwn(file: string): void {
  state.own.value = own.value.filter((policy) => policy.file !== file);
  if (shownFile.value === file) state.shownFile.value = own.value[0]?.file;
}

export function showFile(file: string | undefined): void {
  state.shownFile.value = file;
}

export function dropLog(lane: number): void {
  const left = new Map(logs.value);
  if (left.delete(lane)) state.logs.value = left;
}

/** Adds lines to the log of a run. Without any, the log begins anew. */
export function addLog(lane: number, more?: RunLog): void {
  const known = more && logs.value.get(lane);
  const log = {
    lines: [...(known?.lines ?? []), ...(more?.lines ?? [])],
    unlogged: (known?.unlogged ?? 0) + (more?.unlogged ?? 0),
  };
  state.logs.value = new Map(logs.value).set(lane, log);
}
