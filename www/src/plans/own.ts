// Own policies in plans. A plan file holds their code; on the page the code is in the Policy tab.
import type { Plan, PlanCode, Problem } from "schedscope";
import { fromBase64, toBase64 } from "../format/base64";
import { isObject } from "../format/check";
import * as lab from "../lab";
import { restore, takeForeign } from "../own/store";

/** A file that can hold code. */
const FILE = /^[^/\\]{1,100}\.(m?[jt]s|wasm)$/;

const ID = /^[a-z][a-z\d_-]{0,39}$/;

const isCompiled = (file: string): boolean => file.endsWith(".wasm");

/** Returns the code that a plan holds. The engine checks everything else. */
function codeIn(plan: unknown): PlanCode[] {
  const own = isObject(plan) && Array.isArray(plan.own) ? plan.own : [];
  return own.filter((entry): entry is PlanCode => {
    const { policy, file, code } = isObject(entry) ? entry : {};
    return (
      typeof policy === "string" &&
      ID.test(policy) &&
      typeof file === "string" &&
      FILE.test(file) &&
      typeof code === "string" &&
      code !== ""
    );
  });
}

/**
 * Takes the code that the text of a plan holds, and returns the text without it. Code that the
 * reader does not have waits in the Policy tab for the reader's word. Throws a problem.
 */
export async function withoutCode(text: string): Promise<string> {
  if (!text.includes('"own"')) return text;
  let plan: unknown;
  try {
    plan = JSON.parse(text);
  } catch {
    // The engine says where.
    return text;
  }
  const codes = codeIn(plan);
  if (codes.length === 0) return text;
  await restore();
  for (const { policy, file, code } of codes) {
    const found = isCompiled(file) ? fromBase64(code!) : code!;
    if (found === undefined)
      throw {
        what: `The plan is not understood: the code of ${file} is damaged.`,
        why: "Compiled code is written as base64.",
        next: "Ask for the plan again.",
      } satisfies Problem;
    takeForeign(policy, file, found);
  }
  const { own: _, ...rest } = plan as Plan;
  return JSON.stringify(rest);
}

/** Returns the text of a plan with the code of the own policies that it uses. */
export function withCode(text: string): string {
  const own = lab.ownIn(text).flatMap(({ file, policy, script, sha256 }): PlanCode[] =>
    policy && script !== undefined && sha256 !== undefined
      ? [
          {
            policy: policy.id,
            file: isCompiled(file) ? file : file.replace(/\.m?ts$/, ".js"),
            sha256,
            code: typeof script === "string" ? script : toBase64(script),
          },
        ]
      : [],
  );
  if (own.length === 0) return text;
  return `${JSON.stringify({ ...JSON.parse(text), own }, null, 2)}\n`;
}
