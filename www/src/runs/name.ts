// Names a run: its policy, its machine if it has its own, and its changed settings.
import { counted } from "../format/words";
import * as s from "../state";
import { changesOf } from "./changes";
import { inWords } from "./whatif";

/** True if a run shows the result of earlier settings or code. */
export const isOld = (lane: s.Lane): boolean => lane.stale && lane.state === "done";

/** Returns a run with the settings of the result that it shows. */
const asRan = (lane: s.Lane): s.Lane => (isOld(lane) ? { ...lane, ...lane.ranWith } : lane);

const named = ({ policy }: s.Setup): string => s.policyNamed(policy)?.name ?? policy;

export const policyOf = (lane: s.Lane): string => named(asRan(lane));

/** Characters of a value in a name. Texts of several lines are longer. */
const MOST = 28;

const short = (value: unknown): string => {
  const text = String(value).replaceAll(/\s+/g, " ");
  return text.length > MOST ? `${text.slice(0, MOST - 1)}…` : text;
};

/** Most changed lines that a name tells. If there are more, it tells the first one. */
const MOST_LINES = 2;

const keywordOf = (line: string): string => line.replace(/[=\s].*/, "").toLowerCase();

/** Returns the lines that a text adds to another, and those that it leaves out. */
function changedLines(old: string, now: string): string[] {
  const changes = changesOf(old, now);
  const added = changes.filter(({ sign }) => sign === "+").map(({ text }) => text);
  // An added line with the same keyword says what became of a line.
  const known = new Set(added.map(keywordOf));
  const removed = changes.filter(({ sign, text }) => sign === "-" && !known.has(keywordOf(text)));
  const lines = [...added.map(short), ...removed.map(({ text }) => `without ${short(text)}`)];
  const [first, ...others] = lines;
  return first && lines.length > MOST_LINES
    ? [first, counted(others.length, "further change")]
    : lines;
}

/** Returns a setting in words: a text of lines by its name or, after another run of the policy, by its changes. */
function settingInWords(lane: s.Lane, key: string, value: unknown): string[] {
  const wanted = lane.machine || s.machine.value;
  const machine = s.catalog.value?.machines.find(({ id }) => id === wanted);
  const params = [...(s.policyNamed(lane.policy)?.params ?? []), ...(machine?.params ?? [])];
  const param = params.find((one) => one.key === key);
  if (param?.kind.type !== "lines") return [`${key}=${short(value)}`];
  const first = s.lanes.value.find(
    ({ policy, settings }) => policy === lane.policy && settings[key] !== undefined,
  );
  const base = first && first.id !== lane.id ? first.settings[key] : s.shared.value[key];
  const changes = base === undefined ? [] : changedLines(String(base), String(value));
  // Names of files stay as they are; others begin with a capital letter only in forms.
  const name = param.name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  return changes.length > 0 ? changes : [name];
}

/** Names a run by its settings. If they have changed since it ran, these are the settings before. */
export const nameOf = (lane: s.Lane): string =>
  isOld(lane) ? `${nameBy(asRan(lane))}, before changes` : nameBy(lane);

function nameBy(lane: s.Lane): string {
  const policy = named(lane);
  const machine =
    lane.machine && lane.machine !== s.machine.value
      ? s.catalog.value?.machines.find(({ id }) => id === lane.machine)?.name
      : undefined;
  const changes = [
    ...(machine ? [`on ${machine}`] : []),
    ...(lane.preset ? [lane.preset] : []),
    ...Object.entries(lane.settings).flatMap(([key, value]) => settingInWords(lane, key, value)),
    ...(lane.whatIf ? [inWords(lane.whatIf)] : []),
  ];
  return changes.length > 0 ? `${policy} (${changes.join(", ")})` : policy;
}
