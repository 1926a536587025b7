// Shortest job first: jobs start in order of their expected run times, and may pass jobs that do not
// fit. Wide jobs can starve, so a job that has waited too long goes first, and nobody passes it.

/** @type {import("schedscope/policy").Policy} */
export default {
  id: "own-shortest",
  name: "My shortest first",
  summary: "The shortest jobs start first; a job that has waited too long is not passed.",
  params: [
    { key: "patience", name: "Patience", type: "real", min: 0, max: 1e6, default: 24, unit: "h", help: "A job that has waited this long is not passed any more" },
  ],

  decide(turn) {
    const patience = turn.settings.patience * 3600e6;
    for (const job of turn.queue) {
      if (job.wait < patience) break;
      if (!job.start()) return turn.because("others", "behind", job);
    }
    const jobs = [...turn.queue.within({ size: turn.free })];
    jobs.sort((one, other) => one.expected - other.expected);
    for (const job of jobs) job.start();
  },
};
