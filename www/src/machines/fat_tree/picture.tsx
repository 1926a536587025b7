// A fat tree at an instant: pods of switches, a switch as a column of its hosts, each host in the
// colour of its job.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Seat } from "../../engine/protocol";
import { figureOfCanvas, PictureTools } from "../../export/tools";
import { count, counted } from "../../format/words";
import * as lab from "../../lab";
import * as s from "../../state";
import { useLatest } from "../../timeline/latest";
import { prepare, styled, useSize } from "../../ui/canvas";
import { DataTable } from "../../ui/table";
import { hostAt, hostUnder, layoutOf, podAt } from "./layout";

export default function FatTreePicture({ lane }: { lane: s.Lane }) {
  const at = s.instant.value;
  const [colouring, theme] = [s.colouring.value, s.theme.value];
  const matrix = useLatest(lane, [at, colouring, theme, lane.drawn], () =>
    at === undefined || !lane.facts ? undefined : (engine) => engine.matrix(at, colouring, theme),
  );
  useEffect(() => {
    s.explainColours(matrix?.legend);
  }, [matrix]);
  if (!matrix || at === undefined)
    return (
      <p class="quiet">{lane.state === "failed" ? "The run failed." : "Waiting for the run…"}</p>
    );
  return <Tree lane={lane} at={at} seats={matrix.seats} />;
}

/** Returns the hosts, switches and pods of a job. */
interface Spread {
  seat: Seat;
  hosts: number[];
  switches: number;
  pods: number;
  least: number;
}

function spreads(seats: Seat[], half: number): Spread[] {
  const hosts = new Map<number, { seat: Seat; hosts: number[] }>();
  for (const seat of seats) {
    const of = hosts.get(seat.job) ?? { seat, hosts: [] };
    for (let host = seat.first; host < seat.first + seat.count; host += 1) of.hosts.push(host);
    hosts.set(seat.job, of);
  }
  const units = (of: number[], size: number) =>
    new Set(of.map((host) => Math.floor(host / size))).size;
  return [...hosts.values()].map(({ seat, hosts }) => ({
    seat,
    hosts,
    switches: units(hosts, half),
    pods: units(hosts, half * half),
    least: Math.ceil(hosts.length / half),
  }));
}

function Tree({ lane, at, seats }: { lane: s.Lane; at: number; seats: Seat[] }) {
  const [ref, room] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const cursor = useSignal<number | undefined>(undefined);
  const hosts = lane.facts?.processors ?? 1;
  const layout = useMemo(() => layoutOf(hosts, room.width), [hosts, room.width]);
  const { half, cell } = layout;
  const jobs = useMemo(() => spreads(seats, half), [seats, half]);
  const owner = useMemo(
    () => new Map(jobs.flatMap((job) => job.hosts.map((host) => [host, job] as const))),
    [jobs],
  );
  const here = cursor.value === undefined ? undefined : owner.get(cursor.value);
  const selected = s.selected.value;
  useEffect(() => {
    const context =
      canvas.current && room.width > 0
        ? prepare(canvas.current, layout.width, layout.height)
        : null;
    if (!context) return;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (let pod = 0; pod < 2 * half; pod += 1) {
      const { left, top } = podAt(layout, pod);
      context.fillStyle = styled("--ink-2");
      context.fillText(`pod ${pod}`, left, top + 8, layout.podWidth);
      context.fillStyle = styled("--lane");
      context.fillRect(left, top + 18, layout.podWidth, half * cell);
    }
    for (const { seat, hosts } of jobs) {
      context.fillStyle = `#${seat.colour.toString(16).padStart(6, "0")}`;
      for (const host of hosts) {
        const { left, top } = hostAt(layout, host);
        context.fillRect(left, top, cell, cell);
      }
    }
    // Switches are columns.
    context.strokeStyle = styled("--line");
    context.lineWidth = 1;
    if (cell >= 5)
      for (let host = 0; host < hosts; host += half) {
        const { left, top } = hostAt(layout, host);
        context.strokeRect(left + 0.5, top + 0.5, cell - 1, half * cell - 1);
      }
    context.strokeStyle = styled("--ink");
    context.lineWidth = 2;
    for (const job of jobs) {
      if (job.seat.record !== selected && job !== here) continue;
      for (const host of job.hosts) {
        const { left, top } = hostAt(layout, host);
        context.strokeRect(left + 1, top + 1, Math.max(1, cell - 2), Math.max(1, cell - 2));
      }
    }
    if (cursor.value !== undefined) {
      const { left, top } = hostAt(layout, cursor.value);
      context.strokeStyle = styled("--accent");
      context.strokeRect(left, top, cell, cell);
    }
  }, [jobs, layout, hosts, cursor.value, selected, s.theme.value]);
  const under = (event: { clientX: number; clientY: number }): number | undefined => {
    const box = canvas.current!.getBoundingClientRect();
    return hostUnder(layout, event.clientX - box.left, event.clientY - box.top, hosts);
  };
  const describe = (host: number | undefined): string => {
    if (host === undefined) return "";
    const job = owner.get(host);
    const where = `Host ${host}, switch ${Math.floor(host / half)} in pod ${Math.floor(host / half / half)}`;
    return `${where}: ${job ? `job ${job.seat.number}, ${inWords(job)}` : "free"}`;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -half, ArrowRight: half, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Enter")
      void lab.select(
        cursor.value === undefined ? undefined : owner.get(cursor.value)?.seat.record,
      );
    else if (event.key === "Escape") void lab.select(undefined);
    else if (by) {
      cursor.value = cursor.value === undefined ? 0 : (cursor.value + by + hosts) % hosts;
      s.say(describe(cursor.value));
    } else return;
    event.preventDefault();
  };
  const held = jobs.reduce((sum, job) => sum + job.hosts.length, 0);
  const wide = jobs.filter((job) => job.switches > job.least).length;
  return (
    <>
      <p class="sentence" data-tree={at}>
        {counted(jobs.length, "job")} on {count(held)} of {count(hosts)} hosts.{" "}
        {wide === 0
          ? "No job is in more switches than its size needs."
          : `${count(wide)} of them ${wide === 1 ? "is" : "are"} in more switches than the size needs.`}
      </p>
      <div ref={ref} class="scroll">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          style={{ width: `${layout.width}px`, height: `${layout.height}px` }}
          aria-label={`Fat tree: ${2 * half} pods of ${half} switches of ${half} hosts. Arrow keys move a cursor, Enter selects the job there.`}
          onPointerMove={(event) => (cursor.value = under(event))}
          onPointerLeave={() => (cursor.value = undefined)}
          onClick={(event) => {
            const host = under(event);
            void lab.select(host === undefined ? undefined : owner.get(host)?.seat.record);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <PictureTools
        title="The fat tree"
        of={() =>
          figureOfCanvas(
            canvas.current!,
            `Fat tree at ${Math.round(at)} s`,
            `${2 * half} pods of ${half} switches; a column is a switch of ${half} hosts`,
          )
        }
      />
      <p class="hover">
        {describe(cursor.value) ||
          "Point at a host, or focus the picture to use the keyboard. Click to select the job."}
      </p>
      <Table jobs={jobs} />
    </>
  );
}

const inWords = ({ hosts, switches, pods }: Spread): string =>
  `${counted(hosts.length, "host")} in ${counted(switches, "switch", "switches")} of ${counted(pods, "pod")}`;

function Table({ jobs }: { jobs: Spread[] }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>The jobs as a table</summary>
      {isOpen.value && (
        <DataTable
          label="The jobs as a table"
          rows={jobs}
          columns={[
            {
              name: "Job",
              isHead: true,
              value: ({ seat }) => seat.number,
              show: ({ seat }) => (
                <button type="button" class="link" onClick={() => void lab.select(seat.record)}>
                  {seat.number}
                </button>
              ),
            },
            {
              name: "Hosts",
              value: ({ hosts }) => hosts.length,
              show: ({ hosts }) => count(hosts.length),
            },
            {
              name: "Switches",
              value: ({ switches }) => switches,
              show: ({ switches }) => count(switches),
            },
            { name: "Least", value: ({ least }) => least, show: ({ least }) => count(least) },
            { name: "Pods", value: ({ pods }) => pods, show: ({ pods }) => count(pods) },
          ]}
        />
      )}
    </details>
  );
}
