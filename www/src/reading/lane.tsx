// A run among the timelines of the reading view. Its name lies over its picture and opens the list
// of what the reader can do with the run.
import { EyeOff, Footprints, SlidersHorizontal, Split } from "lucide";
import { ask } from "../experiment/asking";
import { WhatIfForm } from "../experiment/whatif";
import { isCompared } from "../explore/versus";
import { canStep, stepThrough } from "../inspect/begin";
import * as lab from "../lab";
import { rows } from "../page/lane";
import { nameOf } from "../runs/name";
import { inWords } from "../runs/whatif";
import * as s from "../state";
import { Band } from "../timeline/band";
import { Gantt } from "../timeline/gantt";
import { Versus } from "../timeline/versus";
import { Mark } from "../ui/mark";
import { Item, Popup } from "./popup";

export function Lane({ lane, index }: { lane: s.Lane; index: number }) {
  const isPredicting = s.isPredicting.value;
  const letter = s.letter(index);
  const { top, bottom } = s.view.value;
  const isZoomed = bottom - top < s.extent.value.bottom;
  // The button shows these beside the run, in the order of its name.
  const shown = [lane.state !== "done" && lane.state, isZoomed && rows(lane)].filter(Boolean);
  return (
    <figure class="lane">
      {!isPredicting && isCompared(lane) && <Versus lane={lane} index={index} />}
      <figcaption>
        <Popup
          name={[`Run ${letter}`, nameOf(lane), ...shown].join(", ")}
          title={`Run ${letter}, ${nameOf(lane)}`}
          class="lane-name"
          opens={{ "data-what-if": lane.id }}
          opener={
            <>
              <b>{letter}</b> <Mark index={index} />
              <span class="lane-title">{nameOf(lane)}</span>
              {shown.map((text) => (
                <small key={text}> {text}</small>
              ))}
            </>
          }
        >
          <p class="quiet">
            {rows(lane)}
            {lane.whatIf && ` · ${inWords(lane.whatIf)}`}
          </p>
          <div class="popup-items">
            {canStep(lane) && !s.veil.value && s.stepping.value?.lane !== lane.id && (
              <Item icon={Footprints} name="Step through" act={() => void stepThrough(lane)} />
            )}
            {!isPredicting && (lane.state === "done" || lane.state === "running") && (
              <Item icon={Split} name="What if…" act={() => ask(lane)} />
            )}
            {!s.lesson.value && (
              <Item
                icon={SlidersHorizontal}
                name="Settings"
                act={() => lab.openSetup(`run-${lane.id}`)}
              />
            )}
            {s.lanes.value.length > 1 && (
              <Item
                icon={EyeOff}
                name="Hide its timeline"
                act={() => lab.hideLane(lane.id, true)}
              />
            )}
          </div>
        </Popup>
      </figcaption>
      <WhatIfForm lane={lane} index={index} />
      <Gantt lane={lane} index={index} />
      {!isPredicting && lane.candidates.length > 1 && <Band lane={lane} index={index} />}
    </figure>
  );
}
