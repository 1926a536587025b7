// The Torus tab: a run on a machine with geometry, at an instant that is moved and played, beside its timeline.
import { effect, signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { prepare, styled, useSize } from "../canvas";
import { Mark } from "../experiment";
import { instant } from "../format";
import { ColourBy, Gantt, Legend } from "../gantt";
import * as lab from "../lab";
import { Minimap, TimeAxis } from "../strips";
import * as s from "../state";
import { ask } from "../workers";
import { node, Pictures } from "./panes";

/** The run that is shown. */
const shownLane = signal<number | undefined>(undefined);
const isPlaying = signal(false);
/** Changes a second while it plays. */
const pace = signal(4);

export default function Torus() {
  const lanes = s.lanes.value.filter((lane) => isTorus(lane));
  const lane = lanes.find(({ id }) => id === shownLane.value) ?? lanes[0];
  if (!lane) return <NoTorus />;
  return <Machine key={lane.id} lane={lane} lanes={lanes} />;
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
      <p class="quiet">Another shape is a matter of X, Y and Z under “2 Machine” on the left.</p>
    </section>
  );
}

/** Asks a run's worker one thing after the other: only the latest wish counts. */
function useLatest<T>(lane: s.Lane, wish: unknown[], work: () => ((engine: NonNullable<s.Lane["hand"]>["engine"]) => Promise<T>) | undefined): T | undefined {
  const answer = useSignal<T | undefined>(undefined);
  const state = useRef({ isBusy: false, isWanted: false, latest: work, hand: lane.hand });
  state.current.latest = work;
  state.current.hand = lane.hand;
  useEffect(() => {
    let isOver = false;
    const pump = async () => {
      const now = state.current;
      if (now.isBusy) return void (now.isWanted = true);
      now.isBusy = true;
      do {
        now.isWanted = false;
        const asked = now.latest();
        // What was said of a run that is no longer there is said no more.
        answer.value = now.hand && asked ? await ask(now.hand, asked).catch(() => answer.value) : undefined;
      } while (now.isWanted && !isOver);
      now.isBusy = false;
    };
    void pump();
    return () => void (isOver = !lane.hand);
  }, [lane.hand, ...wish]);
  return answer.value;
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
  useEffect(() => () => {
    isPlaying.value = false;
    s.instant.value = undefined;
    node.value = undefined;
    s.pointed.value = undefined;
  }, []);
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
          <select value={lane.id} onChange={(event) => (shownLane.value = Number(event.currentTarget.value))}>
            {lanes.map((other) => <option key={other.id} value={other.id}>{s.letter(s.lanes.value.indexOf(other))} {policyOf(other)}</option>)}
          </select>
        </label>
        <ColourBy />
      </div>
      <Clock lane={lane} />
      {geometry && occupancy ? <Pictures lane={lane} geometry={geometry} occupancy={occupancy} /> : <p class="quiet">{lane.state === "failed" ? "The run failed." : "The run is on its way…"}</p>}
      <figure class="lane">
        <figcaption><Mark index={index} /> <b>{s.letter(index)}</b> {policyOf(lane)} <small>node x + X (y + Y z) is a row; a click goes to that instant</small></figcaption>
        <Minimap />
        <Gantt lane={lane} index={index} />
        <TimeAxis />
        <Contiguity lane={lane} />
        <Legend />
      </figure>
    </section>
  );
}

const policyOf = (lane: s.Lane): string => s.catalog.value?.policies.find(({ id }) => id === lane.policy)?.name ?? lane.policy;

/** Begins in the middle of the run, where there is something to see. */
async function busiest(lane: s.Lane): Promise<void> {
  const { from, to } = s.extent.value;
  const middle = (from + to) / 2;
  const found = lane.hand ? await ask(lane.hand, (engine) => engine.nextChange(middle, true)).catch(() => undefined) : undefined;
  s.instant.value ??= found ?? middle;
}

async function step(lane: s.Lane, forwards: boolean): Promise<boolean> {
  const at = s.instant.value;
  if (!lane.hand || at === undefined) return false;
  const next = await ask(lane.hand, (engine) => engine.nextChange(at, forwards)).catch(() => undefined);
  if (next === undefined || next === null) return false;
  s.instant.value = next;
  return true;
}

/** From change to change, at a steady pace. */
function usePlay(lane: s.Lane): void {
  const latest = useRef(lane);
  latest.current = lane;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = async () => {
      if (!(await step(latest.current, true))) isPlaying.value = false;
      if (isPlaying.value) timer = setTimeout(() => void next(), 1000 / pace.value);
    };
    const stop = effect(() => {
      clearTimeout(timer);
      // Not in here: what it reads would start it again.
      if (isPlaying.value) timer = setTimeout(() => void next(), 0);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
}

function Clock({ lane }: { lane: s.Lane }) {
  const { from, to } = s.extent.value;
  const at = s.instant.value ?? from;
  const unixStart = s.workload.value?.provenance.unix_start;
  return (
    <div class="clock">
      <div class="group" role="group" aria-label="Time">
        <button type="button" class="small" aria-label="Last change before" onClick={() => void step(lane, false)}>◀</button>
        <button type="button" class="small" aria-pressed={isPlaying.value} onClick={() => (isPlaying.value = !isPlaying.value)}>{isPlaying.value ? "Pause" : "Play"}</button>
        <button type="button" class="small" aria-label="Next change" onClick={() => void step(lane, true)}>▶</button>
      </div>
      <label class="inline">
        Pace
        <select value={pace.value} onChange={(event) => (pace.value = Number(event.currentTarget.value))}>
          {[1, 4, 12, 30].map((changes) => <option key={changes} value={changes}>{changes} changes/s</option>)}
        </select>
      </label>
      <input type="range" aria-label="Instant" min={from} max={to} step="any" value={at} aria-valuetext={instant(at, unixStart)} onInput={(event) => (s.instant.value = Number(event.currentTarget.value))} />
      <span class="quiet">{instant(at, unixStart)}</span>
    </div>
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
