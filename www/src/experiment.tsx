// The left column: what is simulated. Trace, machine, policies, workload.
import type { Report } from "schedscope";
import { LANE_DASHES } from "./canvas";
import { inWords } from "./explore/whatif";
import { count, doingInWords, duration, instant, share } from "./format";
import { Fields } from "./forms";
import { laneColour } from "./gantt";
import * as lab from "./lab";
import { inWords as inBytes, needed } from "./memory";
import * as s from "./state";

export function Experiment({ choose }: { choose: () => void }) {
  const catalog = s.catalog.value;
  const facts = s.workload.value;
  if (!catalog) return <section class="column experiment" aria-label="Experiment" />;
  const machine = catalog.machines.find((machine) => machine.id === s.machine.value);
  const sizes = machine?.sizes_itself
    ? []
    : catalog.groups.reading.filter((param) => param.key === "processors");
  const machineParams = [...sizes, ...(machine?.params ?? [])];
  const readingParams = catalog.groups.reading.filter((param) => param.key !== "processors");
  const shared = s.shared.value;
  const setShared = (settings: typeof shared) => void lab.setShared(settings);
  const isStale = s.lanes.value.some(
    (lane) => lane.stale || lane.state === "cancelled" || lane.state === "failed",
  );
  return (
    <section class="column experiment" aria-label="Experiment">
      <h2>1 Trace</h2>
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
      {facts && <ImportReport report={facts.report} />}
      <details>
        <summary>How it is read</summary>
        <Fields params={readingParams} settings={shared} onChange={setShared} />
      </details>
      <h2>2 Machine</h2>
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
        <small class="help">{machine?.summary}</small>
      </div>
      <Fields params={machineParams} settings={shared} onChange={setShared} />
      <h2>3 Policies</h2>
      {s.lanes.value.map((lane, index) => (
        <LaneForm key={lane.id} lane={lane} index={index} />
      ))}
      <div class="buttons">
        {catalog.policies
          .filter((policy) => policy.machines.includes(s.machine.value))
          .map((policy) => (
            <button type="button" key={policy.id} onClick={() => lab.addLane(policy.id)}>
              + {policy.name}
            </button>
          ))}
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
        <button type="button" class="primary" disabled={!isStale} onClick={lab.runAll}>
          {isStale ? "Run what changed" : "Up to date"}
        </button>
      </div>
    </section>
  );
}

function TraceFacts() {
  const facts = s.workload.value!;
  const { provenance } = facts;
  return (
    <dl class="facts">
      <dt>Name</dt>
      <dd>{lab.sourceName(provenance.name)}</dd>
      <dt>Jobs</dt>
      <dd>
        {count(facts.jobs)} of {count(facts.users)} users
      </dd>
      <dt>Span</dt>
      <dd>
        {duration(facts.last - facts.first)}
        {provenance.unix_start != null &&
          `, from ${instant(facts.first, provenance.unix_start).slice(0, 10)}`}
      </dd>
      <dt>Machine</dt>
      <dd>{count(facts.processors)} processors</dd>
      <dt>Load</dt>
      <dd>{share(facts.offered_load)} offered</dd>
      <dt>Memory</dt>
      <dd>some {inBytes(needed(facts.jobs, facts.report.read))} a run</dd>
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
      {report.rules.length === 0 && <p class="quiet">Every line was taken as it stands.</p>}
      <ul>
        {report.rules.map((rule) => (
          <li key={rule.id}>
            <b>{count(rule.count)}</b> {EFFECTS[rule.effect]}: {rule.text}
            {rule.lines.length > 0 && <small> (first lines {rule.lines.join(", ")})</small>}
          </li>
        ))}
      </ul>
    </details>
  );
}

function LaneForm({ lane, index }: { lane: s.Lane; index: number }) {
  const catalog = s.catalog.value!;
  const policy = catalog.policies.find((policy) => policy.id === lane.policy);
  const preset = catalog.presets.find((preset) => preset.id === lane.preset);
  const name = `Run ${s.letter(index)}`;
  const params = [...(policy?.params ?? []), ...catalog.groups.run];
  return (
    <fieldset class="lane-form">
      <legend>
        <Mark index={index} /> {name}
      </legend>
      <div class="lane-head">
        <select
          aria-label={`Policy of run ${s.letter(index)}`}
          value={lane.policy}
          onChange={(event) =>
            lab.setLane(lane.id, { policy: event.currentTarget.value, settings: {} })
          }
        >
          {catalog.policies.map((policy) => (
            <option
              key={policy.id}
              value={policy.id}
              disabled={!policy.machines.includes(lab.machineOf(lane))}
            >
              {policy.name}
            </option>
          ))}
        </select>
        <button
          type="button"
          class="small"
          aria-label={`Remove run ${s.letter(index)}`}
          disabled={s.lanes.value.length === 1}
          onClick={() => lab.removeLane(lane.id)}
        >
          Remove
        </button>
      </div>
      <p class="quiet">{policy?.summary}</p>
      {lane.whatIf && (
        <p class="what-if-note">
          What if: {inWords(lane.whatIf)}.{" "}
          <button
            type="button"
            class="small"
            onClick={() => lab.setLane(lane.id, { whatIf: undefined })}
          >
            As it was
          </button>
        </p>
      )}
      <details>
        <summary>
          Parameters
          {Object.keys(lane.settings).length > 0 || lane.preset || lane.machine ? " (changed)" : ""}
        </summary>
        <div class="field">
          <label for={`machine-${lane.id}`}>Machine</label>
          <select
            id={`machine-${lane.id}`}
            value={lane.machine}
            onChange={(event) => lab.setLane(lane.id, { machine: event.currentTarget.value })}
          >
            <option value="" disabled={!policy?.machines.includes(s.machine.value)}>
              as chosen above
            </option>
            {catalog.machines.map((machine) => (
              <option
                key={machine.id}
                value={machine.id}
                disabled={!policy?.machines.includes(machine.id)}
              >
                {machine.name}
              </option>
            ))}
          </select>
        </div>
        {lane.machine && lane.machine !== s.machine.value && (
          <Fields
            params={catalog.machines.find(({ id }) => id === lane.machine)?.params ?? []}
            settings={lane.settings}
            onChange={(settings) => lab.setLane(lane.id, { settings })}
          />
        )}
        <div class="field">
          <label for={`preset-${lane.id}`}>Preset</label>
          <select
            id={`preset-${lane.id}`}
            value={lane.preset}
            onChange={(event) => lab.setLane(lane.id, { preset: event.currentTarget.value })}
          >
            <option value="">none</option>
            {catalog.presets.map((preset) => (
              <option key={preset.id} value={preset.id}>
                {preset.name}
              </option>
            ))}
          </select>
          {preset && <small class="help">{preset.summary}</small>}
        </div>
        <Fields
          params={params}
          settings={lane.settings}
          machine={lab.machineOf(lane)}
          {...(preset ? { preset: preset.settings } : {})}
          onChange={(settings) => lab.setLane(lane.id, { settings })}
        />
        <p class="quiet">{policy?.paper}</p>
      </details>
      <RunStatus lane={lane} index={index} />
    </fieldset>
  );
}

/** A lane's colour, dash and letter: never colour alone. */
export function Mark({ index }: { index: number }) {
  return (
    <svg class="mark" viewBox="0 0 18 10" aria-hidden="true">
      <line
        x1="0"
        y1="5"
        x2="18"
        y2="5"
        stroke={laneColour(index)}
        stroke-width="3"
        stroke-dasharray={LANE_DASHES[index % LANE_DASHES.length]!.join(" ")}
      />
    </svg>
  );
}

function RunStatus({ lane, index }: { lane: s.Lane; index: number }) {
  const name = `Run ${s.letter(index)}`;
  const { progress, speed, reading } = lane;
  const fraction =
    lane.state === "loading"
      ? reading
        ? reading.read / Math.max(1, reading.total)
        : 0
      : progress
        ? progress.finished / Math.max(1, progress.jobs)
        : 0;
  const states = {
    waiting: "waiting for a processor",
    loading: reading ? `reading: ${count(reading.records)} jobs` : "starting",
    running:
      progress && speed
        ? `${count(progress.finished)} of ${count(progress.jobs)} jobs, ${count(Math.round(speed.rate))} jobs/s, ${duration(speed.left)} left`
        : "starting",
    measuring: "measuring",
    done: lane.stale ? "done, with settings since changed" : "done",
    failed: "failed",
    cancelled: "cancelled: figures are missing, the picture shows how far it came",
  };
  const text =
    lane.doing && lab.isBusy(lane)
      ? doingInWords(lane.doing, s.workload.value?.provenance.unix_start)
      : states[lane.state];
  return (
    <div class={`status ${lane.state}`}>
      {lab.isBusy(lane) && (
        <div
          class="progress"
          role="progressbar"
          aria-label={`${name}: ${lane.state}`}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(fraction * 100)}
        >
          <div style={{ width: `${fraction * 100}%` }} />
        </div>
      )}
      <span class="status-text">{text}</span>
      {lab.isBusy(lane) && (
        <button
          type="button"
          class="small"
          aria-label={`Cancel run ${s.letter(index)}`}
          onClick={() => void lab.cancel(lane.id)}
        >
          Cancel
        </button>
      )}
      {lane.notice && <p class="notice">{lane.notice}</p>}
      {lane.problem && (
        <p class="notice bad" role="alert">
          <b>{lane.problem.what}</b> {lane.problem.why} {lane.problem.next}
        </p>
      )}
    </div>
  );
}
