// Forms made from parameter descriptions. A new policy needs no line here.

import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import type { Param, Settings, Value } from "schedscope";
import * as s from "../state";
import { useDraft } from "../ui/draft";
import { Help } from "../ui/help";
import {
  apart,
  type CandidatesParam,
  candidatesOf,
  free,
  isAdaptive,
  isOfCandidates,
  ownParams,
  policyOf,
  runsOn,
} from "./candidates";

/**
 * Most parameters that a form shows at once. A longer form begins with the first few, with the
 * changed ones and with those that a changed one brings; the others are found by a word of their name or help.
 */
const MOST = 8;

const FIRST = 5;

/** One field for each parameter. The settings keep only values that differ from the default. */
export function Fields({
  params,
  settings,
  preset,
  machine,
  onChange,
}: {
  params: Param[];
  settings: Settings;
  preset?: Settings;
  machine?: string;
  onChange: (settings: Settings) => void;
}) {
  // A parameter that needs a certain word of another parameter is visible only with that word.
  const chosen = (key: string) => {
    const { kind } = params.find((param) => param.key === key) ?? { kind: undefined };
    return String(settings[key] ?? preset?.[key] ?? (kind?.type === "choice" ? kind.default : ""));
  };
  const shown = params.filter(
    ({ when }) => !when || when.keys.some((key) => when.words.includes(chosen(key))),
  );
  const isAll = useSignal(false);
  const word = useSignal("");
  const isLong = shown.length > MOST;
  const isFound = ({ name, key, help }: Param) =>
    [name, key, help].some((text) => text.toLowerCase().includes(word.value.trim().toLowerCase()));
  const listed = !isLong
    ? shown
    : word.value.trim() !== ""
      ? shown.filter(isFound)
      : isAll.value
        ? shown
        : shown.filter(
            ({ key, when }, at) =>
              at < FIRST ||
              [key, ...(when?.keys ?? [])].some(
                (key) => settings[key] !== undefined || preset?.[key] !== undefined,
              ),
          );
  const set = (key: string, value: Value | undefined) => {
    const { [key]: _old, ...rest } = settings;
    onChange(value === undefined ? rest : { ...rest, [key]: value });
  };
  return (
    <div class="fields">
      {isLong && (
        <div class="find-setting">
          <input
            type="search"
            aria-label="Find a setting"
            placeholder={`Find one of ${shown.length} settings`}
            value={word.value}
            onInput={(event) => (word.value = event.currentTarget.value)}
          />
          <button
            type="button"
            class="small"
            aria-pressed={isAll.value}
            onClick={() => (isAll.value = !isAll.value)}
          >
            {isAll.value ? "Show the first" : `Show all ${shown.length}`}
          </button>
        </div>
      )}
      {listed.length === 0 && <p class="quiet">No setting has this word.</p>}
      {listed.filter(isOfCandidates).map((param) => (
        <Candidates
          key={param.key}
          param={param}
          settings={settings}
          machine={machine}
          onChange={onChange}
        />
      ))}
      {listed
        .filter((param) => !isOfCandidates(param))
        .map((param) => (
          <Field
            key={param.key}
            param={param}
            value={settings[param.key]}
            preset={preset?.[param.key]}
            onChange={(value) => set(param.key, value)}
          />
        ))}
    </div>
  );
}

function Field({
  param,
  value,
  preset,
  onChange,
}: {
  param: Param;
  value: Value | undefined;
  preset: Value | undefined;
  onChange: (value: Value | undefined) => void;
}) {
  const id = useId();
  const { kind } = param;
  const shown =
    value ??
    preset ??
    (kind.type === "policies" ||
    kind.type === "text" ||
    kind.type === "lines" ||
    kind.default === null
      ? undefined
      : kind.default);
  const typed = (text: string) =>
    onChange(text.trim() === "" ? undefined : Number.isFinite(Number(text)) ? Number(text) : text);
  const draft = useDraft(shown === undefined ? "" : String(shown), typed);
  const label = (
    <label for={id}>
      {param.name}
      {param.unit && <small> {param.unit}</small>}
      {preset !== undefined && value === undefined && <small> (preset)</small>}
    </label>
  );
  // The names of partitions are in the form of the machine.
  if (kind.type === "policies" || kind.type === "text") return null;
  if (kind.type === "lines")
    return (
      <div class="field tall">
        {label}
        <Lines
          id={id}
          value={typeof shown === "string" ? shown : ""}
          onText={(text) => onChange(text.trim() === "" ? undefined : text)}
        />
        <Help id={`${id}-help`}>{param.help}.</Help>
      </div>
    );
  if (kind.type === "choice") {
    const chosen = kind.options.find((option) => option.id === shown);
    const choose = (word: string) =>
      onChange(word === kind.default && preset === undefined ? undefined : word);
    return (
      <div class="field">
        {label}
        <select
          id={id}
          value={String(shown)}
          aria-describedby={`${id}-help`}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {kind.options.map((option) => (
            <option key={option.id} value={option.id}>
              {option.id.replaceAll("_", " ")}
            </option>
          ))}
        </select>
        <Help id={`${id}-help`}>
          {param.help}. {chosen && `Now: ${chosen.help}.`}
        </Help>
      </div>
    );
  }
  const isBad =
    typeof value === "string" ||
    (typeof value === "number" &&
      (value < kind.min ||
        value > kind.max ||
        (kind.type === "whole" && !Number.isInteger(value))));
  return (
    <div class="field">
      {label}
      <input
        id={id}
        type="text"
        inputMode="decimal"
        autocomplete="off"
        {...draft}
        placeholder={kind.default === null ? "from the trace" : String(kind.default)}
        aria-describedby={`${id}-help`}
        aria-invalid={isBad}
      />
      <Help id={`${id}-help`}>
        {isBad
          ? `${kind.type === "whole" ? "A whole number" : "A number"} from ${kind.min} to ${kind.max}.`
          : `${param.help}.`}
      </Help>
    </div>
  );
}

/** Lines of text, which take effect when the reader leaves them. */
function Lines({
  id,
  value,
  onText,
}: {
  id: string;
  value: string;
  onText: (text: string) => void;
}) {
  const draft = useSignal<string | undefined>(undefined);
  const text = draft.value ?? value;
  return (
    <textarea
      id={id}
      class="lines"
      spellcheck={false}
      autocomplete="off"
      wrap="off"
      rows={Math.min(12, Math.max(3, text.split("\n").length + 1))}
      aria-describedby={`${id}-help`}
      value={text}
      onInput={(event) => void (draft.value = event.currentTarget.value)}
      onChange={(event) => {
        draft.value = undefined;
        onText(event.currentTarget.value);
      }}
    />
  );
}

function Candidates({
  param,
  settings,
  machine,
  onChange,
}: {
  param: CandidatesParam;
  settings: Settings;
  machine: string | undefined;
  onChange: (settings: Settings) => void;
}) {
  const list = useRef<HTMLOListElement>(null);
  const names = candidatesOf(param, settings, machine);
  const { least, most } = param.kind;
  const able = (s.catalog.value?.policies ?? []).filter(
    (policy) => !isAdaptive(policy.params) && runsOn(policy.id, machine),
  );
  const put = (next: string[], rest: Settings = settings) =>
    onChange({ ...rest, [param.key]: next.join("+") });
  const replace = (at: number, id: string) =>
    put(names.with(at, free(id, names.toSpliced(at, 1))), apart(settings, names[at]!)[0]);
  /** The focused element may disappear or move. */
  const focus = (at: number) =>
    requestAnimationFrame(() =>
      list.current?.querySelectorAll<HTMLElement>("select[data-candidate]")[at]?.focus(),
    );
  const remove = (at: number) => {
    put(names.toSpliced(at, 1), apart(settings, names[at]!)[0]);
    focus(Math.max(0, at - 1));
  };
  const raise = (at: number) => {
    put(names.with(at - 1, names[at]!).with(at, names[at - 1]!));
    focus(at - 1);
  };
  const set = (name: string, own: Settings) => {
    const prefixed = Object.fromEntries(
      Object.entries(own).map(([key, value]) => [`${name}.${key}`, value]),
    );
    onChange({ ...apart(settings, name)[0], ...prefixed });
  };
  return (
    <fieldset class="candidates">
      <legend>{param.name}</legend>
      <small class="help">{param.help}.</small>
      <ol ref={list}>
        {names.map((name, at) => {
          const policy = policyOf(name);
          const [, own] = apart(settings, name);
          const params = ownParams(name);
          return (
            <li key={name}>
              <div class="lane-head">
                <select
                  data-candidate
                  aria-label={`Candidate ${at + 1}`}
                  value={policy?.id ?? ""}
                  onChange={(event) => replace(at, event.currentTarget.value)}
                >
                  {!policy && <option value="">{name}?</option>}
                  {policy && !able.includes(policy) && (
                    <option value={policy.id}>{policy.name} (not on this machine)</option>
                  )}
                  {able.map((policy) => (
                    <option key={policy.id} value={policy.id}>
                      {policy.name}
                    </option>
                  ))}
                </select>
                {at > 0 && (
                  <button
                    type="button"
                    class="small"
                    aria-label={`Move candidate ${at + 1} up`}
                    title="Move up"
                    onClick={() => raise(at)}
                  >
                    ↑
                  </button>
                )}
                {most > least && (
                  <button
                    type="button"
                    class="small"
                    aria-label={`Remove candidate ${at + 1}`}
                    disabled={names.length <= least}
                    onClick={() => remove(at)}
                  >
                    Remove
                  </button>
                )}
              </div>
              {params.length > 0 && (
                <details>
                  <summary>
                    Parameters of {name}
                    {Object.keys(own).length > 0 ? " (changed)" : ""}
                  </summary>
                  <Fields
                    params={params}
                    settings={own}
                    {...(machine === undefined ? {} : { machine })}
                    onChange={(own) => set(name, own)}
                  />
                </details>
              )}
            </li>
          );
        })}
      </ol>
      {most > least && (
        <button
          type="button"
          class="small"
          disabled={names.length >= most || able.length === 0}
          onClick={() =>
            put([
              ...names,
              free(able.find(({ id }) => !names.includes(id))?.id ?? able[0]!.id, names),
            ])
          }
        >
          Add a candidate
        </button>
      )}
    </fieldset>
  );
}
