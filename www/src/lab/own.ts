// The code of own policies for the workers of runs.
import type { Problem } from "schedscope";
import type { PolicyCode } from "../engine/protocol";
import * as s from "../state";

/** True if a text, such as settings as JSON, names a policy by its id. */
export const namesPolicy = (text: string, id: string): boolean =>
  new RegExp(`(^|[^\\w-])${id}($|[^\\w-])`).test(text);

/** Returns the own policies that a text names. */
export const ownIn = (text: string): s.OwnPolicy[] =>
  s.own.value.filter(({ policy, foreign }) => {
    const id = foreign ?? policy?.id;
    return id !== undefined && !s.isOfEngine(id) && namesPolicy(text, id);
  });

/**
 * Returns the code of the own policies that a run or a plan uses: a policy, a candidate, a what-if.
 * Throws a problem if it is another's, which the reader has not let run.
 */
export function codeOf(used: object | string): PolicyCode[] {
  const found = ownIn(typeof used === "string" ? used : JSON.stringify(used));
  const stranger = found.find(({ foreign }) => foreign !== undefined);
  if (stranger) throw notLet(stranger);
  return found.flatMap(({ file, script }) =>
    script === undefined ? [] : [{ file, code: script }],
  );
}

const notLet = ({ file, foreign }: s.OwnPolicy): Problem => ({
  what: `The code of the policy \`${foreign}\` has not run.`,
  why: `It is not yours: it came in ${file}, with a link or a plan.`,
  next: "Read it in the tab Policy, and choose \u201cLet it run\u201d there.",
});
