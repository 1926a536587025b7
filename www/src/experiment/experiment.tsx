// The set-up: trace, machine, policies, workload.

import { computed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Report } from "schedscope";
import { inWords as inBytes, needed } from "../engine/memory";
import { count, counted, duration, instant, share } from "../format/words";
import * as lab from "../lab";
import { sourceName } from "../runs/origin";
import { Fields } from "../settings/fields";
import * as s from "../state";
import { Help } from "../ui/help";
import { ClusterFile } from "./cluster";
import { LaneForm } from "./lane";
import { PartitionChoice } from "./partition";
import { SaveTrace } from "./save";
import { ZoneQuestion } from "./zone";

export function Experiment({ choose }: { choose: () => void }) {
  const catalog = s.catalog.value;
  const facts = s.workload.value;
  const asked = s.askedPart.value;
  useEffect(() => {
    const part = asked && document.getElementById(`part-${asked}`);
    if (!part) return;
    part.scrollIntoView({ block: "start" });
    part.focus({ preventScroll: true });
    s.askPart(undefined);
  }, [asked, catalog]);
  if (!catalog) return <section class="column experiment" aria-label="Experiment" />;
  const machine = catalog.machines.find((machine) => machine.id === s.machine.value);
  const sizes = machine?.sizes_itself
    ? []
    : catalog.groups.reading.filter((param) => param.key === "processors");
  const machineParams = [...sizes, ...(machine?.params ?? [])];
  const readingParams = catalog.groups.reading.filter(
    ({ key }) => key !== "processors" && key !== "partition",
  );
  const shared = s.shared.value;
  const setShared = (settings: typeof shared) => void lab.setShared(settings);
  return (
    <section class="column experiment" aria-label="Experiment">
      <h2 id="part-trace" tabIndex={-1}>
        1 Trace
      </h2>
      {facts && <TraceFacts />}
      <div class="buttons">
        <button type="button" onClick={choose}>
          Open a trace…
        </button>
        {s.before.value && (
          <button type="button" onClick={lab.backToMine}>
            Back to my runs
          </button>
        )}
        {s.source.value?.kind === "file" && (
          <button type="button" onClick={() => void lab.open(lab.SAMPLE)}>
            Back to the sample
          </button>
        )}
      </div>
      {facts && <ZoneQuestion report={facts.report} />}
      {facts && <ImportReport report={facts.report} />}
      {facts && <SaveTrace />}
      <details>
        <summary>Reading options</summary>
        <Fields params={readingParams} settings={shared} onChange={setShared} />
      </details>
      <h2 id="part-machine" tabIndex={-1}>
        2 Machine
      </h2>
      <div class="field">
        <label for="machine">Model</label>
        <select
          id="machine"
          value={s.machine.value}
          onChange={(event) => void lab.setMachine(event.currentTarget.value)}
        >
          {catalog.machines.map((machine) => (
            <option key={machine.id} value={machine.id}>
              {machine.name}
            </option>
          ))}
        </select>
        <Help>{machine?.summary}</Help>
      </div>
      <PartitionChoice />
      <ClusterFile />
      <Fields params={machineParams} settings={shared} onChange={setShared} />
      <h2>3 Policies</h2>
      {s.setups.value.map((lane, index) => (
        <LaneForm key={lane.id} lane={lane} index={index} />
      ))}
      <div class="buttons">
        {(facts?.recorded ?? 0) > 0 && (
          <button
            type="button"
            title={`${catalog.recorded.summary} ${counted(facts!.recorded, "job has", "jobs have")} a recorded start.`}
            onClick={lab.addRecorded}
          >
            + {catalog.recorded.name}
          </button>
        )}
        {catalog.policies
          .filter((policy) => policy.machines.includes(s.machine.value))
          .map((policy) => (
            <button
              type="button"
              key={policy.id}
              onClick={() => lab.addLane(policy.id, textsOf(policy.id))}
            >
              + {policy.name}
            </button>
          ))}
        <button type="button" onClick={() => s.goTo("policy")}>
          Write a policy…
        </button>
      </div>
      <h2>4 Load, estimates, metrics</h2>
      <details>
        <summary>Workload</summary>
        <Fields params={catalog.groups.workload} settings={shared} onChange={setShared} />
      </details>
      <details>
        <summary>Metrics</summary>
        <Fields params={catalog.groups.metrics} settings={shared} onChange={setShared} />
      </details>
      <div class="buttons run-all">
        <button type="button" class="primary" disabled={!isStale.value} onClick={lab.runAll}>
          {isStale.value ? "Run what changed" : "Up to date"}
        </button>
      </div>
    </section>
  );
}

/** A further run of a policy begins with the texts of the first one, such as its slurm.conf: the reader changes a line. */
function textsOf(id: string): Partial<s.Setup> {
  const first = s.setups.value.find(({ policy }) => policy === id);
  const machine = s.catalog.value?.machines.find((each) => each.id === s.machine.value);
  const params = [...(s.policyNamed(id)?.params ?? []), ...(machine?.params ?? [])];
  const texts = params.filter(({ kind }) => kind.type === "lines");
  const keys = new Set(texts.map(({ key }) => key));
  const settings = Object.entries(first?.settings ?? {}).filter(([key]) => keys.has(key));
  return { settings: Object.fromEntries(settings) };
}

/** True if a run lacks a result of its present settings. */
const isStale = computed(() =>
  s.lanes.value.some((lane) => lane.stale || lane.state === "cancelled" || lane.state === "failed"),
);

function TraceFacts() {
  const facts = s.workload.value!;
  const { provenance } = facts;
  const used = facts.report.size?.recorded;
  return (
    <dl class="facts">
      <dt>Name</dt>
      <dd>{sourceName(provenance.name)}</dd>
      <dt>Jobs</dt>
      <dd>
        {count(facts.jobs)} of {counted(facts.users, "user")}
      </dd>
      <dt>Span</dt>
      <dd>
        {duration(facts.last - facts.first)}
        {provenance.unix_start != null &&
          `, from ${instant(facts.first, provenance.unix_start).slice(0, 10)}`}
      </dd>
      <dt>Machine</dt>
      <dd>{counted(facts.processors, "processor")}</dd>
      {used && (
        <>
          <dt>Recorded use</dt>
          <dd>
            at most {counted(used.most, "processor")} at once, at most {count(used.usual)} for 99.9
            % of the time
          </dd>
        </>
      )}
      <dt>Load</dt>
      <dd>{share(facts.offered_load)} offered</dd>
      <dt>Memory</dt>
      <dd>about {inBytes(needed(facts.jobs, facts.report.read))} per run</dd>
      <dt>SHA-256</dt>
      <dd>
        <code title={provenance.sha256}>{provenance.sha256.slice(0, 12)}…</code>
      </dd>
      {provenance.steps.map((step) => [<dt>Changed</dt>, <dd>{step}</dd>])}
    </dl>
  );
}

const EFFECTS = { noted: "note", repaired: "repaired", skipped: "skipped" } as const;

function ImportReport({ report }: { report: Report }) {
  const total = (effect: keyof typeof EFFECTS) =>
    report.rules
      .filter((rule) => rule.effect === effect)
      .reduce((sum, rule) => sum + rule.count, 0);
  return (
    <details class="report">
      <summary>
        Import report: {count(report.read)} read, {count(total("repaired"))} repaired,{" "}
        {count(total("skipped"))} skipped
      </summary>
      {report.rules.length === 0 && <p class="quiet">Every line was read unchanged.</p>}
      <ul>
        {report.rules.map((rule) => (
          <li key={rule.id}>
            <b>{count(rule.count)}</b> {EFFECTS[rule.effect]}: {rule.text}
            {rule.lines.length > 0 && <small> (first lines {rule.lines.join(", ")})</small>}
          </li>
        ))}
      </ul>
      {report.columns && <Columns notes={report.columns} />}
    </details>
  );
}

function Columns({ notes }: { notes: NonNullable<Report["columns"]> }) {
  const source = s.source.value;
  const isFile = source?.kind === "file";
  return (
    <>
      <h3>Columns</h3>
      {isFile && source.areRemembered && (
        <p class="quiet">You chose these columns for an earlier table with this header.</p>
      )}
      <ul>
        {notes.map((note, at) => (
          <li key={at}>
            <b>{note.column}</b>: {note.text}
          </li>
        ))}
      </ul>
      {isFile && (
        <button type="button" class="small" onClick={() => void lab.changeColumns()}>
          Change columns…
        </button>
      )}
    </>
  );
}
