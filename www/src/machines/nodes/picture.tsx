// A cluster at an instant: a tile for each node, with its cores in the colours of their jobs, its
// GPUs above them and its memory below; and the use of each resource over time.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ClusterFacts, NodeJobFacts, NodesFacts } from "schedscope";
import { figureOfCanvas, PictureTools } from "../../export/tools";
import { count, counted } from "../../format/words";
import * as lab from "../../lab";
import * as s from "../../state";
import { useLatest } from "../../timeline/latest";
import { prepare, styled, useSize } from "../../ui/canvas";
import { DataTable } from "../../ui/table";
import { cluster, nodesAt, resources } from "./ask";
import { blockOf, layoutOf, nodeAt, nodeUnder } from "./layout";
import { Shares } from "./shares";
import { amountInWords, GPUS, MEMORY, tilesOf } from "./tiles";

export default function NodesPicture({ lane }: { lane: s.Lane }) {
  const shape = useLatest(lane, [lane.facts], () => (lane.facts ? cluster : undefined));
  const at = s.instant.value;
  const [colouring, theme] = [s.colouring.value, s.theme.value];
  const answer = useLatest(lane, [at, colouring, theme, lane.drawn], () =>
    at === undefined || !lane.facts ? undefined : (engine) => nodesAt(engine, at, colouring, theme),
  );
  useEffect(() => {
    s.explainColours(answer?.legend);
  }, [answer]);
  return shape && answer?.facts ? (
    <Nodes lane={lane} cluster={shape} facts={answer.facts} />
  ) : (
    <p class="quiet">{lane.state === "failed" ? "The run failed." : "Waiting for the run…"}</p>
  );
}

const hex = (colour: number): string => `#${colour.toString(16).padStart(6, "0")}`;

function Nodes({
  lane,
  cluster,
  facts,
}: {
  lane: s.Lane;
  cluster: ClusterFacts;
  facts: NodesFacts;
}) {
  const [ref, room] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const cursor = useSignal<{ node: number; across: number } | undefined>(undefined);
  const layout = useMemo(() => layoutOf(cluster.kinds, room.width), [cluster, room.width]);
  const tiles = useMemo(() => tilesOf(cluster, facts.jobs), [cluster, facts]);
  const selected = s.selected.value;
  const here = cursor.value && tiles.jobAt(cursor.value.node, cursor.value.across);
  useEffect(() => {
    const context =
      canvas.current && room.width > 0
        ? prepare(canvas.current, layout.width, layout.height)
        : null;
    if (!context) return;
    const { width, height } = layout.node;
    const bar = height >= 16 ? Math.max(4, Math.round(height / 6)) : 0;
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const { kind, head } of layout.blocks) {
      context.fillStyle = styled("--ink-2");
      context.fillText(kindInWords(cluster, kind), 0, head + 12, layout.width);
    }
    for (let node = 0; node < cluster.names.length; node += 1) {
      const { left, top } = nodeAt(layout, node);
      const { kind } = blockOf(layout, node);
      const [cores, memory, gpus] = [0, MEMORY, GPUS].map((at) => kind.amounts[at] ?? 0);
      const gpuBar = bar > 0 && gpus! > 0 ? bar : 0;
      const memoryBar = bar > 0 && memory! > 0 ? bar : 0;
      const [high, deep] = [top + gpuBar, height - gpuBar - memoryBar];
      context.fillStyle = styled("--lane");
      context.fillRect(left, top, width, height);
      let gpu = 0;
      let held = 0;
      for (const { job, part } of tiles.of(node)) {
        context.fillStyle = hex(job.colour);
        for (const [first, size] of part.cores) {
          const from = (first - kind.first_core - (node - kind.first_node) * cores!) / cores!;
          // A gap tells neighbours of one colour apart.
          const wide = (size / cores!) * width;
          context.fillRect(left + from * width, high, wide > 3 ? wide - 1 : wide, deep);
        }
        if (gpuBar > 0 && part.used[GPUS]! > 0) {
          context.fillRect(
            left + (gpu / gpus!) * width,
            top,
            (part.used[GPUS]! / gpus!) * width,
            gpuBar - 1,
          );
          gpu += part.used[GPUS]!;
        }
        held += part.used[MEMORY] ?? 0;
      }
      if (gpuBar > 0) {
        context.strokeStyle = styled("--line");
        context.lineWidth = 1;
        for (let at = 0; at <= gpus!; at += 1) {
          const x = Math.round(left + (at / gpus!) * width);
          context.strokeRect(x, top, 0, gpuBar - 1);
        }
      }
      if (memoryBar > 0) {
        context.fillStyle = styled("--silhouette");
        context.fillRect(
          left,
          top + height - memoryBar + 1,
          (held / memory!) * width,
          memoryBar - 1,
        );
      }
      context.strokeStyle = styled("--line");
      context.lineWidth = 1;
      if (width >= 11) context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
    }
    context.strokeStyle = styled("--ink");
    context.lineWidth = 2;
    for (const job of facts.jobs) {
      if (job.record !== selected && job !== here) continue;
      for (const part of job.parts) {
        const { left, top } = nodeAt(layout, part.node);
        context.strokeRect(left + 1, top + 1, Math.max(1, width - 2), Math.max(1, height - 2));
      }
    }
    if (cursor.value) {
      const { left, top } = nodeAt(layout, cursor.value.node);
      context.strokeStyle = styled("--accent");
      context.strokeRect(left, top, width, height);
    }
  }, [facts, cluster, layout, tiles, room.width, cursor.value, here, selected, s.theme.value]);
  const under = (event: { clientX: number; clientY: number }) => {
    const box = canvas.current!.getBoundingClientRect();
    return nodeUnder(layout, event.clientX - box.left, event.clientY - box.top);
  };
  const describe = (node: number | undefined): string => {
    if (node === undefined) return "";
    const { kind } = blockOf(layout, node);
    const amounts = cluster.resources.flatMap((name, at) => {
      const all = kind.amounts[at];
      const used = tiles.used(node, at);
      if (at > MEMORY && !all) return [];
      return [
        all === null || all === undefined
          ? `${amountInWords(name, used)} held`
          : `${amountInWords(name, used)} of ${amountInWords(name, all)}`,
      ];
    });
    const jobs = tiles.of(node).map(({ job }) => job.number);
    const list =
      jobs.length > 6
        ? `${jobs.slice(0, 6).join(", ")} and ${jobs.length - 6} more`
        : jobs.join(", ");
    return `${cluster.names[node]}: ${amounts.join(", ")}; ${
      jobs.length === 0 ? "no job" : `job${jobs.length === 1 ? "" : "s"} ${list}`
    }`;
  };
  const nodes = cluster.names.length;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -layout.inLine,
      ArrowDown: layout.inLine,
    }[event.key];
    if (event.key === "Enter" && cursor.value) {
      // Enter selects one job of the node after the other.
      const jobs = tiles.of(cursor.value.node).map(({ job }) => job.record);
      void lab.select(jobs[(jobs.indexOf(selected ?? -1) + 1) % Math.max(1, jobs.length)]);
    } else if (event.key === "Escape") void lab.select(undefined);
    else if (by) {
      const node = cursor.value ? Math.min(nodes - 1, Math.max(0, cursor.value.node + by)) : 0;
      cursor.value = { node, across: 0 };
      s.say(describe(node));
    } else return;
    event.preventDefault();
  };
  const busy = tiles.busy();
  return (
    <>
      <p class="sentence" data-nodes={facts.at}>
        {counted(facts.jobs.length, "job")} on {count(busy)} of {counted(nodes, "node")},{" "}
        {counted(facts.waiting, "waits", "wait")}.{" "}
        {cluster.resources
          .map((name, at) => ({ name, ...tiles.total(at) }))
          .filter(({ all }) => all > 0)
          .map(({ name, used, all }) => `${nameOf(name)} ${Math.round((100 * used) / all)} %`)
          .join(", ")
          .replace(/^./, (letter) => letter.toUpperCase())}{" "}
        in use.
      </p>
      <div ref={ref} class="scroll">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          style={{ width: `${layout.width}px`, height: `${layout.height}px` }}
          aria-label={`Cluster: ${counted(nodes, "node")}. Arrow keys move a cursor, Enter selects the jobs there, one after the other.`}
          onPointerMove={(event) => (cursor.value = under(event))}
          onPointerLeave={() => (cursor.value = undefined)}
          onClick={(event) => {
            const place = under(event);
            void lab.select(place && tiles.jobAt(place.node, place.across)?.record);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <PictureTools
        title="The cluster"
        of={() =>
          figureOfCanvas(
            canvas.current!,
            `Cluster at ${Math.round(facts.at)} s`,
            `${counted(nodes, "node")}; a tile is a node: cores, GPUs above them, memory in use below`,
          )
        }
      />
      <p class="hover">
        {describe(cursor.value?.node) ||
          "A tile is a node: cores in the colours of their jobs, GPUs above them, memory in use below. Point at one, or focus the picture to use the keyboard. Click to select the job."}
      </p>
      <Table cluster={cluster} jobs={facts.jobs} />
      <Shares lane={lane} cluster={cluster} />
    </>
  );
}

const nameOf = (resource: string): string => (resource === "gpu" ? "GPUs" : resource);

function kindInWords(cluster: ClusterFacts, kind: ClusterFacts["kinds"][number]): string {
  const amounts = cluster.resources.flatMap((name, at) => {
    const all = kind.amounts[at];
    return all ? [amountInWords(name, all)] : [];
  });
  const features = kind.features.length > 0 ? ` (${kind.features.join(", ")})` : "";
  return `${kind.name}: ${counted(kind.count, "node")} of ${amounts.join(", ")}${features}`;
}

function Table({ cluster, jobs }: { cluster: ClusterFacts; jobs: NodeJobFacts[] }) {
  const isOpen = useSignal(false);
  const sum = (job: NodeJobFacts, at: number) =>
    job.parts.reduce((sum, part) => sum + (part.used[at] ?? 0), 0);
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
              value: (job) => job.number,
              show: (job) => (
                <button type="button" class="link" onClick={() => void lab.select(job.record)}>
                  {job.number}
                </button>
              ),
            },
            {
              name: "Nodes",
              value: (job) => job.parts.length,
              show: (job) => count(job.parts.length),
            },
            ...cluster.resources.map((name, at) => ({
              name: nameOf(name),
              value: (job: NodeJobFacts) => sum(job, at),
              show: (job: NodeJobFacts) => amountInWords(name, sum(job, at)),
            })),
            {
              name: "On",
              value: (job) => job.parts[0]?.node ?? 0,
              show: (job) =>
                job.parts.length > 3
                  ? `${cluster.names[job.parts[0]!.node]} and ${job.parts.length - 1} more`
                  : job.parts.map(({ node }) => cluster.names[node]).join(", "),
            },
          ]}
        />
      )}
    </details>
  );
}

/** Parts of the window for which the use of resources is asked. */
const PARTS = 300;

/** Strips with the use of each resource, over the window of the timeline. */
export function Strip({ lane }: { lane: s.Lane }) {
  const { from, to } = s.view.value;
  const found = useLatest(lane, [from, to, lane.state], () =>
    lane.state === "done"
      ? async (engine) => ({ from, to, uses: await resources(engine, from, to, PARTS) })
      : undefined,
  );
  if (!found) return null;
  return (
    <>
      {found.uses.map((use) => (
        <div class="strip" key={use.resource}>
          <span class="strip-name">
            {nameOf(use.resource).replace(/^./, (letter) => letter.toUpperCase())}
            <small>
              share in use; red above it: free, but on nodes whose cores or memory are all in use
            </small>
          </span>
          <UseCanvas use={use} from={found.from} to={found.to} />
        </div>
      ))}
    </>
  );
}

function UseCanvas({
  use,
  from,
  to,
}: {
  use: { resource: string; held: number[]; stranded: number[] };
  from: number;
  to: number;
}) {
  const [ref, room] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = s.view.value;
  useEffect(() => {
    const context = canvas.current && prepare(canvas.current, room.width, room.height);
    if (!context) return;
    const x = (time: number) => ((time - view.from) / (view.to - view.from)) * room.width;
    const parts = use.held.length;
    use.held.forEach((held, bin) => {
      const left = x(from + (bin / parts) * (to - from));
      const width = Math.max(1, x(from + ((bin + 1) / parts) * (to - from)) - left);
      const above = use.stranded[bin] ?? 0;
      context.fillStyle = styled("--silhouette");
      context.fillRect(left, room.height * (1 - held), width, room.height * held);
      context.fillStyle = styled("--bad");
      context.fillRect(left, room.height * (1 - held - above), width, room.height * above);
    });
    if (s.instant.value !== undefined) {
      context.strokeStyle = styled("--accent");
      context.lineWidth = 2;
      context.strokeRect(x(s.instant.value), -2, 0, room.height + 4);
    }
  }, [use, room, from, to, view, s.instant.value, s.theme.value]);
  return (
    <div ref={ref} class="strip-canvas">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Share of ${nameOf(use.resource)} in use, over time`}
      />
    </div>
  );
}
