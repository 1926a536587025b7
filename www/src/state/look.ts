// The look of the runs, and their last pictures.
import { signal } from "@preact/signals";
import type { Colouring, Legend, RowsBy, Theme, WorkloadFacts } from "schedscope";
import type { Picture } from "../engine/protocol";
import type { Seen } from "./seen";

const own = {
  theme: signal<Theme>("light"),
  colouring: signal<Colouring>("user"),
  /** Meaning of the colours. */
  legend: signal<Legend | undefined>(undefined),
  /**
   * The rows that timelines should have: each processor once, each processor of each time slot, or
   * each GPU.
   */
  rowsWanted: signal<RowsBy>("shared"),
  /** True if the bands show the jobs that run in one run while they wait in the first. */
  isVersus: signal(true),
  /** The last pictures by lane, for the strips. */
  pictures: signal<ReadonlyMap<number, Picture>>(new Map()),
};
export const { theme, colouring, legend, rowsWanted, isVersus, pictures }: Seen<typeof own> = own;

export function setTheme(wanted: Theme): void {
  own.theme.value = wanted;
}

export function colourBy(wanted: Colouring): void {
  own.colouring.value = wanted;
}

/** Returns the colouring of a trace until the reader chooses one: by job where users say nothing. */
export const usualColouring = (facts: WorkloadFacts | undefined): Colouring =>
  facts && (facts.users <= 1 || facts.users === facts.jobs) ? "job" : "user";

/** Takes the meaning of the colours from a picture, if it has one. */
export function explainColours(found: Legend | null | undefined): void {
  if (found) own.legend.value = found;
}

export function drawRows(wanted: RowsBy): void {
  own.rowsWanted.value = wanted;
}

export function drawVersus(wanted: boolean): void {
  own.isVersus.value = wanted;
}

export function keepPicture(lane: number, picture: Picture): void {
  own.pictures.value = new Map(pictures.value).set(lane, picture);
}

export function dropPicture(lane: number): void {
  own.pictures.value = new Map([...pictures.value].filter(([id]) => id !== lane));
}
