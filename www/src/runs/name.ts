// Names a run: its policy, its machine if it has its own, and its changed settings.
import * as s from "../state";
import { inWords } from "./whatif";

export const policyOf = (lane: s.Lane): string => s.policyNamed(lane.policy)?.name ?? lane.policy;

/** Characters of a value in a name. Texts of several lines are longer. */
const MOST = 28;

const short = (value: unknown): string => {
  const text = String(value).replaceAll(/\s+/g, " ");
  return text.length > MOST ? `${text.slice(0, MOST - 1)}…` : text;
};

export const nameOf = (lane: s.Lane): string => {
  const policy = policyOf(lane);
  const machine =
    lane.machine && lane.machine !== s.machine.value
      ? s.catalog.value?.machines.find(({ id }) => id === lane.machine)?.name
      : undefined;
  const changes = [
    ...(machine ? [`on ${machine}`] : []),
    ...(lane.preset ? [lane.preset] : []),
    ...Object.entries(lane.settings).map(([key, value]) => `${key}=${short(value)}`),
    ...(lane.whatIf ? [inWords(lane.whatIf)] : []),
  ];
  return changes.length > 0 ? `${policy} (${changes.join(", ")})` : policy;
};
