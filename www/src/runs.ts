// What a run is called: its policy, and what was changed of it.
import { inWords } from "./explore/whatif";
import * as s from "./state";

export const nameOf = (lane: s.Lane): string => {
  const policy = s.catalog.value?.policies.find((policy) => policy.id === lane.policy)?.name ?? lane.policy;
  const changes = [...(lane.preset ? [lane.preset] : []), ...Object.entries(lane.settings).map(([key, value]) => `${key}=${value}`), ...(lane.whatIf ? [inWords(lane.whatIf)] : [])];
  return changes.length > 0 ? `${policy} (${changes.join(", ")})` : policy;
};
