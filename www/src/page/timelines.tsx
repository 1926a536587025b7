// The timelines of all runs, one below the other, with what lies along them.
import type { LegendEntry, Legend as Meanings } from "schedscope";
import { wanted } from "../explore/filter";
import { duration } from "../format/words";
import { fail } from "../lab";
import * as s from "../state";
import { TimeAxis } from "../timeline/axis";
import { Legend } from "../timeline/legend";
import { Minimap } from "../timeline/minimap";
import { Strip } from "../timeline/strips";
import { Lazy } from "../ui/lazy";
import { LaneFigure } from "./lane";
import { PointerCard } from "./pointer";

const FILTER_BAR = () => import("../explore/filterbar").then(({ FilterBar }) => FilterBar);

const jobsOf = async (legend: Meanings, entry: LegendEntry): Promise<string> =>
  (await import("../timeline/meaning")).jobsOf(legend, entry);

export function Timelines() {
  const isPredicting = s.isPredicting.value;
  const all = s.extent.value;
  const { strips } = s.layout.value;
  return (
    <section id="timelines" class="timelines" aria-label="Timelines">
      {wanted.value && <Lazy load={FILTER_BAR} given={{}} fail={fail} until={null} />}
      {!isPredicting && (
        <div class="along">
          <span class="gutter">{duration(all.to - all.from)}</span>
          <Minimap />
        </div>
      )}
      <div class="along">
        <span class="gutter" />
        <TimeAxis />
      </div>
      {s.lanes.value.map(
        (lane, index) => !lane.isHidden && <LaneFigure key={lane.id} lane={lane} index={index} />,
      )}
      {!isPredicting &&
        (Object.keys(s.STRIPS) as s.StripKind[]).map(
          (kind) => strips[kind] && <Strip key={kind} kind={kind} />,
        )}
      <div class="along">
        <span class="gutter" />
        <Legend jobsOf={jobsOf} />
      </div>
      <PointerCard />
    </section>
  );
}
