// A run among the timelines: its name and buttons in the gutter, its picture, and its bands.
import { Footprints, Split } from "lucide";
import { useRef } from "preact/hooks";
import * as whatIf from "../experiment/asking";
import { isCompared } from "../explore/versus";
import { count } from "../format/words";
import { canStep, stepThrough } from "../inspect/begin";
import { fail } from "../lab";
import { nameOf } from "../runs/name";
import { inWords } from "../runs/whatif";
import * as s from "../state";
import { Band } from "../timeline/band";
import { Gantt } from "../timeline/gantt";
import { Versus } from "../timeline/versus";
import { Icon } from "../ui/icon";
import { Lazy } from "../ui/lazy";
import { Mark } from "../ui/mark";

const WHAT_IF = () => import("../experiment/whatif").then(({ WhatIfForm }) => WhatIfForm);

export function LaneFigure({ lane, index }: { lane: s.Lane; index: number }) {
  const isPredicting = s.isPredicting.value;
  // A closed form keeps what was typed.
  const wasAsked = useRef(false);
  if (whatIf.isAsked(lane)) wasAsked.current = true;
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
          {canStep(lane) && !s.veil.value && s.stepping.value?.lane !== lane.id && (
            <button
              type="button"
              class="bare icon-only small"
              aria-label={`Step through run ${s.letter(index)}`}
              title="Step through"
              onClick={() => void stepThrough(lane)}
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
      {wasAsked.current && <Lazy load={WHAT_IF} given={{ lane, index }} fail={fail} until={null} />}
      <Gantt lane={lane} index={index} />
      {!isPredicting && lane.candidates.length > 1 && <Band lane={lane} index={index} />}
    </figure>
  );
}

/** Returns the rows of the window in words. */
export function rows(lane: s.Lane): string {
  const { top, bottom } = s.view.value;
  const names = s.rowNames.value.get(lane.id);
  if (names) return s.nodesInWords(names, Math.floor(top), Math.ceil(bottom));
  const shown = `${count(Math.floor(top))} to ${count(Math.ceil(bottom) - 1)}`;
  if (s.rowsFor(lane) === "gpus") return `GPUs ${shown}`;
  return s.rowsFor(lane) === "slots"
    ? `${lane.slots} slots of ${count(lane.facts?.processors ?? 0)}: rows ${shown}`
    : `processors ${shown}`;
}
