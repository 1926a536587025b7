// The Torus tab: who has which box of the machine at an instant, in slices and in space, beside the run's timeline.
import { effect, signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { GeometryFacts, OccupancyFacts } from "schedscope";
import { prepare, styled, useSize } from "../canvas";
import { Mark } from "../experiment";
import { count, duration, figure, instant, share } from "../format";
import { ColourBy, Gantt, Legend } from "../gantt";
import * as lab from "../lab";
import { Minimap, TimeAxis } from "../strips";
import * as s from "../state";
import { ask } from "../workers";
import { compactness, number, owners, rows, shape, size, type Triple } from "./boxes";
import type { Options, View } from "./scene";
import { drawSlices, nodeAt, plan } from "./slices";

/** The run that is shown. */
const shownLane = signal<number | undefined>(undefined);
/** The node under the pointer or the keyboard's cursor. */
const node = signal<Triple | undefined>(undefined);
const isPlaying = signal(false);
/** Changes a second while it plays. */
const pace = signal(4);

const reducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

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

function Pictures({ lane, geometry, occupancy }: { lane: s.Lane; geometry: GeometryFacts; occupancy: OccupancyFacts }) {
  const { largest, free, residents, waiting } = occupancy;
  const owner = useMemo(() => owners(geometry, occupancy), [geometry, occupancy]);
  const hovered = node.value ? owner[number(geometry, node.value)]! : -1;
  const selected = occupancy.residents.findIndex((resident) => resident.record === s.selected.value);
  const pointed = s.pointed.value?.lane === lane.id ? residents.findIndex((resident) => resident.job === s.pointed.value!.job) : -1;
  const marked = [hovered, pointed, selected].find((job) => job >= 0) ?? -1;
  // The timeline marks the job of the node under the cursor.
  useEffect(() => {
    const resident = residents[hovered];
    if (resident) s.pointed.value = { lane: lane.id, job: resident.job, from: resident.from, to: resident.to, rows: rows(geometry, resident.box) };
    else if (s.pointed.value?.rows) s.pointed.value = undefined;
  }, [hovered, occupancy]);
  const showsLargest = useSignal(true);
  const total = geometry.extent.reduce((product, nodes) => product * nodes, 1);
  const raised = residents.filter((resident) => size(resident.box) > resident.processors).length;
  return (
    <>
      <p class="sentence" data-occupancy={occupancy.at}>
        {count(residents.length)} job{residents.length === 1 ? "" : "s"} on {count(total - free)} of {count(total)} nodes, {count(waiting)} waiting.
        {free > 0 && largest ? ` ${count(free)} free; the largest free box is ${shape(largest)}, ${share(size(largest) / free)} of them.` : free === 0 ? " No node is free." : ""}
        {raised > 0 && ` ${raised} ${raised === 1 ? "job has a larger box than it asked for" : "jobs have larger boxes than they asked for"}.`}
        {geometry.supernode > 1 && <small> A node stands for {count(geometry.supernode)}.</small>}
      </p>
      <label class="inline"><input type="checkbox" checked={showsLargest.value} onChange={(event) => (showsLargest.value = event.currentTarget.checked)} /> Mark the largest free box</label>
      <div class="machine">
        <Slices geometry={geometry} occupancy={occupancy} owner={owner} marked={marked} largest={showsLargest.value} />
        <Space key={geometry.extent.join()} lane={lane} geometry={geometry} occupancy={occupancy} owner={owner} marked={marked} largest={showsLargest.value} />
      </div>
      <p class="hover" data-node={node.value?.join() ?? ""}>{describe(geometry, occupancy, owner) || "Point at a node, or focus a picture for the keyboard. A click selects the job."}</p>
      <Table occupancy={occupancy} />
    </>
  );
}

/** The node under the cursor, in words. */
function describe(geometry: GeometryFacts, { residents }: OccupancyFacts, owner: Int32Array): string {
  const at = node.value;
  if (!at) return "";
  const resident = residents[owner[number(geometry, at)]!];
  const where = `Node (${at.join(", ")})`;
  if (!resident) return `${where}: free`;
  const { box, processors } = resident;
  return `${where}: job ${resident.number}, ${shape(box)} nodes${size(box) > processors ? ` for ${processors} asked` : ""}, compactness ${figure(compactness(box))}, until ${instant(resident.to, s.workload.value?.provenance.unix_start)}${resident.moved ? ", moved here" : ""}`;
}

interface Picture {
  geometry: GeometryFacts;
  occupancy: OccupancyFacts;
  owner: Int32Array;
  marked: number;
  largest: boolean;
}

/** Marks and selects what is under the pointer. */
const selectNode = (at: Triple | undefined, { geometry, occupancy, owner }: Picture): void => void lab.select(at && occupancy.residents[owner[number(geometry, at)]!]?.record);

function Slices(picture: Picture) {
  const { geometry, occupancy, owner, marked, largest } = picture;
  const [ref, room] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const axis = useSignal(2);
  const lying = useMemo(() => plan(geometry, axis.value, Math.max(120, room.width), 420), [geometry, axis.value, room.width]);
  useEffect(() => {
    if (canvas.current && room.width > 0) drawSlices(canvas.current, geometry, occupancy, owner, lying, { job: marked, node: node.value, largest });
  }, [geometry, occupancy, owner, lying, marked, node.value, largest, s.theme.value, room.width]);
  const under = (event: PointerEvent): Triple | undefined => {
    const box = canvas.current!.getBoundingClientRect();
    return nodeAt(geometry, lying, event.clientX - box.left, event.clientY - box.top);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const [layer, across, down] = lying.axes;
    const by = { ArrowLeft: [across, -1], ArrowRight: [across, 1], ArrowUp: [down, -1], ArrowDown: [down, 1], PageUp: [layer, -1], PageDown: [layer, 1] }[event.key] as [number, number] | undefined;
    const at = [...(node.value ?? [0, 0, 0])];
    if (event.key === "Enter") node.value && selectNode(node.value, picture);
    else if (event.key === "Escape") void lab.select(undefined);
    else if (by) {
      const nodes = geometry.extent[by[0]]!;
      // The first key shows where the cursor is.
      if (node.value) at[by[0]] = (at[by[0]]! + by[1] + nodes) % nodes;
      node.value = at as unknown as Triple;
      s.spoken.value = describe(geometry, occupancy, owner);
    } else return;
    event.preventDefault();
  };
  return (
    <div class="slices">
      <label class="inline">
        Slices along
        <select value={axis.value} onChange={(event) => (axis.value = Number(event.currentTarget.value))}>
          {["x", "y", "z"].map((name, at) => <option key={name} value={at}>{name}</option>)}
        </select>
      </label>
      <div ref={ref} class="scroll">
        <canvas ref={canvas} tabIndex={0} role="application" style={{ width: `${lying.width}px`, height: `${lying.height}px` }}
          aria-label={`The machine's ${shape({ at: [0, 0, 0], extent: geometry.extent })} nodes in slices. Arrow keys move over a slice, Page Up and Page Down to the next one, Enter selects the job.`}
          onPointerMove={(event) => (node.value = under(event))} onPointerLeave={() => (node.value = undefined)}
          onClick={(event) => selectNode(under(event as unknown as PointerEvent), picture)} onKeyDown={onKeyDown} />
      </div>
    </div>
  );
}

function Space(picture: Picture & { lane: s.Lane }) {
  const { lane, geometry, occupancy, owner, marked, largest } = picture;
  const [ref, room] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useSignal<View | undefined>(undefined);
  const failure = useSignal("");
  const peel = useSignal<Triple>([0, 0, 0]);
  const explode = useSignal(0);
  const ghosts = useSignal(true);
  useEffect(() => {
    let isGone = false;
    import("./scene").then(
      ({ View }) => {
        if (isGone) return;
        try {
          view.value = new View(canvas.current!, geometry);
        } catch {
          failure.value = "This browser has no WebGL, so that there is no picture in space; the slices show the same.";
        }
      },
      () => (failure.value = "The picture in space could not be loaded; the slices show the same."),
    );
    return () => {
      isGone = true;
      view.value?.dispose();
    };
  }, []);
  useEffect(() => view.value?.resize(room.width, room.height), [view.value, room]);
  const shown = useRef(lane.id);
  useEffect(() => {
    const options: Options = { peel: peel.value, explode: explode.value, ghosts: ghosts.value, largest, marked, ink: styled("--quiet"), accent: styled("--accent") };
    view.value?.show(occupancy, owner, options, shown.current === lane.id && !reducedMotion());
    shown.current = lane.id;
  }, [view.value, occupancy, owner, peel.value, explode.value, ghosts.value, largest, marked, s.theme.value]);
  const place = (event: PointerEvent): [number, number] => {
    const box = canvas.current!.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  const down = useRef<[number, number]>([0, 0]);
  const onUp = (event: PointerEvent) => {
    const [x, y] = place(event);
    if (Math.hypot(x - down.current[0], y - down.current[1]) < 0.01) selectNode(view.value?.pick(x, y), picture);
  };
  const pointing = useRef(0);
  const onMove = (event: PointerEvent) => {
    if (event.buttons !== 0 || pointing.current) return;
    const at = place(event);
    pointing.current = requestAnimationFrame(() => {
      pointing.current = 0;
      node.value = view.value?.pick(...at);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const turn = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.15], ArrowDown: [0, 0.15] }[event.key] as [number, number] | undefined;
    if (turn) view.value?.turn(...turn);
    else if (event.key === "+") view.value?.zoom(1.2);
    else if (event.key === "-") view.value?.zoom(1 / 1.2);
    else return;
    event.preventDefault();
  };
  const save = async () => {
    const blob = await view.value?.blob();
    if (blob) lab.saveBlob(blob, `torus-${Math.round(occupancy.at)}.png`);
  };
  if (failure.value) return <p class="space quiet" role="status">{failure.value}</p>;
  return (
    <div class="space">
      <div class="group" role="group" aria-label="Look">
        {(["corner", "x", "y", "z"] as const).map((to) => <button type="button" class="small" key={to} onClick={() => view.value?.snap(to)}>{to === "corner" ? "Corner" : `Along ${to}`}</button>)}
        <button type="button" class="small" onClick={() => void save()}>PNG</button>
      </div>
      <div ref={ref} class="space-canvas">
        <canvas ref={canvas} tabIndex={0} role="application" data-ready={view.value ? "yes" : "no"} aria-label="The machine in space. Arrow keys turn it, plus and minus zoom. The slices beside it have the same for the keyboard and in words."
          onPointerDown={(event) => (down.current = place(event))} onPointerUp={onUp} onPointerMove={onMove} onPointerLeave={() => (node.value = undefined)} onKeyDown={onKeyDown} />
      </div>
      <div class="space-tools">
        {geometry.extent.map((nodes, axis) => (
          <label class="inline" key={axis}>
            Peel {"xyz"[axis]}
            <input type="range" min={0} max={nodes - 1} value={peel.value[axis]} onInput={(event) => (peel.value = peel.value.map((layers, at) => (at === axis ? Number(event.currentTarget.value) : layers)) as unknown as Triple)} />
          </label>
        ))}
        <label class="inline">Explode <input type="range" min={0} max={1.5} step={0.05} value={explode.value} onInput={(event) => (explode.value = Number(event.currentTarget.value))} /></label>
        <label class="inline"><input type="checkbox" checked={ghosts.value} onChange={(event) => (ghosts.value = event.currentTarget.checked)} /> Free nodes</label>
      </div>
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

function Table({ occupancy }: { occupancy: OccupancyFacts }) {
  const isOpen = useSignal(false);
  const unixStart = s.workload.value?.provenance.unix_start;
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Boxes as a table</summary>
      {isOpen.value && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Boxes as a table">
          <table>
            <thead>
              <tr><th scope="col">Job</th><th scope="col">Asked</th><th scope="col">Box</th><th scope="col">First node</th><th scope="col">Compactness</th><th scope="col">There for</th><th scope="col">Until</th></tr>
            </thead>
            <tbody>
              {occupancy.residents.map((resident) => (
                <tr key={resident.job}>
                  <th scope="row"><button type="button" class="link" onClick={() => void lab.select(resident.record)}>{resident.number}</button></th>
                  <td>{count(resident.processors)}</td>
                  <td>{shape(resident.box)}{resident.moved && ", moved"}</td>
                  <td>{resident.box.at.join(", ")}</td>
                  <td>{figure(compactness(resident.box))}</td>
                  <td>{duration(occupancy.at - resident.from)}</td>
                  <td>{instant(resident.to, unixStart)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
