// Names a run: its policy, its machine if it has its own, and its changed settings.
import * as s from "../state";
import { inWords } from "./whatif";

export const policyOf = (lane: s.Lane): string => s.policyNamed(lane.policy)?.name ?? lane.policy;

export const nameOf = (lane: s.Lane): string => {
  const policy = policyOf(lane);
  const machine =
    lane.machine && lane.machine !== s.machine.value
      ? s.catalog.value?.machines.find(({ id }) => id === lane.machine)?.name
      : undefined;
  const changes = [
    ...(machine ? [`on ${machine}`] : []),
    ...(lane.preset ? [lane.preset] : []),
    ...Object.entries(lane.settings).map(([key, value]) => `${key}=${value}`),
    ...(lane.whatIf ? [inWords(lane.whatIf)] : []),
  ];
  return changes.length > 0 ? `${policy} (${changes.join(", ")})` : policy;
};
