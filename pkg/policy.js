// Runs policies that their authors write in JavaScript: it turns a module into calls of the engine's plain functions. The same
// file serves browsers, Node.js and the terminal. docs/policies/own.md describes the module and the turn.

/** @import * as Face from "./policy.js" */

/** Stands for no job and no position. */
const NONE = 0xffff_ffff;

/** The reasons that a policy can give, by their numbers in the engine. */
const REASONS = ["behind", "reserved", "not chosen", "not tried"];

/** @param {string} what @param {string} why @param {string} next @returns {Face.Problem} */
const problem = (what, why, next) => ({ what, why, next });

/**
 * Returns the policy of a module as the engine takes it.
 * @param {Face.Calls} calls
 * @param {unknown} module
 * @param {Face.Origin} [origin]
 * @returns {Face.Prepared}
 */
export function prepare(calls, module, origin = {}) {
  const found = /** @type {any} */ (isObject(module) && "default" in module ? module.default : module);
  const { source } = origin;
  if (!isObject(found) || typeof found.decide !== "function")
    throw problem(
      `${source === undefined ? "The module" : `\`${source}\``} is no policy.`,
      "A module of a policy has `export default { id: \"...\", decide(turn) { ... } }`.",
      "Add what is missing.",
    );
  const policy = /** @type {Face.Policy} */ (/** @type {unknown} */ (found));
  const { id, name, summary, paper, needs, params } = policy;
  const definition = { id, name, summary, paper, needs, params };
  return { definition, begin: (settings) => begin(calls, policy, JSON.parse(settings), origin) };
}

/** @param {Face.Calls} calls @param {Face.Policy} policy @param {Face.Settings} settings @param {Face.Origin} origin */
function begin(calls, policy, settings, origin) {
  Object.freeze(settings);
  // The copy shows at once whether the state can be copied.
  const state = guarded(policy, "begin", origin, () => copy(policy.begin?.(settings) ?? {}, "state", new Map()));
  return mind(calls, policy, settings, state, origin);
}

/** @param {Face.Calls} calls @param {Face.Policy} policy @param {Face.Settings} settings @param {any} state @param {Face.Origin} origin @returns {Face.Mind} */
function mind(calls, policy, settings, state, origin) {
  const turn = new (turns(calls))(settings, origin.log);
  const { believe, completed } = policy;
  return {
    decide() {
      try {
        turn.renew();
        const returned = /** @type {any} */ (policy.decide(/** @type {any} */ (turn), state));
        if (typeof returned?.then === "function" || typeof returned?.next === "function")
          throw new TypeError("it is asynchronous or a generator, and a policy must decide at once");
        return undefined;
      } catch (error) {
        return failure(policy, "decide", error, origin);
      }
    },
    fork: () => mind(calls, policy, settings, guarded(policy, "fork", origin, () => copy(state, "state", new Map())), origin),
    believe: believe && ((...facts) => guarded(policy, "believe", origin, () => belief(believe.call(policy, request(facts), state)))),
    completed:
      completed && ((...facts) => guarded(policy, "completed", origin, () => completed.call(policy, request(facts), facts[9] ?? 0, state))),
  };
}

/** Returns what `believe` returned, if it is a length of time or nothing. @param {unknown} believed */
function belief(believed) {
  if (believed === undefined || (typeof believed === "number" && believed >= 0 && believed <= Number.MAX_SAFE_INTEGER)) return believed;
  throw new TypeError(`it returned ${String(believed)}, and not a number of microseconds`);
}

/** @param {number[]} facts @returns {Face.Request} */
function request([index = 0, number = 0, arrival = 0, estimate = 0, size = 0, user = -1, group = -1, application = -1, queue = -1]) {
  return { index, number, arrival, estimate, size, user, group, application, queue };
}

/** The classes of a turn, for each set of calls. @type {WeakMap<Face.Calls, ReturnType<typeof classes>>} */
const made = new WeakMap();

/** @param {Face.Calls} calls */
function turns(calls) {
  const known = made.get(calls) ?? classes(calls);
  made.set(calls, known);
  return known;
}

/** @param {Face.Calls} calls */
function classes(calls) {
  /** A job. Its facts are asked for when they are read. */
  class Job {
    /** @param {number} index @param {number} size @param {number} expected @param {Turn} turn */
    constructor(index, size, expected, turn) {
      this.index = index;
      this.size = size;
      this.expected = expected;
      this.turn = turn;
    }
    get number() {
      return calls.number(this.index);
    }
    get arrival() {
      return calls.submitted(this.index);
    }
    get estimate() {
      return calls.estimate(this.index);
    }
    get wait() {
      return this.turn.now - calls.submitted(this.index);
    }
    get user() {
      return calls.of(this.index, 0);
    }
    get group() {
      return calls.of(this.index, 1);
    }
    get application() {
      return calls.of(this.index, 2);
    }
    get queue() {
      return calls.of(this.index, 3);
    }
    start() {
      return this.turn.start(this);
    }
  }

  /** Goes through the queue, from position to position. */
  class Walk {
    /** @param {Turn} turn @param {(position: number) => number} next */
    constructor(turn, next) {
      this.turn = turn;
      this.find = next;
      this.position = 0;
    }
    next() {
      const position = this.find(this.position);
      if (position === NONE) return { done: true, value: undefined };
      this.position = position + 1;
      return { done: false, value: jobAt(position, this.turn) };
    }
    [Symbol.iterator]() {
      return this;
    }
  }

  /** Returns the job at a position: the same object each time, so that jobs can be compared. @param {number} position @param {Turn} turn */
  const jobAt = (position, turn) => {
    const index = calls.job_at(position);
    const known = turn.known.get(index);
    if (known !== undefined) return known;
    const job = new Job(index, calls.size_at(position), calls.expected_at(position), turn);
    turn.known.set(index, job);
    return job;
  };
  /** @param {number} job @param {Turn} turn */
  const waiting = (job, turn) => {
    const position = job === NONE ? NONE : calls.position(job);
    return position === NONE ? undefined : jobAt(position, turn);
  };
  /** Returns a number of processors that every engine takes alike. @param {number} size */
  const processors = (size) => Math.max(0, Math.min(Math.floor(size), NONE));
  /** Returns the index of a job that a policy passes. @param {any} job @param {string} method */
  const indexOf = (job, method) => {
    if (job instanceof Job) return job.index;
    throw new TypeError(`\`${method}\` takes a job of the queue, and got ${job === undefined ? "none" : typeof job === "object" ? "another object" : String(job)}`);
  };
  /** Returns a value as the log shows it. @param {unknown} value */
  const inWords = (value) => {
    if (value instanceof Job) return `job ${value.number}`;
    if (typeof value !== "object" || value === null) return String(value);
    try {
      return JSON.stringify(value, (key, inside) => (inside instanceof Job ? `job ${inside.number}` : inside)) ?? String(value);
    } catch {
      return String(value);
    }
  };
  /** @param {number} position */
  const any = (position) => calls.next(position, NONE, Number.POSITIVE_INFINITY, 0);
  /** @param {number} position */
  const admitted = (position) => calls.next_admitted(position);

  /** The waiting jobs, in order of arrival. */
  class Queue {
    /** @param {Turn} turn */
    constructor(turn) {
      this.turn = turn;
    }
    get length() {
      return calls.waiting();
    }
    get head() {
      const position = calls.first();
      return position === NONE ? undefined : jobAt(position, this.turn);
    }
    [Symbol.iterator]() {
      return new Walk(this.turn, any);
    }
    /** @param {{ size?: number, expected?: number, orSize?: number }} limits */
    within({ size = this.turn.free, expected = Number.POSITIVE_INFINITY, orSize = 0 }) {
      const [most, longest, extra] = [processors(size), Math.max(0, expected), processors(orSize)];
      return new Walk(this.turn, (position) => calls.next(position, most, longest, extra));
    }
  }

  /** The running jobs, in order of their release times. */
  class Running {
    get length() {
      return calls.running();
    }
    [Symbol.iterator]() {
      // All at once: a start in a loop over them changes the list.
      const jobs = [];
      const count = calls.running();
      for (let at = 0; at < count; at += 1)
        jobs.push({ index: calls.running_job(at), size: calls.running_size(at), end: calls.running_end(at) });
      return jobs[Symbol.iterator]();
    }
  }

  /** The reservation of a job, and the jobs that may start before it. */
  class Reservation {
    /** @param {Turn} turn @param {number} start */
    constructor(turn, start) {
      this.turn = turn;
      this.start = start;
    }
    get extra() {
      return calls.extra();
    }
    /** @param {Job} job */
    admits(job) {
      return calls.admits(indexOf(job, "admits")) === 1;
    }
    [Symbol.iterator]() {
      return new Walk(this.turn, admitted);
    }
  }

  /** Reservations that last from turn to turn. The engine keeps them. */
  class Plan {
    /** @param {Turn} turn */
    constructor(turn) {
      this.turn = turn;
    }
    goOn() {
      return calls.plan_go_on() === 1;
    }
    anew() {
      calls.plan_anew();
    }
    /** @param {Job} job */
    reserve(job) {
      return known(calls.plan_reserve(indexOf(job, "plan.reserve")));
    }
    /** @param {Job} job */
    startOf(job) {
      return known(calls.plan_reserved(indexOf(job, "plan.startOf")));
    }
    /** @param {Job} job */
    admits(job) {
      return calls.plan_admits(indexOf(job, "plan.admits")) === 1;
    }
    /** @param {Job} job */
    start(job) {
      const starts = calls.plan_start(indexOf(job, "plan.start")) === 1;
      this.turn.free = calls.free();
      return starts;
    }
    startDue() {
      calls.plan_start_due();
      this.turn.free = calls.free();
    }
  }

  /** The turn at which a policy decides. The same object serves all turns of a run. */
  class Turn {
    /** @param {Face.Settings} settings @param {Face.Origin["log"]} log */
    constructor(settings, log) {
      this.now = 0;
      this.free = 0;
      this.capacity = 0;
      this.settings = settings;
      this.queue = new Queue(this);
      this.running = new Running();
      this.plan = new Plan(this);
      this.write = log;
      /** The waiting jobs that the policy has seen, and some that have left. @type {Map<number, Job>} */
      this.known = new Map();
    }
    /** Begins the next turn. */
    renew() {
      if (this.known.size > 1000 && this.known.size > 4 * calls.waiting()) this.known.clear();
      this.now = calls.now();
      this.free = calls.free();
      this.capacity = calls.capacity();
    }
    get began() {
      return calls.began();
    }
    get largest() {
      return calls.room();
    }
    get meanWait() {
      return calls.mean_wait();
    }
    get timers() {
      return calls.timers();
    }
    get isWatched() {
      return calls.watched() === 1;
    }
    get arrived() {
      return Array.from({ length: calls.arrived() }, (_, at) => waiting(calls.arrived_job(at), this)).filter((job) => job !== undefined);
    }
    get ended() {
      return Array.from({ length: calls.ended() }, (_, at) => calls.ended_job(at));
    }
    /** @param {Job | number} job */
    fits(job) {
      if (typeof job !== "number") return calls.fits_job(indexOf(job, "fits")) === 1;
      return job >= 0 && calls.fits(processors(job)) === 1;
    }
    /** @param {Job} job */
    start(job) {
      const starts = calls.start(indexOf(job, "start")) === 1;
      this.free = calls.free();
      return starts;
    }
    startHeads() {
      const head = calls.start_heads();
      this.free = calls.free();
      return waiting(head, this);
    }
    /** @param {Job} job */
    reserve(job) {
      const start = calls.reserve(indexOf(job, "reserve"));
      return Number.isNaN(start) ? undefined : new Reservation(this, start);
    }
    /** @param {number} time */
    wakeAt(time) {
      calls.wake_at(time);
    }
    random() {
      return calls.random();
    }
    /** @param {Job} job @param {number} start */
    hold(job, start) {
      calls.hold(indexOf(job, "hold"), start);
    }
    /** @param {Job | "others"} job @param {string} reason @param {Job} [other] */
    because(job, reason, other) {
      const kind = REASONS.indexOf(reason);
      if (kind < 0 || (kind < 2 && other === undefined))
        throw new TypeError(`\`because\` takes one of the reasons ${REASONS.map((word) => `"${word}"`).join(", ")}, the first two with a job`);
      calls.because(job === "others" ? NONE : indexOf(job, "because"), kind, other?.index ?? NONE);
    }
    /** @param {unknown[]} values */
    log(...values) {
      this.write?.(this.now, values.map(inWords).join(" "));
    }
  }
  // Policies in one program share these classes, and none may change them for another.
  for (const each of [Job, Walk, Queue, Running, Reservation, Plan, Turn]) {
    Object.freeze(each.prototype);
    Object.freeze(each);
  }
  return Turn;
}

/** @param {number} time */
const known = (time) => (Number.isNaN(time) ? undefined : time);

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = (value) => typeof value === "object" && value !== null;

/** Arrays of numbers that a policy may keep. */
const NUMBERS = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  BigInt64Array,
  BigUint64Array,
  Float32Array,
  Float64Array,
];

/** Returns the name of an array of numbers; undefined for anything else. */
const kindOf = /** @type {() => string | undefined} */ (
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)?.get
);

/**
 * Returns a copy of plain data: what a policy may keep from turn to turn.
 * @param {any} value
 * @param {string} path
 * @param {Map<unknown, unknown>} copies
 * @returns {any}
 */
function copy(value, path, copies) {
  if (!isObject(value)) {
    if (typeof value === "function" || typeof value === "symbol")
      throw new TypeError(`\`${path}\` is a ${typeof value}; the state may hold plain data only`);
    return value;
  }
  const before = copies.get(value);
  if (before !== undefined) return before;
  /** @template T @param {T} made */
  const remember = (made) => {
    copies.set(value, made);
    return made;
  };
  if (Array.isArray(value)) {
    const list = remember(/** @type {unknown[]} */ ([]));
    // An array may have holes, which keep their places.
    list.length = value.length;
    // Methods of the value may be its own.
    Array.prototype.forEach.call(value, (item, at) => {
      list[at] = copy(item, `${path}[${at}]`, copies);
    });
    return list;
  }
  if (value instanceof Map) {
    const map = remember(new Map());
    Map.prototype.forEach.call(value, (item, key) => {
      map.set(copy(key, `${path} (a key)`, copies), copy(item, `${path}.get(${String(key)})`, copies));
    });
    return map;
  }
  if (value instanceof Set) {
    const set = remember(new Set());
    Set.prototype.forEach.call(value, (item) => {
      set.add(copy(item, `${path} (a member)`, copies));
    });
    return set;
  }
  const kind = kindOf.call(value);
  const Kind = NUMBERS.find(({ name }) => name === kind);
  if (Kind) return remember(new Kind(/** @type {any} */ (value)));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError(`\`${path}\` is an object of a class; the state may hold plain data only${"index" in value ? ", such as the index of a job" : ""}`);
  const object = remember(Object.create(prototype));
  for (const [key, item] of Object.entries(value)) object[key] = copy(item, `${path}.${key}`, copies);
  return object;
}

/**
 * Calls code of the policy, and throws a problem if it throws.
 * @template T
 * @param {Face.Policy} policy
 * @param {string} method
 * @param {Face.Origin} origin
 * @param {() => T} call
 */
function guarded(policy, method, origin, call) {
  try {
    return call();
  } catch (error) {
    throw failure(policy, method, error, origin);
  }
}

/**
 * Returns what code of the policy threw as a problem, with its place in the author's source.
 * @param {Face.Policy} policy
 * @param {string} method
 * @param {unknown} error
 * @param {Face.Origin} origin
 * @returns {Face.Problem}
 */
function failure(policy, method, error, origin) {
  let [said, place] = ["it threw something without a text", /** @type {ReturnType<typeof placeOf>} */ (undefined)];
  try {
    place = error instanceof Error ? placeOf(error.stack ?? "", origin.source) : undefined;
    said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    // The author's own object may throw when it is asked.
  }
  const where = place === undefined ? "" : ` at line ${place.line}, column ${place.column}`;
  return {
    ...problem(`\`${method}\` of the policy \`${policy.id}\` failed${where}: ${said}.`, "The code of the policy threw an exception.", "Correct the code."),
    ...(place && { line: place.line }),
  };
}

/** Characters of a line of a stack that can name a place. */
const LONGEST_LINE = 1000;

/** This file, which is no author's source. The terminal gives it this name. */
const HERE = import.meta.url ?? "schedscope/policy";

/**
 * Returns the place of the first call in a stack that is in an author's file.
 * @param {string} stack
 * @param {string | undefined} source
 */
function placeOf(stack, source) {
  for (const line of stack.split("\n")) {
    // A text that was thrown can be a line of the stack.
    if (line.length > LONGEST_LINE) continue;
    const found = /(?:\(|@|at )?([^\s()@]*):(\d+):(\d+)\)?\s*$/.exec(line);
    const isTheirs = found !== null && !line.includes(HERE) && (source === undefined || line.includes(source));
    if (isTheirs) return { line: Number(found[2]), column: Number(found[3]) };
  }
  return undefined;
}

/** Functions of Math whose results are the same bits everywhere. */
const EXACT = ["abs", "ceil", "clz32", "floor", "fround", "imul", "max", "min", "round", "sign", "sqrt", "trunc"];

/** What a policy cannot use, and what it can use instead. */
export const ABSENT = {
  Date: "`turn.now` is the only clock",
  performance: "`turn.now` is the only clock",
  Temporal: "`turn.now` is the only clock",
  crypto: "`turn.random()` gives random numbers",
  console: "`turn.log(...)` writes a line",
  Intl: "a policy formats no texts",
  WeakRef: "a policy must not see when memory is freed",
  FinalizationRegistry: "a policy must not see when memory is freed",
  SharedArrayBuffer: "a policy decides alone",
  Atomics: "a policy decides alone",
  Promise: "a policy decides at once",
};

/**
 * Takes away what would make a policy decide differently from run to run: dates, chance, and functions whose last bits differ
 * between engines. The engine's own exp, log and pow replace those of Math.
 * @param {Record<string, any>} global
 * @param {Face.Calls} calls
 */
export function makeExact(global, calls) {
  const math = global.Math;
  for (const name of Object.getOwnPropertyNames(math))
    if (typeof math[name] === "function" && !EXACT.includes(name))
      math[name] = () => {
        throw new TypeError(`\`Math.${name}\` is absent: ${name === "random" ? "`turn.random()` gives random numbers" : "its last bits differ between programs"}`);
      };
  Object.assign(math, {
    exp: (/** @type {number} */ x) => calls.exp(x),
    log: (/** @type {number} */ x) => calls.log(x),
    pow: (/** @type {number} */ x, /** @type {number} */ y) => calls.pow(x, y),
  });
  // What they return depends on the language of the reader.
  const { Array: List, BigInt: Big, Number: Num, String: Text, Uint8Array: Bytes } = global;
  for (const [holder, ...names] of /** @type {[any, ...string[]][]} */ ([
    [Text.prototype, "localeCompare", "toLocaleLowerCase", "toLocaleUpperCase"],
    ...[Num, Big, List, Object.getPrototypeOf(Bytes)].map((each) => [each.prototype, "toLocaleString"]),
  ]))
    for (const name of names)
      holder[name] = () => {
        throw new TypeError(`\`${name}\` is absent: it depends on the reader's language`);
      };
  for (const [name, instead] of Object.entries(ABSENT))
    Object.defineProperty(global, name, {
      get: () => {
        throw new TypeError(`\`${name}\` is absent: ${instead}`);
      },
    });
}
