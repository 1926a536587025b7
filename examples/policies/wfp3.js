// WFP3 with backfilling: the job with the largest (wait / estimate)^3 * size goes first and holds the
// reservation. W. Tang, Z. Lan, N. Desai and D. Buettner, CLUSTER 2009.

const worth = (job) => {
  const ratio = job.wait / Math.max(job.expected, 1e6);
  return ratio * ratio * ratio * job.size;
};

/** Returns the waiting jobs, the most worthy first. Equal ones keep the order of arrival. */
const ranked = (turn) =>
  [...turn.queue].map((job) => ({ job, worth: worth(job) })).sort((one, other) => other.worth - one.worth);

/** @type {import("schedscope/policy").Policy} */
export default {
  id: "own-wfp3",
  name: "My WFP3",
  summary: "Old, short and wide jobs go first; others may start early if they do not delay the first.",

  decide(turn) {
    if (turn.free === 0 && !turn.isWatched) return;
    const jobs = ranked(turn);
    const blocked = jobs.findIndex(({ job }) => !job.start());
    if (blocked < 0) return;
    const head = turn.reserve(jobs[blocked].job);
    if (head === undefined) return;
    for (const { job } of jobs.slice(blocked + 1)) if (head.admits(job)) job.start();
  },
};
