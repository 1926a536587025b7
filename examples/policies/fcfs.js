// First come, first served: jobs start in order of arrival, and no job passes a job that must wait.

/** @type {import("schedscope/policy").Policy} */
export default {
  id: "own-fcfs",
  name: "My FCFS",
  summary: "Jobs start in order of arrival; no job passes a job that must wait.",

  decide(turn) {
    for (const job of turn.queue) {
      if (job.start()) continue;
      // Tell those who ask that every later job waits behind this one.
      turn.because("others", "behind", job);
      return;
    }
  },
};
