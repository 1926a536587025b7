// The timelines of the reading view: as wide as the window, with their names over them.
import { FilterBar } from "../explore/filterbar";
import { PointerCard } from "../page/pointer";
import * as s from "../state";
import { TimeAxis } from "../timeline/axis";
import { Legend } from "../timeline/legend";
import { jobsOf } from "../timeline/meaning";
import { Minimap } from "../timeline/minimap";
import { Strip } from "../timeline/strips";
import { Lane } from "./lane";

export function Pictures() {
  const isPredicting = s.isPredicting.value;
  const { strips } = s.layout.value;
  return (
    <section id="timelines" class="timelines" aria-label="Timelines">
      <FilterBar />
      <TimeAxis />
      {s.lanes.value.map(
        (lane, index) => !lane.isHidden && <Lane key={lane.id} lane={lane} index={index} />,
      )}
      {!isPredicting && (
        <>
          {(Object.keys(s.STRIPS) as s.StripKind[]).map(
            (kind) => strips[kind] && <Strip key={kind} kind={kind} />,
          )}
          <Minimap />
        </>
      )}
      <Legend jobsOf={jobsOf} />
      <PointerCard />
    </section>
  );
}
