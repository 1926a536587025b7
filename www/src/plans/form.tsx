// The form that builds a plan. Every change makes a new plan, which the simulator reads. If the
// simulator refuses the plan, the form names the place in the document, and the previous plan
// stays.

import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { Keep, Param, Plan, Settings } from "schedscope";
import { paramsOfCandidates } from "../settings/candidates";
import { Fields } from "../settings/fields";
import * as s from "../state";
import { useDraft } from "../ui/draft";
import * as plans from "./plans";

type Change = (change: Partial<Plan>) => void;

export function PlanForm({ plan }: { plan: Plan }) {
  const catalog = s.catalog.value;
  if (!catalog) return null;
  const set: Change = plans.edit;
  return (
    <div class="plan-form">
      <div class="plan-parts">
        <Part title="Description">
          <Text label="Name" value={plan.name ?? ""} onChange={(name) => set({ name })} />
          <Text label="Note" value={plan.note ?? ""} onChange={(note) => set({ note })} />
          <label class="field-line">
            Values
            <select
              value={plan.combine ?? "grid"}
              onChange={(event) => set({ combine: event.currentTarget.value as "grid" | "list" })}
            >
              <option value="grid">crossed: each with every other</option>
              <option value="list">paired side by side</option>
            </select>
          </label>
        </Part>
        <Workloads plan={plan} set={set} />
        <Machines plan={plan} set={set} />
        <Policies plan={plan} set={set} />
        <Loads plan={plan} set={set} />
        <Swept plan={plan} set={set} />
        <Part title="Measuring">
          <Text
            label="Warm-up (share of the jobs)"
            value={plan.warm_up?.toString() ?? ""}
            onChange={(text) => set(optional("warm_up", number(text)))}
          />
          <Text
            label="Cool-down (share of the jobs)"
            value={plan.cool_down?.toString() ?? ""}
            onChange={(text) => set(optional("cool_down", number(text)))}
          />
          <Text
            label="Metrics wanted"
            hint="such as wait.mean, utilisation.value"
            value={(plan.metrics ?? []).join(", ")}
            onChange={(text) => set({ metrics: words(text) })}
          />
          <fieldset class="checks">
            <legend>Kept of each run</legend>
            {KEEPS.map(([keep, name]) => (
              <label key={keep} class="inline">
                <input
                  type="checkbox"
                  checked={(plan.keep ?? []).includes(keep)}
                  onChange={(event) => {
                    const rest = (plan.keep ?? []).filter((other) => other !== keep);
                    const keeps = event.currentTarget.checked ? [...rest, keep] : rest;
                    set({ keep: keeps });
                  }}
                />{" "}
                {name}
              </label>
            ))}
          </fieldset>
        </Part>
      </div>
      <AsText />
    </div>
  );
}

const KEEPS: [Keep, string][] = [
  ["months", "months"],
  ["classes", "classes"],
  ["quantiles", "quantiles"],
  ["jobs", "a sample of jobs"],
];

const words = (text: string): string[] => text.split(/[\s,;]+/).filter((word) => word !== "");

/** Converts numbers. Other text stays as it is, and the simulator names its fault. */
const value = (word: string): number | string =>
  Number.isFinite(Number(word)) ? Number(word) : word;

const numbers = (text: string): number[] => words(text).map(value) as number[];

const number = (text: string): number | undefined =>
  text.trim() === "" ? undefined : (value(text.trim()) as number);

const optional = (key: "warm_up" | "cool_down", given: number | undefined): Partial<Plan> =>
  ({ [key]: given }) as Partial<Plan>;

function Part({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return (
    <fieldset class="part">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

function Text({
  label,
  value,
  hint,
  onChange,
}: {
  label: string;
  value: string;
  hint?: string;
  onChange: (text: string) => void;
}) {
  const id = useId();
  const draft = useDraft(value, onChange);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} type="text" autocomplete="off" placeholder={hint ?? ""} {...draft} />
    </div>
  );
}

function without<T>(list: T[], at: number): T[] {
  return list.filter((_, index) => index !== at);
}

function replaced<T>(list: T[], at: number, item: T): T[] {
  return list.map((old, index) => (index === at ? item : old));
}

function Workloads({ plan, set }: { plan: Plan; set: Change }) {
  const catalog = s.catalog.value!;
  const reading = [...catalog.groups.reading, ...catalog.groups.workload];
  const open = s.source.value;
  const addOpen = () => {
    const workload = plans.openTrace();
    if (workload) set({ workloads: [...plan.workloads, workload] });
  };
  return (
    <Part title="Workloads">
      {plan.workloads.map((source, at) => {
        const model = source.model && catalog.models.find((spec) => spec.id === source.model!.id);
        const name =
          source.label ||
          (source.trace ? source.trace.name : (model?.name ?? source.model?.id ?? ""));
        const put = (change: Partial<typeof source>) =>
          set({ workloads: replaced(plan.workloads, at, { ...source, ...change }) });
        return (
          <div class="entry" key={at}>
            <div class="entry-head">
              <b>{name}</b>
              <button
                type="button"
                class="small"
                aria-label={`Remove workload ${name}`}
                disabled={plan.workloads.length === 1}
                onClick={() => set({ workloads: without(plan.workloads, at) })}
              >
                Remove
              </button>
            </div>
            <details>
              <summary>Parameters</summary>
              <Text label="Label" value={source.label ?? ""} onChange={(label) => put({ label })} />
              {model && (
                <Fields
                  params={model.params}
                  settings={source.model!.settings ?? {}}
                  onChange={(settings) => put({ model: { ...source.model!, settings } })}
                />
              )}
              <Fields
                params={reading}
                settings={source.settings ?? {}}
                onChange={(settings) => put({ settings })}
              />
            </details>
          </div>
        );
      })}
      <div class="buttons">
        {catalog.models.map((model) => (
          <button
            type="button"
            class="small"
            key={model.id}
            onClick={() =>
              set({
                workloads: [
                  ...plan.workloads,
                  {
                    label: unused(
                      model.id,
                      plan.workloads.map((source) => source.label || source.model?.id || ""),
                    ),
                    model: { id: model.id },
                  },
                ],
              })
            }
          >
            + {model.name}
          </button>
        ))}
        <button
          type="button"
          class="small"
          disabled={open?.kind !== "file"}
          title={open?.kind === "file" ? "" : "Open a trace first"}
          onClick={addOpen}
        >
          Add open trace
        </button>
      </div>
    </Part>
  );
}

/** Returns a label that is not taken. */
function unused(name: string, taken: string[]): string {
  if (!taken.includes(name)) return "";
  for (let number = 2; ; number += 1)
    if (!taken.includes(`${name} ${number}`)) return `${name} ${number}`;
}

function Machines({ plan, set }: { plan: Plan; set: Change }) {
  const catalog = s.catalog.value!;
  const machines = plan.machines ?? [];
  const put = (machines: Plan["machines"]) =>
    set({ machines: machines && machines.length > 0 ? machines : undefined } as Partial<Plan>);
  return (
    <Part title="Machines">
      {machines.length === 0 && (
        <p class="quiet">The flat machine, with the number of processors of the trace or model.</p>
      )}
      {machines.map((choice, at) => {
        const spec = catalog.machines.find((machine) => machine.id === choice.machine);
        const change = (change: Partial<typeof choice>) =>
          put(replaced(machines, at, tidy({ ...choice, ...change })));
        const name = choice.label || spec?.name || choice.machine;
        return (
          <div class="entry" key={at}>
            <div class="entry-head">
              <b>{name}</b>
              <button
                type="button"
                class="small"
                aria-label={`Remove machine ${name}`}
                onClick={() => put(without(machines, at))}
              >
                Remove
              </button>
            </div>
            <details>
              <summary>
                Parameters{Object.keys(choice.settings ?? {}).length > 0 ? " (changed)" : ""}
              </summary>
              <Text
                label="Label"
                value={choice.label ?? ""}
                onChange={(label) => change({ label })}
              />
              <Fields
                params={spec?.params ?? []}
                settings={choice.settings ?? {}}
                onChange={(settings) => change({ settings })}
              />
            </details>
          </div>
        );
      })}
      <div class="buttons">
        {catalog.machines.map((machine) => (
          <button
            type="button"
            class="small"
            key={machine.id}
            onClick={() =>
              put([
                ...machines,
                tidy({
                  label: unused(
                    machine.id,
                    machines.map((choice) => choice.label || choice.machine),
                  ),
                  machine: machine.id,
                }),
              ])
            }
          >
            + {machine.name}
          </button>
        ))}
      </div>
    </Part>
  );
}

function Policies({ plan, set }: { plan: Plan; set: Change }) {
  const catalog = s.catalog.value!;
  return (
    <Part title="Policies">
      {plan.policies.map((choice, at) => {
        const spec = catalog.policies.find((policy) => policy.id === choice.policy);
        const put = (change: Partial<typeof choice>) =>
          set({ policies: replaced(plan.policies, at, tidy({ ...choice, ...change })) });
        const name = choice.label || spec?.name || choice.policy;
        const preset = catalog.presets.find((preset) => preset.id === choice.preset);
        return (
          <div class="entry" key={at}>
            <div class="entry-head">
              <b>{name}</b>
              {at === 0 && <small>baseline of comparisons</small>}
              <button
                type="button"
                class="small"
                aria-label={`Remove policy ${name}`}
                disabled={plan.policies.length === 1}
                onClick={() => set({ policies: without(plan.policies, at) })}
              >
                Remove
              </button>
            </div>
            <details>
              <summary>
                Parameters{Object.keys(choice.settings ?? {}).length > 0 ? " (changed)" : ""}
              </summary>
              <Text label="Label" value={choice.label ?? ""} onChange={(label) => put({ label })} />
              <label class="field-line">
                Preset
                <select
                  value={choice.preset ?? ""}
                  onChange={(event) => put({ preset: event.currentTarget.value })}
                >
                  <option value="">none</option>
                  {catalog.presets.map((preset) => (
                    <option key={preset.id} value={preset.id}>
                      {preset.name}
                    </option>
                  ))}
                </select>
              </label>
              <Fields
                params={[...(spec?.params ?? []), ...catalog.groups.run]}
                settings={choice.settings ?? {}}
                {...onMachine(plan)}
                {...(preset ? { preset: preset.settings } : {})}
                onChange={(settings) => put({ settings })}
              />
            </details>
          </div>
        );
      })}
      <div class="buttons">
        {catalog.policies.map((policy) => (
          <button
            type="button"
            class="small"
            key={policy.id}
            onClick={() =>
              set({
                policies: [
                  ...plan.policies,
                  tidy({
                    label: unused(
                      policy.id,
                      plan.policies.map((choice) => choice.label || choice.policy),
                    ),
                    policy: policy.id,
                  }),
                ],
              })
            }
          >
            + {policy.name}
          </button>
        ))}
      </div>
    </Part>
  );
}

/** Removes fields without content. */
function tidy<T extends object>(entry: T): T {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== "" && value !== undefined),
  ) as T;
}

function Loads({ plan, set }: { plan: Plan; set: Change }) {
  const loads = plan.loads;
  // The kind of the values is chosen before there are values.
  const chosen = useSignal({ by: "arrivals", isFactors: false });
  const list = loads?.factors?.length ? loads.factors : (loads?.offered ?? []);
  const isFactors = list.length > 0 ? (loads?.factors?.length ?? 0) > 0 : chosen.value.isFactors;
  const by = loads?.by ?? chosen.value.by;
  const make = (by: string, isFactors: boolean, values: number[]) => {
    chosen.value = { by, isFactors };
    set({
      loads:
        values.length > 0
          ? isFactors
            ? { by, factors: values }
            : { by, offered: values }
          : undefined,
    } as Partial<Plan>);
  };
  return (
    <Part title="Loads, seeds, windows">
      <Text
        label="Loads"
        hint="such as 0.5, 0.7, 0.9; empty for no change"
        value={list.join(", ")}
        onChange={(text) => make(by, isFactors, numbers(text))}
      />
      <label class="field-line">
        Meaning
        <select
          value={isFactors ? "factors" : "offered"}
          onChange={(event) => make(by, event.currentTarget.value === "factors", list)}
        >
          <option value="offered">offered loads</option>
          <option value="factors">factors on the present load</option>
        </select>
      </label>
      <label class="field-line">
        Scale
        <select value={by} onChange={(event) => make(event.currentTarget.value, isFactors, list)}>
          <option value="arrivals">times between arrivals</option>
          <option value="run_times">run times and estimates</option>
        </select>
      </label>
      <Text
        label="Seeds"
        hint="such as 1, 2, 3"
        value={(plan.seeds ?? []).join(", ")}
        onChange={(text) => set({ seeds: numbers(text) })}
      />
      <Text
        label="Windows of jobs"
        hint="first+count, such as 1+5000, 5001+5000"
        value={(plan.windows ?? [])
          .map((window) => `${window.first_job}+${window.jobs}`)
          .join(", ")}
        onChange={(text) =>
          set({
            windows: words(text).map((word) => ({
              first_job: value(word.split("+")[0] ?? "") as number,
              jobs: value(word.split("+")[1] ?? "0") as number,
            })),
          })
        }
      />
    </Part>
  );
}

/**
 * Returns the machine model of a plan that has only one. It decides which candidates there can be.
 */
function onMachine(plan: Plan): { machine?: string } {
  const models = new Set((plan.machines ?? []).map(({ machine }) => machine));
  return models.size > 1 ? {} : { machine: [...models][0] ?? "flat" };
}

/** Settings that take several values, and settings that all cells share. */
function Swept({ plan, set }: { plan: Plan; set: Change }) {
  const key = useSignal("");
  const catalog = s.catalog.value!;
  const known: Param[] = [
    ...new Map(
      [
        ...plan.policies.flatMap((choice) => {
          const params =
            catalog.policies.find((policy) => policy.id === choice.policy)?.params ?? [];
          return [
            ...params,
            ...paramsOfCandidates(params, choice.settings ?? {}, onMachine(plan).machine),
          ];
        }),
        ...(plan.machines ?? []).flatMap(
          (choice) =>
            catalog.machines.find((machine) => machine.id === choice.machine)?.params ?? [],
        ),
        ...catalog.groups.workload,
        ...catalog.groups.reading,
        ...catalog.groups.run,
        ...catalog.groups.metrics,
      ].map((param) => [param.key, param]),
    ).values(),
  ];
  const sweep = plan.sweep ?? {};
  const put = (name: string, values: (number | string)[] | undefined) => {
    const { [name]: _old, ...rest } = sweep;
    const next = values && values.length > 0 ? { ...rest, [name]: values } : rest;
    set({ sweep: Object.keys(next).length > 0 ? next : undefined } as Partial<Plan>);
  };
  const first = (param: Param | undefined): number | string =>
    param?.kind.type === "policies"
      ? param.kind.defaults[0]!
      : param?.kind.type === "text" || param?.kind.type === "lines"
        ? "1"
        : (param?.kind.default ?? 1);
  const free = known.filter((param) => !(param.key in sweep));
  const chosen = free.find((param) => param.key === key.value) ?? free[0];
  return (
    <Part title="Further settings">
      {Object.entries(sweep).map(([name, values]) => (
        <div class="entry-head" key={name}>
          <Text
            label={known.find((param) => param.key === name)?.name ?? name}
            value={values.join(", ")}
            onChange={(text) => put(name, words(text).map(value))}
          />
          <button
            type="button"
            class="small"
            aria-label={`Remove ${name}`}
            onClick={() => put(name, undefined)}
          >
            Remove
          </button>
        </div>
      ))}
      <div class="entry-head">
        <label class="field-line">
          Sweep
          <select
            value={chosen?.key ?? ""}
            onChange={(event) => (key.value = event.currentTarget.value)}
          >
            {free.map((param) => (
              <option key={param.key} value={param.key}>
                {param.name} ({param.key})
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          class="small"
          disabled={!chosen}
          onClick={() => chosen && put(chosen.key, [first(chosen)])}
        >
          Add
        </button>
      </div>
      <details>
        <summary>
          Settings of all cells{Object.keys(plan.settings ?? {}).length > 0 ? " (changed)" : ""}
        </summary>
        <Fields
          params={known.filter(({ key }) => !key.includes("."))}
          settings={plan.settings ?? {}}
          onChange={(settings: Settings) =>
            set({
              settings: Object.keys(settings).length > 0 ? settings : undefined,
            } as Partial<Plan>)
          }
        />
      </details>
    </Part>
  );
}

/** The document itself, for readers who prefer to write it. */
function AsText() {
  const id = useId();
  const text = plans.facts.value?.text ?? "";
  // Text that is being written stays while the form changes the plan.
  const written = useSignal<string | undefined>(undefined);
  const take = async () => {
    const given = written.value;
    // Text that is written meanwhile stays.
    if ((await plans.setPlan(given ?? text)) && written.value === given) written.value = undefined;
  };
  return (
    <details class="as-text">
      <summary>The plan as text</summary>
      <label for={id} class="unseen">
        The plan as JSON
      </label>
      <textarea
        id={id}
        rows={16}
        spellcheck={false}
        value={written.value ?? text}
        onInput={(event) => (written.value = event.currentTarget.value)}
      />
      <div class="buttons">
        <button type="button" disabled={written.value === undefined} onClick={() => void take()}>
          Apply this text
        </button>
        {written.value !== undefined && (
          <button type="button" onClick={() => (written.value = undefined)}>
            Discard these changes
          </button>
        )}
      </div>
    </details>
  );
}
