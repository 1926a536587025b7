// The inspector: the selected job in every run, or a hint.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { count, counted, instant } from "../format/words";
import { fail, machineOf, selectNumber } from "../lab";
import { nameOf } from "../runs/name";
import * as s from "../state";
import { jump, PLACES, places } from "../timeline/jump";
import { Lazy, prepare } from "../ui/lazy";
import { Mark } from "../ui/mark";
import { QueueAtCursor } from "./cursor";
import { JobTable } from "./list";

const AREA = () => import("./area").then(({ AreaPanel }) => AreaPanel);
const JOB = () => import("./job").then(({ Job }) => Job);

export function Inspector() {
  const known = [...s.jobFacts.value.values()].find((job) => job !== null);
  const hasResult = s.lanes.value.some(({ state }) => state === "done");
  // The next click may be on a job.
  useEffect(() => {
    if (hasResult) prepare(JOB).catch(() => {});
  }, [hasResult]);
  return (
    <section class="column inspector" aria-label="Inspector">
      {s.area.value && <Lazy load={AREA} given={{}} fail={fail} />}
      <h2>Job</h2>
      <FindJob />
      {known ? (
        <Lazy load={JOB} given={{ job: known }} fail={fail} />
      ) : (
        <p class="quiet">
          Click a job in a timeline, or type its number. The inspector then shows its request, and
          its times in every run.
        </p>
      )}
      {!known && <Places />}
      <QueueAtCursor />
      <JobTable />
      {!known &&
        s.lanes.value.map((lane, index) => <RunCard key={lane.id} lane={lane} index={index} />)}
    </section>
  );
}

/** Buttons that go to what is longest, largest and worst. */
function Places() {
  const known = places();
  if (known.length === 0) return null;
  return (
    <div class="buttons places" role="group" aria-label="Take me to">
      <span class="quiet">Take me to</span>
      {known.map((place) => (
        <button type="button" class="small" key={place} onClick={() => jump(place)}>
          {PLACES[place]}
        </button>
      ))}
    </div>
  );
}

/** Short description of a run, while no job is selected. It is enough to name the run elsewhere. */
function RunCard({ lane, index }: { lane: s.Lane; index: number }) {
  const policy = s.policyNamed(lane.policy);
  const machine = s.catalog.value?.machines.find(({ id }) => id === machineOf(lane));
  const { result, facts } = lane;
  if (!result || !facts || lane.state !== "done") return null;
  return (
    <section class="run-card" aria-label={`Run ${s.letter(index)} in short`}>
      <h3>
        <Mark index={index} /> {s.letter(index)} {nameOf(lane)}
      </h3>
      <dl class="facts">
        {policy?.paper && [<dt>Source</dt>, <dd>{policy.paper}</dd>]}
        <dt>Machine</dt>
        <dd>
          {machine?.name}, {counted(facts.processors, "processor")}
        </dd>
        <dt>Jobs</dt>
        <dd>
          {count(facts.jobs)}, last end {instant(result.end, facts.provenance.unix_start)}
        </dd>
        {facts.provenance.steps.map((step) => [<dt>Changed</dt>, <dd>{step}</dd>])}
        <dt>Schedule</dt>
        <dd>
          <code>{result.digest}</code>
        </dd>
      </dl>
    </section>
  );
}

function FindJob() {
  const text = useSignal("");
  const answer = useSignal("");
  const find = async (event: Event) => {
    event.preventDefault();
    const lane = s.lanes.value.find((lane) => lane.facts && lane.hand);
    const number = Number(text.value);
    if (text.value.trim() === "" || !Number.isInteger(number)) {
      answer.value = "Enter a whole number.";
      return;
    }
    const job = lane?.hand ? await selectNumber(lane.hand, number) : null;
    answer.value = job === null ? `Job ${number} is not in these runs.` : "";
  };
  return (
    <form class="find" onSubmit={(event) => void find(event)}>
      <label for="find-job">Job number</label>
      <input
        id="find-job"
        inputMode="numeric"
        autocomplete="off"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <button type="submit" class="small">
        Show
      </button>
      <small role="status">{answer.value}</small>
    </form>
  );
}
