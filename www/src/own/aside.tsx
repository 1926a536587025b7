// Beside the editor: the runs with the policy among them, what the check found, what the policy has
// logged, and what a turn offers.
import { types } from "own-policies";
import { LaneForm } from "../experiment/lane";
import { count, counted, instant } from "../format/words";
import { stepThrough } from "../inspect/begin";
import { nameOf } from "../runs/name";
import { inWords } from "../runs/ranking";
import * as s from "../state";
import { Mark } from "../ui/mark";
import { Words } from "../ui/words";
import { membersOf } from "./types";

export function Aside({ policy }: { policy: s.OwnPolicy }) {
  const lanes = s.lanes.value
    .map((lane, index) => ({ lane, index }))
    .filter(({ lane }) => lane.policy === (policy.policy?.id ?? policy.foreign));
  return (
    <aside class="own-aside" aria-label="About the policy">
      <Runs lane={lanes.find(({ lane }) => lane.state === "done" && lane.hand)?.lane} />
      {lanes.map(({ lane, index }) => (
        <LaneForm key={lane.id} lane={lane} index={index} />
      ))}
      {lanes.map(({ lane, index }) => (
        <Log key={lane.id} lane={lane} index={index} />
      ))}
      <Check policy={policy} />
      <Reference />
    </aside>
  );
}

/** The runs with the figure that ranks them. `lane` is a finished run of the policy. */
function Runs({ lane }: { lane: s.Lane | undefined }) {
  const ranking = s.rankedBy.value;
  return (
    <section aria-label="Runs">
      <h3>Runs</h3>
      <table class="own-runs">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">{ranking.phrase.replace(/^./, (letter) => letter.toUpperCase())}</th>
          </tr>
        </thead>
        <tbody>
          {s.lanes.value.map((lane, index) => {
            const value = lane.result?.figures[ranking.key];
            return (
              <tr key={lane.id}>
                <th scope="row">
                  <Mark index={index} /> {s.letter(index)} {nameOf(lane)}
                </th>
                <td>
                  {lane.state === "done" && value !== undefined ? inWords(value) : lane.state}
                  {lane.stale && lane.state === "done" ? " (older code)" : ""}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <div class="buttons">
        <button type="button" class="small" onClick={() => s.goTo("timeline")}>
          Show the timelines
        </button>
        {lane && (
          <button
            type="button"
            class="small"
            onClick={() => {
              s.goTo("timeline");
              void stepThrough(lane);
            }}
          >
            Step through it
          </button>
        )}
        <button
          type="button"
          class="small"
          onClick={() => {
            const base = s.lanes.value.findLast((other) => other.id !== lane?.id);
            if (lane && base) s.pickCompared([base.id, lane.id]);
            s.goTo("compare");
          }}
        >
          Compare job by job
        </button>
      </div>
    </section>
  );
}

function Check({ policy: { shortcomings, policy } }: { policy: s.OwnPolicy }) {
  if (!policy) return null;
  const faults = shortcomings?.filter(({ is_fault }) => is_fault).length ?? 0;
  return (
    <section aria-label="Check">
      <h3>Check</h3>
      {!shortcomings ? (
        <p class="quiet">
          The check runs the policy on 20 small workloads, and lists the rules that it breaks. It
          comes with each run.
        </p>
      ) : shortcomings.length === 0 ? (
        <p class="notice good">It conforms: nothing is wrong on 20 small workloads.</p>
      ) : (
        <>
          <p>
            {faults === 0
              ? "It conforms. You should know:"
              : `${counted(faults, "fault")}: do not trust its results.`}
          </p>
          {shortcomings.map(({ is_fault: isFault, what, why, next }) => (
            <p key={what} class={`notice ${isFault ? "bad" : ""}`}>
              <b>
                <Words of={what} />
              </b>{" "}
              <Words of={`${why} ${next}`} />
            </p>
          ))}
        </>
      )}
    </section>
  );
}

/** Lines of a log that are shown. */
const SHOWN = 200;

function Log({ lane, index }: { lane: s.Lane; index: number }) {
  const log = s.logs.value.get(lane.id);
  if (!log || log.lines.length === 0) return null;
  const start = s.workload.value?.provenance.unix_start;
  return (
    <section aria-label={`Log of run ${s.letter(index)}`}>
      <h3>Log of run {s.letter(index)}</h3>
      <ol class="own-log" tabIndex={0}>
        {log.lines.slice(0, SHOWN).map(({ at, text }, line) => (
          <li key={line}>
            <button
              type="button"
              class="bare"
              title="Show this instant in the timelines"
              onClick={() => {
                s.showInstant(at);
                s.goTo("timeline");
              }}
            >
              {instant(at, start)}
            </button>{" "}
            {text}
          </li>
        ))}
      </ol>
      {(log.lines.length > SHOWN || log.unlogged > 0) && (
        <p class="quiet">
          {count(Math.max(0, log.lines.length - SHOWN) + log.unlogged)} more lines are not shown.
        </p>
      )}
    </section>
  );
}

/** The types whose members the reference lists, with the words before them. */
const SHOWN_TYPES = ["Turn", "Queue", "Job", "Reservation", "Plan", "Policy"];

function Reference() {
  return (
    <section aria-label="Reference">
      <h3>Reference</h3>
      {SHOWN_TYPES.map((name) => (
        <details key={name}>
          <summary>{name}</summary>
          <p class="quiet">
            <Words of={types[name]?.doc ?? ""} />
          </p>
          <dl class="own-reference">
            {membersOf(name).map(({ signature, doc }) => [
              <dt key={signature}>
                <code>{signature}</code>
              </dt>,
              <dd>
                <Words of={doc} />
              </dd>,
            ])}
          </dl>
        </details>
      ))}
      <p>
        <a href="docs/policies/own.html">The whole description</a>
      </p>
    </section>
  );
}
