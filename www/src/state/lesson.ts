// The present tour, and the parts of the page that it hides.
import { batch, computed, signal } from "@preact/signals";
import type { Colouring, Settings } from "schedscope";
import type { Source } from "../engine/protocol";
import type { Setup } from "./lanes";
import type { Seen } from "./seen";
import { stepping } from "./steps";
import { goTo, type Tab, tab } from "./tabs";
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
  isShared: boolean;
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

const own = {
  /** The state of the page before the present tour. */
  lesson: signal<Lesson | undefined>(undefined),
  /** The present tour, and its chapter from 0. */
  tour: signal<{ id: string; chapter: number } | undefined>(undefined),
  /** The tab from which the reader asked for a tour, until the reader chooses one. */
  tourWanted: signal<{ from: Tab } | undefined>(undefined),
  /** The hidden parts, while the reader predicts. */
  veil: signal<Veil | undefined>(undefined),
};
export const { lesson, tour, tourWanted, veil }: Seen<typeof own> = own;

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

/** Begins a tour. If it follows another tour, the state from before the first tour stays. */
export function beginLesson(before: Lesson): void {
  own.lesson.value ??= before;
  own.tourWanted.value = undefined;
}

/** Enters a chapter. Everything is hidden until the chapter says which parts are. */
export function enterChapter(id: string, chapter: number, shown: Tab): void {
  batch(() => {
    own.tour.value = { id, chapter };
    own.veil.value = { from: [], tab: shown };
  });
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
