// A run among the timelines: its name and buttons in the gutter, its picture, and its bands.
import { Footprints, Split } from "lucide";
import * as whatIf from "../experiment/whatif";
import { WhatIfForm } from "../experiment/whatif";
import { isCompared } from "../explore/versus";
import { count } from "../format/words";
import * as story from "../inspect/story";
import { nameOf } from "../runs/name";
import { inWords } from "../runs/whatif";
import * as s from "../state";
import { Band } from "../timeline/band";
import { Gantt } from "../timeline/gantt";
import { Versus } from "../timeline/versus";
import { Icon } from "../ui/icon";
import { Mark } from "../ui/mark";

export function LaneFigure({ lane, index }: { lane: s.Lane; index: number }) {
  const isPredicting = s.isPredicting.value;
  return (
    <figure class="lane">
      {!isPredicting && isCompared(lane) && <Versus lane={lane} index={index} />}
      <figcaption class="gutter">
        <span class="lane-head-line">
          <b>{s.letter(index)}</b> <Mark index={index} />
        </span>
        <span class="lane-title" title={nameOf(lane)}>
          {nameOf(lane)}
        </span>
        {lane.state !== "done" && <small>{lane.state}</small>}
        {lane.whatIf && <small>{inWords(lane.whatIf)}</small>}
        <span class="lane-tools">
          {story.canStep(lane) && !s.veil.value && s.stepping.value?.lane !== lane.id && (
            <button
              type="button"
              class="bare icon-only small"
              aria-label={`Step through run ${s.letter(index)}`}
              title="Step through"
              onClick={() => void story.begin(lane.id)}
            >
              <Icon of={Footprints} />
            </button>
          )}
          {!isPredicting && (lane.state === "done" || lane.state === "running") && (
            <button
              type="button"
              class="bare icon-only small"
              aria-label={`What if, in run ${s.letter(index)}`}
              title="What if…"
              aria-expanded={whatIf.isAsked(lane)}
              data-what-if={lane.id}
              onClick={() => whatIf.ask(lane)}
            >
              <Icon of={Split} />
            </button>
          )}
        </span>
        <span class="rows">{rows(lane)}</span>
      </figcaption>
      <WhatIfForm lane={lane} index={index} />
      <Gantt lane={lane} index={index} />
      {!isPredicting && lane.candidates.length > 1 && <Band lane={lane} index={index} />}
    </figure>
  );
}

/** Returns the rows of the window in words. */
function rows(lane: s.Lane): string {
  const { top, bottom } = s.view.value;
  const shown = `${count(Math.floor(top))} to ${count(Math.ceil(bottom) - 1)}`;
  return lane.slots > 1 && !s.isShared.value
    ? `${lane.slots} slots of ${count(lane.facts?.processors ?? 0)}: rows ${shown}`
    : `processors ${shown}`;
}
