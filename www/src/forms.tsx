// Forms drawn from parameter descriptions: a new policy needs no line here.
import { useId } from "preact/hooks";
import { Candidates, isOfCandidates } from "./candidates";
import type { Param, Settings, Value } from "schedscope";

/** One field for each parameter. Only values that differ from the default are kept. */
export function Fields({ params, settings, preset, machine, onChange }: { params: Param[]; settings: Settings; preset?: Settings; machine?: string; onChange: (settings: Settings) => void }) {
  // A parameter that matters only with another one's word is shown only then.
  const chosen = (key: string) => {
    const { kind } = params.find((param) => param.key === key) ?? { kind: undefined };
    return String(settings[key] ?? preset?.[key] ?? (kind?.type === "choice" ? kind.default : ""));
  };
  const shown = params.filter(({ when }) => !when || when.keys.some((key) => when.words.includes(chosen(key))));
  const set = (key: string, value: Value | undefined) => {
    const { [key]: _old, ...rest } = settings;
    onChange(value === undefined ? rest : { ...rest, [key]: value });
  };
  return (
    <div class="fields">
      {shown.filter(isOfCandidates).map((param) => <Candidates key={param.key} param={param} settings={settings} machine={machine} onChange={onChange} />)}
      {shown.filter((param) => !isOfCandidates(param)).map((param) => <Field key={param.key} param={param} value={settings[param.key]} preset={preset?.[param.key]} onChange={(value) => set(param.key, value)} />)}
    </div>
  );
}

function Field({ param, value, preset, onChange }: { param: Param; value: Value | undefined; preset: Value | undefined; onChange: (value: Value | undefined) => void }) {
  const id = useId();
  const { kind } = param;
  const shown = value ?? preset ?? (kind.type === "policies" || kind.default === null ? undefined : kind.default);
  const label = (
    <label for={id}>
      {param.name}
      {param.unit && <small> {param.unit}</small>}
      {preset !== undefined && value === undefined && <small> (preset)</small>}
    </label>
  );
  if (kind.type === "policies") return null;
  if (kind.type === "choice") {
    const chosen = kind.options.find((option) => option.id === shown);
    const choose = (word: string) => onChange(word === kind.default && preset === undefined ? undefined : word);
    return (
      <div class="field">
        {label}
        <select id={id} value={String(shown)} aria-describedby={`${id}-help`} onChange={(event) => choose(event.currentTarget.value)}>
          {kind.options.map((option) => <option key={option.id} value={option.id}>{option.id.replaceAll("_", " ")}</option>)}
        </select>
        <small id={`${id}-help`} class="help">{param.help}. {chosen && `Now: ${chosen.help}.`}</small>
      </div>
    );
  }
  const typed = (text: string) => onChange(text.trim() === "" ? undefined : Number.isFinite(Number(text)) ? Number(text) : text);
  const isBad = typeof value === "string" || (typeof value === "number" && (value < kind.min || value > kind.max || (kind.type === "whole" && !Number.isInteger(value))));
  return (
    <div class="field">
      {label}
      <input id={id} type="text" inputMode="decimal" autocomplete="off" value={shown === undefined ? "" : String(shown)} placeholder={kind.default === null ? "from the trace" : String(kind.default)}
        aria-describedby={`${id}-help`} aria-invalid={isBad} onChange={(event) => typed(event.currentTarget.value)} />
      <small id={`${id}-help`} class="help">{isBad ? `${kind.type === "whole" ? "A whole number" : "A number"} from ${kind.min} to ${kind.max}.` : `${param.help}.`}</small>
    </div>
  );
}
