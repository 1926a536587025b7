// The pointed and the selected: job, instant, place, area.
import { signal } from "@preact/signals";
import type { JobFacts } from "schedscope";
import type { Seen } from "./seen";
import type { Window } from "./window";

export interface Place {
  time: number;
  processor: number;
}

interface Pointed {
  lane: number;
  job: number;
  from?: number;
  to?: number;
  rows?: [number, number][];
}

const own = {
  /** The selected job's record in the trace. */
  selected: signal<number | undefined>(undefined),
  /** Each lane's facts about the selected job, by lane id. */
  jobFacts: signal<ReadonlyMap<number, JobFacts | null>>(new Map()),
  /**
   * The job under the pointer in one run. A view of the machine adds its place: rows of the
   * timeline.
   */
  pointed: signal<Pointed | undefined>(undefined),
  /** Description of the point under the pointer. */
  hover: signal(""),
  /** The run with that point. */
  hovered: signal<number | undefined>(undefined),
  /** The instant of the machine's pictures. */
  instant: signal<number | undefined>(undefined),
  /**
   * The run of the machine's pictures. If they cannot show it, they show the first run that they
   * can.
   */
  shownLane: signal<number | undefined>(undefined),
  cursor: signal<Place | undefined>(undefined),
  /** The selected area of the timelines. */
  area: signal<Window | undefined>(undefined),
  /** True if dragging over a timeline selects an area, and does not pan. */
  isSelecting: signal(false),
};
export const {
  selected,
  jobFacts,
  pointed,
  hover,
  hovered,
  instant,
  shownLane,
  cursor,
  area,
  isSelecting,
}: Seen<typeof own> = own;

/** Marks a job as selected, or none. Other code asks the runs about it. */
export function markSelected(record: number | undefined): void {
  own.selected.value = record;
}

/** Takes each run's facts about the selected job. */
export function knowSelected(facts: ReadonlyMap<number, JobFacts | null>): void {
  own.jobFacts.value = facts;
}

export function pointAt(found: Pointed | undefined): void {
  own.pointed.value = found;
}

export function sayUnderPointer(lane: number, words: string): void {
  own.hovered.value = lane;
  own.hover.value = words;
}

export function showInstant(at: number | undefined): void {
  own.instant.value = at;
}

export function showLane(id: number): void {
  own.shownLane.value = id;
}

export function moveCursor(to: Place | undefined): void {
  own.cursor.value = to;
}

export function selectArea(wanted: Window | undefined): void {
  own.area.value = wanted;
}

/** Switches dragging between selecting and panning. */
export function toggleSelecting(): void {
  own.isSelecting.value = !isSelecting.value;
}
