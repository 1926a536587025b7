// A miniature on a page of the documentation: the engine runs a few jobs in the reader's browser.
import { render } from "preact";
import { useEffect } from "preact/hooks";
import type { Settings } from "schedscope";
import type { Source } from "../engine/protocol";
import { asProblem } from "../format/problem";
import { figure } from "../format/words";
import * as lab from "../lab";
import { knowMachines } from "../lab";
import { type LinkedTrace, write } from "../link/format";
import { MACHINES } from "../machines/machines";
import { nameOf } from "../runs/name";
import * as s from "../state";
import { TimeAxis } from "../timeline/axis";
import { Band } from "../timeline/band";
import { Gantt } from "../timeline/gantt";
import { Legend } from "../timeline/legend";
import { Mark } from "../ui/mark";

/** The description of a miniature in a page of docs/. */
interface Miniature {
  source: Exclude<Source, { kind: "file" }>;
  machine?: string;
  shared?: Settings;
  runs: { policy: string; machine?: string; settings?: Settings }[];
  /** Caption of the miniature. */
  see: string;
}

function Miniature({ of }: { of: Miniature }) {
  const { runs, machine = "flat", shared = {}, see } = of;
  useEffect(() => {
    void lab.open(of.source, shared, { lanes: runs.map(lab.newLane), machine });
  }, []);
  const explore = async () => {
    const fragment = await write({
      trace: of.source as LinkedTrace,
      ...(machine === "flat" ? {} : { machine }),
      shared,
      runs,
    });
    location.href = new URL(`index.html#${fragment}`, import.meta.url).href;
  };
  const facts = s.workload.value;
  const problem = s.problem.value ?? s.lanes.value.find((lane) => lane.problem)?.problem;
  return (
    <figure class="miniature-body" aria-label="Live miniature">
      {problem && (
        <p class="notice bad" role="alert">
          <b>{problem.what}</b> {problem.why} {problem.next}
        </p>
      )}
      {s.lanes.value.map((lane, index) => (
        <div class="lane" key={lane.id}>
          <p class="lane-name">
            <Mark index={index} /> <b>{s.letter(index)}</b> {nameOf(lane)}{" "}
            {lane.result && (
              <small>
                mean wait {figure(lane.result.figures["wait.mean"])} s, last end{" "}
                {figure(lane.result.figures["makespan.value"])} s
              </small>
            )}
          </p>
          <Gantt lane={lane} index={index} />
          {lane.candidates.length > 1 && <Band lane={lane} index={index} />}
        </div>
      ))}
      {s.lanes.value.length > 0 && <TimeAxis />}
      {facts && <Legend />}
      <p class="hover">
        {s.hover.value ||
          "Numbers are jobs. Time runs to the right, processors run down. Point at a job, or focus a picture to use the keyboard."}
      </p>
      <figcaption>
        {see}{" "}
        {facts && (
          <button type="button" class="small" onClick={() => void explore()}>
            Open in the simulator
          </button>
        )}
      </figcaption>
      <div class="unseen" role="status" aria-live="polite">
        {s.spoken.value}
      </div>
    </figure>
  );
}

/** Runs the miniature that an element of the page describes, in the page's colours. */
export function show(place: HTMLElement): void {
  const root = document.documentElement;
  const follow = () => s.setTheme(root.dataset.theme === "dark" ? "dark" : "light");
  follow();
  new MutationObserver(follow).observe(root, { attributeFilter: ["data-theme"] });
  knowMachines(MACHINES);
  try {
    const of = JSON.parse(place.dataset.miniature ?? "") as Miniature;
    place.replaceChildren();
    render(<Miniature of={of} />, place);
  } catch (error) {
    place.textContent = asProblem(error).what;
  }
}
