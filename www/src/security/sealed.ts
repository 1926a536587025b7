// Seals a sandbox before the code of a policy loads: only the names of the language itself are left,
// and nobody can change what they mean. The sandbox has no origin, so that it reaches no stored data
// in any case; sealed, it cannot forge messages to the page either.

/** The global names of the language that code may use. The clocks and chance among them throw. */
const LANGUAGE = new Set([
  ..."Infinity NaN undefined globalThis eval isFinite isNaN parseFloat parseInt".split(" "),
  ..."decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape".split(" "),
  ..."Object Function Boolean Symbol Number BigInt Math String RegExp Array Map Set".split(" "),
  ..."WeakMap WeakSet ArrayBuffer DataView JSON Reflect Proxy Iterator".split(" "),
  ..."Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array".split(" "),
  ..."Uint32Array BigInt64Array BigUint64Array Float16Array Float32Array Float64Array".split(" "),
  ..."Error AggregateError EvalError RangeError ReferenceError SuppressedError".split(" "),
  ..."SyntaxError TypeError URIError".split(" "),
]);

/** Prototypes whose members programs replace by assignment in objects of their own. */
const REPLACED = [Object.prototype, Error.prototype];

/** The global in which the engine's panic leaves its message for `serve.ts`. */
const PANIC = "schedscopePanic";

/**
 * Takes every other global name away, and freezes what is left. Nobody can add a name either.
 * `absent` are names that stay because they throw. Throws if something cannot be taken away.
 */
export function seal(absent: readonly string[]): void {
  Object.defineProperty(globalThis, PANIC, { value: undefined, writable: true });
  // The last match of any expression.
  for (const name of Reflect.ownKeys(RegExp))
    if (/^(\$.|input|last(Match|Paren)|(left|right)Context)$/.test(String(name)))
      Reflect.deleteProperty(RegExp, name);
  // Without promises and `async` (own/compile.ts), no code runs between two turns.
  Reflect.deleteProperty(Array, "fromAsync");
  const stays = new Set<PropertyKey>([...LANGUAGE, ...absent, PANIC]);
  for (
    let holder: object | null = globalThis;
    holder && holder !== Object.prototype;
    holder = Object.getPrototypeOf(holder)
  )
    for (const name of Reflect.ownKeys(holder)) {
      const isOfGlobal = holder === globalThis;
      if (isOfGlobal ? stays.has(name) : name === Symbol.toStringTag) continue;
      takeAway(holder, name);
    }
  const seen = new Set<object>();
  for (const name of LANGUAGE) {
    const { value } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
    freeze(value, seen);
    if (value !== undefined) lock(name, value);
  }
  // Reached by syntax, or as what something returns.
  const from = (globalThis as { Iterator?: { from(of: object): object } }).Iterator?.from;
  const syntax = [
    function* () {},
    async () => {},
    async function* () {},
    [][Symbol.iterator](),
    new Map()[Symbol.iterator](),
    new Set()[Symbol.iterator](),
    ""[Symbol.iterator](),
    "".matchAll(/./g),
    new Uint8Array()[Symbol.iterator](),
    (new Map().keys() as { map?(by: () => number): object }).map?.(() => 0),
    from?.({ next: () => ({ done: true }) } as object),
    Promise,
  ];
  for (const value of syntax) {
    if (!value) continue;
    freeze(Object.getPrototypeOf(value), seen);
    if (value === Promise) freeze(value, seen);
  }
  for (
    let holder: object | null = globalThis;
    holder && holder !== Object.prototype;
    holder = Object.getPrototypeOf(holder)
  ) {
    Object.preventExtensions(holder);
    if (Object.isExtensible(holder)) throw new TypeError("the browser lets names be added");
  }
}

function takeAway(holder: object, name: PropertyKey): void {
  if (Reflect.deleteProperty(holder, name)) return;
  // A constant number gives nothing.
  const { value, get } = Object.getOwnPropertyDescriptor(holder, name)!;
  if (get === undefined && !(value instanceof Object)) return;
  const isGone =
    Reflect.defineProperty(holder, name, { value: undefined, writable: false }) &&
    Reflect.get(holder, name) === undefined;
  if (!isGone) throw new TypeError(`the browser does not let go of ${String(name)}`);
}

function lock(name: string, value: unknown): void {
  const { configurable } = Object.getOwnPropertyDescriptor(globalThis, name)!;
  if (configurable)
    Object.defineProperty(globalThis, name, { value, writable: false, configurable: false });
}

/** Freezes a value with all that can be reached from it. */
function freeze(value: unknown, seen: Set<object>): void {
  if (value === globalThis || seen.has(value as object)) return;
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return;
  seen.add(value);
  if (REPLACED.includes(value)) letReplace(value);
  for (const key of Reflect.ownKeys(value)) {
    const { value: inside, get, set } = Object.getOwnPropertyDescriptor(value, key)!;
    for (const next of [inside, get, set]) freeze(next, seen);
  }
  Object.freeze(value);
  freeze(Object.getPrototypeOf(value), seen);
}

/**
 * Lets objects have members of their own with the names of frozen ones: an assignment would fail
 * otherwise.
 */
function letReplace(prototype: object): void {
  for (const key of Reflect.ownKeys(prototype)) {
    const { value, writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(
      prototype,
      key,
    )!;
    if (!writable || !configurable) continue;
    Object.defineProperty(prototype, key, {
      get: () => value,
      set(this: unknown, own: unknown) {
        if (this === prototype) throw new TypeError(`${String(key)} cannot be changed`);
        Object.defineProperty(this, key, {
          value: own,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      },
      enumerable: enumerable ?? false,
      configurable: false,
    });
  }
}
