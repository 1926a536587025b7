// A worker: one wasm instance, one trace, one run. It simulates in slices and yields between them,
// so that it always answers at once.
import * as Comlink from "comlink";
import init, {
  catalog,
  checkPolicy,
  Hasher,
  onPulse,
  paired,
  Run,
  type RunProgress,
  type Scenario,
  Trace,
} from "schedscope";
import type {
  Crash,
  DescribedPolicy,
  Failed,
  FileKind,
  FirstEngine,
  Logged,
  PolicyCode,
  Probed,
  Pulse,
  View,
  WholeEngine,
} from "../engine/protocol";
import { bytes, isPlain, nameOf, problem, REPORT, take } from "./read";
import { unpackWith } from "./unpacker";

/** Length of a slice, in milliseconds. */
const SLICE = 12;

let memory: WebAssembly.Memory | undefined;

/** Bytes of wasm memory above which a broken run counts as out of memory. */
const NEARLY_ALL = 3e9;

let trace: Trace | undefined;

let run: Run | undefined;

let cancelled = false;

/** The source of the loaded trace, for cells that share it. */
let cellSource = "";

let held = false;

/** The part of a sandbox in the work of a worker: the code of own policies. */
interface OwnCode {
  /** Defines own policies, and returns their descriptions in the same order. */
  define(own: PolicyCode[], exports: object): DescribedPolicy[];
  /** Returns what `work` returns, and keeps what policies log meanwhile. */
  logged<T>(work: () => T): T;
  /** Sends what was logged since the last call. */
  flush(to: { postMessage(message: Logged): void }): void;
}

/** Without a sandbox there are none. */
let ownCode: OwnCode = { define: () => [], logged: (work) => work(), flush: () => {} };

const channel = new MessageChannel();

/** Lets waiting messages in. A timer would wait for at least 4 ms. */
export function yielded(): Promise<void> {
  return new Promise((resolve) => {
    channel.port1.onmessage = () => resolve();
    channel.port2.postMessage(null);
  });
}

/** Replaces the open trace. */
export function keepTrace(read: Trace): void {
  trace?.free();
  trace = read;
  cellSource = "";
}

export function theTrace(): Trace {
  if (!trace)
    throw problem("No trace is open.", "This question needs a trace.", "Open a trace first.");
  return trace;
}

function theRun(): Run {
  if (!run)
    throw problem(
      "No run has started.",
      "A picture or figure needs a run.",
      "Start the run first.",
    );
  return run;
}

/** Returns the observations of a microscope, process by process in the order of rows. */
function probed(flat: Float64Array): Probed {
  const found: (Probed["processes"][number] & { stretches: Probed["stretches"] })[] = [];
  for (let at = 1; at + 5 < flat.length; at += 6) {
    const [number, rank, row, activity, from, to] = flat.subarray(at, at + 6) as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    let own = found.findLast(
      (process) => process.number === number && process.rank === rank && process.row === row,
    );
    if (!own) found.push((own = { number, rank, row, stretches: [] }));
    own.stretches.push({ process: 0, activity, from, to });
  }
  found.sort(
    (one, other) => one.row - other.row || one.stretches[0]!.from - other.stretches[0]!.from,
  );
  return {
    processes: found.map(({ number, rank, row }) => ({ number, rank, row })),
    stretches: found.flatMap(({ stretches }, process) =>
      stretches.map((stretch) => ({ ...stretch, process })),
    ),
    isCut: flat[0] === 1,
  };
}

const engine: FirstEngine = {
  async init(program, unpacking, own) {
    unpackWith(unpacking);
    const exports = await init({ module_or_path: program });
    ({ memory } = exports);
    // Signs of life go beside the calls, because no call is answered while wasm computes.
    onPulse((doing) => endpoint.postMessage({ doing } satisfies Pulse));
    return { catalog: catalog(), own: ownCode.define(own, exports) };
  },
  async load(source, onProgress) {
    // A trace of which only some pieces came would need its memory beside the one that is read.
    trace?.free();
    trace = undefined;
    trace = await take(source, onProgress);
    cellSource = "";
    return { name: source.kind === "file" ? source.file.name : source.name, sha256: trace.sha256 };
  },
  piece(at) {
    const piece = theTrace().piece(at) as Uint8Array<ArrayBuffer> | undefined;
    return piece ? Comlink.transfer(piece, [piece.buffer]) : null;
  },
  takePiece(at, piece) {
    if (at > 0) return theTrace().pushPiece(piece);
    trace?.free();
    trace = undefined;
    trace = Trace.ofPiece(piece);
    cellSource = "";
  },
  isSwf: (file) => isPlain(file),
  describe(scenario) {
    return theTrace().describe(scenario);
  },
  prepare(scenario: Scenario) {
    const prepared = new Run(theTrace(), scenario);
    run?.free();
    run = prepared;
    cancelled = false;
    return run.facts();
  },
  async run(onProgress) {
    let reported = performance.now();
    let progress: RunProgress = theRun().progress();
    onProgress(progress);
    try {
      while (!progress.done) {
        progress = ownCode.logged(() => theRun().advanceFor(SLICE));
        const now = performance.now();
        if (now - reported > REPORT || progress.done) {
          reported = now;
          ownCode.flush(endpoint);
          onProgress(progress);
        }
        await yielded();
        if (cancelled) return null;
      }
    } finally {
      ownCode.flush(endpoint);
    }
    return theRun().result();
  },
  checkPolicy: (scenario) => checkPolicy(scenario),
  cancel() {
    cancelled = true;
  },
  draw(view: View) {
    if (!run) return null;
    const { from, to, top, bottom, width, height } = view;
    const pixels = run.raster(
      from,
      to,
      top,
      bottom,
      width,
      height,
      view.background,
      view.colouring,
      view.theme,
      view.rows,
    ) as Uint8ClampedArray<ArrayBuffer>;
    const bins = run.bins(from, to, view.bins);
    const deciding = run.deciding(from, to, view.bins);
    const boxes =
      view.limit > 0
        ? (run.visible(from, to, top, bottom, width, height, view.limit, view.rows) ?? null)
        : null;
    const overlaps =
      view.limit > 0 && view.rows === "shared"
        ? (run.overlaps(from, to, view.limit) ?? null)
        : null;
    const versus = view.versus ? run.versus(from, to, view.bins) : null;
    const transfer = [
      pixels.buffer,
      bins.buffer,
      deciding.buffer,
      ...[boxes, overlaps, versus].filter((array) => array !== null).map((array) => array.buffer),
    ];
    return Comlink.transfer(
      { view, pixels, legend: run.legend(), bins, deciding, versus, boxes, overlaps },
      transfer,
    );
  },
  overview(from, to, count) {
    return run ? run.bins(from, to, count) : null;
  },
  job: (record) => theRun().jobOfRecord(record),
  jobs(from, count) {
    const found = Array.from({ length: count }, (_, at) => theRun().job(from + at));
    return found.filter((job) => job !== null);
  },
  filter: (text) => theRun().filter(text),
  area: (from, to, top, bottom, rows) => theRun().area(from, to, top, bottom, rows),
  listed(field, from, count) {
    const found = [...theRun().listed(field, from, count)].map((job) => theRun().job(job));
    return found.filter((job) => job !== null);
  },
  times() {
    const times = {
      records: theRun().records() as Uint32Array<ArrayBuffer>,
      starts: theRun().starts(),
      ends: theRun().ends(),
      waits: theRun().waits(),
    };
    return Comlink.transfer(times, [
      times.records.buffer,
      times.starts.buffer,
      times.ends.buffer,
      times.waits.buffer,
    ]);
  },
  against(other) {
    theRun().against(
      other?.records ?? new Uint32Array(),
      other?.starts ?? new Float64Array(),
      other?.ends ?? new Float64Array(),
      other?.waits ?? new Float64Array(),
    );
  },
  findJob(number) {
    const index = theRun().findJob(number);
    return index === undefined ? null : theRun().job(index);
  },
  jobAt: (time, height, pixel, rows) => theRun().jobAt(time, height, pixel, rows),
  matrix(at, colouring, theme) {
    const flat = theRun().matrix(at, colouring, theme);
    const seats = [];
    for (let from = 2; from + 7 < flat.length; from += 8) {
      const [number, job, record, processors, row, first, count, colour] = flat.subarray(
        from,
        from + 8,
      ) as unknown as [number, number, number, number, number, number, number, number];
      seats.push({ number, job, record, processors, row, first, count, colour });
    }
    const known = (value: number | undefined) =>
      value === undefined || Number.isNaN(value) ? undefined : value;
    return { seats, turn: known(flat[0]), turnEnds: known(flat[1]), legend: theRun().legend() };
  },
  async microscope(processor, from, to, onProgress) {
    const microscope = theRun().microscope(processor, from, to);
    if (!microscope) return null;
    try {
      let flat = microscope.advance();
      for (let reported = 0; !flat; flat = microscope.advance()) {
        if (performance.now() - reported < REPORT) continue;
        reported = performance.now();
        onProgress(microscope.now);
        await yielded();
      }
      return probed(flat);
    } finally {
      microscope.free();
    }
  },
  facts: () => theRun().facts(),
  show(question, colouring = "user", theme = "light") {
    const answer = theRun().show(question, colouring, theme);
    return { answer, legend: theRun().legend() };
  },
  nextChange: (at, forwards) => theRun().nextChange(at, forwards),
  why: (job) => theRun().why(job),
  classes: (grouping) => theRun().classes(grouping),
  waitCauses: (grouping) => theRun().waitCauses(grouping),
  story: () => theRun().story(),
  part: (at, most) => theRun().part(at, most),
  waits() {
    const waits = theRun().waits();
    return Comlink.transfer(waits, [waits.buffer]);
  },
  perJob: (metric) => theRun().perJob(metric),
  pairedBy: (metric, values) => paired(values, theRun().perJob(metric) ?? new Float64Array()),
  compare: (waits) => paired(waits, theRun().waits()),
  file(kind: FileKind) {
    const pieces: string[] = [];
    const sink = (piece: string) => void pieces.push(piece);
    if (kind === "jobs") theRun().jobsCsv(sink);
    else if (kind === "swf") theRun().swf(sink);
    else if (kind === "chrome") theRun().chromeTrace(sink);
    else pieces.push(theRun().summary());
    return new Blob(pieces, {
      type: {
        jobs: "text/csv",
        swf: "text/plain",
        summary: "application/json",
        chrome: "application/json",
      }[kind],
    });
  },
  traceFile(kind, anonymise) {
    const pieces: string[] = [];
    const leftOut = theTrace().writeAs(kind, anonymise, (piece) => void pieces.push(piece));
    const blob = new Blob(pieces, { type: kind === "csv" ? "text/csv" : "text/plain" });
    return { blob, leftOut };
  },
  comparison: (waits) => theRun().comparison(waits),
  fit: () => ({ fit: theRun().fit(), overbooking: theRun().overbooking() }),
  workloadProfile: (scenario) => theTrace().workloadProfile(scenario),
  line: (line) => theTrace().line(line),
  async cell({ key, source, sha256, scenario, keep }, onProgress) {
    if (cellSource !== nameOf(source)) {
      trace?.free();
      trace = undefined;
      trace = await take(source, () => onProgress(0));
      cellSource = nameOf(source);
    }
    if (sha256 && sha256 !== trace?.sha256)
      throw problem(
        `The file is not the trace that the plan means: its SHA-256 is ${trace?.sha256}.`,
        `The plan was made for ${sha256}.`,
        "Choose the version that the plan means, or change the plan.",
      );
    const own = new Run(theTrace(), scenario);
    try {
      let reported = 0;
      for (let progress = own.progress(); !progress.done; ) {
        if (!held) progress = own.advanceFor(SLICE);
        else await new Promise((resolve) => setTimeout(resolve, REPORT));
        const now = performance.now();
        if (now - reported > REPORT) {
          reported = now;
          onProgress(progress.finished / Math.max(1, progress.jobs));
          await yielded();
        }
      }
      return own.cellResult(key, keep);
    } finally {
      own.free();
    }
  },
  hold(wanted) {
    held = wanted;
  },
  async fingerprint(file) {
    const hasher = new Hasher();
    for await (const chunk of bytes(file, { read: 0 })) hasher.push(chunk);
    return hasher.finish();
  },
};

/**
 * Returns the reason why wasm broke off. Only a panic leaves a message. Without a message, wasm was
 * refused memory.
 */
function crash(error: WebAssembly.RuntimeError): Crash {
  const bytes = memory?.buffer.byteLength ?? 0;
  const { schedscopePanic: panic } = globalThis as { schedscopePanic?: string };
  if (panic === undefined && (bytes >= NEARLY_ALL || /unreachable/.test(error.message)))
    return {
      ...problem(
        `There is not enough memory: this worker has ${(bytes / 1e9).toFixed(1)} GB and asked for more than it got.`,
        "A program in a browser has at most 4.3 GB.",
        "Choose a window of jobs, or use the command line.",
      ),
      isCrash: true,
    };
  return {
    ...problem(
      "The simulator failed in this worker.",
      `This is a defect. It said: ${cut(panic ?? error.message)}.`,
      "The worker was stopped; other runs are untouched. Please report it with the trace's name and the settings.",
    ),
    isCrash: true,
  };
}

/** Characters of what is told of an error. Code of a policy can throw longer texts. */
const LONGEST = 2000;

const cut = (text: unknown): string => {
  const whole = typeof text === "string" ? text : "";
  return whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole;
};

/** Returns what was thrown as a problem or an error of plain texts. */
function plain(error: unknown): unknown {
  if (typeof error !== "object" || error === null) return new Error(cut(String(error)));
  try {
    const { what, why, next, line, column, message, name } = error as Record<string, unknown>;
    const places = Object.entries({ line, column }).filter(([, place]) => Number.isInteger(place));
    if (typeof what === "string")
      return { what: cut(what), why: cut(why), next: cut(next), ...Object.fromEntries(places) };
    return Object.assign(new Error(cut(message)), { name: cut(name) });
  } catch {
    return new Error("what was thrown cannot be read");
  }
}

/** The page reports the reason: the wasm itself no longer can. */
function guarded(work: (...given: never[]) => unknown) {
  return async (...given: never[]) => {
    try {
      return await work(...given);
    } catch (error) {
      throw error instanceof WebAssembly.RuntimeError ? crash(error) : plain(error);
    }
  };
}

/** The page's end of this worker. A sandbox takes these methods away from everything else. */
const endpoint = {
  postMessage: postMessage.bind(globalThis),
  addEventListener: addEventListener.bind(globalThis),
  removeEventListener: removeEventListener.bind(globalThis),
};

/** Tells the page that code failed while it loaded. */
export function tellFailure({ message, filename, lineno }: ErrorEvent): void {
  endpoint.postMessage({
    failed: { message: cut(message), filename: cut(filename), lineno },
  } satisfies Failed);
}

/** A sandbox has no methods of events left, except those that this file gives to a port itself. */
const events = Object.getOwnPropertyDescriptors({
  addEventListener: EventTarget.prototype.addEventListener,
  removeEventListener: EventTarget.prototype.removeEventListener,
});
const proxies = Comlink.transferHandlers.get("proxy")!;
Comlink.transferHandlers.set("proxy", {
  ...proxies,
  deserialize: (port: MessagePort) => proxies.deserialize(Object.defineProperties(port, events)),
});

/**
 * Answers the page from now on. A worker with the whole engine gives its further answers; a sandbox,
 * what it does with own policies.
 */
export function serve(whole?: WholeEngine, own: OwnCode = ownCode): void {
  ownCode = own;
  Comlink.expose(
    Object.fromEntries(
      Object.entries({ ...engine, ...whole }).map(([name, work]) => [
        name,
        guarded(work as (...given: never[]) => unknown),
      ]),
    ),
    endpoint as Comlink.Endpoint,
  );
  // The page waits for this message before it sends any: a loading worker would miss them.
  endpoint.postMessage("ready");
}
