// A microscope on one processor: the activities of all its processes, down to microseconds, in all
// runs that see processes.

import { signal, useSignal } from "@preact/signals";
import * as Comlink from "comlink";
import { useEffect, useRef } from "preact/hooks";
import type { Probed } from "../engine/protocol";
import { ask, Stopped } from "../engine/workers";
import { figureOfCanvas, PictureTools } from "../export/tools";
import { asProblem } from "../format/problem";
import { count, share } from "../format/words";
import * as s from "../state";
import { prepare, styled, useSize } from "../ui/canvas";
import { Mark } from "../ui/mark";
import { DataTable } from "../ui/table";
import { nameOf } from "./name";

const ACTIVITIES = [
  { name: "computes", colour: "#228833" },
  { name: "spins: waits and holds the processor", colour: "#ee6677" },
  { name: "switching, cache, daemons", colour: "#ccbb44" },
  { name: "blocked: waits and leaves the processor", colour: "#66ccee" },
  { name: "off: another process runs, or its row has no turn", colour: "#888888" },
] as const;

const SHORT = ["Computes", "Spins", "Overhead", "Blocked", "Off"];

const LENGTHS: [number, string][] = [
  [0.005, "5 ms"],
  [0.02, "20 ms"],
  [0.1, "100 ms"],
  [0.5, "500 ms"],
  [2, "2 s"],
];

interface Window {
  from: number;
  to: number;
}

const processor = signal(0);

const length = signal(0.02);

const own = {
  /**
   * The processor and the seconds after the instant to look at, as soon as there is a microscope.
   */
  wanted: signal<{ processor: number; length: number } | undefined>(undefined),
};
const { wanted } = own;

/**
 * Asks for a look at a processor, for some seconds from the instant on, as soon as there is a
 * microscope.
 */
export function wantLook(processor: number, length: number): void {
  own.wanted.value = { processor, length };
}

/** Returns a time in the microscope's window, to the microsecond. */
const fine = (seconds: number): string =>
  `${(seconds * 1000).toLocaleString("en", { maximumFractionDigits: 3 })} ms`;

export function Microscope({ at, processors }: { at: number; processors: number }) {
  const lanes = s.lanes.value.filter((lane) => lane.processes && lane.state === "done");
  const seen = useSignal<
    { from: number; to: number; processor: number; by: Map<number, Probed> } | undefined
  >(undefined);
  const window = useSignal<Window>({ from: 0, to: 1 });
  const busy = useSignal("");
  const latest = useRef(0);
  const section = useRef<HTMLElement>(null);
  const look = async () => {
    const turn = ++latest.current;
    const [from, to, pe] = [at, at + length.value, Math.min(processor.value, processors - 1)];
    const by = new Map<number, Probed>();
    for (const lane of lanes) {
      if (!lane.hand) continue;
      const begun = performance.now();
      let isOver = false;
      const say = (now: number) => {
        if (!isOver && turn === latest.current && performance.now() - begun > 300)
          busy.value = `Run ${s.letter(s.lanes.value.indexOf(lane))} runs again up to the instant: ${Math.max(0, Math.min(100, Math.round((100 * now) / Math.max(from, 1e-9))))} %`;
      };
      try {
        const probed = await ask(lane.hand, (engine) =>
          engine.microscope(pe, from, to, Comlink.proxy(say)),
        );
        if (turn !== latest.current) return;
        if (probed) by.set(lane.id, probed);
      } catch (error) {
        // A run that is simulated anew has no observations yet.
        if (!(error instanceof Stopped)) s.tell(asProblem(error));
      } finally {
        isOver = true;
      }
    }
    if (turn !== latest.current) return;
    busy.value = "";
    window.value = { from, to };
    seen.value = { from, to, processor: pe, by };
    s.say(`Processor ${pe}, ${fine(to - from)} from there.`);
  };
  // The reader has left: the answer is no longer wanted.
  useEffect(() => () => void (latest.current += 1), []);
  useEffect(() => {
    if (!wanted.value) return;
    processor.value = wanted.value.processor;
    length.value = wanted.value.length;
    own.wanted.value = undefined;
    void look().then(() => section.current?.scrollIntoView({ block: "nearest" }));
  }, [wanted.value]);
  const now = seen.value;
  return (
    <section ref={section} class="panel microscope" aria-label="Microscope">
      <div class="bar">
        <h3>Microscope</h3>
        <label class="inline">
          Processor{" "}
          <input
            type="number"
            min={0}
            max={processors - 1}
            value={processor.value}
            onChange={(event) =>
              (processor.value = Math.max(
                0,
                Math.min(processors - 1, Math.floor(Number(event.currentTarget.value) || 0)),
              ))
            }
          />
        </label>
        <label class="inline">
          For
          <select
            value={length.value}
            onChange={(event) => (length.value = Number(event.currentTarget.value))}
          >
            {LENGTHS.map(([seconds, name]) => (
              <option key={seconds} value={seconds}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          class="small primary"
          disabled={busy.value !== ""}
          onClick={() => void look()}
        >
          Look from the instant
        </button>
      </div>
      <p class="quiet" role="status">
        {busy.value ||
          "Shows the activities of every process on a processor, in all runs that see processes. Drag to pan. Zoom with W and S, or Ctrl + wheel; 0 shows all."}
      </p>
      {now && (
        <>
          <ul class="activities">
            {ACTIVITIES.map(({ name, colour }) => (
              <li key={name}>
                <i style={{ background: colour }} /> {name}
              </li>
            ))}
          </ul>
          {[...now.by].map(([id, probed]) => {
            const lane = s.laneOf(id);
            return (
              lane && (
                <Scope
                  key={`${id} ${now.from} ${now.to} ${now.processor}`}
                  lane={lane}
                  probed={probed}
                  all={now}
                  window={window}
                  processor={now.processor}
                />
              )
            );
          })}
        </>
      )}
    </section>
  );
}

function Scope({
  lane,
  probed,
  all,
  window,
  processor,
}: {
  lane: s.Lane;
  probed: Probed;
  all: Window;
  window: { value: Window };
  processor: number;
}) {
  const [ref, room] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const hover = useSignal("");
  const { from, to } = window.value;
  const high = 26;
  const processes = probed.processes;
  const height = processes.length * high + 18;
  const index = s.lanes.value.indexOf(lane);
  useEffect(() => {
    const context =
      canvas.current && room.width > 0 ? prepare(canvas.current, room.width, height) : null;
    if (!context) return;
    const x = (time: number) => ((time - from) / (to - from)) * room.width;
    for (const stretch of probed.stretches) {
      if (stretch.to < from || stretch.from > to) continue;
      context.fillStyle = ACTIVITIES[stretch.activity]!.colour;
      const left = Math.max(0, x(stretch.from));
      // A process off the processor has a thinner bar, so that the active ones stand out.
      const isOn = stretch.activity < 3;
      context.fillRect(
        left,
        stretch.process * high + (isOn ? 2 : 10),
        Math.min(room.width, x(stretch.to)) - left,
        isOn ? high - 4 : 6,
      );
    }
    context.fillStyle = styled("--ink");
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "bottom";
    for (let tick = 0; tick <= 4; tick += 1) {
      const text = `+${fine(from - all.from + ((to - from) * tick) / 4)}`;
      context.textAlign = tick === 0 ? "left" : tick === 4 ? "right" : "center";
      context.fillText(text, (room.width * tick) / 4, height);
    }
  }, [probed, room.width, from, to, s.theme.value]);
  const zoom = (factor: number, anchor: number) => {
    const span = Math.min(all.to - all.from, Math.max(2e-5, (to - from) * factor));
    const fixed = from + (to - from) * anchor;
    move(fixed - span * anchor, span);
  };
  const move = (begin: number, span: number) => {
    const clipped = Math.min(Math.max(begin, all.from), all.to - span);
    window.value = { from: clipped, to: clipped + span };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const span = to - from;
    const keys: Record<string, () => void> = {
      w: () => zoom(0.5, 0.5),
      s: () => zoom(2, 0.5),
      a: () => move(from - span / 4, span),
      d: () => move(from + span / 4, span),
      "0": () => move(all.from, all.to - all.from),
    };
    const act = keys[event.key.toLowerCase()];
    if (!act || event.ctrlKey || event.metaKey) return;
    act();
    event.preventDefault();
  };
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      const box = element.getBoundingClientRect();
      zoom(Math.exp(event.deltaY / 300), (event.clientX - box.left) / box.width);
      event.preventDefault();
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  });
  const onPointerMove = (event: PointerEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    if (event.buttons === 1) move(from - (event.movementX / box.width) * (to - from), to - from);
    const time = from + ((event.clientX - box.left) / box.width) * (to - from);
    const process = Math.floor((event.clientY - box.top) / high);
    const found = probed.stretches.find(
      (stretch) => stretch.process === process && stretch.from <= time && time < stretch.to,
    );
    hover.value = found
      ? `${title(processes[process]!)}: ${ACTIVITIES[found.activity]!.name}, ${fine(found.to - found.from)}`
      : "";
  };
  const totals = processes.map((_, process) => {
    const sums = [0, 0, 0, 0, 0];
    for (const stretch of probed.stretches)
      if (stretch.process === process) sums[stretch.activity]! += stretch.to - stretch.from;
    return sums;
  });
  return (
    <figure class="scope">
      <figcaption>
        <Mark index={index} /> <b>{s.letter(index)}</b> {nameOf(lane)}, processor {processor}
        {probed.isCut && <small> (first {count(probed.stretches.length)} changes only)</small>}
      </figcaption>
      {processes.length === 0 ? (
        <p class="quiet">No process is on the processor then.</p>
      ) : (
        <>
          <div ref={ref}>
            <canvas
              ref={canvas}
              tabIndex={0}
              role="application"
              style={{ width: "100%", height: `${height}px`, touchAction: "pan-y" }}
              aria-label={`Processes of processor ${processor} under ${nameOf(lane)}. W and S zoom, A and D pan, 0 shows all. The table below has the shares.`}
              onKeyDown={onKeyDown}
              onPointerMove={onPointerMove}
              onPointerLeave={() => (hover.value = "")}
            />
          </div>
          <PictureTools
            title={`Processes of processor ${processor} in run ${s.letter(index)}`}
            of={() => {
              const activities = {
                title: "",
                entries: ACTIVITIES.map(({ name, colour }) => ({ label: name, colour })),
              };
              return {
                ...figureOfCanvas(
                  canvas.current!,
                  `Processes of processor ${processor} in run ${s.letter(index)}`,
                  `From ${from} s to ${to} s, ${nameOf(lane)}; from above: ${processes.map(title).join("; ")}`,
                ),
                legend: activities,
              };
            }}
          />
          <p class="hover">{hover.value}</p>
          <DataTable
            label={`Shares of the time under ${nameOf(lane)}`}
            rows={processes.map((process, at) => ({ process, times: totals[at]! }))}
            columns={[
              { name: "Process", isHead: true, value: ({ process }) => title(process) },
              ...SHORT.map((name, activity) => ({
                name,
                value: ({ times }: Times) => part(times, activity),
                show: ({ times }: Times) => share(part(times, activity)),
              })),
            ]}
          />
        </>
      )}
    </figure>
  );
}

const title = ({ number, rank, row }: Probed["processes"][number]): string =>
  `job ${number}, process ${rank}, slot ${row + 1}`;

/** Returns how long a process had each activity. */
interface Times {
  process: Probed["processes"][number];
  times: number[];
}

/** Returns the share of an activity in the time of a process. */
const part = (times: number[], activity: number): number =>
  times[activity]! / times.reduce((one, other) => one + other, 0);
