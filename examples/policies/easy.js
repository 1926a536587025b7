// EASY backfilling: the head of the queue holds a reservation, and later jobs may start early if they
// do not delay it.

/** @type {import("schedscope/policy").Policy} */
export default {
  id: "own-easy",
  name: "My EASY",
  summary: "Later jobs may start early if they do not delay the head of the queue.",

  decide(turn) {
    const head = turn.startHeads();
    if (head === undefined) return;
    // The reservation gives the jobs that fit now and end before the head can start, or that use only
    // processors that the head leaves free.
    for (const job of turn.reserve(head) ?? []) job.start();
  },
};
