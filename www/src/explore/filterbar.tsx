// The filter in words above the timelines, with the number of jobs that pass it in each run.

import { count, counted, duration } from "../format/words";
import * as s from "../state";
import { Mark } from "../ui/mark";
import { applied, facts, filterBy, problem, wanted } from "./filter";

export function FilterBar() {
  if (!wanted.value) return null;
  const found = s.lanes.value.map((lane, index) => ({
    lane,
    index,
    facts: facts.value.get(lane.id),
  }));
  const first = found.find(({ facts }) => facts);
  return (
    <div class="filter-bar" role="group" aria-label="Filter">
      {problem.value ? (
        <p class="notice bad" role="alert">
          <b>{problem.value.what}</b> {problem.value.why} {problem.value.next}
        </p>
      ) : (
        <p>
          Only <code>{applied.value || wanted.value}</code>
          {first?.facts && (
            <>
              : {count(first.facts.jobs)} of {counted(first.lane.facts?.jobs ?? 0, "job")}
            </>
          )}
          {found.map(
            ({ lane, index, facts }) =>
              facts && (
                <span key={lane.id} class="filter-run">
                  <Mark index={index} /> {s.letter(index)}
                  {facts.jobs !== first?.facts?.jobs && ` ${counted(facts.jobs, "job")},`} mean wait{" "}
                  {facts.figures["jobs.value"] ? duration(facts.figures["wait.mean"]) : "–"}
                </span>
              ),
          )}
        </p>
      )}
      <button type="button" class="small" onClick={() => filterBy("")}>
        Clear the filter
      </button>
    </div>
  );
}
