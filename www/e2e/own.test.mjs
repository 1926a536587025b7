// Own policies in the package, in Node: the gallery makes the schedules of the policies that it repeats, mistakes are told with
// their places, and nothing but the policy's code decides.
import assert from "node:assert/strict";
import { execFileSync, execSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import init, {
  checkPolicy,
  definePolicy,
  Run,
  readTrace,
  simulate,
  Trace,
} from "../../pkg/index.js";
import { root } from "./support.mjs";

const folder = join(root, "examples/policies");
const gallery = {};
/** Traces of several models and loads, with estimates that are longer than the run times. */
const traces = [];
before(async () => {
  await init();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".js")))
    gallery[file.replace(".js", "")] = (await import(join(folder, file))).default;
  for (const seed of [1, 2, 3])
    traces.push(Trace.generate("lublin", { jobs: 2000, seed, processors: 128 }));
});

/** Returns the digest of a whole run, which advances in steps of this many events. */
function digest(trace, scenario, budget = 1e6) {
  const run = new Run(trace, scenario);
  while (!run.advance(budget).done);
  const { digest } = run.result();
  run.free();
  return digest;
}

const LOADED = { arrival_factor: 0.6, estimate_model: "factor", estimate_factor: 4 };
const REPEATED = {
  fcfs: { policy: "fcfs" },
  easy: { policy: "easy" },
  "easy-by-hand": { policy: "easy" },
  shortest: { policy: "priority" },
  conservative: { policy: "conservative" },
  wfp3: { policy: "easy", settings: { order: "wfp3" } },
};

for (const [name, known] of Object.entries(REPEATED))
  test(`the gallery's ${name} makes the schedule of ${known.policy}, in slices of any size`, () => {
    for (const trace of traces) {
      const wanted = digest(trace, { ...known, settings: { ...LOADED, ...known.settings } });
      const scenario = { policy: gallery[name], settings: LOADED };
      assert.equal(digest(trace, scenario), wanted);
      assert.equal(digest(trace, scenario, 7), wanted);
    }
  });

/** Own policies on a trace, and the policies that they repeat, with every way to treat events of one instant. */
function agree(trace, name) {
  for (const [own, { policy }] of Object.entries(REPEATED)
    .slice(0, 3)
    .concat([["conservative", REPEATED.conservative]]))
    for (const settings of [{}, { ties: "per_event" }, { ties: "per_event_ends_first" }])
      assert.equal(
        digest(trace, { policy: gallery[own], settings }),
        digest(trace, { policy, settings }),
        `${own} on ${name}, ${JSON.stringify(settings)}`,
      );
}

test("FCFS, EASY and conservative of the gallery agree with ours on every golden case", async () => {
  const cases = join(root, "tests/cases");
  let seen = 0;
  for (const name of readdirSync(cases)) {
    const trace = join(cases, name, "trace.swf");
    if (!existsSync(trace)) continue;
    agree(await readTrace(readFileSync(trace)), name);
    seen += 1;
  }
  assert.ok(seen >= 20, `${seen} cases`);
});

test("they agree on real logs", async (t) => {
  const folder = process.env.SCHEDSCOPE_TRACES ?? join(root, "../shared/traces");
  for (const name of ["KTH-SP2-1996-2.swf.gz", "NASA-iPSC-1993-3.swf.gz"]) {
    const path = join(folder, name);
    if (!existsSync(path))
      return t.skip(`${name} is not in the folder that SCHEDSCOPE_TRACES names`);
    agree(await readTrace(gunzipSync(readFileSync(path))), name);
  }
  return undefined;
});

test("the gallery's EASY makes the schedule of EASY on other machines, and as a candidate", () => {
  for (const machine of ["torus", "gang"]) {
    const trace = Trace.generate("lublin", { jobs: 500, seed: 4 });
    const on = (policy) =>
      digest(trace, { policy, machine, settings: { estimate_model: "exact" } });
    assert.equal(on(gallery.easy), on("easy"));
  }
  const adaptive = (candidates) =>
    digest(traces[0], { policy: "pbas", settings: { ...LOADED, candidates } });
  assert.equal(adaptive("fcfs+own-easy"), adaptive("fcfs+easy"));
});

test("the gallery's easy has at most 40 lines", () => {
  assert.ok(readFileSync(join(folder, "easy.js"), "utf8").split("\n").length <= 40);
});

test("a random policy repeats its schedule with the same seed only", () => {
  const of = (policy_seed) =>
    digest(traces[0], { policy: gallery.random, settings: { ...LOADED, policy_seed } });
  assert.equal(of(1), of(1));
  assert.notEqual(of(1), of(2));
});

test("a job shows nothing of its run time, and the mind reader only learns from the past", () => {
  const seen = new Set();
  const policy = {
    id: "spy",
    decide(turn) {
      for (const job of turn.queue) {
        for (let at = job; at !== Object.prototype; at = Object.getPrototypeOf(at))
          for (const name of Object.getOwnPropertyNames(at)) seen.add(name);
        if (!job.start()) return;
      }
    },
  };
  digest(traces[0], { policy });
  assert.deepEqual([...seen].filter((name) => !["constructor", "turn"].includes(name)).sort(), [
    "application",
    "arrival",
    "estimate",
    "expected",
    "group",
    "index",
    "number",
    "queue",
    "size",
    "start",
    "user",
    "wait",
  ]);
  assert.equal(typeof digest(traces[0], { policy: gallery["reads-minds"] }), "string");
});

/** Returns what a run with this policy throws. */
function thrownBy(policy) {
  try {
    digest(traces[0], { policy });
  } catch (error) {
    return error;
  }
  return assert.fail("it did not fail");
}

test("an exception stops the run, and names line and column of the author's file", () => {
  const policy = {
    id: "broken",
    decide(turn) {
      turn.queue.head.launch();
    },
  };
  const error = thrownBy(policy);
  const line = Number(/own\.test\.mjs:(\d+)/.exec(new Error("here").stack)[1]) - 4;
  assert.equal(error.name, "ProblemError");
  assert.match(
    error.what,
    new RegExp(
      `^\`decide\` of the policy \`broken\` failed at line ${line}, column \\d+: TypeError: .*launch`,
    ),
  );
  assert.equal(error.line, line);
  // A later run begins afresh.
  assert.equal(typeof digest(traces[0], { policy: gallery.fcfs }), "string");
});

test("anything that code throws becomes a problem, and the engine goes on", () => {
  const named = (name) =>
    Object.defineProperty(new Error("x"), name, {
      get() {
        throw new Error("no");
      },
    });
  const proxy = new Proxy(
    {},
    {
      getPrototypeOf() {
        throw new Error("no");
      },
    },
  );
  for (const thrown of [undefined, Object.create(null), named("message"), named("stack"), proxy]) {
    const policy = {
      id: "throws-oddly",
      decide() {
        throw thrown;
      },
    };
    assert.match(thrownBy(policy).message, /`decide` of the policy `throws-oddly` failed/);
    assert.equal(typeof digest(traces[0], { policy: gallery.fcfs }), "string");
  }
});

test("mistakes are told: no policy, jobs left, a plan without its need, state that is no plain data", () => {
  const said = (policy) => thrownBy(policy).message;
  assert.match(said({}), /is no policy/);
  assert.match(said({ id: "lazy", decide() {} }), /Let the policy `lazy` start the jobs/);
  assert.match(said({ id: "plans", decide: (turn) => turn.plan.goOn() }), /needs: "counts"/);
  assert.match(
    said({
      id: "knob",
      params: [{ key: "a", type: "whole", min: 0, max: 9, default: 10 }],
      decide() {},
    }),
    /cannot be `10`/,
  );
  class Keeper {}
  const keeping = (state) => said({ id: "keeps", begin: () => ({ list: [state] }), decide() {} });
  assert.match(
    keeping(() => 0),
    /`state\.list\[0\]` is a function/,
  );
  assert.match(keeping(new Keeper()), /`state\.list\[0\]` is an object of a class/);
});

test("state is copied where a run forks: two futures do not share it", () => {
  // The policy counts its turns, and a run forks several times while it advances.
  const policy = {
    id: "counts-turns",
    begin: () => ({ turns: 0, seen: new Set(), by: new Map([["x", [1, { y: 2 }]]]) }),
    decide(turn, state) {
      state.turns += 1;
      state.by.get("x")[1].y += 1;
      for (const job of turn.queue) {
        state.seen.add(job.index);
        if (state.turns % 3 === 0 || !job.start()) break;
      }
      turn.wakeAt(turn.now + 60e6);
    },
  };
  const scenario = { policy, settings: LOADED };
  const run = new Run(traces[0], scenario);
  while (!run.advance(100).done);
  const { digest: first } = run.result();
  // The past is simulated again from forks for every question about a reason.
  for (const job of [10, 500, 1500]) run.why(job);
  assert.equal(run.result().digest, first);
  assert.equal(digest(traces[0], scenario), first);
  run.free();
});

test("a policy hears of completions, and its beliefs count", () => {
  const heard = [];
  const policy = {
    id: "hears",
    completed: (job, ran) => heard.push([job.number, ran]),
    believe: (job) => job.estimate / 2,
    decide(turn) {
      for (const job of turn.queue) {
        assert.equal(job.expected, Math.floor(job.estimate / 2));
        if (!job.start()) return;
      }
    },
  };
  digest(traces[0], { policy });
  assert.equal(heard.length, 2000);
});

test("a later definition with the same id replaces the earlier one, but not in its runs", async () => {
  const first = { id: "twice", decide: gallery.fcfs.decide };
  const run = new Run(traces[0], { policy: first, settings: LOADED });
  const { id } = definePolicy({ id: "twice", decide: gallery.easy.decide });
  while (!run.advance(1e6).done);
  assert.equal(run.result().digest, digest(traces[0], { policy: "fcfs", settings: LOADED }));
  assert.equal(
    digest(traces[0], { policy: id, settings: LOADED }),
    digest(traces[0], { policy: "easy", settings: LOADED }),
  );
  run.free();
  const { facts } = await simulate(traces[0], { policy: first });
  assert.equal(facts.policy, "twice");
});

test("a job is the same object each time, and its facts are right after many turns", () => {
  const policy = {
    id: "same",
    decide(turn) {
      const { head } = turn.queue;
      const [first] = turn.queue;
      assert.equal(head, first);
      for (const job of turn.arrived)
        assert.ok([...turn.queue].includes(job) || job.index < 0, `job ${job.number}`);
      for (const job of turn.queue) {
        assert.equal(job.wait, turn.now - job.arrival);
        assert.equal(job.number, job.index + 1);
        if (!job.start()) return;
      }
    },
  };
  assert.equal(
    digest(traces[0], { policy, settings: LOADED }),
    digest(traces[0], { policy: "fcfs", settings: LOADED }),
  );
});

test("a failure in the background of an adaptive policy stops the run", () => {
  const thrower = {
    id: "throws-alone",
    decide(turn) {
      if (turn.queue.length > 5) throw new Error("too long a queue");
      gallery.fcfs.decide(turn);
    },
  };
  definePolicy(thrower);
  const settings = { ...LOADED, candidates: "easy+throws-alone", frame: 600 };
  assert.throws(() => digest(traces[0], { policy: "pbas", settings }), /too long a queue/);
});

test("state that cannot be copied any more stops the run", () => {
  const policy = {
    id: "turns-bad",
    begin: () => ({}),
    decide(turn, state) {
      state.later = () => 1;
      gallery.fcfs.decide(turn);
    },
  };
  assert.match(thrownBy(policy).message, /`state\.later` is a function/);
});

test("sizes and times out of range are the same for every engine, or told", () => {
  const counted = [];
  const policy = {
    id: "ranges",
    decide(turn) {
      const count = (limits) => [...turn.queue.within(limits)].length;
      counted.push(
        count({ size: Number.POSITIVE_INFINITY }) === turn.queue.length,
        count({ size: -1 }) === 0,
        count({ size: Number.NaN }) === 0,
        !turn.fits(-1),
        !turn.fits(Number.POSITIVE_INFINITY),
      );
      // A loop over running jobs may start others.
      let seen = 0;
      const running = turn.running.length;
      for (const job of turn.running) {
        seen += job.size > 0 ? 1 : 0;
        gallery.fcfs.decide(turn);
      }
      counted.push(seen === running);
      gallery.fcfs.decide(turn);
    },
  };
  digest(traces[0], { policy, settings: LOADED });
  assert.ok(counted.length > 1000 && counted.every(Boolean));
  for (const time of [Number.POSITIVE_INFINITY, Number.NaN, 1e17])
    assert.match(
      thrownBy({ id: "late", decide: (turn) => turn.wakeAt(time) }).message,
      /names the time/,
    );
});

test("a turn that is over gives nothing", () => {
  let kept;
  digest(traces[0], {
    policy: {
      id: "keeps-turn",
      decide(turn) {
        kept = turn;
        for (const job of turn.queue) if (!job.start()) return;
      },
    },
  });
  assert.deepEqual(
    [kept.queue.length, [...kept.queue], [...kept.running], kept.fits(1)],
    [0, [], [], false],
  );
});

test("the check finds nothing in the gallery, and in a policy each thing that it must never do", () => {
  for (const policy of Object.values(gallery))
    assert.deepEqual(
      checkPolicy({ policy }).filter(({ is_fault }) => is_fault),
      [],
      policy.id,
    );
  const found = (policy) => {
    const [first] = checkPolicy({ policy });
    assert.equal(first?.is_fault, true, policy.id);
    return `${first.what} ${first.next}`;
  };
  const startAll = (turn) => {
    for (const job of turn.queue) job.start();
  };
  // A job is forgotten.
  assert.match(
    found({
      id: "forgets",
      decide(turn) {
        for (const job of turn.queue) if (job.number !== 7) job.start();
      },
    }),
    /1 of 60 jobs never started\. The first is job 7/,
  );
  // Chance.
  assert.match(
    found({
      id: "dices",
      decide(turn) {
        for (const job of turn.queue) if (Math.random() < 0.5) job.start();
        if (turn.queue.length > 0) turn.wakeAt(turn.now + 600e6);
      },
    }),
    /another schedule the second time: job \d+ starts after .*`Math\.random`/,
  );
  // A variable of the module, which all runs share.
  let turns = 0;
  assert.match(
    found({
      id: "shares",
      decide(turn) {
        turns += 1;
        if (turns % 2 === 0) startAll(turn);
        else turn.wakeAt(turn.now + 600e6);
      },
    }),
    /(another schedule|do not decide alike).*(variables of the module|outside the state)/,
  );
  // The same, where the variable begins anew with each run: only a copy shows it.
  let count;
  assert.match(
    found({
      id: "shares-within",
      begin() {
        count = 0;
      },
      decide(turn) {
        count += 1;
        if (count % 3 === 0) startAll(turn);
        else turn.wakeAt(turn.now + 600e6);
      },
    }),
    /do not decide alike.*variables of the module/,
  );
  // A copy that finds itself to be one, and does nothing.
  const originals = new Map();
  assert.match(
    found({
      id: "knows-copies",
      begin: () => ({ run: originals.size }),
      decide(turn, state) {
        if (!originals.has(state.run)) originals.set(state.run, state);
        if (originals.get(state.run) === state) startAll(turn);
      },
    }),
    /do not decide alike/,
  );
  // An array with holes is copied as it is.
  const sparse = {
    id: "sparse",
    begin: () => ({ seen: [] }),
    decide(turn, state) {
      let isNew = false;
      for (const job of turn.queue) {
        const at = 2 * job.index + 1;
        if (state.seen[at] > 1) job.start();
        state.seen[at] = (state.seen[at] ?? 0) + 1;
        isNew ||= state.seen[at] < 3;
      }
      // Without the condition, jobs that wait for processors make millions of turns.
      if (isNew) turn.wakeAt(turn.now + 600e6);
    },
  };
  assert.deepEqual(
    checkPolicy({ policy: sparse }).filter(({ is_fault }) => is_fault),
    [],
  );
  // A run without an end.
  assert.match(
    found({
      id: "endless",
      decide(turn) {
        turn.wakeAt(turn.now + 60e6);
      },
    }),
    /does not come to an end/,
  );
  // It throws.
  assert.match(
    found({
      id: "throws",
      decide(turn) {
        if (turn.queue.length > 3) throw new Error("too many");
        startAll(turn);
      },
    }),
    /On the workload \*.*\*: `decide` of the policy `throws` failed at line \d+.*too many/,
  );
});

/** Compiles a text of WebAssembly. */
function compiled(text) {
  const folder = mkdtempSync(join(tmpdir(), "schedscope-own-"));
  try {
    writeFileSync(join(folder, "policy.wat"), text);
    const tool = join(root, "www/node_modules/.bin/wasm-as");
    execFileSync(tool, [
      "--enable-reference-types",
      join(folder, "policy.wat"),
      "-o",
      join(folder, "policy.wasm"),
    ]);
    return new WebAssembly.Module(readFileSync(join(folder, "policy.wasm")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A module with a definition, what it imports, and more. */
const wat = (definition, imports, more) =>
  compiled(`(module
    ${imports.map(([name, type]) => `(import "schedscope" "${name}" (func $${name} ${type}))`).join("\n")}
    (memory (export "memory") 1)
    (data (i32.const 1024) "${JSON.stringify(definition).replaceAll('"', '\\"')}\\00")
    (func (export "describe") (result i32) (i32.const 1024))
    ${more})`);
const HEADS = ["start_heads", "(result i32)"];
const START_HEADS = "(drop (call $start_heads))";

test("EASY in WebAssembly makes the schedule of EASY, and the check finds nothing", () => {
  const policy = compiled(readFileSync(join(folder, "easy.wat"), "utf8"));
  for (const trace of traces) {
    const wanted = digest(trace, { policy: "easy", settings: LOADED });
    assert.equal(digest(trace, { policy, settings: LOADED }), wanted);
    assert.equal(digest(trace, { policy, settings: LOADED }, 7), wanted);
  }
  assert.equal(definePolicy(policy).name, "My compiled EASY");
  assert.deepEqual(checkPolicy({ policy }), []);
});

/** Returns why a kit cannot be compiled here; undefined if it can. */
function missing(kit) {
  const output = (program, ...options) => execFileSync(program, options, { encoding: "utf8" });
  try {
    if (kit === "c") output("wasm-ld", "--version") + output("clang", "--version");
    if (kit !== "rust") return undefined;
    const target = ["--target", "wasm32-unknown-unknown"];
    if (existsSync(output("rustc", "--print", "target-libdir", ...target).trim())) return undefined;
    return "Rust lacks the target wasm32-unknown-unknown";
  } catch (error) {
    return error.message;
  }
}

/** The file of EASY that the command of a kit writes. */
const BUILT = {
  c: "easy.wasm",
  rust: "target/wasm32-unknown-unknown/release/examples/easy.wasm",
  assemblyscript: "easy.wasm",
};
const OWN_PAGE = readFileSync(join(root, "docs/policies/own.md"), "utf8");

/** Copies a kit out of the project, and compiles it there by the command in the docs. */
function compiledKit(kit) {
  const copy = mkdtempSync(join(tmpdir(), "schedscope-kit-"));
  try {
    cpSync(join(folder, kit), copy, { recursive: true });
    const [, command] = OWN_PAGE.match(new RegExp(`^\\| \`${kit}/\` \\|.*\\| \`(.+)\` \\|`, "m"));
    // npx would look for the compiler in the copy.
    const PATH = `${join(root, "www/node_modules/.bin")}${delimiter}${process.env.PATH}`;
    const env = { ...process.env, PATH, CARGO_TARGET_DIR: join(copy, "target") };
    execSync(command.replace("npx ", ""), { cwd: copy, env, stdio: "pipe" });
    return readFileSync(join(copy, BUILT[kit]));
  } finally {
    rmSync(copy, { recursive: true });
  }
}

for (const kit of Object.keys(BUILT))
  test(`EASY of the kit ${kit} makes the schedules of EASY`, async (t) => {
    const why = missing(kit);
    if (why !== undefined) return t.skip(why);
    const bytes = compiledKit(kit);
    const policy = new WebAssembly.Module(bytes);
    for (const trace of traces)
      assert.equal(
        digest(trace, { policy, settings: LOADED }),
        digest(trace, { policy: "easy", settings: LOADED }),
      );
    let seen = 0;
    for (const name of readdirSync(join(root, "tests/cases"))) {
      const path = join(root, "tests/cases", name, "trace.swf");
      if (!existsSync(path)) continue;
      const trace = await readTrace(readFileSync(path));
      for (const settings of [{}, { ties: "per_event" }, { ties: "per_event_ends_first" }])
        assert.equal(
          digest(trace, { policy, settings }),
          digest(trace, { policy: "easy", settings }),
          name,
        );
      seen += 1;
    }
    assert.ok(seen >= 20, `${seen} cases`);
    assert.deepEqual(checkPolicy({ policy }), []);
    return undefined;
  });

test("a compiled policy has parameters and beliefs, and keeps state in its memory", () => {
  // Every n-th turn starts nothing; the count is in memory, so a copy has its own.
  const params = [
    { key: "mode", type: "choice", options: [{ id: "never" }, { id: "pause" }], default: "pause" },
    { key: "turns", type: "whole", min: 2, max: 9, default: 3 },
  ];
  const policy = wat(
    { id: "compiled-pauses", params },
    [
      HEADS,
      ["setting", "(param i32) (result f64)"],
      ["now", "(result f64)"],
      ["wake_at", "(param f64) (result i32)"],
      ["waiting", "(result i32)"],
    ],
    `(func (export "believe") (param f64 f64 f64 f64) (result f64) (local.get 3))
     (func (export "decide") (local $turns i32)
       (local.set $turns (i32.add (i32.load (i32.const 0)) (i32.const 1)))
       (i32.store (i32.const 0) (local.get $turns))
       (if (f64.eq (call $setting (i32.const 0)) (f64.const 1))
         (then (if (i32.eqz (i32.rem_u (local.get $turns) (i32.trunc_f64_u (call $setting (i32.const 1)))))
           (then
             (if (call $waiting) (then (drop (call $wake_at (f64.add (call $now) (f64.const 600e6))))))
             (return)))))
       ${START_HEADS})`,
  );
  const of = (settings) => digest(traces[0], { policy, settings: { ...LOADED, ...settings } });
  assert.equal(of({ mode: "never" }), digest(traces[0], { policy: "fcfs", settings: LOADED }));
  assert.notEqual(of({}), of({ mode: "never" }));
  assert.notEqual(of({}), of({ turns: 2 }));
  assert.deepEqual(
    checkPolicy({ policy }).filter(({ is_fault }) => is_fault),
    [],
  );
});

test("a copy of a compiled policy calls its own functions", () => {
  // A reference to a function of the first run would count that run's turns.
  const policy = wat(
    { id: "refers" },
    [
      HEADS,
      ["now", "(result f64)"],
      ["wake_at", "(param f64) (result i32)"],
      ["waiting", "(result i32)"],
    ],
    `(type $count (func (result i32)))
     (func $turns (result i32)
       (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
       (i32.load (i32.const 0)))
     (table $calls 1 funcref)
     (global $next (export "next") (mut funcref) (ref.func $turns))
     (func (export "decide")
       (table.set $calls (i32.const 0) (global.get $next))
       (if (i32.rem_u (call_indirect $calls (type $count) (i32.const 0)) (i32.const 3))
         (then (if (call $waiting) (then (drop (call $wake_at (f64.add (call $now) (f64.const 600e6)))))))
         (else ${START_HEADS})))`,
  );
  assert.deepEqual(checkPolicy({ policy }), []);
});

test("what is wrong with a compiled policy is told", () => {
  const said = (policy) => thrownBy(policy).message;
  const decide = '(func (export "decide"))';
  assert.match(said(wat({ id: "a" }, [], "")), /is no policy/);
  assert.match(
    said(wat({ id: "a" }, [["fetch", ""]], decide)),
    /imports `schedscope\.fetch`, which no policy gets/,
  );
  assert.match(
    said(compiled(`(module (import "env" "memory" (memory 1)) ${decide})`)),
    /imports `env\.memory`/,
  );
  assert.match(said(wat({ id: "Wrong Id" }, [], decide)), /cannot be the id/);
  assert.match(
    said(
      compiled(
        `(module (memory (export "memory") 1) (func (export "describe") (result i32) (i32.const 0)) ${decide})`,
      ),
    ),
    /The description of .* is not understood/,
  );
  assert.match(
    said(compiled('(module (global (export "decide") i32 (i32.const 0)))')),
    /exports `decide` as a global\. It must be a function/,
  );
  assert.match(
    said(wat({ id: "a" }, [["now", "(result i32)"]], decide)),
    /cannot be instantiated: .*type/,
  );
  assert.match(
    said(wat({ id: "a" }, [["toString", ""]], decide)),
    /imports `schedscope\.toString`/,
  );
  assert.match(
    said(
      wat(
        { id: "huge" },
        [HEADS],
        `(func (export "believe") (result f64) (f64.const inf)) (func (export "decide") ${START_HEADS})`,
      ),
    ),
    /`believe` of the policy `huge` returned Infinity/,
  );
  assert.match(
    said(wat({ id: "traps" }, [], '(func (export "decide") unreachable)')),
    /`decide` of the policy `traps` failed: unreachable/,
  );
  assert.match(said(wat({ id: "idle" }, [], decide)), /Let the policy `idle` start the jobs/);
  // A variable that is not exported begins anew in a copy, and the check tells.
  const policy = wat(
    { id: "keeps-outside" },
    [
      HEADS,
      ["now", "(result f64)"],
      ["wake_at", "(param f64) (result i32)"],
      ["waiting", "(result i32)"],
    ],
    `(global $turns (mut i32) (i32.const 0))
     (func (export "decide")
       (global.set $turns (i32.add (global.get $turns) (i32.const 1)))
       (if (i32.rem_u (global.get $turns) (i32.const 3))
         (then (if (call $waiting) (then (drop (call $wake_at (f64.add (call $now) (f64.const 600e6)))))))
         (else ${START_HEADS})))`,
  );
  assert.match(checkPolicy({ policy })[0].what, /do not decide alike/);
});

test("the docs name every function that a compiled policy may import, and no other", async () => {
  const { PolicyCalls } = await import("../../pkg/wasm/schedscope.js");
  const text = readFileSync(join(root, "docs/policies/own.md"), "utf8");
  const table = text.split("| function | meaning |")[1].split("\n\n")[0];
  const named = [...table.matchAll(/`(\w+)\(([^)]*)\)`/g)];
  const calls = Object.getOwnPropertyNames(PolicyCalls).filter(
    (name) => typeof PolicyCalls[name] === "function" && !name.startsWith("__"),
  );
  const firsts = table
    .split("\n")
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)\(([^)]*)\)`/g)]);
  assert.ok(named.length >= firsts.length);
  assert.deepEqual(
    firsts
      .map(([, name]) => name)
      .filter((name) => name !== "setting")
      .sort(),
    calls.sort(),
  );
  for (const [, name, list] of firsts)
    if (name !== "setting")
      assert.equal(list === "" ? 0 : list.split(",").length, PolicyCalls[name].length, name);
});
