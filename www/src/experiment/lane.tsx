// The form of a run, and its progress.
import type { Choosable } from "schedscope";
import { count, counted, doingInWords, duration } from "../format/words";
import * as lab from "../lab";
import { inWords } from "../runs/whatif";
import { Fields } from "../settings/fields";
import * as s from "../state";
import { Help } from "../ui/help";
import { Mark } from "../ui/mark";
import { SlurmReport } from "./slurm";

/** The policies, and the recorded schedule if there is one or the run is it. */
function choices(lane: s.Setup): Choosable[] {
  const { policies, recorded } = s.catalog.value!;
  const hasRecord = (s.workload.value?.recorded ?? 0) > 0 || lane.policy === recorded.id;
  return hasRecord ? [recorded, ...policies] : policies;
}

export function LaneForm({ lane, index }: { lane: s.Setup & { id: number }; index: number }) {
  const catalog = s.catalog.value!;
  const policy = s.policyNamed(lane.policy);
  const preset = catalog.presets.find((preset) => preset.id === lane.preset);
  const name = `Run ${s.letter(index)}`;
  const isOtherMachine = lane.machine !== "" && lane.machine !== s.machine.value;
  const ofMachine = catalog.machines.find(({ id }) => id === lab.machineOf(lane))?.params ?? [];
  const params = [...(policy?.params ?? []), ...catalog.groups.run];
  return (
    <fieldset class="lane-form" id={`part-run-${lane.id}`} tabIndex={-1}>
      <legend>
        <Mark index={index} /> {name}
      </legend>
      <div class="lane-head">
        <select
          aria-label={`Policy of run ${s.letter(index)}`}
          value={lane.policy}
          onChange={(event) =>
            lab.setLane(lane.id, {
              policy: event.currentTarget.value,
              settings: lane.settings.partition ? { partition: lane.settings.partition } : {},
            })
          }
        >
          {choices(lane).map((policy) => (
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
          disabled={s.setups.value.length === 1}
          onClick={() => lab.removeLane(lane.id)}
        >
          Remove
        </button>
      </div>
      {lane.settings.partition !== undefined && (
        <p class="partition-note">Only partition {lane.settings.partition}</p>
      )}
      <p class="quiet">{policy?.summary}</p>
      {lane.whatIf && (
        <p class="what-if-note">
          What-if: {inWords(lane.whatIf)}.{" "}
          <button
            type="button"
            class="small"
            onClick={() => lab.setLane(lane.id, { whatIf: undefined })}
          >
            Remove what-if
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
              same as above
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
        {(isOtherMachine || ofMachine.some(({ key }) => lane.settings[key] !== undefined)) && (
          <Fields
            params={ofMachine}
            settings={lane.settings}
            {...(isOtherMachine ? {} : { preset: s.shared.value })}
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
          {preset && <Help>{preset.summary}</Help>}
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
      {lane.policy === "slurm" && <SlurmReport lane={lane} />}
      <RunStatus id={lane.id} index={index} />
    </fieldset>
  );
}

function RunStatus({ id, index }: { id: number; index: number }) {
  const lane = s.laneOf(id);
  if (!lane) return null;
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
    loading: reading ? `reading: ${counted(reading.records, "job")}` : "starting",
    running:
      progress && speed
        ? `${count(progress.finished)} of ${counted(progress.jobs, "job")}, ${count(Math.round(speed.rate))} jobs/s, ${duration(speed.left)} left`
        : "starting",
    measuring: "measuring",
    done: lane.stale ? "done; settings or code have changed since" : "done",
    failed: "failed",
    cancelled: "cancelled: no figures; the picture shows the part that ran",
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
