// The functions that Schedscope gives to a compiled policy, for AssemblyScript. docs/policies/own.md says what each one
// does.
//
// Compile a policy:
//   npx asc easy.ts --outFile easy.wasm --optimize --runtime stub --use abort=
//
// Times are whole microseconds. Keep state in exported variables (`export let turns: u32 = 0;`) or in `memory.data`: a
// copy of
// a run gets these only. Objects live until `heap.reset()`, which a policy that makes some calls at the end of `decide`.
//
// A policy exports `decide(): void` and `describe(): usize`. It may export `begin(): void`. It may also export `believe`,
// which
// takes up to 9 `f64` and returns an `f64`, and `completed`, which takes up to 10 `f64`; the docs name them.

/** No job, and no position. As a size it is no limit. */
export const NONE: u32 = u32.MAX_VALUE;

/** Returns what `describe` returns for a definition, the text of a JSON object. */
export function definition(json: string): usize {
  return changetype<usize>(String.UTF8.encode(json, true));
}

// The turn: its instant, the first arrival, the mean wait; processors, free ones, the size of the largest job that could
// start; timers that are due; 1 if somebody watches.
@external("schedscope", "now") export declare function now(): f64;
@external("schedscope", "began") export declare function began(): f64;
@external("schedscope", "mean_wait") export declare function mean_wait(): f64;
@external("schedscope", "capacity") export declare function capacity(): u32;
@external("schedscope", "free") export declare function free(): u32;
@external("schedscope", "room") export declare function room(): u32;
@external("schedscope", "timers") export declare function timers(): u32;
@external("schedscope", "watched") export declare function watched(): u32;

// The queue: the number of waiting jobs, the position of the first, the first at or after a position that suits.
@external("schedscope", "waiting") export declare function waiting(): u32;
@external("schedscope", "first") export declare function first(): u32;
@external("schedscope", "next") export declare function next(position: u32, size: u32, expected: f64, extra: u32): u32;
@external("schedscope", "position") export declare function position(job: u32): u32;
@external("schedscope", "job_at") export declare function job_at(position: u32): u32;
@external("schedscope", "size_at") export declare function size_at(position: u32): u32;
@external("schedscope", "expected_at") export declare function expected_at(position: u32): f64;

// Jobs that arrived and that ended since the last turn.
@external("schedscope", "arrived") export declare function arrived(): u32;
@external("schedscope", "arrived_job") export declare function arrived_job(index: u32): u32;
@external("schedscope", "ended") export declare function ended(): u32;
@external("schedscope", "ended_job") export declare function ended_job(index: u32): u32;

// Running jobs in order of their ends. `running` makes the list to which the others refer.
@external("schedscope", "running") export declare function running(): u32;
@external("schedscope", "running_job") export declare function running_job(index: u32): u32;
@external("schedscope", "running_size") export declare function running_size(index: u32): u32;
@external("schedscope", "running_end") export declare function running_end(index: u32): f64;

// Facts of a job. The fields of `field_of`, which the engine calls `of`, are user (0), group (1), application (2) and
// queue (3).
@external("schedscope", "submitted") export declare function submitted(job: u32): f64;
@external("schedscope", "estimate") export declare function estimate(job: u32): f64;
@external("schedscope", "size") export declare function size(job: u32): u32;
@external("schedscope", "number") export declare function number(job: u32): f64;
@external("schedscope", "of") export declare function field_of(job: u32, field: u32): f64;

// Starts and timers.
@external("schedscope", "fits") export declare function fits(size: u32): u32;
@external("schedscope", "fits_job") export declare function fits_job(job: u32): u32;
@external("schedscope", "start") export declare function start(job: u32): u32;
@external("schedscope", "start_heads") export declare function start_heads(): u32;
@external("schedscope", "wake_at") export declare function wake_at(time: f64): u32;

// A reservation for one job, until the turn ends.
@external("schedscope", "reserve") export declare function reserve(job: u32): f64;
@external("schedscope", "extra") export declare function extra(): u32;
@external("schedscope", "next_admitted") export declare function next_admitted(position: u32): u32;
@external("schedscope", "admits") export declare function admits(job: u32): u32;

// Reservations for many jobs. The definition must say "needs": "counts".
@external("schedscope", "plan_go_on") export declare function plan_go_on(): u32;
@external("schedscope", "plan_anew") export declare function plan_anew(): u32;
@external("schedscope", "plan_reserve") export declare function plan_reserve(job: u32): f64;
@external("schedscope", "plan_reserved") export declare function plan_reserved(job: u32): f64;
@external("schedscope", "plan_admits") export declare function plan_admits(job: u32): u32;
@external("schedscope", "plan_start") export declare function plan_start(job: u32): u32;
@external("schedscope", "plan_start_due") export declare function plan_start_due(): u32;

// Reservations and reasons for those who watch. The reasons are behind (0), reserved (1), not chosen (2), not tried (3).
@external("schedscope", "hold") export declare function hold(job: u32, start: f64): u32;
@external("schedscope", "because") export declare function because(job: u32, reason: u32, other: u32): u32;

// Random numbers of the run; functions with the same bits everywhere.
@external("schedscope", "random") export declare function random(): f64;
@external("schedscope", "exp") export declare function exp(x: f64): f64;
@external("schedscope", "log") export declare function log(x: f64): f64;
@external("schedscope", "pow") export declare function pow(x: f64, y: f64): f64;

// The value of the parameter with this index; of a choice, the index of the word.
@external("schedscope", "setting") export declare function setting(index: u32): f64;
