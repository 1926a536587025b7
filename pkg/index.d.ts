/// <reference lib="esnext.disposable" />
import type { Policy } from "./policy.js";
import type { Choosable, Run as EngineRun, InitInput, JobFacts, Problem, RunFacts, RunProgress, RunResult, Scenario as EngineScenario, Shortcoming, SyncInitInput, Trace } from "./wasm/schedscope.js";

/** The types that are generated from the Rust sources. Times are in seconds, work is in processor seconds. */
export type * from "./wasm/schedscope.js";
/** The engine itself. It works after `init`, and throws every `Problem` as a `ProblemError`. */
export { analysePlan, catalog, checkResults, clusterDescription, ForecastCalibration, freshSeed, Hasher, isSwf, Microscope, onPulse, paired, readPlan, slurmKeywords, slurmLines, slurmOptions, StartForecast, tableFacts, Trace, TraceReader } from "./wasm/schedscope.js";

/** A module that exports a policy, the policy itself, or a policy that is compiled to WebAssembly. */
export type PolicyModule = Policy | { default: Policy } | WebAssembly.Module;

/** Everything besides the trace that determines a run. The policy is an id, or a policy of your own. */
export type Scenario = Omit<EngineScenario, "policy"> & { policy: string | PolicyModule };

/** A run of a scenario on a trace. */
export type Run = EngineRun;
export const Run: Omit<typeof EngineRun, "prototype"> & { readonly prototype: EngineRun; new (trace: Trace, scenario: Scenario): EngineRun };

/**
 * Defines a policy of your own. Afterwards its id stands for it, in scenarios and as a candidate of an adaptive policy. A later
 * definition with the same id replaces it, also one by a scenario that uses its module; runs keep theirs. `new Run` and `simulate` define a module by themselves.
 *
 * @param origin The file of the module, for messages, and a function that takes what it logs.
 * @throws A `ProblemError` that names the field of the policy that breaks a rule.
 */
export function definePolicy(module: PolicyModule, origin?: { source?: string; log?: (now: number, text: string) => void }): Choosable;

/**
 * Runs the policy of a scenario on small workloads, with the scenario's machine and settings. Returns what it does wrong, such
 * as jobs that it never starts; an empty list if it conforms.
 *
 * @throws A `ProblemError` if the scenario is invalid.
 */
export function checkPolicy(scenario: Scenario): Shortcoming[];

/** An input that cannot be used. The message says what is wrong, why, and what to do. */
export class ProblemError extends Error implements Problem {
  constructor(problem: Problem);
  readonly name: "ProblemError";
  /** The fault, as a sentence. */
  what: string;
  /** The rule that the input breaks. */
  why: string;
  /** Advice for the owner of the input. */
  next: string;
  /** Line of the trace, from 1, if a line is wrong. */
  line?: number;
  /** Field of that line, from 1, if a field is wrong. */
  field?: number;
}

/**
 * Loads the WebAssembly, once: later calls return the same promise. `readTrace` and `simulate` call it themselves.
 *
 * @param source The WebAssembly: a URL, its bytes, a `Response` or a compiled module. Without it, Node reads the file of
 * the package, and a browser fetches it from beside the package's scripts.
 * @throws The platform's error if the file cannot be loaded or is not WebAssembly. The next call tries again.
 */
export default function init(source?: InitInput | Promise<InitInput> | { module_or_path: InitInput | Promise<InitInput> }): Promise<void>;

/**
 * Loads the WebAssembly synchronously, from bytes or a compiled module. Browsers refuse large modules here outside workers.
 *
 * @throws A `WebAssembly.CompileError` if the bytes are not WebAssembly.
 */
export function initSync(source: SyncInitInput | { module: SyncInitInput }): void;

/** Options for reading a text as a trace. */
export interface ReadingOptions {
  /** Name of the trace in results and files; `trace` by default. */
  name?: string;
  /** If true, lines that are not 18 numbers are skipped and counted. By default they throw. */
  skipBadLines?: boolean;
}

/**
 * Reads a trace in the Standard Workload Format.
 *
 * @param text The text of the trace, or its bytes. They must be unpacked.
 * @throws A `ProblemError` with line and field if the text is not a trace.
 */
export function readTrace(text: string | Uint8Array, options?: ReadingOptions): Promise<Trace>;

/** Options for watching and stopping a simulation. The reading options matter only if the trace is given as text. */
export interface SimulationOptions extends ReadingOptions {
  /** Stops the simulation: the promise is then rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Called after every slice of about 50 milliseconds, and at the end. An exception from it stops the simulation. */
  onProgress?: (progress: RunProgress) => void;
}

/** The result of a complete run. */
export interface SimulationResult extends RunResult {
  /** The workload, the effects of reading and cleaning on it, and the policy. */
  facts: RunFacts;
  /** The run itself, for jobs, files and pictures. It holds memory until `run.free()`, or until it is garbage-collected. */
  run: Run;
}

/**
 * Simulates a trace under a scenario, from its first job to its last. The simulation runs in slices on the calling thread, so that
 * timers and events come through; a worker keeps a page entirely free.
 *
 * @param trace A `Trace`, or the text or bytes of one. A `Trace` can be used again.
 * @param scenario Policy, machine, preset and settings: their ids are in `catalog()`. Only the policy is required.
 * @throws A `ProblemError` if trace or scenario cannot be used, or if the policy never starts a job. If a rule of the policy leaves
 * jobs waiting for ever, such as a limit of Slurm, the result counts them (`pending`) and its job metrics leave them out.
 */
export function simulate(trace: Trace | string | Uint8Array, scenario: Scenario, options?: SimulationOptions): Promise<SimulationResult>;

/**
 * Yields the facts of every job of a run, in order of arrival. Instants are in seconds after the trace's zero.
 *
 * @throws A `ProblemError` if `run` was freed.
 */
export function jobsOf(run: Run): Generator<JobFacts, void, undefined>;
