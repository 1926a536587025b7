// A policy that tries to read run times, which no scheduler knows. It finds nothing: a job shows what
// its user asked for, a running job shows when it is expected to end, and the run time itself stays in
// the engine. What a policy may learn is how long earlier jobs of a user ran.

/** @type {import("schedscope/policy").Policy} */
export default {
  id: "own-reads-minds",
  name: "My mind reader",
  summary: "The shortest jobs start first, by what their users' last jobs took.",

  begin: () => ({ last: new Map() }),

  // This is all that a policy learns of run times: those of the past.
  completed(job, ran, state) {
    state.last.set(job.user, ran);
  },

  decide(turn, state) {
    const guess = (job) => job.runtime ?? job.actual ?? Math.min(state.last.get(job.user) ?? job.estimate, job.estimate);
    const jobs = [...turn.queue.within({ size: turn.free })];
    jobs.sort((one, other) => guess(one) - guess(other));
    for (const job of jobs) job.start();
  },
};
