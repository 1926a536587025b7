// The tour that is on, and what it hides.
import { batch, computed, signal } from "@preact/signals";
import type { Colouring, Settings } from "schedscope";
import type { Source } from "../engine/protocol";
import type { Setup } from "./lanes";
import type { Seen } from "./seen";
import { stepping } from "./steps";
import { goTo, type Tab, tab } from "./tabs";
import type { Window } from "./window";

/** State of the page before a tour began. */
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

/** From when on each run is hidden, by place, wholly where none is given; and the only tab that may
 * tell of the runs. */
interface Veil {
  from: number[];
  tab: Tab;
}

const own = {
  /** State of the page before the present tour. */
  lesson: signal<Lesson | undefined>(undefined),
  /** The tour that is on, and its chapter from 0. */
  tour: signal<{ id: string; chapter: number } | undefined>(undefined),
  /** While a tour is to be chosen: the tab from which that was asked for. */
  tourWanted: signal<{ from: Tab } | undefined>(undefined),
  /** While something is to be predicted: what is hidden. */
  veil: signal<Veil | undefined>(undefined),
};
export const { lesson, tour, tourWanted, veil }: Seen<typeof own> = own;

/** True while the reader predicts: views of whole runs would give the answer away. */
export const isPredicting = computed(
  () => veil.value !== undefined || (stepping.value?.predicts ?? false),
);

/** Asks for a tour, or no longer; which ones there are is shown on the first tab. */
export function wantTour(): void {
  if (tourWanted.value && tab.value === "timeline") {
    own.tourWanted.value = undefined;
    return;
  }
  own.tourWanted.value ??= { from: tab.value };
  goTo("timeline");
}

/** Begins a tour; what is there from a tour that is on stays to be gone back to. */
export function beginLesson(before: Lesson): void {
  own.lesson.value ??= before;
  own.tourWanted.value = undefined;
}

/** Enters a chapter. Everything is hidden until it is known what is to be. */
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

/** Forgets the chapter of a tour that was ended. */
export function leaveChapter(): void {
  batch(() => {
    own.tour.value = undefined;
    own.veil.value = undefined;
  });
}
