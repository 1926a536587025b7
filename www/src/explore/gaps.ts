// Compares the runs job by job, by the figure that the reader ranks by, for the intervals.
import { effect } from "@preact/signals";
import type { Paired } from "schedscope";
import { ask, type Remote } from "../engine/workers";
import { areOfOne, compared, ranked } from "../runs/ranking";
import * as s from "../state";

/** Returns the metric of which each job has a value; undefined if the figure is no mean of such. */
function perJob(key: string): string | undefined {
  const [metric, name] = key.split(".");
  return name === "mean" && ["wait", "response", "bounded_slowdown"].includes(metric!)
    ? metric
    : undefined;
}

let asked = "";

effect(() => {
  const { key } = s.rankedBy.value;
  const metric = perJob(key);
  const runs = ranked();
  const from = compared()?.lane;
  const others = runs.filter(({ lane }) => lane !== from && lane.hand);
  if (!metric || !from?.hand || !from.result || others.length === 0 || !areOfOne(runs)) return;
  const wish = [key, from.result.digest, ...others.map(({ lane }) => lane.result?.digest)].join();
  if (wish === asked) return;
  asked = wish;
  const compare = async () => {
    const values = await ask(from.hand!, (engine: Remote) => engine.perJob(metric));
    if (!values) return;
    const by = new Map<string, Paired>();
    for (const { lane } of others)
      by.set(
        lane.result!.digest,
        await ask(lane.hand!, (engine: Remote) => engine.pairedBy(metric, values)),
      );
    if (asked === wish) s.knowGaps({ key, from: from.result!.digest, by });
  };
  // A run that has disappeared needs no interval. One that runs again gets it then.
  compare().catch(() => {
    if (asked === wish) asked = "";
  });
});
