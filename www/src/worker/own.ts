// Own policies in a worker: their code, and what they log.
import * as program from "schedscope";
import { definePolicy, Hasher } from "schedscope";
import { prepareCompiled, rawCalls } from "schedscope/compiled";
import { type Calls, prepare } from "schedscope/policy";
import { LIMITS } from "../engine/limits";
import type { DescribedPolicy, Logged, LogLine, PolicyCode } from "../engine/protocol";

/** The modules in JavaScript that the worker started with, by their files. */
let scripts: Record<string, unknown> = {};

/** True once the engine's functions can be called. */
let isReady = false;

/** The functions of Math that policies get from the engine. */
export const exact = Object.fromEntries(
  (["exp", "log", "pow"] as const).map((name) => [
    name,
    (...numbers: number[]): number => {
      if (!isReady)
        throw new TypeError(
          `\`Math.${name}\` is the engine's own, and the engine is there from \`begin\` on`,
        );
      return engine[name]!(...numbers);
    },
  ]),
);

/** Takes the modules that the worker started with. */
export function admit(modules: Record<string, unknown>): void {
  scripts = modules;
}

const encoder = new TextEncoder();

/** The engine's functions for policies. */
const engine = (program as unknown as { PolicyCalls: Calls }).PolicyCalls;

let lines: LogLine[] = [];
/** Number of lines that were taken in this run, and of those that were too many. */
let [taken, unlogged] = [0, 0];
let isLogged = false;

function log(now: number, text: string): void {
  if (!isLogged) return;
  taken += 1;
  if (taken > LIMITS.own_log_lines) unlogged += 1;
  else lines.push({ at: now / 1e6, text: text.slice(0, LIMITS.own_log_characters) });
}

/** Returns what `work` returns, and keeps what policies log meanwhile. */
export function logged<T>(work: () => T): T {
  isLogged = true;
  try {
    return work();
  } finally {
    isLogged = false;
  }
}

/** Sends the lines that were logged since the last call. */
export function flush(to: { postMessage(message: Logged): void }): void {
  if (lines.length > 0 || unlogged > 0) to.postMessage({ logged: lines, unlogged });
  [lines, unlogged] = [[], 0];
}

/** Defines own policies, and returns their descriptions in the same order. Throws a Problem. */
export function define(own: PolicyCode[], exports: object): DescribedPolicy[] {
  isReady = true;
  const calls = rawCalls(exports as Record<string, () => number>);
  return own.map(({ file, code, alias }) => {
    const origin = { source: file, log };
    const prepared =
      typeof code === "string"
        ? prepare(engine, scripts[file], origin)
        : prepareCompiled(calls, compiled(file, code), origin);
    const hasher = new Hasher();
    hasher.push(typeof code === "string" ? encoder.encode(code) : code);
    const sha256 = hasher.finish();
    const ownId = String(prepared.definition.id);
    const isOther = alias && (alias.of === undefined || alias.of === ownId);
    const definition = isOther ? { ...prepared.definition, id: alias.to } : prepared.definition;
    return { policy: definePolicy(definition, prepared.begin as never, sha256), sha256, ownId };
  });
}

function compiled(file: string, bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  try {
    return new WebAssembly.Module(bytes);
  } catch (error) {
    throw {
      what: `${file} is no WebAssembly that this browser runs: ${(error as Error).message}.`,
      why: "A compiled policy is a module of WebAssembly (docs/policies/own.md).",
      next: "Compile it again.",
    };
  }
}
