// The present tour, and the parts of the page that it hides.
import { batch, computed, signal } from "@preact/signals";
import type { Colouring, RowsBy, Settings } from "schedscope";
import type { Source } from "../engine/protocol";
import type { Setup } from "./lanes";
import type { Seen } from "./seen";
import { stepping } from "./steps";
import { goTo, showAnswers, type Tab, tab } from "./tabs";
import type { Window } from "./window";

/** The state of the page before a tour. */
export interface Lesson {
  source: Source | undefined;
  machine: string;
  shared: Settings;
  lanes: Setup[];
  tab: Tab;
  colouring: Colouring;
  filter: string;
  zoom: Window | undefined;
  selected: number | undefined;
  rows: RowsBy;
  isVersus: boolean;
}

/**
 * Instants from which on each run is hidden, by index; a run without one is hidden wholly. `tab` is
 * the only tab that may show the runs.
 */
interface Veil {
  from: number[];
  tab: Tab;
}

/** A tour by its name, or an exercise as text, with the chapter from 0. */
export type Taught = { chapter: number } & (
  | { id: string }
  | { exercise: string; isEdited: boolean }
);

const own = {
  /** The state of the page before the present tour. */
  lesson: signal<Lesson | undefined>(undefined),
  /** The present tour or exercise, and its chapter from 0. */
  tour: signal<Taught | undefined>(undefined),
  /** The tab from which the reader asked for a tour, until the reader chooses one. */
  tourWanted: signal<{ from: Tab } | undefined>(undefined),
  /** The hidden parts, while the reader predicts. */
  veil: signal<Veil | undefined>(undefined),
};
export const { lesson, tour, tourWanted, veil }: Seen<typeof own> = own;

/** True while the reader makes an exercise. */
export const isEditing = computed(
  () => tour.value !== undefined && "isEdited" in tour.value && tour.value.isEdited,
);

/** True while the reader predicts. A view of whole runs would give the answer away. */
export const isPredicting = computed(
  () => veil.value !== undefined || (stepping.value?.predicts ?? false),
);

/** Shows or hides the list of tours, which is on the first tab. */
export function wantTour(): void {
  if (tourWanted.value && tab.value === "timeline") {
    own.tourWanted.value = undefined;
    return;
  }
  own.tourWanted.value ??= { from: tab.value };
  goTo("timeline");
}

/** Shows or hides the list of tours, where the reader is. */
export function askTours(isWanted: boolean): void {
  own.tourWanted.value = isWanted ? { from: tab.value } : undefined;
}

/** Begins a tour. If it follows another tour, the state from before the first tour stays. */
export function beginLesson(before: Lesson): void {
  own.lesson.value ??= before;
  own.tourWanted.value = undefined;
}

/** Enters a chapter. Everything is hidden until the chapter says which parts are. */
export function enterChapter(taught: Taught, shown: Tab): void {
  batch(() => {
    own.tour.value = taught;
    own.veil.value = { from: [], tab: shown };
  });
}

/** Keeps the present text of the exercise that is being edited. */
export function editExercise(exercise: string, chapter: number): void {
  own.tour.value = { exercise, chapter, isEdited: true };
}

/** Shows the page for the answers of a class. */
export function readAnswers(): void {
  own.tourWanted.value = undefined;
  goTo("timeline");
  showAnswers();
}

export function cover(wanted: Veil | undefined): void {
  own.veil.value = wanted;
}

export function endLesson(): void {
  own.lesson.value = undefined;
}

/** Forgets the chapter of a tour that has ended. */
export function leaveChapter(): void {
  batch(() => {
    own.tour.value = undefined;
    own.veil.value = undefined;
  });
}
