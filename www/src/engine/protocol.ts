// What page and worker say to each other. Everything that comes from Rust has its type from there.
import type {
  Analysis,
  Catalog,
  CellResult,
  Colouring,
  Comparison,
  DoingFacts,
  Doubt,
  GeometryFacts,
  JobFacts,
  Keep,
  Legend,
  OccupancyFacts,
  Paired,
  PlanFacts,
  Portrait,
  Problem,
  RunFacts,
  RunProgress,
  RunResult,
  Scenario,
  SearchesFacts,
  SelectionFacts,
  Settings,
  StepFacts,
  Theme,
  WaitFacts,
  WorkloadFacts,
} from "schedscope";

/** Where a trace comes from. A file crosses to a worker as a reference, not as a copy. */
export type Source = (
  | { kind: "file"; file: File; skipBadLines: boolean; name?: string }
  | { kind: "model"; model: string; settings: Settings; name: string }
  | { kind: "text"; name: string; text: string }
) & {
  /** A table (CSV) of what its jobs need of a node's resources. */
  demands?: File;
};

export interface Reading {
  /** Bytes of the file read, and in all; compressed ones for a gzipped file. */
  read: number;
  total: number;
  records: number;
}

/** A picture to draw. Times in seconds, rows as processor numbers. */
export interface View {
  from: number;
  to: number;
  top: number;
  bottom: number;
  width: number;
  height: number;
  background: number;
  colouring: Colouring;
  theme: Theme;
  /** Parts of the strips. */
  bins: number;
  /** Rectangles for outlines and labels, if they are no more than this. */
  limit: number;
  /** Whether each processor is drawn once, where rows share them. */
  shared: boolean;
  /** Whether to tell who runs in one run while it waits in the other. */
  versus: boolean;
}

/** A run of processors of a job in a row of an Ousterhout matrix. */
export interface Seat {
  number: number;
  job: number;
  record: number;
  processors: number;
  row: number;
  first: number;
  count: number;
  colour: number;
}

export interface MatrixFacts {
  seats: Seat[];
  /** The row whose turn it is, and when that ends, where rows take turns. */
  turn: number | undefined;
  turnEnds: number | undefined;
  legend: Legend | null;
}

/** What a microscope saw: activities are computing, spinning, overhead, blocked and off, by
 * number. */
export interface Probed {
  processes: { number: number; rank: number; row: number }[];
  stretches: { process: number; activity: number; from: number; to: number }[];
  isCut: boolean;
}

export interface Picture {
  view: View;
  pixels: Uint8ClampedArray<ArrayBuffer>;
  legend: Legend | null;
  /** Used processors, then waiting jobs, then their work. */
  bins: Float32Array;
  /** The shares of the bins in which each candidate of an adaptive policy decided: all bins of the
   * first, then of the second. */
  deciding: Float32Array;
  /** Over the bins, processors of jobs that run here and wait in the other run, then the other way
   * round. */
  versus: Float32Array | null;
  /** [job, number, from, to, top, height, ...] */
  boxes: Float64Array | null;
  /** Where two jobs run on the same nodes, as [from, to, first node, nodes, slowdown, ...]. */
  overlaps: Float64Array | null;
}

/** A cell of a plan to run. */
export interface CellWork {
  key: string;
  source: Source;
  /** SHA-256 that the trace must have; anything goes if empty. */
  sha256: string;
  scenario: Scenario;
  keep: Keep[];
}

export type FileKind = "jobs" | "swf" | "summary" | "chrome";

/** When a run's jobs started and ended, in order of arrival; infinite where they did not. */
interface Times {
  /** Which records of the trace they are. */
  records: Uint32Array;
  starts: Float64Array;
  ends: Float64Array;
  waits: Float64Array;
}

/** What a worker can do. Every method may throw a Problem. */
export interface Engine {
  /** Takes over the wasm module; answers with all that can be chosen. */
  init(module: WebAssembly.Module): Promise<Catalog>;
  load(
    source: Source,
    onProgress: (reading: Reading) => void,
  ): Promise<{ name: string; sha256: string }>;
  describe(scenario: Scenario): WorkloadFacts;
  prepare(scenario: Scenario): RunFacts;
  /** What the run is about now: a workload that is otherwise from an instant on is so only then. */
  facts(): RunFacts;
  /** Simulates to the end; null if it was cancelled. */
  run(onProgress: (progress: RunProgress) => void): Promise<RunResult | null>;
  cancel(): void;
  draw(view: View): Picture | null;
  overview(from: number, to: number, count: number): Float32Array | null;
  /** The job that a record of the trace became. */
  job(record: number): JobFacts | null;
  jobs(from: number, count: number): JobFacts[];
  /** Dims all jobs but those that a filter names. */
  filter(text: string): SelectionFacts;
  /** What lies in an area of the timeline. */
  area(from: number, to: number, top: number, bottom: number, shared: boolean): SelectionFacts;
  /** Jobs that pass the filter, by a field of filters, the greatest first; by arrival without
   * one. */
  listed(field: string, from: number, count: number): JobFacts[];
  times(): Times;
  /** Compares with another run of the same jobs from now on; with none if nothing is given. */
  against(other: Times | null): void;
  findJob(number: number): JobFacts | null;
  /** The job that a timeline shows at a time and a height (in lanes). `pixel` is the number of
   * seconds in a pixel; `shared` is true if each processor is drawn once. */
  jobAt(time: number, height: number, pixel: number, shared: boolean): JobFacts | null;
  /** Who is in which row of an Ousterhout matrix at an instant. */
  matrix(at: number, colouring: Colouring, theme: Theme): MatrixFacts;
  /** What the processes of a processor do from when to when; null if the machine does not see
   * processes. Tells how far it is. */
  microscope(
    processor: number,
    from: number,
    to: number,
    onProgress: (now: number) => void,
  ): Promise<Probed | null>;
  /** The machine's shape; null if any processors serve. */
  geometry(): GeometryFacts | null;
  /** Who has which box at an instant. */
  occupancy(
    at: number,
    colouring: Colouring,
    theme: Theme,
  ): { facts: OccupancyFacts; legend: Legend | null } | null;
  /** The share of the free nodes in the largest free box, over parts of a window. */
  contiguity(from: number, to: number, count: number): Float32Array;
  /** The next instant at which anything changes, or the last one before. */
  nextChange(at: number, forwards: boolean): number | undefined;
  /** The searches for partners of the last decision until an instant that had any. */
  searches(at: number): SearchesFacts | null;
  /** The next instant at which jobs were matched, or the last one before. */
  nextMatch(at: number, forwards: boolean): number | undefined;
  /** Why the job with this index in the run waited. */
  why(job: number): WaitFacts | null;
  /** The run instant by instant; only of small workloads. */
  story(): StepFacts[];
  waits(): Float64Array;
  /** This run's waits against another's. */
  compare(waits: Float64Array): Paired;
  file(kind: FileKind): Blob;
  /** This run's jobs against another run's waits. */
  comparison(waits: Float64Array): Comparison;
  /** What is in the workload that a scenario makes of the trace. */
  portrait(scenario: Scenario): Portrait;
  /** The job on a line of the trace. */
  line(line: number): string | undefined;
  /** Runs a cell to its end; a trace that the last cell had is not read again. Reports the share
   * that is done. */
  cell(work: CellWork, onProgress: (share: number) => void): Promise<CellResult>;
  /** Holds the cell that runs, or lets it go on. */
  hold(held: boolean): void;
  /** SHA-256 of a file's text, unpacked. */
  fingerprint(file: File): Promise<string>;
  readPlan(text: string): PlanFacts;
  analysePlan(text: string, results: CellResult[]): Analysis;
  /** Why stored results of the cells with these keys cannot be used; null for one that can. */
  checkResults(keys: string[], results: CellResult[]): (Doubt | null)[];
}

/** A sign of life from inside work that takes long: beside the calls, none of which is answered
 * meanwhile. */
export interface Pulse {
  doing: DoingFacts;
}

/** A problem after which the worker can do nothing more. */
export type Crash = Problem & { isCrash: true };
