// Builds the scenario of a lane from its settings and the shared ones.
import type { Scenario, Settings } from "schedscope";
import { ofCandidates } from "../settings/candidates";
import * as s from "../state";
import { viewOf } from "./machines";

let nextId = 1;

export function newLane({
  policy,
  machine = "",
  settings = {},
  preset = "",
  whatIf,
}: Partial<s.Setup> & { policy: string }): s.Lane {
  return {
    id: nextId++,
    policy,
    machine,
    preset,
    settings,
    whatIf,
    state: "waiting",
    hand: undefined,
    progress: undefined,
    reading: undefined,
    doing: undefined,
    speed: undefined,
    result: undefined,
    facts: undefined,
    base: "",
    candidates: [],
    ranOn: "",
    slots: 1,
    gpus: 0,
    processes: false,
    atOnce: false,
    matches: false,
    notModelled: [],
    problem: undefined,
    notice: undefined,
    stale: false,
    ranWith: undefined,
    drawn: 0,
    isHidden: false,
  };
}

export const setup = ({ policy, machine, preset, settings, whatIf }: s.Setup): s.Setup => ({
  policy,
  machine,
  preset,
  settings,
  whatIf,
});

export const machineNamed = (id: string) =>
  s.catalog.value?.machines.find((machine) => machine.id === id);

/** True if only the whole engine has a machine model. */
export const isOnlyWhole = (machine: string, catalog = s.catalog.value): boolean =>
  catalog?.machines.find(({ id }) => id === machine)?.only_whole ?? false;

/** Returns the machine model of a lane. */
export const machineOf = (lane: Pick<s.Lane, "machine">): string => lane.machine || s.machine.value;

/** True if a policy can run on a machine model. */
export const runsOn = (policy: string, machine: string): boolean =>
  s.policyNamed(policy)?.machines.includes(machine) ?? true;

/** Returns the settings that all runs share. */
interface Common {
  machine: string;
  shared: Settings;
}

const commonNow = (): Common => ({ machine: s.machine.value, shared: s.shared.value });

/** Returns the number of processors of the shared machine model, if its own parameters give one. */
function ownSize({ machine: id, shared }: Common): number | undefined {
  const machine = machineNamed(id);
  if (!machine?.sizes_itself) return undefined;
  const setting = (key: string) => {
    const { kind } = machine.params.find((param) => param.key === key)!;
    return Number(shared[key] ?? (kind.type === "whole" ? kind.default : 1));
  };
  return viewOf(machine.id)?.processors(setting);
}

/**
 * Returns the scenario for a lane's worker. It leaves out parameters of other machines. A flat
 * machine beside a torus has the size of the torus.
 */
export function scenario(lane: s.Setup, common = commonNow()): Scenario {
  const machine = lane.machine || common.machine;
  const others = (s.catalog.value?.machines ?? [])
    .filter(({ id }) => id !== machine)
    .flatMap(({ params }) => params.map(({ key }) => key));
  const own = new Set((machineNamed(machine)?.params ?? []).map(({ key }) => key));
  const settings: Settings = Object.fromEntries(
    Object.entries({ ...common.shared, ...lane.settings }).filter(
      ([key]) => own.has(key) || !others.includes(key),
    ),
  );
  const size = ownSize(common);
  if (machineNamed(machine)?.sizes_itself) delete settings.processors;
  else if (size !== undefined) settings.processors = size;
  // A run of one partition beside the others has a machine of its own size.
  else if (lane.settings.partition !== undefined && lane.settings.processors === undefined)
    delete settings.processors;
  const base = {
    machine,
    policy: lane.policy,
    settings: ofCandidates(lane.policy, settings, machine),
  };
  return {
    ...base,
    ...(lane.preset ? { preset: lane.preset } : {}),
    ...(lane.whatIf ? { what_if: lane.whatIf } : {}),
  };
}

/** Returns the scenario for questions about the workload, before any policy. */
export const plain = (common = commonNow()): Scenario =>
  scenario({ policy: "fcfs", machine: "", preset: "", settings: {}, whatIf: undefined }, common);
