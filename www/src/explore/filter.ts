// The filter: jobs that it does not name are dimmed in every picture.
import { signal } from "@preact/signals";
import type { Problem, SelectionFacts } from "schedscope";
import { Stopped } from "../engine/workers";
import { asProblem } from "../format/problem";
import { count } from "../format/words";
import * as s from "../state";
import { follow } from "./follow";

/** The filter that is wished for. */
export const wanted = signal("");

/** The filter that the runs have. */
export const applied = signal("");

export const problem = signal<Problem | undefined>(undefined);

/** What is known of the jobs that pass it, by run. */
export const facts = signal<ReadonlyMap<number, SelectionFacts>>(new Map());

export function filterBy(text: string): void {
  // A filter by waits would give away what is to be predicted.
  if (text.trim() !== "" && s.isPredicting.value)
    return void s.say("There are no filters until you have answered.");
  wanted.value = text.trim();
  if (wanted.value === "") clear();
}

function clear(): void {
  applied.value = "";
  problem.value = undefined;
  facts.value = new Map();
}

follow(
  // A run's waits are known when it is done.
  (lane) => (wanted.value ? `${wanted.value}${lane.state === "done" ? " " : ""}` : ""),
  async (lane, engine) => {
    const text = wanted.value;
    try {
      const found = await engine.filter(text);
      if (text !== wanted.value || text === "") return;
      facts.value = new Map(facts.value).set(lane.id, found);
      applied.value = text;
      problem.value = undefined;
      if (lane.id === s.lanes.value[0]?.id)
        s.say(`${count(found.jobs)} of ${count(lane.facts?.jobs ?? 0)} jobs pass the filter.`);
    } catch (error) {
      if (text === wanted.value && !(error instanceof Stopped)) problem.value = asProblem(error);
    }
  },
);
