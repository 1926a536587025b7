// Conservative backfilling: every waiting job holds a reservation, and no start may delay one. The
// engine keeps the plan of reservations from turn to turn.

/** @type {import("schedscope/policy").Policy} */
export default {
  id: "own-conservative",
  name: "My conservative",
  summary: "Every waiting job holds a reservation from its arrival on.",
  needs: "counts",

  decide(turn) {
    // Jobs that ended early leave holes. The plan moves reservations into them.
    if (!turn.plan.goOn()) return;
    for (const job of turn.arrived) turn.plan.reserve(job);
    turn.plan.startDue();
  },
};
