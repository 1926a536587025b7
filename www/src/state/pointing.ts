// The job, instant, place and area that the reader points at or selects.
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
  /** Facts about the selected job in each run, by lane id. */
  jobFacts: signal<ReadonlyMap<number, JobFacts | null>>(new Map()),
  /** The job under the pointer in one run, and where a view of the machine knows it to be: rows of
   * the timeline. */
  pointed: signal<Pointed | undefined>(undefined),
  /** Description of the place under the pointer. */
  hover: signal(""),
  /** The instant that views of the machine show. */
  instant: signal<number | undefined>(undefined),
  /** The run of which views of the machine show an instant; the first that they can show if it is
   * none of theirs. */
  shownLane: signal<number | undefined>(undefined),
  cursor: signal<Place | undefined>(undefined),
  /** An area of the timelines, of which statistics are told. */
  area: signal<Window | undefined>(undefined),
  /** True if dragging over a timeline selects an area instead of panning. */
  isSelecting: signal(false),
};
export const {
  selected,
  jobFacts,
  pointed,
  hover,
  instant,
  shownLane,
  cursor,
  area,
  isSelecting,
}: Seen<typeof own> = own;

/** Marks a job as selected, or none; what runs say of it is asked for elsewhere. */
export function markSelected(record: number | undefined): void {
  own.selected.value = record;
}

/** Takes what each run says of the selected job. */
export function knowSelected(facts: ReadonlyMap<number, JobFacts | null>): void {
  own.jobFacts.value = facts;
}

export function pointAt(found: Pointed | undefined): void {
  own.pointed.value = found;
}

export function sayUnderPointer(words: string): void {
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

/** Lets dragging select an area, or pan again. */
export function toggleSelecting(): void {
  own.isSelecting.value = !isSelecting.value;
}
