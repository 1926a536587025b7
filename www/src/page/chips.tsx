// The chips of the top bar: the trace, the machine and the runs. Each opens its part of the set-up.
import { Eye, EyeOff, FileText, Plus, Server } from "lucide";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { counted, duration, share } from "../format/words";
import * as lab from "../lab";
import { nameOf, policyOf } from "../runs/name";
import { sourceName } from "../runs/origin";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { Mark } from "../ui/mark";
import { suggested } from "./suggest";

/** Pixels after which a pressed chip is dragged rather than clicked. */
const DRAGS = 6;

export function Chips() {
  const facts = s.workload.value;
  const machine = s.catalog.value?.machines.find(({ id }) => id === s.machine.value);
  const isLesson = s.lesson.value !== undefined;
  return (
    <>
      {facts && (
        <div class="chip">
          <Chip part="trace" name="Trace" isOff={isLesson}>
            <Icon of={FileText} /> <b>{sourceName(facts.provenance.name)}</b>{" "}
            <span class="more">
              {counted(facts.jobs, "job")} · {duration(facts.last - facts.first)}
              {!isLesson && <span class="most"> · load {share(facts.offered_load)}</span>}
            </span>
          </Chip>
          <Chip part="machine" name="Machine" isOff={isLesson}>
            <Icon of={Server} />{" "}
            <span class="more">{machine && machine.id !== "flat" && `${machine.name}, `}</span>
            <b>{counted(facts.processors, "processor")}</b>
          </Chip>
        </div>
      )}
      {!isLesson && s.lanes.value.length > 0 && <RunChips />}
    </>
  );
}

/** A button that shows a part of the set-up. */
function Chip({
  part,
  name,
  isOff,
  children,
}: {
  part: string;
  name: string;
  isOff: boolean;
  children: ComponentChildren;
}) {
  return (
    <button
      type="button"
      class="chip-part"
      title={`${name}: show its settings`}
      disabled={isOff}
      onClick={() => openPart(part)}
    >
      {children}
    </button>
  );
}

function openPart(part: string): void {
  if (!s.SET_UP.has(s.tab.value)) s.showTab("timeline");
  lab.openSetup(part);
}

export function RunChips() {
  const next = suggested();
  const group = useRef<HTMLDivElement>(null);
  /** The chip under the pressed pointer, and true once it has moved. */
  const dragged = useRef<{ id: number; from: number; moves: boolean } | undefined>(undefined);
  const move = (id: number, to: number) => {
    lab.moveLane(id, Math.min(Math.max(to, 0), s.lanes.value.length - 1));
    requestAnimationFrame(() =>
      group.current?.querySelector<HTMLElement>(`[data-run="${id}"]`)?.focus(),
    );
  };
  const onPointerMove = (event: PointerEvent) => {
    const now = dragged.current;
    if (now && Math.abs(event.clientX - now.from) > DRAGS) now.moves = true;
    if (!now?.moves) return;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const over = under?.closest(".run-chip")?.querySelector<HTMLElement>("[data-run]")?.dataset.run;
    const to = s.lanes.value.findIndex((lane) => String(lane.id) === over);
    if (to >= 0 && over !== String(now.id)) lab.moveLane(now.id, to);
  };
  return (
    <div class="run-chips" role="group" aria-label="Runs" ref={group}>
      {s.lanes.value.map((lane, index) => (
        <span
          key={lane.id}
          class={`run-chip ${lane.state} ${lane.stale ? "stale" : ""} ${lane.isHidden ? "hidden-run" : ""}`}
        >
          <button
            type="button"
            class="bare"
            data-run={lane.id}
            title={`Run ${s.letter(index)}, ${nameOf(lane)}: ${stateOf(lane)}. Drag it, or press Alt and an arrow, to change the order.`}
            onClick={() => {
              const wasDragged = dragged.current?.moves;
              dragged.current = undefined;
              if (!wasDragged) openPart(`run-${lane.id}`);
            }}
            onPointerDown={(event) => {
              if (event.button === 0)
                dragged.current = { id: lane.id, from: event.clientX, moves: false };
              event.currentTarget.setPointerCapture(event.pointerId);
            }}
            onPointerMove={onPointerMove}
            onPointerCancel={() => (dragged.current = undefined)}
            onKeyDown={(event) => {
              const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
              if (!event.altKey || !step) return;
              event.preventDefault();
              move(lane.id, index + step);
            }}
          >
            <Mark index={index} /> <b>{s.letter(index)}</b>
            <span class="run-chip-name">{policyOf(lane)}</span>
          </button>
          {s.lanes.value.length > 1 && (
            <button
              type="button"
              class="bare icon-only small"
              aria-label={`Visibility of run ${s.letter(index)}`}
              aria-pressed={!lane.isHidden}
              title={lane.isHidden ? "Show its timeline" : "Hide its timeline"}
              onClick={() => lab.hideLane(lane.id, !lane.isHidden)}
            >
              <Icon of={lane.isHidden ? EyeOff : Eye} />
            </button>
          )}
          {lab.isBusy(lane) && <Busy lane={lane} />}
        </span>
      ))}
      {next && (
        <button
          type="button"
          class="bare icon-only"
          aria-label={`Compare with ${next.name}`}
          title={`Compare with ${next.name}`}
          onClick={() => lab.addLane(next.id)}
        >
          <Icon of={Plus} />
        </button>
      )}
    </div>
  );
}

const stateOf = (lane: s.Lane): string =>
  lane.stale && lane.state === "done" ? "settings have changed since it ran" : lane.state;

/** The share of the run that is done, as a line below the chip. The set-up has it in words. */
function Busy({ lane: { progress } }: { lane: s.Lane }) {
  const part = progress ? progress.finished / Math.max(1, progress.jobs) : 0;
  return (
    <span class="run-chip-busy" aria-hidden="true">
      <i style={{ width: `${100 * part}%` }} />
    </span>
  );
}
