// The package's public face: it finds the WebAssembly, runs experiments, and makes every Problem an Error. index.d.ts has the
// types and their descriptions; wasm/ is generated from the Rust sources.
import { prepareCompiled, rawCalls } from "./compiled.js";
import { prepare } from "./policy.js";
import load, * as engine from "./wasm/schedscope.js";

/** @import * as Face from "./index.js" */

/** Milliseconds that a simulation computes before it lets the rest of the program continue. */
const SLICE = 50;
/** Bytes of a trace that are read at once, so that WebAssembly never holds a second copy of a long text. */
const PIECE = 1 << 20;

export class ProblemError extends Error {
  /** @param {Face.Problem} problem */
  constructor(problem) {
    const { what, why, next, line, field } = problem;
    super(`${what} ${why} ${next}`);
    this.what = what;
    this.why = why;
    this.next = next;
    if (line !== undefined) this.line = line;
    if (field !== undefined) this.field = field;
  }
}
Object.defineProperty(ProblemError.prototype, "name", { value: "ProblemError", configurable: true, writable: true });

/** Returns an exception of the engine as an Error. The engine throws plain objects, which have no stack. @param {any} thrown */
function errorOf(thrown) {
  const isProblem = typeof thrown === "object" && thrown !== null && !(thrown instanceof Error) && ["what", "why", "next"].every((field) => typeof thrown[field] === "string");
  return isProblem ? new ProblemError(thrown) : thrown;
}

let isLoaded = false;
/** The engine's functions for compiled policies. @type {import("./policy.js").Calls} */
let raw = {};

/**
 * Returns the function with errors in place of Problems.
 * @template {(...args: any[]) => any} Call
 * @param {Call} call
 * @returns {Call}
 */
function guarded(call) {
  /** @this {any} @param {any[]} args */
  function guard(...args) {
    if (!isLoaded)
      throw new ProblemError({ what: "The engine is not loaded.", why: "WebAssembly loads asynchronously.", next: "Call and await `init()` first." });
    if (this?.__wbg_ptr === 0)
      throw new ProblemError({ what: "The object is freed.", why: "`free` gives its memory back, and so do methods that finish an object.", next: "Make a new one." });
    try {
      return call.apply(this, args);
    } catch (error) {
      throw errorOf(error);
    }
  }
  return /** @type {Call} */ (guard);
}

/**
 * Returns the class with errors in place of Problems. Its methods are replaced where they are, because the engine itself makes
 * objects of its classes.
 * @template {new (...args: any[]) => any} Class
 * @param {Class} original
 * @returns {Class}
 */
function guardedClass(original) {
  for (const holder of [original, original.prototype])
    for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(holder)))
      // Names with underscores are the generated glue's own.
      if (writable && typeof value === "function" && name !== "constructor" && !name.startsWith("__"))
        Object.defineProperty(holder, name, { value: guarded(value) });
  return new Proxy(original, { construct: guarded((target, args, created) => Reflect.construct(target, args, created)) });
}

/** The own policy that each id names now. @type {Map<string, object>} */
const defined = new Map();

/** Returns the policy of a module. @param {any} module */
const policyOf = (module) => module.default ?? module;

/** @type {typeof Face.definePolicy} */
export const definePolicy = guarded((module, origin) => {
  const prepared =
    module instanceof WebAssembly.Module ? prepareCompiled(raw, module, origin) : prepare(/** @type {any} */ (engine).PolicyCalls, module, origin);
  const choosable = engine.definePolicy(prepared.definition, prepared.begin);
  defined.set(choosable.id, policyOf(module));
  return choosable;
});

/** Returns a scenario whose policy is a module with the id of the policy. @param {any} scenario */
function named(scenario) {
  const module = scenario?.policy;
  if (typeof module !== "object" || module === null) return scenario;
  const known = [...defined].find(([, policy]) => policy === policyOf(module));
  return { ...scenario, policy: known ? known[0] : definePolicy(module).id };
}

/** @type {typeof Face.checkPolicy} */
export const checkPolicy = guarded((scenario) => engine.checkPolicy(named(scenario)));

/** @type {typeof Face.Hasher} */
export const Hasher = guardedClass(engine.Hasher);
/** @type {typeof Face.Microscope} */
export const Microscope = /** @type {any} */ (guardedClass)(engine.Microscope);
/** @type {typeof Face.Run} */
export const Run = new Proxy(/** @type {any} */ (guardedClass(engine.Run)), {
  construct: (target, [trace, scenario, ...more], created) => Reflect.construct(target, [trace, named(scenario), ...more], created),
});
/** @type {typeof Face.ForecastCalibration} */
export const ForecastCalibration = guardedClass(engine.ForecastCalibration);
/** @type {typeof Face.StartForecast} */
export const StartForecast = guardedClass(engine.StartForecast);
/** @type {typeof Face.Trace} */
export const Trace = /** @type {any} */ (guardedClass)(engine.Trace);
/** @type {typeof Face.TraceReader} */
export const TraceReader = guardedClass(engine.TraceReader);
/** @type {typeof Face.analysePlan} */
export const analysePlan = guarded(engine.analysePlan);
/** @type {typeof Face.catalog} */
export const catalog = guarded(engine.catalog);
/** @type {typeof Face.checkResults} */
export const checkResults = guarded(engine.checkResults);
/** @type {typeof Face.freshSeed} */
export const freshSeed = guarded(engine.freshSeed);
/** @type {typeof Face.isSwf} */
export const isSwf = guarded(engine.isSwf);
/** @type {typeof Face.clusterDescription} */
export const clusterDescription = guarded(engine.clusterDescription);
/** @type {typeof Face.slurmKeywords} */
export const slurmKeywords = guarded(engine.slurmKeywords);
/** @type {typeof Face.slurmOptions} */
export const slurmOptions = guarded(engine.slurmOptions);
/** @type {typeof Face.slurmLines} */
export const slurmLines = guarded(engine.slurmLines);
/** @type {typeof Face.tableFacts} */
export const tableFacts = guarded(engine.tableFacts);
/** @type {typeof Face.onPulse} */
export const onPulse = guarded(engine.onPulse);
/** @type {typeof Face.paired} */
export const paired = guarded(engine.paired);
/** @type {typeof Face.readPlan} */
export const readPlan = guarded(engine.readPlan);

/** @type {Promise<void> | undefined} */
let loading;

/** @type {typeof Face.default} */
export default function init(source) {
  if (isLoaded) return Promise.resolve();
  // After a failed load, the next call tries again.
  loading ??= loaded(source).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** @param {Parameters<typeof Face.default>[0]} source */
async function loaded(source) {
  const given = await (isOptions(source) ? source.module_or_path : source);
  const place = given ?? new URL("./wasm/schedscope_bg.wasm", import.meta.url);
  const isFile = (typeof place === "string" || place instanceof URL) && String(place).startsWith("file:");
  // `fetch` reads no files. The module is asked for by a call, because bundlers for browsers refuse an import of it.
  const files = isFile ? /** @type {any} */ (globalThis).process?.getBuiltinModule?.("node:fs/promises") : undefined;
  raw = rawCalls(await load({ module_or_path: files ? files.readFile(new URL(String(place))) : place }));
  isLoaded = true;
}

/** @param {unknown} source @returns {source is { module_or_path: Face.InitInput | Promise<Face.InitInput> }} */
function isOptions(source) {
  return typeof source === "object" && source !== null && "module_or_path" in source;
}

/** @type {typeof Face.initSync} */
export function initSync(source) {
  raw = rawCalls(engine.initSync(typeof source === "object" && "module" in source ? source : { module: source }));
  isLoaded = true;
}

/** @type {typeof Face.readTrace} */
export async function readTrace(text, { name = "trace", skipBadLines = false } = {}) {
  await init();
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const reader = new TraceReader(skipBadLines);
  const hasher = new Hasher();
  // A value that is neither text nor bytes is one piece, which the reader refuses.
  const length = bytes instanceof Uint8Array ? bytes.length : 1;
  for (let from = 0; from < length; from += PIECE) {
    const piece = bytes instanceof Uint8Array ? bytes.subarray(from, from + PIECE) : bytes;
    reader.push(piece);
    hasher.push(piece);
  }
  return reader.finish(name, hasher.finish());
}

/** @type {typeof Face.simulate} */
export async function simulate(trace, scenario, { signal, onProgress, ...reading } = {}) {
  const isOurs = !(trace instanceof engine.Trace);
  const read = isOurs ? await readTrace(trace, reading) : trace;
  const run = begun(read, scenario, isOurs);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const progress = run.advanceFor(SLICE);
      onProgress?.(progress);
      if (progress.done) return { ...run.result(), facts: run.facts(), run };
      await new Promise((resolve) => setTimeout(resolve));
    }
  } catch (error) {
    run.free();
    throw error;
  }
}

/** @param {Face.Trace} trace @param {Face.Scenario} scenario @param {boolean} isLast */
function begun(trace, scenario, isLast) {
  try {
    return new Run(trace, scenario);
  } finally {
    // The run keeps the jobs alive by itself.
    if (isLast) trace.free();
  }
}

/** @type {typeof Face.jobsOf} */
export function* jobsOf(run) {
  for (let job = 0; ; job += 1) {
    const facts = run.job(job);
    if (facts === null) return;
    yield facts;
  }
}
