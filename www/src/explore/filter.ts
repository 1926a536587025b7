// The filter: every picture dims the jobs that it does not name.
import { signal } from "@preact/signals";
import type { Problem, SelectionFacts } from "schedscope";
import { Stopped } from "../engine/workers";
import { asProblem } from "../format/problem";
import { count, counted } from "../format/words";
import * as s from "../state";
import { follow } from "./follow";

const own = {
  /** The filter that the reader wants. */
  wanted: signal(""),
  /** The filter that the runs have. */
  applied: signal(""),
  problem: signal<Problem | undefined>(undefined),
  /** Statistics of the jobs that pass the filter, by run. */
  facts: signal<ReadonlyMap<number, SelectionFacts>>(new Map()),
};
export const { wanted, applied, problem, facts }: s.Seen<typeof own> = own;

export function filterBy(text: string): void {
  // A filter by waits would give the answers away.
  if (text.trim() !== "" && s.isPredicting.value)
    return void s.say("Filters are off until you answer the question.");
  own.wanted.value = text.trim();
  if (wanted.value === "") clear();
}

function clear(): void {
  own.applied.value = "";
  own.problem.value = undefined;
  own.facts.value = new Map();
}

follow(
  // The waits of a run are known when the run is done.
  (lane) => (wanted.value ? `${wanted.value}${lane.state === "done" ? " " : ""}` : ""),
  async (lane, engine) => {
    const text = wanted.value;
    try {
      const found = await engine.filter(text);
      if (text !== wanted.value || text === "") return;
      own.facts.value = new Map(facts.value).set(lane.id, found);
      own.applied.value = text;
      own.problem.value = undefined;
      if (lane.id === s.lanes.value[0]?.id)
        s.say(`${count(found.jobs)} of ${counted(lane.facts?.jobs ?? 0, "job")} pass the filter.`);
    } catch (error) {
      if (text === wanted.value && !(error instanceof Stopped))
        own.problem.value = asProblem(error);
    }
  },
);
