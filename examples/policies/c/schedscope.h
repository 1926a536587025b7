// The functions that Schedscope gives to a compiled policy, for C. docs/policies/own.md says what each one does.
//
// Compile a policy with clang and lld:
//   clang --target=wasm32 -O2 -mbulk-memory -nostdlib -Wl,--no-entry -o easy.wasm easy.c
//
// Times are whole microseconds. Keep state in variables of the file: a copy of a run gets a copy of them. There is no libc.
#ifndef SCHEDSCOPE_H
#define SCHEDSCOPE_H

typedef unsigned int u32;
typedef double f64;

// No job, and no position. As a size it is no limit.
#define NONE 0xffffffffu

// Exports a function of the policy: EXPORT(decide) void decide(void) { ... }
//
// The others are optional:
//   EXPORT(begin) void begin(void);
//   EXPORT(believe) f64 believe(f64 job, f64 number, f64 arrival, f64 estimate, f64 size, f64 user, f64 group,
//                               f64 application, f64 queue);
//   EXPORT(completed) void completed(f64 job, f64 number, f64 arrival, f64 estimate, f64 size, f64 user, f64 group,
//                                    f64 application, f64 queue, f64 ran);
#define EXPORT(name) __attribute__((export_name(#name)))

// Gives the definition of the policy, a JSON object as it is: DEFINITION({"id": "my-policy"})
#define DEFINITION(...) \
  EXPORT(describe) const char *describe(void) { return #__VA_ARGS__; }

// Imports a function of the engine, under a name that no library has.
#define CALL(result, name, ...) \
  __attribute__((import_module("schedscope"), import_name(#name))) result schedscope_##name(__VA_ARGS__)

// The turn: its instant, the first arrival, the mean wait; processors, free ones, the size of the largest job that could
// start; timers that are due; 1 if somebody watches.
CALL(f64, now, void);
CALL(f64, began, void);
CALL(f64, mean_wait, void);
CALL(u32, capacity, void);
CALL(u32, free, void);
CALL(u32, room, void);
CALL(u32, timers, void);
CALL(u32, watched, void);

// The queue: the number of waiting jobs, the position of the first, the first at or after a position that suits.
CALL(u32, waiting, void);
CALL(u32, first, void);
CALL(u32, next, u32 position, u32 size, f64 expected, u32 extra);
CALL(u32, position, u32 job);
CALL(u32, job_at, u32 position);
CALL(u32, size_at, u32 position);
CALL(f64, expected_at, u32 position);

// Jobs that arrived and that ended since the last turn.
CALL(u32, arrived, void);
CALL(u32, arrived_job, u32 index);
CALL(u32, ended, void);
CALL(u32, ended_job, u32 index);

// Running jobs in order of their ends. `running` makes the list to which the others refer.
CALL(u32, running, void);
CALL(u32, running_job, u32 index);
CALL(u32, running_size, u32 index);
CALL(f64, running_end, u32 index);

// Facts of a job. The fields of `of` are user (0), group (1), application (2) and queue (3).
CALL(f64, submitted, u32 job);
CALL(f64, estimate, u32 job);
CALL(u32, size, u32 job);
CALL(f64, number, u32 job);
CALL(f64, of, u32 job, u32 field);

// Starts and timers.
CALL(u32, fits, u32 size);
CALL(u32, fits_job, u32 job);
CALL(u32, start, u32 job);
CALL(u32, start_heads, void);
CALL(u32, wake_at, f64 time);

// A reservation for one job, until the turn ends.
CALL(f64, reserve, u32 job);
CALL(u32, extra, void);
CALL(u32, next_admitted, u32 position);
CALL(u32, admits, u32 job);

// Reservations for many jobs. The definition must say "needs": "counts".
CALL(u32, plan_go_on, void);
CALL(u32, plan_anew, void);
CALL(f64, plan_reserve, u32 job);
CALL(f64, plan_reserved, u32 job);
CALL(u32, plan_admits, u32 job);
CALL(u32, plan_start, u32 job);
CALL(u32, plan_start_due, void);

// Reservations and reasons for those who watch. The reasons are behind (0), reserved (1), not chosen (2), not tried (3).
CALL(u32, hold, u32 job, f64 start);
CALL(u32, because, u32 job, u32 reason, u32 other);

// Random numbers of the run; functions with the same bits everywhere.
CALL(f64, random, void);
CALL(f64, exp, f64 x);
CALL(f64, log, f64 x);
CALL(f64, pow, f64 x, f64 y);

// The value of the parameter with this index; of a choice, the index of the word.
CALL(f64, setting, u32 index);

#endif
