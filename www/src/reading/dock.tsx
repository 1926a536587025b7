// The content of the sheet: a tour, a run step by step, the queue, or the inspector.
import { useSignal } from "@preact/signals";
import { X } from "lucide";
import { useEffect } from "preact/hooks";
import { counted, duration } from "../format/words";
import { Doors, Guide } from "../guide/doors";
import { QueueNow } from "../inspect/cursor";
import { Inspector } from "../inspect/inspector";
import { Steps } from "../inspect/steps";
import * as lab from "../lab";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { Mark } from "../ui/mark";
import { content, height, raise, setHeight } from "./place";
import { Sheet } from "./sheet";

export function Dock() {
  const isTimeline = s.tab.value === "timeline";
  const isStepping = s.stepping.value !== undefined && isTimeline;
  const given = { height: height.value, setHeight };
  if (s.lesson.value) return <Tour isStepping={isStepping} />;
  if (isStepping)
    return (
      <Sheet {...given} name="Step by step" summary={undefined}>
        <Steps />
        <Inspector />
      </Sheet>
    );
  if (content.value === "queue" && isTimeline)
    return (
      <Sheet {...given} name="Queue" summary={<QueueSummary />}>
        <section class="queue-at" aria-label="Queue">
          <QueueNow />
        </section>
      </Sheet>
    );
  return (
    <Sheet {...given} name="Inspector" summary={<JobSummary />}>
      {isTimeline && s.selected.value === undefined && <Doors />}
      <Inspector />
    </Sheet>
  );
}

/** A tour. Its text and the steps of a run take turns, because both are long. */
function Tour({ isStepping }: { isStepping: boolean }) {
  const wantsSteps = useSignal(false);
  const chapter = s.tour.value?.chapter;
  // Each chapter begins with its text.
  useEffect(() => void (wantsSteps.value = false), [chapter, isStepping]);
  const isSteps = isStepping && wantsSteps.value;
  const parts = isStepping && (
    <div class="sheet-parts" role="group" aria-label="Parts of the tour">
      {[false, true].map((isOther) => (
        <button
          type="button"
          key={String(isOther)}
          class="bare"
          aria-pressed={isSteps === isOther}
          onClick={() => {
            wantsSteps.value = isOther;
            raise();
          }}
        >
          {isOther ? "Step by step" : "Text"}
        </button>
      ))}
    </div>
  );
  return (
    <Sheet name="Tour" height={height.value} setHeight={setHeight} summary={parts}>
      <div hidden={isSteps}>
        <Guide />
      </div>
      {isSteps && <Steps />}
    </Sheet>
  );
}

function QueueSummary() {
  return (
    <div class="sheet-told">
      <h2>Queue at the cursor</h2>
      <p class="quiet">Touch a timeline to move the cursor.</p>
    </div>
  );
}

/** The selected job in two lines, or a hint. */
function JobSummary() {
  const known = [...s.jobFacts.value.values()].find((job) => job !== null);
  if (!known)
    return (
      <div class="sheet-told">
        <h2>Inspector</h2>
        <p class="quiet">Tap a job to see why it waited.</p>
      </div>
    );
  const user = known.told.find(({ id }) => id === "user")?.text ?? known.user;
  return (
    <>
      <div class="sheet-told">
        <h2>
          Job {known.number}{" "}
          <small>
            user {user}, {counted(known.processors, "processor")}
          </small>
        </h2>
        <p>
          Waited{" "}
          {s.lanes.value.map((lane, index) => {
            const job = s.jobFacts.value.get(lane.id);
            return (
              job && (
                <span key={lane.id}>
                  <Mark index={index} /> {s.letter(index)} <b>{duration(job.wait)}</b>{" "}
                </span>
              )
            );
          })}
        </p>
      </div>
      <button
        type="button"
        class="bare icon-only"
        aria-label="Close the job"
        title="Close the job"
        onClick={() => void lab.select(undefined)}
      >
        <Icon of={X} />
      </button>
    </>
  );
}
