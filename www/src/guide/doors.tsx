// The ways in, beside the first result; and the guide of a tour, whose code loads on demand.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { fail, SAMPLE } from "../lab";
import * as s from "../state";
import { areDoorsClosed, keepDoorsClosed } from "../storage/choices";
import { Lazy } from "../ui/lazy";
import { loadSheet } from "../ui/sheet";

/** The drawing board and the form of an exercise load together: the form would move the board. */
const loadMaking = () => Promise.all([import("./board"), import("./editor")]);

const areClosed = signal(areDoorsClosed());

function close(): void {
  areClosed.value = true;
  keepDoorsClosed();
}

/** The list of tours, if the reader asked for it; the drawing board of an exercise. */
export function TourChoice() {
  if (s.isEditing.value)
    return <Later key="board" load={() => loadMaking().then(([{ Board }]) => Board)} />;
  return s.tourWanted.value && !s.lesson.value ? (
    <Later key="tours" load={() => import("./panel").then(({ Tours }) => Tours)} />
  ) : null;
}

export function Doors() {
  if (s.tourWanted.value) return null;
  const isSample = !s.source.value || JSON.stringify(s.source.value) === JSON.stringify(SAMPLE);
  if (!isSample || areClosed.value) return null;
  return (
    <Lazy
      load={() => import("./gallery").then((module) => module.Gallery)}
      given={{ close }}
      fail={fail}
    />
  );
}

/** The guide of a tour, or the form of an exercise that is being made. */
export const Guide = () =>
  s.isEditing.value ? (
    <Later key="editor" load={() => loadMaking().then(([, { Editor }]) => Editor)} />
  ) : (
    <Later key="guide" load={() => import("./panel").then(({ TourGuide }) => TourGuide)} />
  );

/** The answers of a class, in place of the timelines. */
export const ClassAnswers = () => (
  <Later load={() => import("./answers").then(({ ClassPage }) => ClassPage)} />
);

/** A part of lessons, with their style sheet. */
const Later = ({ load }: { load: () => Promise<ComponentType> }) => (
  <Lazy
    load={() => Promise.all([load(), loadSheet("teach.css")]).then(([component]) => component)}
    given={{}}
    fail={fail}
  />
);
