// Runs policies that are compiled to WebAssembly. An instance gets the engine's functions of plain numbers and nothing else.
// docs/policies/own.md describes the imports and the exports.

/** @import { Calls, Mind, Origin, Policy, Prepared, Problem } from "./policy.js" */

/** @typedef {Record<string, any>} Exports */

/** Bytes of memory of a policy (docs/limits.md). */
const MEMORY = 1 << 30;

/** The calls of a policy after which the size of its memory is looked at again. */
const UNCHECKED = 64;

/** @param {string} what @param {string} why @param {string} next @returns {Problem} */
const problem = (what, why, next) => ({ what, why, next });

/**
 * Returns the engine's own exports among `exports`: WebAssembly calls them without a detour through JavaScript.
 * @param {Exports} exports
 * @returns {Calls}
 */
export const rawCalls = (exports) =>
  Object.fromEntries(
    Object.entries(exports)
      .filter(([name]) => name.startsWith("policycalls_"))
      .map(([name, call]) => [name.replace("policycalls_", ""), call]),
  );

/**
 * Returns the policy of a compiled module as the engine takes it.
 * @param {Calls} calls
 * @param {WebAssembly.Module} module
 * @param {Origin} [origin]
 * @returns {Prepared}
 */
export function prepareCompiled(calls, module, origin = {}) {
  const file = origin.source === undefined ? "the module" : `\`${origin.source}\``;
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module))
    if (from !== "schedscope" || kind !== "function" || !(name === "setting" || Object.hasOwn(calls, name)))
      throw problem(
        `${capital(file)} imports \`${from}.${name}\`, which no policy gets.`,
        "A policy gets the engine's functions only (docs/policies/own.md).",
        "Compile it without a standard library that asks for more.",
      );
  checkExports(module, file);
  const definition = { id: "compiled", ...described(created(calls, module, [], file), file) };
  const { id = "compiled", params = [] } = definition;
  const begin = (/** @type {string} */ settings) => {
    const values = numbers(params, JSON.parse(settings));
    const instance = created(calls, module, values, file);
    guarded(id, "begin", () => instance.begin?.());
    return mind(calls, module, values, instance, id, file);
  };
  return { definition, begin };
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The kinds of the exports that mean something. */
const KINDS = { decide: "function", describe: "function", begin: "function", believe: "function", completed: "function", memory: "memory" };

/** Refuses a module whose exports are of another kind. @param {WebAssembly.Module} module @param {string} file */
function checkExports(module, file) {
  const exports = WebAssembly.Module.exports(module);
  const found = exports.find(({ name, kind }) => Object.hasOwn(KINDS, name) && /** @type {any} */ (KINDS)[name] !== kind);
  if (found)
    throw problem(
      `${capital(file)} exports \`${found.name}\` as a ${found.kind}.`,
      `It must be a ${/** @type {any} */ (KINDS)[found.name]} (docs/policies/own.md).`,
      "Correct the export.",
    );
  const has = (/** @type {string} */ name) => exports.some((other) => other.name === name);
  if (!has("decide")) throw problem(`${capital(file)} is no policy.`, "A compiled policy exports a function `decide` without parameters.", "Export it.");
  if (has("describe") && !has("memory"))
    throw problem(`${capital(file)} has \`describe\`, and exports no \`memory\`.`, "The definition is a text in the exported memory.", "Export the memory.");
}

/** Makes an instance, and returns what it exports. @param {Calls} calls @param {WebAssembly.Module} module @param {number[]} values @param {string} file @returns {Exports} */
function created(calls, module, values, file) {
  const setting = (/** @type {number} */ at) => values[at] ?? Number.NaN;
  try {
    return new WebAssembly.Instance(module, { schedscope: { ...calls, setting } }).exports;
  } catch (error) {
    throw problem(
      `${capital(file)} cannot be instantiated: ${/** @type {Error} */ (error).message}.`,
      "Each imported function has the type that docs/policies/own.md gives it, and a start function must not trap.",
      "Correct the module.",
    );
  }
}

/** Returns the definition that a module gives as JSON. @param {Exports} exports @param {string} file @returns {Partial<Policy>} */
function described({ describe, memory }, file) {
  if (describe === undefined) return {};
  try {
    const bytes = new Uint8Array(memory.buffer, describe() >>> 0);
    const length = bytes.indexOf(0);
    if (length < 0) throw new Error("no byte 0 ends it");
    const definition = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length)));
    if (typeof definition !== "object" || definition === null || Array.isArray(definition)) throw new Error("it is no object");
    return definition;
  } catch (error) {
    throw problem(
      `The description of ${file} is not understood: ${/** @type {Error} */ (error).message}.`,
      "`describe` returns the place of a JSON object in the exported `memory`, as UTF-8 with a byte 0 at its end.",
      "Correct it.",
    );
  }
}

/** Returns the settings as numbers, in the order of the parameters: of a choice, the index of the word. @param {NonNullable<Policy["params"]>} params @param {Record<string, number | string>} settings */
const numbers = (params, settings) =>
  params.map((param) => {
    const value = settings[param.key];
    return param.type === "choice" ? param.options.findIndex(({ id }) => id === value) : Number(value);
  });

/** @param {Calls} calls @param {WebAssembly.Module} module @param {number[]} values @param {Exports} exports @param {string} id @param {string} file @returns {Mind} */
function mind(calls, module, values, exports, id, file) {
  const { decide, believe, completed, memory } = exports;
  let count = 0;
  const checkMemory = () => {
    // To ask for the size takes as long as a short call does.
    count = (count + 1) % UNCHECKED;
    if (count === 1 && memory !== undefined && memory.buffer.byteLength > MEMORY)
      throw problem(`The policy \`${id}\` takes more than ${MEMORY} bytes of memory.`, "A policy may take that much (docs/limits.md).", "Look for memory that is never freed.");
  };
  const call = (/** @type {string} */ method, /** @type {() => any} */ called) => {
    const result = guarded(id, method, called);
    checkMemory();
    return result;
  };
  return {
    decide: () => {
      try {
        decide();
        checkMemory();
        return undefined;
      } catch (error) {
        return failure(id, "decide", error);
      }
    },
    fork: () => {
      const copy = created(calls, module, values, file);
      guarded(id, "fork", () => copyState(exports, copy));
      return mind(calls, module, values, copy, id, file);
    },
    believe:
      believe &&
      ((...facts) => {
        const believed = call("believe", () => believe(...facts));
        if (believed > Number.MAX_SAFE_INTEGER)
          throw problem(`\`believe\` of the policy \`${id}\` returned ${believed}.`, "A belief is a number of microseconds, up to 2^53.", "Correct the computation.");
        return believed >= 0 ? believed : undefined;
      }),
    completed: completed && ((...facts) => call("completed", () => completed(...facts))),
  };
}

/** Copies memory and variables. @param {Exports} from @param {Exports} to */
function copyState(from, to) {
  if (from.memory !== undefined) {
    const missing = from.memory.buffer.byteLength - to.memory.buffer.byteLength;
    if (missing > 0) to.memory.grow(missing / 65_536);
    new Uint8Array(to.memory.buffer).set(new Uint8Array(from.memory.buffer));
  }
  for (const [name, value] of Object.entries(from))
    // A reference to a function belongs to its instance, and begins anew.
    if (value instanceof WebAssembly.Global && (typeof value.value === "number" || typeof value.value === "bigint"))
      try {
        to[name].value = value.value;
      } catch {
        // A constant is the same anyway.
      }
}

/** Calls code of a policy, and throws a problem if it traps. @template T @param {string} id @param {string} method @param {() => T} call */
function guarded(id, method, call) {
  try {
    return call();
  } catch (error) {
    throw failure(id, method, error);
  }
}

/** Returns the problem of a call that threw `error`, which may be a problem already. @param {string} id @param {string} method @param {unknown} error @returns {Problem} */
function failure(id, method, error) {
  if (error instanceof Object && "what" in error) return /** @type {Problem} */ (error);
  const said = error instanceof Error ? error.message : "it threw an exception of WebAssembly";
  return problem(`\`${method}\` of the policy \`${id}\` failed: ${said}.`, "The compiled code trapped.", "Correct the code.");
}
