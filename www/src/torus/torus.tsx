// The Torus tab: a run on a machine with geometry, at an instant that is moved and played, beside its timeline.
import { useEffect, useRef } from "preact/hooks";
import { prepare, styled, useSize } from "../canvas";
import { Mark } from "../experiment";
import { ColourBy, Gantt, Legend } from "../gantt";
import { busiest, Clock, policyOf, useLatest, usePlay } from "../instant";
import * as lab from "../lab";
import { Minimap, TimeAxis } from "../strips";
import * as s from "../state";
import { node, Pictures } from "./panes";

export default function Torus() {
  const lanes = s.lanes.value.filter((lane) => isTorus(lane));
  const lane = lanes.find(({ id }) => id === s.shownLane.value) ?? lanes[0];
  if (!lane) return <NoTorus />;
  return <Machine lane={lane} lanes={lanes} />;
}

const isTorus = (lane: s.Lane): boolean => s.catalog.value?.machines.find(({ id }) => id === lab.machineOf(lane))?.has_geometry ?? false;

function NoTorus() {
  const begin = async () => {
    await lab.setMachine("torus");
    lab.runAll();
  };
  return (
    <section aria-label="Torus">
      <h2>Torus</h2>
      <p>The runs are on a flat machine, on which any free processors serve a job. On a 3D torus each job gets a box of nodes, as on BlueGene/L.</p>
      {!s.lesson.value && <div class="buttons"><button type="button" class="primary" onClick={() => void begin()}>Run them on a 4 × 4 × 8 torus</button></div>}
      {!s.lesson.value && <p class="quiet">Another shape is a matter of X, Y and Z under “2 Machine” on the left.</p>}
    </section>
  );
}

function Machine({ lane, lanes }: { lane: s.Lane; lanes: s.Lane[] }) {
  const geometry = useLatest(lane, [lane.facts], () => (lane.facts ? (engine) => engine.geometry() : undefined));
  const at = s.instant.value;
  const [colouring, theme] = [s.colouring.value, s.theme.value];
  const answer = useLatest(lane, [at, colouring, theme, lane.drawn], () => (at === undefined || !lane.facts ? undefined : (engine) => engine.occupancy(at, colouring, theme)));
  useEffect(() => {
    // The run that is there may still be the one on the machine before.
    if (geometry && s.instant.value === undefined && lane.state === "done") void busiest(lane);
  }, [geometry, lane.state]);
  useEffect(() => () => (node.value = undefined), []);
  useEffect(() => {
    if (answer?.legend) s.legend.value = answer.legend;
  }, [answer]);
  usePlay(lane);
  const index = s.lanes.value.indexOf(lane);
  const occupancy = answer?.facts;
  return (
    <section class="torus" aria-label="Torus">
      <div class="bar">
        <h2>Torus</h2>
        <label class="inline">
          Run
          <select value={lane.id} onChange={(event) => (s.shownLane.value = Number(event.currentTarget.value))}>
            {lanes.map((other) => <option key={other.id} value={other.id}>{s.letter(s.lanes.value.indexOf(other))} {policyOf(other)}</option>)}
          </select>
        </label>
        <ColourBy />
      </div>
      {!s.isPredicting.value && <Clock lane={lane} />}
      {geometry && occupancy ? <Pictures lane={lane} geometry={geometry} occupancy={occupancy} /> : <p class="quiet">{lane.state === "failed" ? "The run failed." : "The run is on its way…"}</p>}
      <figure class="lane">
        <figcaption><Mark index={index} /> <b>{s.letter(index)}</b> {policyOf(lane)} <small>node x + X (y + Y z) is a row; a click goes to that instant</small></figcaption>
        {!s.isPredicting.value && <Minimap />}
        <Gantt lane={lane} index={index} />
        <TimeAxis />
        {!s.isPredicting.value && <Contiguity lane={lane} />}
        <Legend />
      </figure>
    </section>
  );
}

/** The share of the free nodes in the largest free box, over the window of the timeline. */
function Contiguity({ lane }: { lane: s.Lane }) {
  const [ref, room] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { from, to } = s.view.value;
  const parts = Math.min(400, Math.round(room.width / 2));
  const shares = useLatest(lane, [from, to, parts, lane.state], () => (parts > 0 && lane.state === "done" ? async (engine) => ({ from, to, shares: await engine.contiguity(from, to, parts) }) : undefined));
  useEffect(() => {
    const context = canvas.current && prepare(canvas.current, room.width, room.height);
    if (!context || !shares) return;
    const x = (time: number) => ((time - from) / (to - from)) * room.width;
    context.fillStyle = styled("--silhouette");
    shares.shares.forEach((value, bin) => {
      if (Number.isNaN(value)) return;
      const left = shares.from + (bin / shares.shares.length) * (shares.to - shares.from);
      const right = shares.from + ((bin + 1) / shares.shares.length) * (shares.to - shares.from);
      context.fillRect(x(left), room.height * (1 - value), Math.max(1, x(right) - x(left)), room.height * value);
    });
    if (s.instant.value !== undefined) {
      context.strokeStyle = styled("--accent");
      context.lineWidth = 2;
      context.strokeRect(x(s.instant.value), -2, 0, room.height + 4);
    }
  }, [shares, room, from, to, s.instant.value, s.theme.value]);
  return (
    <div class="strip">
      <span class="strip-name">Largest free box<small>share of the free nodes, 0 to 100 %; gaps: no node is free</small></span>
      <div ref={ref} class="strip-canvas"><canvas ref={canvas} role="img" aria-label="The largest free box as a share of the free nodes, over time" /></div>
    </div>
  );
}
