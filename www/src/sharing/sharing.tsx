// The Sharing tab: a run whose jobs share processors, at an instant that the reader moves and
// plays. It has the Ousterhout matrix, the timeline, and a microscope on a processor.

import { useEffect } from "preact/hooks";
import type { Scenario } from "schedscope";
import * as lab from "../lab";
import * as s from "../state";
import { TimeAxis } from "../timeline/axis";
import { busiest, Clock, usePlay } from "../timeline/clock";
import { Gantt } from "../timeline/gantt";
import { useLatest } from "../timeline/latest";
import { ColourBy, LanesBy, Legend } from "../timeline/legend";
import { Minimap } from "../timeline/minimap";
import { Mark } from "../ui/mark";
import { Matches } from "./matches";
import { MatrixPicture } from "./matrix";
import { Microscope } from "./microscope";
import { nameOf } from "./name";

export default function Sharing() {
  const lanes = s.lanes.value.filter((lane) => lane.slots > 1 || lane.processes);
  const lane = lanes.find(({ id }) => id === s.shownLane.value) ?? lanes[0];
  if (!lane) return <NoSharing />;
  return <Machine lane={lane} lanes={lanes} />;
}

/**
 * Two programs with a grain of a millisecond on a small cluster, under the three algorithms that
 * share processors.
 */
function twoPrograms(): void {
  const scenario = (coscheduling: string): Scenario => ({
    policy: "fcfs",
    machine: "bsp",
    settings: { coscheduling, programs: "library", runtime_factor: 0.1 },
  });
  s.colourBy("user");
  lab.show(
    {
      kind: "model",
      model: "programs",
      name: "Two programs, one imbalanced against the other",
      settings: { mix: "imbalanced", processors: 32 },
    },
    ["gang", "spin_block", "flexible"].map(scenario),
  );
}

/**
 * A loaded cluster of hyperthreaded nodes. Its jobs share no nodes, or share them with the partner
 * that LOMARC finds.
 */
function pairs(): void {
  const scenario = (heuristic: string): Scenario => ({
    policy: "lomarc",
    machine: "smt",
    settings: { heuristic, demands: "m1", slowdowns: "printed" },
  });
  lab.show(
    {
      kind: "model",
      model: "lublin",
      name: "400 generated jobs on 32 nodes",
      settings: { jobs: 400, processors: 32, seed: 3, alpha: 8.83 },
    },
    ["none", "response"].map(scenario),
  );
}

function NoSharing() {
  const begin = async () => {
    await lab.setMachine("gang");
    lab.runAll();
  };
  return (
    <section aria-label="Sharing">
      <h2>Sharing</h2>
      <p>
        In these runs a processor belongs to one job until the job ends. On a gang-scheduled machine
        the rows of an Ousterhout matrix take turns. On a cluster with visible processes, they
        compute, wait for messages, spin and block. On hyperthreaded nodes two jobs run at once.
      </p>
      {!s.lesson.value && (
        <div class="buttons">
          <button type="button" class="primary" onClick={() => void begin()}>
            Use time slots
          </button>
          <button type="button" onClick={twoPrograms}>
            Show a cluster
          </button>
          <button type="button" onClick={pairs}>
            Show hyperthreaded nodes
          </button>
        </div>
      )}
      {!s.lesson.value && <p class="quiet">Choose the machine under “2 Machine” in the set-up.</p>}
    </section>
  );
}

function Machine({ lane, lanes }: { lane: s.Lane; lanes: s.Lane[] }) {
  const at = s.instant.value;
  const [colouring, theme] = [s.colouring.value, s.theme.value];
  const matrix = useLatest(lane, [at, colouring, theme, lane.drawn], () =>
    at === undefined || !lane.facts ? undefined : (engine) => engine.matrix(at, colouring, theme),
  );
  useEffect(() => {
    if (s.instant.value === undefined && lane.state === "done") void busiest(lane);
  }, [lane.state]);
  useEffect(() => {
    s.explainColours(matrix?.legend);
  }, [matrix]);
  usePlay(lane);
  const index = s.lanes.value.indexOf(lane);
  return (
    <section class="sharing" aria-label="Sharing">
      <div class="bar">
        <h2>Sharing</h2>
        <label class="inline">
          Run
          <select
            value={lane.id}
            onChange={(event) => s.showLane(Number(event.currentTarget.value))}
          >
            {lanes.map((other) => (
              <option key={other.id} value={other.id}>
                {s.letter(s.lanes.value.indexOf(other))} {nameOf(other)}
              </option>
            ))}
          </select>
        </label>
        <ColourBy />
        <LanesBy />
      </div>
      {!s.isPredicting.value && <Clock lane={lane} />}
      {matrix && at !== undefined ? (
        <MatrixPicture lane={lane} at={at} matrix={matrix} />
      ) : (
        <p class="quiet">{lane.state === "failed" ? "The run failed." : "Waiting for the run…"}</p>
      )}
      <figure class="lane">
        <figcaption>
          <Mark index={index} /> <b>{s.letter(index)}</b> {nameOf(lane)}{" "}
          <small>click to move the instant</small>
        </figcaption>
        {!s.isPredicting.value && <Minimap />}
        <Gantt lane={lane} index={index} />
        <TimeAxis />
        <Legend />
      </figure>
      {lane.matches && at !== undefined && <Matches lane={lane} at={at} />}
      {lane.processes && at !== undefined && !s.isPredicting.value && (
        <Microscope at={at} processors={lane.facts?.processors ?? 1} />
      )}
    </section>
  );
}
