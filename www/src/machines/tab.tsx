// The Machine tab: a run on a machine with a picture of its own, at an instant that the reader
// moves and plays, beside the run's timeline.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { asProblem } from "../format/problem";
import * as lab from "../lab";
import { policyOf } from "../runs/name";
import * as s from "../state";
import { TimeAxis } from "../timeline/axis";
import { busiest, Clock, usePlay } from "../timeline/clock";
import { Gantt } from "../timeline/gantt";
import { ColourBy, Legend } from "../timeline/legend";
import { Minimap } from "../timeline/minimap";
import { Mark } from "../ui/mark";

export default function MachineTab() {
  const lanes = s.lanes.value.filter((lane) => roomOf(lane));
  const lane = lanes.find(({ id }) => id === s.shownLane.value) ?? lanes[0];
  const room = lane && roomOf(lane);
  return room ? (
    <Machine key={lab.machineOf(lane)} lane={lane} lanes={lanes} room={room} />
  ) : (
    <NoPicture />
  );
}

const roomOf = (lane: s.Lane): lab.MachineView | undefined => lab.viewOf(lab.machineOf(lane));

const nameOf = (lane: s.Lane): string =>
  s.catalog.value?.machines.find(({ id }) => id === lab.machineOf(lane))?.name ?? "Machine";

function NoPicture() {
  const begin = async (machine: string) => {
    await lab.setMachine(machine);
    lab.runAll();
  };
  return (
    <section aria-label="Machine">
      <h2>Machine</h2>
      <p>
        The machines of these runs have no picture: any free processors serve a job, or jobs share
        processors (see “Sharing”). On a 3D torus each job gets a box of nodes, as on BlueGene/L. On
        a fat tree each job gets whole switches first.
      </p>
      {!s.lesson.value && (
        <div class="buttons">
          <button type="button" class="primary" onClick={() => void begin("torus")}>
            Use a 4×4×8 torus
          </button>
          <button type="button" onClick={() => void begin("fat_tree")}>
            Use a fat tree
          </button>
        </div>
      )}
      {!s.lesson.value && <p class="quiet">To change the size, use “2 Machine” in the set-up.</p>}
    </section>
  );
}

type Loaded = Awaited<ReturnType<lab.MachineView["pictures"]>>;

function Machine({ lane, lanes, room }: { lane: s.Lane; lanes: s.Lane[]; room: lab.MachineView }) {
  const pictures = useSignal<Loaded | undefined>(undefined);
  useEffect(() => {
    room
      .pictures()
      .then((loaded) => (pictures.value = loaded))
      .catch((error) =>
        s.tell({
          ...asProblem(error),
          next: "Check the connection, and choose the tab again.",
        }),
      );
  }, [room]);
  const isHere = lane.ranOn === lab.machineOf(lane);
  useEffect(() => {
    // The present run may still be on the previous machine.
    if (s.instant.value === undefined && isHere && lane.state === "done") void busiest(lane);
  }, [isHere, lane.state]);
  usePlay(lane);
  const index = s.lanes.value.indexOf(lane);
  const [Picture, Strip] = [pictures.value?.default, pictures.value?.Strip];
  return (
    <section class="torus" aria-label="Machine">
      <div class="bar">
        <h2>{nameOf(lane)}</h2>
        <label class="inline">
          Run
          <select
            value={lane.id}
            onChange={(event) => s.showLane(Number(event.currentTarget.value))}
          >
            {lanes.map((other) => (
              <option key={other.id} value={other.id}>
                {s.letter(s.lanes.value.indexOf(other))} {policyOf(other)}
              </option>
            ))}
          </select>
        </label>
        <ColourBy />
      </div>
      {!s.isPredicting.value && <Clock lane={lane} />}
      {Picture && isHere ? (
        <Picture lane={lane} />
      ) : (
        <p class="quiet">{lane.state === "failed" ? "The run failed." : "Waiting for the run…"}</p>
      )}
      <figure class="lane">
        <figcaption>
          <Mark index={index} /> <b>{s.letter(index)}</b> {policyOf(lane)}{" "}
          <small>{room.rows}; click to move the instant</small>
        </figcaption>
        {!s.isPredicting.value && <Minimap />}
        <Gantt lane={lane} index={index} />
        <TimeAxis />
        {!s.isPredicting.value && Strip && <Strip lane={lane} />}
        <Legend />
      </figure>
    </section>
  );
}
