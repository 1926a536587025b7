// The candidates of an adaptive policy: which, in what order, and each with parameters of its own.
import type { Param, Settings } from "schedscope";
import { Fields } from "./forms";
import * as s from "./state";

type CandidatesParam = Param & { kind: { type: "policies"; least: number; most: number; defaults: string[] } };

export const isOfCandidates = (param: Param): param is CandidatesParam => param.kind.type === "policies";

const policyOf = (name: string) => s.catalog.value?.policies.find(({ id }) => id === name.replace(/\d+$/, ""));
const isAdaptive = (params: Param[]) => params.some(isOfCandidates);
const runsOn = (name: string, machine: string | undefined) => machine === undefined || (policyOf(name)?.machines.includes(machine) ?? false);

/** The names that settings give, or the first default that the machine allows. */
export function candidatesOf(param: CandidatesParam, settings: Settings, machine?: string): string[] {
  const given = settings[param.key];
  const words = given === undefined ? (param.kind.defaults.find((words) => words.split("+").every((name) => runsOn(name, machine))) ?? "") : String(given);
  return words.split("+").map((name) => name.trim()).filter((name) => name !== "");
}

/** A name that is not taken: the id, or with the first digit that makes it another one. */
function free(id: string, taken: string[]): string {
  for (let digit = 2, name = id; ; digit += 1) {
    if (!taken.includes(name)) return name;
    name = `${id}${digit}`;
  }
}

/** Settings without those of a candidate, and the candidate's alone, without its name. */
function apart(settings: Settings, name: string): [Settings, Settings] {
  const entries = Object.entries(settings);
  const own = entries.filter(([key]) => key.startsWith(`${name}.`)).map(([key, value]) => [key.slice(name.length + 1), value] as const);
  return [Object.fromEntries(entries.filter(([key]) => !key.startsWith(`${name}.`))), Object.fromEntries(own)];
}

export function Candidates({ param, settings, machine, onChange }: { param: CandidatesParam; settings: Settings; machine: string | undefined; onChange: (settings: Settings) => void }) {
  const names = candidatesOf(param, settings, machine);
  const { least, most } = param.kind;
  const able = (s.catalog.value?.policies ?? []).filter((policy) => !isAdaptive(policy.params) && runsOn(policy.id, machine));
  const put = (next: string[], rest: Settings = settings) => onChange({ ...rest, [param.key]: next.join("+") });
  const replace = (at: number, id: string) => put(names.with(at, free(id, names.toSpliced(at, 1))), apart(settings, names[at]!)[0]);
  const remove = (at: number) => put(names.toSpliced(at, 1), apart(settings, names[at]!)[0]);
  const set = (name: string, own: Settings) => {
    const prefixed = Object.fromEntries(Object.entries(own).map(([key, value]) => [`${name}.${key}`, value]));
    put(names, { ...apart(settings, name)[0], ...prefixed });
  };
  return (
    <fieldset class="candidates">
      <legend>{param.name}</legend>
      <small class="help">{param.help}.</small>
      <ol>
        {names.map((name, at) => {
          const policy = policyOf(name);
          const [, own] = apart(settings, name);
          // What is believed of run times is one setting for all.
          const params = (policy?.params ?? []).filter(({ key }) => key !== "estimates");
          return (
            <li key={at}>
              <div class="lane-head">
                <select aria-label={`Candidate ${at + 1}`} value={policy?.id ?? ""} onChange={(event) => replace(at, event.currentTarget.value)}>
                  {!policy && <option value="">{name}?</option>}
                  {policy && !able.includes(policy) && <option value={policy.id}>{policy.name} (not on this machine)</option>}
                  {able.map((policy) => <option key={policy.id} value={policy.id}>{policy.name}</option>)}
                </select>
                {most > least && <button type="button" class="small" aria-label={`Remove candidate ${at + 1}`} disabled={names.length <= least} onClick={() => remove(at)}>Remove</button>}
              </div>
              {params.length > 0 && (
                <details>
                  <summary>Parameters of {name}{Object.keys(own).length > 0 ? " (changed)" : ""}</summary>
                  <Fields params={params} settings={own} {...(machine === undefined ? {} : { machine })} onChange={(own) => set(name, own)} />
                </details>
              )}
            </li>
          );
        })}
      </ol>
      {most > least && <button type="button" class="small" disabled={names.length >= most || able.length === 0} onClick={() => put([...names, free(able.find(({ id }) => !names.includes(id))?.id ?? able[0]!.id, names)])}>Add a candidate</button>}
    </fieldset>
  );
}
