// Fair share within queues, as clusters under PBS have it: queues in order of their numbers, and in
// each queue the jobs of the users who have used least go first. D. Klusacek, PPAM 2024 (Alea NG).

/** Processor seconds that each user has used, with those of running jobs up to now. */
function usages(turn, state) {
  const usage = new Map(state.past);
  const add = (user, seconds) => usage.set(user, (usage.get(user) ?? 0) + seconds);
  for (const { user, size, start, estimate } of state.running.values())
    // A job that has just started counts in full, so that one user does not get all that is free.
    add(user, (size * (start === turn.now ? estimate : turn.now - start)) / 1e6);
  return usage;
}

/** Returns the waiting jobs in the order in which they may start. */
function ranked(turn, state) {
  const usage = usages(turn, state);
  const used = ({ user }) => usage.get(user) ?? 0;
  return [...turn.queue].sort(
    (one, other) => one.queue - other.queue || used(one) - used(other) || one.number - other.number,
  );
}

/** Lowers all past usage at the end of each period. */
function decay(turn, state) {
  const { decay_hours: hours, decay_factor: factor } = turn.settings;
  const periods = Math.floor((turn.now - turn.began) / (hours * 3600e6));
  for (; state.periods < periods; state.periods += 1)
    for (const [user, usage] of state.past) state.past.set(user, usage * factor);
}

/** Returns the job that starts next, or undefined. */
function next(turn, state) {
  const [first, ...others] = ranked(turn, state);
  if (first === undefined || turn.fits(first)) return first;
  if (turn.settings.passing === "nobody") return undefined;
  if (turn.settings.passing === "all") return others.find((job) => turn.fits(job));
  const reservation = turn.reserve(first);
  return others.find((job) => reservation?.admits(job));
}

/** @type {import("schedscope/policy").Policy} */
export default {
  id: "own-fair-share",
  name: "My fair share",
  summary: "Queues in order of their numbers; in each, users who have used least go first.",
  params: [
    { key: "decay_hours", type: "whole", default: 48, min: 1, max: 100000, unit: "h", help: "Time after which past usage is lowered" },
    { key: "decay_factor", type: "real", default: 0.75, min: 0, max: 1, help: "The part of past usage that is left then" },
    {
      key: "passing",
      type: "choice",
      default: "all",
      help: "Jobs that may pass one that does not fit",
      options: [
        { id: "all", help: "every job that fits" },
        { id: "no_delay", help: "every job that does not delay the first one, as under EASY" },
        { id: "nobody", help: "none" },
      ],
    },
  ],

  begin: () => ({ past: new Map(), running: new Map(), periods: 0 }),

  completed(job, ran, state) {
    state.running.delete(job.index);
    state.past.set(job.user, (state.past.get(job.user) ?? 0) + (job.size * ran) / 1e6);
  },

  decide(turn, state) {
    decay(turn, state);
    // Each start changes who has used least.
    for (let job = next(turn, state); job?.start(); job = next(turn, state)) {
      const { index, user, size, estimate } = job;
      state.running.set(index, { user, size, estimate, start: turn.now });
    }
  },
};
