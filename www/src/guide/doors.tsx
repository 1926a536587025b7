// The ways in, beside the first result; and the guide of a tour, whose code loads on demand.
import { signal } from "@preact/signals";
import { fail, SAMPLE } from "../lab";
import * as s from "../state";
import { areDoorsClosed, keepDoorsClosed } from "../storage/choices";
import { Lazy } from "../ui/lazy";

const areClosed = signal(areDoorsClosed());

function close(): void {
  areClosed.value = true;
  keepDoorsClosed();
}

/** The list of tours, if the reader asked for it. */
export function TourChoice() {
  return s.tourWanted.value && !s.lesson.value ? <Teach part="tours" /> : null;
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

export const Guide = () => <Teach part="guide" />;

function Teach({ part }: { part: "tours" | "guide" }) {
  return (
    <Lazy
      load={() =>
        import("./panel").then(({ Tours, TourGuide }) => (part === "tours" ? Tours : TourGuide))
      }
      given={{}}
      fail={fail}
    />
  );
}
