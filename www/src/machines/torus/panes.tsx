// The pictures of the machine at an instant: slices, space, and the boxes as a table. They share
// the node under the cursor.
import { batch, signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { GeometryFacts, OccupancyFacts } from "schedscope";
import { ask, Stopped } from "../../engine/workers";
import { figureOfCanvas, PictureTools } from "../../export/tools";
import { count, counted, duration, figure, instant, share } from "../../format/words";
import * as lab from "../../lab";
import * as s from "../../state";
import { useWho } from "../../timeline/who";
import { styled, useSize } from "../../ui/canvas";
import { Card, type Place } from "../../ui/card";
import { DataTable } from "../../ui/table";
import { contiguity } from "./ask";
import { CLOSED, compactness, number, owners, rows, shape, size, type Triple } from "./boxes";
import type { Options, View } from "./scene";
import { cornerOf, drawSlices, nodeAt, plan } from "./slices";

const own = {
  /** The node under the pointer or under the cursor of the keyboard. */
  node: signal<Triple | undefined>(undefined),
  /** The place of the pointer, or of the node, in the window. */
  place: signal<Place | undefined>(undefined),
};
const { node } = own;

/** Points at a node, in the slices and in space. */
export function pointAtNode(at: Triple | undefined, place?: Place): void {
  batch(() => {
    own.node.value = at;
    own.place.value = place;
  });
}

/** Number of instants among which the most fragmented one is sought. */
const LOOKED_AT = 1000;

/** Shows the instant at which the largest free box has the least share of the free nodes. */
async function goToMostFragmented(lane: s.Lane): Promise<void> {
  if (!lane.hand) return;
  const { from, to } = s.view.value;
  try {
    const shares = await ask(lane.hand, (engine) => contiguity(engine, from, to, LOOKED_AT));
    let least = -1;
    for (const [at, share] of shares.entries())
      if (share !== null && share < (shares[least] ?? Number.POSITIVE_INFINITY)) least = at;
    if (least < 0) return s.say("No node is free at any of these instants.");
    // Shares are those at the middle of each part.
    const at = from + ((least + 0.5) / LOOKED_AT) * (to - from);
    s.showInstant(at);
    s.say(`The largest free box has ${share(shares[least] ?? 0)} of the free nodes.`);
  } catch (error) {
    if (!(error instanceof Stopped)) lab.fail(error);
  }
}

const reducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function Pictures({
  lane,
  geometry,
  occupancy,
}: {
  lane: s.Lane;
  geometry: GeometryFacts;
  occupancy: OccupancyFacts;
}) {
  const { largest, free, residents, waiting } = occupancy;
  const owner = useMemo(() => owners(geometry, occupancy), [geometry, occupancy]);
  const hovered = node.value ? owner[number(geometry, node.value)]! : -1;
  const who = useWho(lane, residents[hovered]?.job);
  const selected = occupancy.residents.findIndex(
    (resident) => resident.record === s.selected.value,
  );
  const pointed =
    s.pointed.value?.lane === lane.id
      ? residents.findIndex((resident) => resident.job === s.pointed.value!.job)
      : -1;
  const marked = [hovered, pointed, selected].find((job) => job >= 0) ?? -1;
  // The timeline marks the job of the node under the cursor.
  useEffect(() => {
    const resident = residents[hovered];
    if (resident)
      s.pointAt({
        lane: lane.id,
        job: resident.job,
        from: resident.from,
        to: resident.to,
        rows: rows(geometry, resident.box),
      });
    else if (s.pointed.value?.rows) s.pointAt(undefined);
  }, [hovered, occupancy]);
  const marksLargest = useSignal(true);
  // While the reader predicts, the page must not tell.
  const isAsked = s.isPredicting.value;
  const showsLargest = marksLargest.value && !isAsked;
  const total = geometry.extent.reduce((product, nodes) => product * nodes, 1);
  const closed = owner.reduce((sum, own) => sum + (own === CLOSED ? 1 : 0), 0);
  const raised = residents.filter((resident) => size(resident.box) > resident.processors).length;
  return (
    <>
      <p class="sentence" data-occupancy={occupancy.at}>
        {counted(residents.length, "job")} on {count(total - free - closed)} of{" "}
        {counted(total, "node")}, {count(waiting)} waiting.
        {isAsked
          ? ` ${count(free)} free.`
          : free > 0 && largest
            ? ` ${count(free)} free; the largest free box is ${shape(largest)}, ${share(size(largest) / free)} of them.`
            : free === 0
              ? " No node is free."
              : ""}
        {closed > 0 && ` ${count(closed)} out of service.`}
        {raised > 0 &&
          ` ${counted(raised, "job has a larger box than it asked for", "jobs have larger boxes than they asked for")}.`}
        {geometry.supernode > 1 && <small> A node stands for {count(geometry.supernode)}.</small>}
      </p>
      {!isAsked && (
        <label class="inline">
          <input
            type="checkbox"
            checked={marksLargest.value}
            onChange={(event) => (marksLargest.value = event.currentTarget.checked)}
          />{" "}
          Mark the largest free box
        </label>
      )}
      {!isAsked && lane.state === "done" && (
        <button
          type="button"
          class="small"
          title={`The instant at which the largest free box has the least share of the free nodes, among ${count(LOOKED_AT)} in the timeline's window`}
          onClick={() => void goToMostFragmented(lane)}
        >
          Most fragmented
        </button>
      )}
      <div class="machine">
        <Slices
          geometry={geometry}
          occupancy={occupancy}
          owner={owner}
          marked={marked}
          largest={showsLargest}
        />
        <Space
          key={geometry.extent.join()}
          lane={lane}
          geometry={geometry}
          occupancy={occupancy}
          owner={owner}
          marked={marked}
          largest={showsLargest}
        />
      </div>
      <Card
        at={node.value && own.place.value}
        words={[describe(geometry, occupancy, owner), who].join("\n").trim()}
      />
      <p class="quiet">
        Point at a node, or focus a picture to use the keyboard. Click to select the job.
      </p>
      <Table occupancy={occupancy} />
    </>
  );
}

/** Returns a description of the node under the cursor. */
function describe(
  geometry: GeometryFacts,
  { residents }: OccupancyFacts,
  owner: Int32Array,
): string {
  const at = node.value;
  if (!at) return "";
  const own = owner[number(geometry, at)]!;
  const resident = residents[own];
  const where = `Node (${at.join(", ")})`;
  if (!resident) return `${where}: ${own === CLOSED ? "out of service" : "free"}`;
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

/** Marks and selects the job under the pointer. */
const selectNode = (at: Triple | undefined, { geometry, occupancy, owner }: Picture): void =>
  void lab.select(at && occupancy.residents[owner[number(geometry, at)]!]?.record);

function Slices(picture: Picture) {
  const { geometry, occupancy, owner, marked, largest } = picture;
  const [ref, room] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const axis = useSignal(2);
  const lying = useMemo(
    () => plan(geometry, axis.value, Math.max(120, room.width), 420),
    [geometry, axis.value, room.width],
  );
  useEffect(() => {
    if (canvas.current && room.width > 0)
      drawSlices(canvas.current, geometry, occupancy, owner, lying, {
        job: marked,
        node: node.value,
        largest,
      });
  }, [geometry, occupancy, owner, lying, marked, node.value, largest, s.theme.value, room.width]);
  const under = (event: PointerEvent): Triple | undefined => {
    const box = canvas.current!.getBoundingClientRect();
    return nodeAt(geometry, lying, event.clientX - box.left, event.clientY - box.top);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const [layer, across, down] = lying.axes;
    const by = {
      ArrowLeft: [across, -1],
      ArrowRight: [across, 1],
      ArrowUp: [down, -1],
      ArrowDown: [down, 1],
      PageUp: [layer, -1],
      PageDown: [layer, 1],
    }[event.key] as [number, number] | undefined;
    const at = [...(node.value ?? [0, 0, 0])];
    if (event.key === "Enter") node.value && selectNode(node.value, picture);
    else if (event.key === "Escape") void lab.select(undefined);
    else if (by) {
      const nodes = geometry.extent[by[0]]!;
      // The first key only shows the cursor.
      if (node.value) at[by[0]] = (at[by[0]]! + by[1] + nodes) % nodes;
      const to = at as unknown as Triple;
      const box = canvas.current!.getBoundingClientRect();
      const [x, y] = cornerOf(geometry, lying, to);
      pointAtNode(to, { x: box.left + x, y: box.top + y, width: lying.cell, height: lying.cell });
      s.say(describe(geometry, occupancy, owner));
    } else return;
    event.preventDefault();
  };
  return (
    <div class="slices">
      <PictureTools
        title="Slices"
        of={() =>
          figureOfCanvas(
            canvas.current!,
            `Slices of the torus at ${Math.round(occupancy.at)} s`,
            "Slices of the machine; frames are boxes of jobs",
          )
        }
      />
      <label class="inline">
        Slices along
        <select
          value={axis.value}
          onChange={(event) => (axis.value = Number(event.currentTarget.value))}
        >
          {["x", "y", "z"].map((name, at) => (
            <option key={name} value={at}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <div ref={ref} class="scroll">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          style={{ width: `${lying.width}px`, height: `${lying.height}px` }}
          aria-label={`The machine's ${shape({ at: [0, 0, 0], extent: geometry.extent })} nodes in slices. Arrow keys move over a slice, Page Up and Page Down to the next one, Enter selects the job.`}
          onPointerMove={(event) =>
            pointAtNode(under(event), { x: event.clientX, y: event.clientY })
          }
          onPointerLeave={() => pointAtNode(undefined)}
          onBlur={() => pointAtNode(undefined)}
          onClick={(event) => selectNode(under(event as unknown as PointerEvent), picture)}
          onKeyDown={onKeyDown}
        />
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
          failure.value =
            "This browser has no WebGL, so the picture in space is missing. The slices show the same.";
        }
      },
      () => (failure.value = "The picture in space could not be loaded. The slices show the same."),
    );
    return () => {
      isGone = true;
      view.value?.dispose();
    };
  }, []);
  useEffect(() => view.value?.resize(room.width, room.height), [view.value, room]);
  const shown = useRef(lane.id);
  useEffect(() => {
    const options: Options = {
      peel: peel.value,
      explode: explode.value,
      ghosts: ghosts.value,
      largest,
      marked,
      ink: styled("--ink-2"),
      accent: styled("--accent"),
    };
    view.value?.show(occupancy, owner, options, shown.current === lane.id && !reducedMotion());
    shown.current = lane.id;
  }, [
    view.value,
    occupancy,
    owner,
    peel.value,
    explode.value,
    ghosts.value,
    largest,
    marked,
    s.theme.value,
  ]);
  const place = (event: PointerEvent): [number, number] => {
    const box = canvas.current!.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  const down = useRef<[number, number]>([0, 0]);
  const onUp = (event: PointerEvent) => {
    const [x, y] = place(event);
    if (Math.hypot(x - down.current[0], y - down.current[1]) < 0.01)
      selectNode(view.value?.pick(x, y), picture);
  };
  const pointing = useRef(0);
  const onMove = (event: PointerEvent) => {
    if (event.buttons !== 0 || pointing.current) return;
    const at = place(event);
    const { clientX: x, clientY: y } = event;
    pointing.current = requestAnimationFrame(() => {
      pointing.current = 0;
      pointAtNode(view.value?.pick(...at), { x, y });
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const turn = {
      ArrowLeft: [-0.15, 0],
      ArrowRight: [0.15, 0],
      ArrowUp: [0, -0.15],
      ArrowDown: [0, 0.15],
    }[event.key] as [number, number] | undefined;
    if (turn) view.value?.turn(...turn);
    else if (event.key === "+") view.value?.zoom(1.2);
    else if (event.key === "-") view.value?.zoom(1 / 1.2);
    else return;
    event.preventDefault();
  };
  const spaceFigure = async () => {
    const blob = await view.value?.blob();
    if (!blob || !canvas.current) return undefined;
    // A standalone file must contain its pictures: a `blob:` URL would lead nowhere.
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    const figure = figureOfCanvas(
      canvas.current,
      `The torus at ${Math.round(occupancy.at)} s`,
      "The machine in space; boxes are jobs",
    );
    return {
      ...figure,
      panels: [{ ...figure.panels[0]!, image: { url: `data:image/png;base64,${btoa(binary)}` } }],
    };
  };
  if (failure.value)
    return (
      <p class="space quiet" role="status">
        {failure.value}
      </p>
    );
  return (
    <div class="space">
      <div class="group" role="group" aria-label="Look">
        {(["corner", "x", "y", "z"] as const).map((to) => (
          <button type="button" class="small" key={to} onClick={() => view.value?.snap(to)}>
            {to === "corner" ? "Corner" : `Along ${to}`}
          </button>
        ))}
        <PictureTools title="The machine in space" of={spaceFigure} />
      </div>
      <div ref={ref} class="space-canvas">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          data-ready={view.value ? "yes" : "no"}
          aria-label="The machine in space. Arrow keys turn it, plus and minus zoom. The slices beside it show the same, with a cursor that speaks."
          onPointerDown={(event) => (down.current = place(event))}
          onPointerUp={onUp}
          onPointerMove={onMove}
          onPointerLeave={() => pointAtNode(undefined)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div class="space-tools">
        {geometry.extent.map((nodes, axis) => (
          <label class="inline" key={axis}>
            Peel {"xyz"[axis]}
            <input
              type="range"
              min={0}
              max={nodes - 1}
              value={peel.value[axis]}
              onInput={(event) =>
                (peel.value = peel.value.map((layers, at) =>
                  at === axis ? Number(event.currentTarget.value) : layers,
                ) as unknown as Triple)
              }
            />
          </label>
        ))}
        <label class="inline">
          Explode{" "}
          <input
            type="range"
            min={0}
            max={1.5}
            step={0.05}
            value={explode.value}
            onInput={(event) => (explode.value = Number(event.currentTarget.value))}
          />
        </label>
        <label class="inline">
          <input
            type="checkbox"
            checked={ghosts.value}
            onChange={(event) => (ghosts.value = event.currentTarget.checked)}
          />{" "}
          Free nodes
        </label>
      </div>
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
        <DataTable
          label="Boxes as a table"
          rows={occupancy.residents}
          columns={[
            {
              name: "Job",
              isHead: true,
              value: ({ number }) => number,
              show: ({ number, record }) => (
                <button type="button" class="link" onClick={() => void lab.select(record)}>
                  {number}
                </button>
              ),
            },
            {
              name: "Asked",
              value: ({ processors }) => processors,
              show: ({ processors }) => count(processors),
            },
            { name: "Box", value: ({ box, moved }) => `${shape(box)}${moved ? ", moved" : ""}` },
            { name: "First node", value: ({ box }) => box.at.join(", ") },
            {
              name: "Compactness",
              value: ({ box }) => compactness(box),
              show: ({ box }) => figure(compactness(box)),
            },
            {
              name: "There for (s)",
              head: "There for",
              value: ({ from }) => occupancy.at - from,
              show: ({ from }) => duration(occupancy.at - from),
            },
            {
              name: "Until (s)",
              head: "Until",
              value: ({ to }) => to,
              show: ({ to }) => instant(to, unixStart),
            },
          ]}
        />
      )}
    </details>
  );
}
