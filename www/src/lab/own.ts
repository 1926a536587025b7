// The code of own policies for the workers of runs.
import type { Problem } from "schedscope";
import type { PolicyCode } from "../engine/protocol";
import * as s from "../state";
import { policiesIn } from "./naming";

/** Returns the own policies that a run or a plan names. */
export function ownIn(used: object): s.OwnPolicy[] {
  if (s.own.value.length === 0) return [];
  const named = policiesIn(used);
  return s.own.value.filter(({ policy, foreign }) => {
    const id = foreign ?? policy?.id;
    return id !== undefined && !s.isOfEngine(id) && named.has(id);
  });
}

/** Returns the own policies that the text of a plan names. */
export function ownInPlan(text: string): s.OwnPolicy[] {
  if (s.own.value.length === 0) return [];
  try {
    return ownIn(JSON.parse(text));
  } catch {
    // The engine says where the text is wrong.
    return [];
  }
}

/**
 * Returns the code of the own policies that a run or a plan uses: a policy, a candidate, a what-if.
 * Throws a problem if it is another's, which the reader has not let run.
 */
export function codeOf(used: object | string): PolicyCode[] {
  const found = typeof used === "string" ? ownInPlan(used) : ownIn(used);
  const stranger = found.find(({ foreign }) => foreign !== undefined);
  if (stranger) throw notLet(stranger);
  return found.flatMap(codeToRun);
}

/** Returns the code of an own policy as a worker takes it. */
export const codeToRun = ({ file, script, alias }: s.OwnPolicy): PolicyCode[] =>
  script === undefined ? [] : [{ file, code: script, ...(alias ? { alias } : {}) }];

const notLet = ({ file, foreign }: s.OwnPolicy): Problem => ({
  what: `The code of the policy \`${foreign}\` has not run.`,
  why: `It is not yours: it came in ${file}, with a link or a plan.`,
  next: "Read it in the tab Policy, and choose \u201cLet it run\u201d there.",
});
