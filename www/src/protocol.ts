// What page and worker say to each other. Everything that comes from Rust has its type from there.
import type { Catalog, Colouring, JobFacts, Legend, Paired, Problem, RunFacts, RunProgress, RunResult, Scenario, Settings, StepFacts, Theme, WaitFacts, WorkloadFacts } from "schedscope";

/** Where a trace comes from. A file crosses to a worker as a reference, not as a copy. */
export type Source =
  | { kind: "file"; file: File; skipBadLines: boolean }
  | { kind: "model"; model: string; settings: Settings; name: string }
  | { kind: "text"; name: string; text: string };

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
}

export interface Picture {
  view: View;
  pixels: Uint8ClampedArray<ArrayBuffer>;
  legend: Legend | null;
  /** Used processors, then waiting jobs. */
  bins: Float32Array;
  /** [job, number, from, to, first, count, ...] */
  boxes: Float64Array | null;
}

export type FileKind = "jobs" | "swf" | "summary";

/** What a worker can do. Every method may throw a Problem. */
export interface Engine {
  /** Takes over the wasm module; answers with all that can be chosen. */
  init(module: WebAssembly.Module): Promise<Catalog>;
  load(source: Source, onProgress: (reading: Reading) => void): Promise<{ name: string; sha256: string }>;
  describe(scenario: Scenario): WorkloadFacts;
  prepare(scenario: Scenario): RunFacts;
  /** Simulates to the end; null if it was cancelled. */
  run(onProgress: (progress: RunProgress) => void): Promise<RunResult | null>;
  cancel(): void;
  draw(view: View): Picture | null;
  overview(from: number, to: number, count: number): Float32Array | null;
  /** The job that a record of the trace became. */
  job(record: number): JobFacts | null;
  jobs(from: number, count: number): JobFacts[];
  findJob(number: number): JobFacts | null;
  jobAt(time: number, processor: number): JobFacts | null;
  /** Why the job with this index in the run waited. */
  why(job: number): WaitFacts | null;
  /** The run instant by instant; only of small workloads. */
  story(): StepFacts[];
  waits(): Float64Array;
  /** This run's waits against another's. */
  compare(waits: Float64Array): Paired;
  file(kind: FileKind): Blob;
}

export type { Problem };
