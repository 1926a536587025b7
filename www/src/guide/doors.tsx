// The ways in, beside the first result; and the guide of a tour, whose code loads on demand.
import { signal, useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { asProblem } from "../format/problem";
import { addRecorded, fail, open, SAMPLE } from "../lab";
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
  const explore = () => {
    close();
    s.goTo("timeline");
  };
  const seeWeek = async () => {
    close();
    try {
      const { week } = await import("./week");
      const file = new File([week()], "a-clusters-week.txt", { lastModified: 0 });
      if (await open({ kind: "file", file, skipBadLines: false })) addRecorded();
    } catch (error) {
      s.tell(asProblem(error));
    }
  };
  return (
    <section class="doors" aria-label="Where to begin">
      <button type="button" onClick={explore}>
        <b>Explore</b>
        <span>
          Explore these runs, or drop your own log anywhere on the page: SWF, sacct, PBS, LSF, Grid
          Engine or a table.
        </span>
      </button>
      <button type="button" onClick={() => void seeWeek()}>
        <b>See a cluster's week</b>
        <span>
          Open a small sacct log that comes with the page, and see how far EASY is from what the
          cluster did.
        </span>
      </button>
      <button type="button" onClick={s.wantTour}>
        <b>Teach me</b>
        <span>Learn backfilling, tori and time slots from the start: predict, then check.</span>
      </button>
      <button type="button" onClick={() => s.goTo("papers")}>
        <b>Reproduce a paper</b>
        <span>
          Run published experiments here, and compare the printed figures. Some need a log of yours.
        </span>
      </button>
      <Lazy
        load={() => import("./sessions").then((module) => module.SessionList)}
        given={{ most: 5 }}
        fail={fail}
        until={null}
      />
    </section>
  );
}

export const Guide = () => <Teach part="guide" />;

function Teach({ part }: { part: "tours" | "guide" }) {
  const found = useSignal<{ Tours: ComponentType; TourGuide: ComponentType } | undefined>(
    undefined,
  );
  useEffect(
    () =>
      void import("./panel")
        .then((module) => (found.value = module))
        .catch((error) => s.tell(asProblem(error))),
    [],
  );
  if (!found.value) return <p class="quiet">Loading…</p>;
  const { Tours, TourGuide } = found.value;
  return part === "tours" ? <Tours /> : <TourGuide />;
}
