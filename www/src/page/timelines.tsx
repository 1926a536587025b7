// The timelines of all runs, with their controls.
import * as whatIf from "../experiment/whatif";
import { WhatIfForm } from "../experiment/whatif";
import { FilterBar } from "../explore/filterbar";
import { isCompared } from "../explore/versus";
import { count } from "../format/words";
import * as steps from "../inspect/steps";
import { canStep } from "../inspect/steps";
import { nameOf } from "../runs/name";
import { inWords } from "../runs/whatif";
import * as s from "../state";
import { TimeAxis } from "../timeline/axis";
import { Band } from "../timeline/band";
import { Gantt } from "../timeline/gantt";
import { ColourBy, LanesBy, Legend } from "../timeline/legend";
import { Minimap } from "../timeline/minimap";
import * as navigate from "../timeline/navigate";
import { isPlaying, play } from "../timeline/play";
import { Strip } from "../timeline/strips";
import { Versus } from "../timeline/versus";
import { Mark } from "../ui/mark";

export function Timelines() {
  const isPredicting = s.isPredicting.value;
  return (
    <section id="timelines" class="timelines" aria-label="Timelines">
      <div class="bar">
        <h2>Timeline</h2>
        <div class="group" role="group" aria-label="Zoom">
          <button
            type="button"
            class="small"
            aria-label="Earlier (A)"
            title="Earlier (A)"
            onClick={() => navigate.panBy(-0.25, 0)}
          >
            ◀
          </button>
          <button
            type="button"
            class="small"
            aria-label="Zoom out (S)"
            title="Zoom out (S)"
            onClick={() => navigate.zoomBy(1 / 1.6, "time")}
          >
            −
          </button>
          <button
            type="button"
            class="small"
            aria-label="Zoom in (W)"
            title="Zoom in (W)"
            onClick={() => navigate.zoomBy(1.6, "time")}
          >
            +
          </button>
          <button
            type="button"
            class="small"
            aria-label="Later (D)"
            title="Later (D)"
            onClick={() => navigate.panBy(0.25, 0)}
          >
            ▶
          </button>
          <button
            type="button"
            class="small"
            aria-label="Fewer processors"
            title="Fewer processors (Alt + wheel)"
            onClick={() => navigate.zoomBy(1.6, "rows")}
          >
            ↕+
          </button>
          <button
            type="button"
            class="small"
            aria-label="More processors"
            title="More processors (Alt + wheel)"
            onClick={() => navigate.zoomBy(1 / 1.6, "rows")}
          >
            ↕−
          </button>
          <button type="button" class="small" title="Show all (0)" onClick={navigate.showAll}>
            All
          </button>
          <button
            type="button"
            class="small"
            title="Back (Backspace)"
            disabled={s.zooms.value.length === 0}
            onClick={navigate.back}
          >
            Back
          </button>
          <button
            type="button"
            class="small"
            title="Move an instant through the window (Space)"
            aria-pressed={isPlaying.value}
            onClick={play}
          >
            {isPlaying.value ? "Pause" : "Play"}
          </button>
          <button
            type="button"
            class="small"
            title="Drag to select an area for statistics (Shift + drag)"
            aria-pressed={s.isSelecting.value}
            onClick={() => s.toggleSelecting()}
          >
            Select
          </button>
        </div>
        <ColourBy />
        <LanesBy />
        {s.lanes.value.length > 1 && (
          <label class="inline">
            <input
              type="checkbox"
              checked={s.isVersus.value}
              onChange={(event) => s.drawVersus(event.currentTarget.checked)}
            />{" "}
            Difference
          </label>
        )}
      </div>
      <FilterBar />
      {!isPredicting && <Minimap />}
      {s.lanes.value.map((lane, index) => (
        <figure key={lane.id} class="lane">
          {!isPredicting && isCompared(lane) && <Versus lane={lane} index={index} />}
          <figcaption>
            <Mark index={index} /> <b>{s.letter(index)}</b> {nameOf(lane)}
            <small>{lane.state === "done" ? "" : lane.state}</small>
            {canStep(lane) && !s.veil.value && s.stepping.value?.lane !== lane.id && (
              <button
                type="button"
                class="small"
                aria-label={`Step through run ${s.letter(index)}`}
                onClick={() => void steps.begin(lane.id)}
              >
                Step through
              </button>
            )}
            {!isPredicting && (lane.state === "done" || lane.state === "running") && (
              <button
                type="button"
                class="small"
                aria-label={`What if, in run ${s.letter(index)}`}
                aria-expanded={whatIf.isAsked(lane)}
                data-what-if={lane.id}
                onClick={() => whatIf.ask(lane)}
              >
                What if…
              </button>
            )}
            {lane.whatIf && <small>{inWords(lane.whatIf)}</small>}
            <span class="rows">
              {lane.slots > 1 && !s.isShared.value
                ? `${lane.slots} slots of ${count(lane.facts?.processors ?? 0)} processors: rows`
                : "processors"}{" "}
              {count(Math.floor(s.view.value.top))} to {count(Math.ceil(s.view.value.bottom) - 1)}
            </span>
          </figcaption>
          <WhatIfForm lane={lane} index={index} />
          <Gantt lane={lane} index={index} />
          {!isPredicting && lane.candidates.length > 1 && <Band lane={lane} index={index} />}
        </figure>
      ))}
      <TimeAxis />
      {!isPredicting && <Strip kind="used" />}
      {!isPredicting && <Strip kind="waiting" />}
      {!isPredicting && <Strip kind="work" />}
      <p class="hover">
        {s.hover.value ||
          "Drag to pan, Shift + drag to select an area, Ctrl + wheel to zoom, click to select a job. Focus a timeline to use the keyboard: W A S D, arrows, 0, C, Space. Press / to search, Ctrl + K to list the commands."}
      </p>
      <Legend />
    </section>
  );
}
