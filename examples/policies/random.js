// Chance decides which job starts next. Each run has its own stream of random numbers, from the
// setting `policy_seed`: the same seed gives the same schedule.

/** @type {import("schedscope/policy").Policy} */
export default {
  id: "own-random",
  name: "My dice",
  summary: "A random job that fits starts next.",

  decide(turn) {
    for (;;) {
      const jobs = [...turn.queue.within({ size: turn.free })].filter((job) => turn.fits(job));
      if (jobs.length === 0) return;
      jobs[Math.floor(turn.random() * jobs.length)].start();
    }
  },
};
