// EASY backfilling from the first principles: the queue, the running jobs and nothing else.

/** @type {import("schedscope/policy").Policy} */
export default {
  id: "own-easy-by-hand",
  name: "My EASY by hand",
  summary: "EASY, which finds the reservation of the head by itself.",
  needs: "counts",

  decide(turn) {
    let head;
    for (const job of turn.queue)
      if (!job.start()) {
        head = job;
        break;
      }
    if (head === undefined || turn.free === 0) return;

    // The shadow time: the first release after which the head fits.
    let free = turn.free;
    let shadow;
    for (const { size, end } of turn.running) {
      // All releases of an instant count.
      if (shadow !== undefined && end > shadow) break;
      free += size;
      if (free >= head.size) shadow = end;
    }
    if (shadow === undefined) return;
    let extra = free - head.size;

    for (const job of turn.queue.within({ size: turn.free })) {
      const isLong = turn.now + job.expected > shadow;
      if (isLong && job.size > extra) continue;
      if (job.start() && isLong) extra -= job.size;
    }
  },
};
