// The candidates of an adaptive policy: their names, their order, and the parameters of each, as
// settings name them.
import type { Param, Settings } from "schedscope";
import * as s from "../state";

export type CandidatesParam = Param & {
  kind: { type: "policies"; least: number; most: number; defaults: string[] };
};

export const isOfCandidates = (param: Param): param is CandidatesParam =>
  param.kind.type === "policies";

/**
 * Returns the policy that a candidate's name means: the longest id that remains after removing
 * digits, or none, from the end.
 */
export function policyOf(name: string) {
  const bare = name.replace(/\d+$/, "").length;
  for (let end = name.length; end >= bare; end -= 1) {
    const found = s.catalog.value?.policies.find(({ id }) => id === name.slice(0, end));
    if (found) return found;
  }
  return undefined;
}

export const isAdaptive = (params: Param[]) => params.some(isOfCandidates);

export const runsOn = (name: string, machine: string | undefined) =>
  machine === undefined || (policyOf(name)?.machines.includes(machine) ?? false);

/** Returns the names from the settings, or the first default that the machine allows. */
export function candidatesOf(
  param: CandidatesParam,
  settings: Settings,
  machine?: string,
): string[] {
  const given = settings[param.key];
  const words =
    given === undefined
      ? (param.kind.defaults.find((words) =>
          words.split("+").every((name) => runsOn(name, machine)),
        ) ?? "")
      : String(given);
  return words
    .split("+")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Returns a name that is not taken: the id, alone or with the first digit that makes it unique. */
export function free(id: string, taken: string[]): string {
  for (let digit = 2, name = id; ; digit += 1) {
    if (!taken.includes(name)) return name;
    name = `${id}${digit}`;
  }
}

/** Returns the settings without a candidate's, and the candidate's settings without its name. */
export function apart(settings: Settings, name: string): [Settings, Settings] {
  const entries = Object.entries(settings);
  const own = entries
    .filter(([key]) => key.startsWith(`${name}.`))
    .map(([key, value]) => [key.slice(name.length + 1), value] as const);
  return [
    Object.fromEntries(entries.filter(([key]) => !key.startsWith(`${name}.`))),
    Object.fromEntries(own),
  ];
}

/**
 * Returns the settings without those of candidates that the policy does not have, such as
 * parameters for another machine.
 */
export function ofCandidates(policy: string, settings: Settings, machine: string): Settings {
  const param = policyOf(policy)?.params.find(isOfCandidates);
  const names = param ? candidatesOf(param, settings, machine) : [];
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([key]) => !key.includes(".") || names.includes(key.split(".")[0]!),
    ),
  );
}

/** Returns the parameters of candidates, under their names in settings. */
export function paramsOfCandidates(params: Param[], settings: Settings, machine?: string): Param[] {
  const names = params
    .filter(isOfCandidates)
    .flatMap((param) => candidatesOf(param, settings, machine));
  return names.flatMap((name) =>
    ownParams(name).map((param) => ({
      ...param,
      key: `${name}.${param.key}`,
      name: `${name}: ${param.name}`,
    })),
  );
}

/** Parameters that a candidate can have alone. All candidates share the belief about run times. */
export const ownParams = (name: string): Param[] =>
  (policyOf(name)?.params ?? []).filter(({ key }) => key !== "estimates");
