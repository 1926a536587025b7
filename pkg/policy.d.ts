// The types of policies that their authors write: import type { Policy } from "schedscope/policy".
// All times are whole microseconds.

/** A microsecond count: a time since the log's zero, or a length of time. 1 s is 1,000,000. */
export type Microseconds = number;

/** Values of the policy's parameters, by key; every parameter has one. */
export type Settings = Readonly<Record<string, number | string>>;

/** A policy: the default export of a module. */
export interface Policy<State = any> {
  /** Id of the policy: a small letter, then small letters, digits, `-` and `_`. */
  id: string;
  /** The name that forms and tables show; the id if there is none. */
  name?: string;
  /** One sentence that says what the policy does. */
  summary?: string;
  /** Publication that describes the policy. */
  paper?: string;
  /** `"counts"` if the policy uses `turn.plan`: it then runs only where a job fits if enough processors are free. */
  needs?: "room" | "counts";
  /** Parameters, in the order of forms. */
  params?: Param[];
  /** Returns what the policy keeps from turn to turn: plain data, because the engine copies it. */
  begin?(settings: Settings): State;
  /** Decides which jobs start now. */
  decide(turn: Turn, state: State): void;
  /** Returns the belief about the run time of a job that arrives; the user's estimate if there is none. */
  believe?(job: Request, state: State): Microseconds | undefined;
  /** Hears that a job has ended after running for `ran`. */
  completed?(job: Request, ran: Microseconds, state: State): void;
}

/** A parameter of a policy. */
export type Param = {
  /** The key: a small letter, then small letters, digits and `_`. */
  key: string;
  /** The name that the form shows; the key if there is none. */
  name?: string;
  /** Unit of the values. */
  unit?: string;
  /** One sentence of help, without a full stop at its end. */
  help?: string;
} & (
  | { type: "whole" | "real"; min: number; max: number; default: number }
  | { type: "choice"; options: { id: string; help?: string }[]; default: string }
);

/** A job as its user submitted it. */
export interface Request {
  /** Index of the job in its workload, from 0, in order of arrival. */
  readonly index: number;
  /** Number of the job in its log. */
  readonly number: number;
  /** Number of processors. */
  readonly size: number;
  /** Submission of the job. */
  readonly arrival: Microseconds;
  /** Run time that the user requested. */
  readonly estimate: Microseconds;
  /** User number; -1 if it is unknown. */
  readonly user: number;
  /** Group number; -1 if it is unknown. */
  readonly group: number;
  /** Application number; -1 if it is unknown. */
  readonly application: number;
  /** Queue number; -1 if it is unknown. */
  readonly queue: number;
}

/** A waiting job. No policy sees how long a job will really run. */
export interface Job extends Request {
  /** Belief about the run time: the estimate, unless the policy or the run's settings believe otherwise. */
  readonly expected: Microseconds;
  /** Time since the job arrived. */
  readonly wait: Microseconds;
  /** Starts the job now. Returns false, with nothing changed, if it does not wait or does not fit. */
  start(): boolean;
}

/** A running job. */
export interface RunningJob {
  /** Index of the job in its workload. */
  readonly index: number;
  /** Number of processors. */
  readonly size: number;
  /** Expected end or, if that is not in the future, one second from now. */
  readonly end: Microseconds;
}

/** One instant of a run, as the policy sees it. The engine calls `decide` once at each instant at which a job arrived or ended. */
export interface Turn {
  /** The instant of the turn. */
  readonly now: Microseconds;
  /** The instant of the first arrival. */
  readonly began: Microseconds;
  /** Number of processors of the machine. */
  readonly capacity: number;
  /** Number of free processors, also after starts of this turn. */
  readonly free: number;
  /** Size of the largest job that could start now. On a machine with geometry, fewer than are free. */
  readonly largest: number;
  /** The values of the policy's parameters. */
  readonly settings: Settings;
  /** The waiting jobs, in order of arrival. */
  readonly queue: Queue;
  /** The running jobs, in order of `end`. */
  readonly running: Iterable<RunningJob> & { readonly length: number };
  /** The jobs that arrived since the last turn and still wait. */
  readonly arrived: Job[];
  /** Indices of the jobs that ended since the last turn. */
  readonly ended: number[];
  /** Number of timers that are due now (`wakeAt`). */
  readonly timers: number;
  /** Mean wait of the jobs that have started. */
  readonly meanWait: Microseconds;
  /** True if somebody wants reservations and reasons. */
  readonly isWatched: boolean;
  /** Reservations that last from turn to turn; the policy must say `needs: "counts"`. */
  readonly plan: Plan;
  /** True if this job could start now, with all that it asks for, or a job of this size that asks for nothing else. */
  fits(job: Job | number): boolean;
  /** Starts a waiting job. Returns false, with nothing changed, if it does not wait or does not fit. */
  start(job: Job): boolean;
  /** Starts jobs in order of arrival until one does not fit, and returns that job. */
  startHeads(): Job | undefined;
  /** Reserves processors for a job that does not fit now, until the end of the turn. Returns `undefined` if it can never start. */
  reserve(job: Job): Reservation | undefined;
  /** Asks for a turn at this time, if it is in the future. */
  wakeAt(time: Microseconds): void;
  /** Returns a random number from [0, 1), from the run's own stream (`policy_seed`). */
  random(): number;
  /** Reports a reservation that the policy keeps by itself, for those who watch the run. */
  hold(job: Job, start: Microseconds): void;
  /** Tells why a job does not start, for those who watch the run. `"others"` stands for every job without a reason of its own. */
  because(job: Job | "others", reason: "behind" | "reserved", other: Job): void;
  because(job: Job | "others", reason: "not chosen" | "not tried"): void;
  /** Writes values to the policy's log. */
  log(...values: unknown[]): void;
}

/** The waiting jobs, in order of arrival. */
export interface Queue extends Iterable<Job> {
  /** Number of waiting jobs. */
  readonly length: number;
  /** The job that arrived first. */
  readonly head: Job | undefined;
  /** The jobs of at most `size` processors (the free ones, if it is left out) that are believed to run for at most `expected`, or need at most `orSize` processors. It skips others faster than a loop. */
  within(limits: { size?: number; expected?: Microseconds; orSize?: number }): Iterable<Job>;
}

/** A reservation. Iterating over it gives the jobs that could start now without delay to its job; each start takes its share. */
export interface Reservation extends Iterable<Job> {
  /** The planned start: the earliest time at which enough processors are free, by the beliefs about running jobs. */
  readonly start: Microseconds;
  /** Extra processors: those that are free at the planned start beyond what the job needs, and that no start of this turn has taken. */
  readonly extra: number;
  /** True if the job could start now without delay to the job with the reservation. */
  admits(job: Job): boolean;
}

/** Reservations that last from turn to turn. */
export interface Plan {
  /** Brings the plan to the present. Returns false if nothing happened that concerns it; the turn is then over. */
  goOn(): boolean;
  /** Drops every reservation. */
  anew(): void;
  /** Gives a job its earliest reservation that disturbs no other, and returns its start; `undefined` if it can never start. */
  reserve(job: Job): Microseconds | undefined;
  /** Returns the planned start of a job; `undefined` if it holds no reservation. */
  startOf(job: Job): Microseconds | undefined;
  /** True if a job without a reservation could start now without disturbing one. */
  admits(job: Job): boolean;
  /** Starts a job without a reservation, if that disturbs none. Returns true if it started. */
  start(job: Job): boolean;
  /** Starts every job whose reservation has come, and asks for a turn at the next one. */
  startDue(): void;
}

/** An error, and how to fix it. */
export interface Problem {
  what: string;
  why: string;
  next: string;
  line?: number;
}

/** The file of a policy, and the receiver of what the policy logs. */
export interface Origin {
  /** Name of its file, which tells the author's lines from others in a stack. */
  source?: string;
  /** Takes what the policy writes with `turn.log`, with the instant. */
  log?: (now: Microseconds, text: string) => void;
}

/** The engine's functions, by name. */
export type Calls = Record<string, (...numbers: number[]) => number>;

/** The state of a policy in a run, as the engine calls it. */
export interface Mind {
  /** Returns the problem of the code if there is one. It never throws. */
  decide(): Problem | undefined;
  fork(): Mind;
  believe?: (...facts: number[]) => number | undefined;
  completed?: (...facts: number[]) => void;
}

/** A policy, as the engine takes it. */
export interface Prepared {
  definition: Partial<Policy>;
  begin(settings: string): Mind;
}

/** Returns the policy of a module as the engine takes it. */
export function prepare(calls: Calls, module: unknown, origin?: Origin): Prepared;

/** Names that a policy cannot use, each with what it can use instead. */
export const ABSENT: Readonly<Record<string, string>>;

/** Takes dates, chance and inexact functions of Math out of a global object in which a policy will run. */
export function makeExact(global: Record<string, any>, calls: Calls): void;
