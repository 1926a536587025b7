// The messages between page and worker. Everything that comes from Rust has its type from there.
import type {
  Analysis,
  CalibrationProgress,
  CalibrationResult,
  Catalog,
  CellResult,
  Choosable,
  ClassCauses,
  Colouring,
  Comparison,
  DoingFacts,
  Doubt,
  FitCard,
  ForecastProgress,
  ForecastResult,
  ForecastSettings,
  Grouping,
  JobClass,
  JobFacts,
  Keep,
  Legend,
  NodesQuestion,
  Paired,
  PartFacts,
  PlanFacts,
  Problem,
  RowsBy,
  RunFacts,
  RunProgress,
  RunResult,
  Scenario,
  SelectionFacts,
  Settings,
  Shortcoming,
  SlurmKeyword,
  SlurmOption,
  SmtQuestion,
  StepFacts,
  TableFacts,
  Theme,
  TorusQuestion,
  WaitFacts,
  WorkloadFacts,
  WorkloadProfile,
} from "schedscope";

/** The source of a trace. A file crosses to a worker as a reference, not as a copy. */
export type Source = (
  | {
      kind: "file";
      file: File;
      skipBadLines: boolean;
      name?: string;
      /** The columns of a table, as a mapping in its text form. */
      columns?: string;
      /** True if the columns were remembered, and nobody was asked. */
      areRemembered?: boolean;
    }
  | { kind: "model"; model: string; settings: Settings; name: string }
  | { kind: "text"; name: string; text: string }
) & {
  /** A table (CSV) of the jobs' demands on a node's resources. */
  demands?: File;
};

export interface Reading {
  /** Bytes of the file: read so far, and in all. A packed file counts packed bytes. */
  read: number;
  total: number;
  records: number;
}

/** A request for a picture. Times are in seconds, rows are processor numbers. */
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
  /** Number of bins of the strips. */
  bins: number;
  /** Most rectangles for outlines and labels; a picture with more has none. */
  limit: number;
  /** The rows of the timeline. */
  rows: RowsBy;
  /** True if the picture shows the jobs that run in one run while they wait in the other. */
  versus: boolean;
}

/** A range of processors that a job holds in a row of an Ousterhout matrix. */
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
  /** The row that has its turn, and the end of this turn; undefined where rows take no turns. */
  turn: number | undefined;
  turnEnds: number | undefined;
  legend: Legend | null;
}

/**
 * The observations of a microscope. The activities by number: computing, spinning, overhead,
 * blocked, off.
 */
export interface Probed {
  processes: { number: number; rank: number; row: number }[];
  stretches: { process: number; activity: number; from: number; to: number }[];
  isCut: boolean;
}

export interface Picture {
  view: View;
  pixels: Uint8ClampedArray<ArrayBuffer>;
  legend: Legend | null;
  /** For each bin: processors in use, then waiting jobs, then their work. */
  bins: Float32Array;
  /**
   * Share of each bin in which each candidate of an adaptive policy decided: all bins of the first
   * candidate, then of the second.
   */
  deciding: Float32Array;
  /** For each bin: processors of jobs that run here and wait in the other run, then the reverse. */
  versus: Float32Array | null;
  /** [job, number, from, to, top, height, ...] */
  boxes: Float64Array | null;
  /**
   * Areas in which two jobs run on the same nodes: [from, to, first node, nodes, slowdown, ...].
   */
  overlaps: Float64Array | null;
}

/** A cell of a plan to run. */
export interface CellWork {
  key: string;
  source: Source;
  /** SHA-256 that the trace must have; any trace will do if empty. */
  sha256: string;
  scenario: Scenario;
  keep: Keep[];
}

/** A kind of file that a trace is written as. */
export type TraceFileKind = "swf" | "swf-extended" | "csv";

export type FileKind = "jobs" | "swf" | "summary" | "chrome";

/** Starts and ends of a run's jobs, in order of arrival; infinite if a job has none. */
interface Times {
  /** The jobs' records in the trace. */
  records: Uint32Array;
  starts: Float64Array;
  ends: Float64Array;
  waits: Float64Array;
}

/** Returns the wasm program that unpacks zstd, xz, bzip2, zip and Parquet. */
export type Unpacking = () => Promise<WebAssembly.Module | ArrayBuffer>;

/** The code of an own policy: the text of a module in JavaScript, or WebAssembly. */
export interface PolicyCode {
  /** Name of its file, which messages give. */
  file: string;
  code: string | Uint8Array<ArrayBuffer>;
  /**
   * Another id for the policy: `to` if the code gives the id `of`, or any if there is no `of`. A
   * policy that came with a link can have the id of one that the reader has.
   */
  alias?: PolicyAlias;
}

export interface PolicyAlias {
  of?: string;
  to: string;
}

/** The description that an own policy gives of itself, and the SHA-256 of its code. */
export interface DescribedPolicy {
  policy: Choosable;
  sha256: string;
  /** The id that the code itself gives. */
  ownId: string;
}

/** Code of an own policy has failed while it loaded. */
export interface Failed {
  failed: { message: string; filename: string; lineno: number };
}

/** A line that an own policy has written. */
export interface LogLine {
  /** The instant of its turn, in seconds. */
  at: number;
  text: string;
}

/** Lines that an own policy has written since the last message. */
export interface Logged {
  logged: LogLine[];
  /** Number of lines that were too many. */
  unlogged: number;
}

/** The methods of every worker. Each may throw a Problem. */
export interface FirstEngine {
  /**
   * Takes the engine's program; returns the catalogue of policies, machines and models. Defines the
   * own policies whose code the worker started with, or has here, and returns their descriptions in
   * this order.
   */
  init(
    program: WebAssembly.Module | ArrayBuffer,
    unpacking: Unpacking,
    own: PolicyCode[],
  ): Promise<{ catalog: Catalog; own: DescribedPolicy[] }>;
  load(
    source: Source,
    onProgress: (reading: Reading) => void,
  ): Promise<{ name: string; sha256: string }>;
  /**
   * Returns a piece of the trace for another worker; null after the last one, and at once if the trace
   * has demands.
   */
  piece(at: number): Uint8Array<ArrayBuffer> | null;
  /** Takes the next piece of a trace from another worker. Piece 0 begins one. */
  takePiece(at: number, piece: Uint8Array<ArrayBuffer>): void;
  /** True if a file is SWF. Other files need the whole engine. */
  isSwf(file: File): Promise<boolean>;
  describe(scenario: Scenario): WorkloadFacts;
  prepare(scenario: Scenario): RunFacts;
  /**
   * Returns the present facts of the run. A what-if changes its workload only when the run reaches
   * its instant.
   */
  facts(): RunFacts;
  /** Simulates to the end; null if it was cancelled. */
  run(onProgress: (progress: RunProgress) => void): Promise<RunResult | null>;
  cancel(): void;
  /** Runs the policy of a scenario on small workloads. Returns what it does wrong. */
  checkPolicy(scenario: Scenario): Shortcoming[];
  draw(view: View): Picture | null;
  overview(from: number, to: number, count: number): Float32Array | null;
  /** Returns the job that a record of the trace became. */
  job(record: number): JobFacts | null;
  jobs(from: number, count: number): JobFacts[];
  /** Dims all jobs but those that a filter names. */
  filter(text: string): SelectionFacts;
  /** Returns the statistics of an area of the timeline. */
  area(from: number, to: number, top: number, bottom: number, rows: RowsBy): SelectionFacts;
  /**
   * Returns jobs that pass the filter, sorted by a field of filters, the greatest first; by arrival
   * if the field is empty.
   */
  listed(field: string, from: number, count: number): JobFacts[];
  times(): Times;
  /** Compares with another run of the same jobs from now on; with none if `other` is null. */
  against(other: Times | null): void;
  findJob(number: number): JobFacts | null;
  /**
   * Returns the job that a timeline shows at a height. `pixel` is the width of a pixel, in seconds.
   */
  jobAt(time: number, height: number, pixel: number, rows: RowsBy): JobFacts | null;
  /** Returns the jobs in each row of an Ousterhout matrix at an instant. */
  matrix(at: number, colouring: Colouring, theme: Theme): MatrixFacts;
  /**
   * Returns the activities of the processes on a processor between two instants; null if the
   * machine does not see processes. Reports its progress.
   */
  microscope(
    processor: number,
    from: number,
    to: number,
    onProgress: (now: number) => void,
  ): Promise<Probed | null>;
  /**
   * Answers a question of a picture that only machines of this kind have, with the meanings of the
   * colours that were used.
   */
  show(
    question: TorusQuestion | NodesQuestion | SmtQuestion,
    colouring?: Colouring,
    theme?: Theme,
  ): { answer: unknown; legend: Legend | null };
  /** Returns the next instant at which anything changes, or the previous one. */
  nextChange(at: number, forwards: boolean): number | undefined;
  /** Returns the causes of a job's wait. `job` is its index in the run. */
  why(job: number): WaitFacts | null;
  /** Returns the causes of all waits, by class of jobs. */
  waitCauses(grouping: Grouping): ClassCauses[];
  /** Returns the figures of each class of jobs. */
  classes(grouping: Grouping): JobClass[];
  /** Returns the run instant by instant; small workloads only. */
  story(): StepFacts[];
  /**
   * Returns up to `most` instants from the last one by `at` on; null before the fork of a what-if.
   */
  part(at: number, most: number): PartFacts | null;
  waits(): Float64Array;
  /** Returns a job metric of every job; undefined if it has none for each job. */
  perJob(metric: string): Float64Array | undefined;
  /** Compares this run's jobs by a metric with another run's values of it. */
  pairedBy(metric: string, values: Float64Array): Paired;
  /** Compares this run's waits with another's. */
  compare(waits: Float64Array): Paired;
  file(kind: FileKind): Blob;
  /**
   * Writes the trace as it was read; without any of its words if anonymised. Returns a sentence for
   * each thing that the file does not hold.
   */
  traceFile(kind: TraceFileKind, anonymise: boolean): { blob: Blob; leftOut: string[] };
  /** Compares this run's jobs with another run's waits. */
  comparison(waits: Float64Array): Comparison;
  /** Returns the fit of this run to the recorded schedule, and by how much it overbooks. */
  fit(): { fit: FitCard | null; overbooking: string | undefined };
  /** Returns the summary of the workload that a scenario makes of the trace. */
  workloadProfile(scenario: Scenario): WorkloadProfile;
  /** Returns the record on a line of the trace. */
  line(line: number): string | undefined;
  /**
   * Runs a cell to its end and reports the share that is done. Reads the trace only if the last
   * cell had another one.
   */
  cell(work: CellWork, onProgress: (share: number) => void): Promise<CellResult>;
  /** Pauses the running cell, or continues it. */
  hold(held: boolean): void;
  /** Returns the SHA-256 of a file's unpacked text. */
  fingerprint(file: File): Promise<string>;
}

/** The methods that only a worker with the whole engine has. */
export interface WholeEngine {
  /**
   * Returns the beginning of a file with the guess about its columns; null if it is not read as a
   * table. With a mapping, the file is a table with these columns, unless it only gives the zone.
   */
  table(file: File, columns?: string): Promise<TableFacts | null>;
  /** Returns the description of a cluster that a file has: slurm.conf, JSON or CSV. */
  clusterDescription(text: string): string;
  /** Returns the lines of a slurm.conf that are about scheduling. */
  slurmLines(text: string): string;
  /** Returns the keywords and options of slurm.conf that the policy Slurm follows. */
  slurmOptions(): SlurmOption[];
  /** Returns the keywords of a slurm.conf, and of accounts, with their part in the schedule. */
  slurmKeywords(text: string, accounts: string): SlurmKeyword[];
  /** Opens a log, and keeps the jobs that have not ended. */
  loadWithQueue(
    source: Extract<Source, { kind: "file" }>,
    onProgress: (reading: Reading) => void,
  ): Promise<void>;
  /** Reads a queue beside the open trace. */
  readQueue(file: File): Promise<void>;
  /** Forecasts the starts of the jobs that wait in the queue, or in the open trace. */
  forecast(
    scenario: Scenario,
    settings: ForecastSettings,
    onProgress: (progress: ForecastProgress) => void,
  ): Promise<ForecastResult>;
  /** Makes forecasts at past moments of the open trace, and compares them with its starts. */
  calibrate(
    scenario: Scenario,
    settings: ForecastSettings,
    moments: number,
    onProgress: (progress: CalibrationProgress) => void,
  ): Promise<CalibrationResult>;
  readPlan(text: string): PlanFacts;
  analysePlan(text: string, results: CellResult[]): Analysis;
  /**
   * Returns, for each key, the reason why the stored result of its cell cannot be used; null if it
   * can.
   */
  checkResults(keys: string[], results: CellResult[]): (Doubt | null)[];
}

export interface Engine extends FirstEngine, WholeEngine {}

/**
 * A sign of life from inside a long computation. It does not answer a call: meanwhile no call is
 * answered.
 */
export interface Pulse {
  doing: DoingFacts;
}

/** A problem after which the worker is unusable. */
export type Crash = Problem & { isCrash: true };
