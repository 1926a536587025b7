// Own policies in plans. A plan file holds their code; on the page the code is in the Policy tab.
import type { Plan, PlanCode, Problem } from "schedscope";
import { fromBase64, toBase64 } from "../format/base64";
import { isObject } from "../format/check";
import * as lab from "../lab";
import { take } from "../own/actions";
import { hashOf } from "../own/store";

/** A file that can hold code. */
const FILE = /^[\w.-]{1,100}\.(m?[jt]s|wasm)$/;

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
  let found = plan as Plan;
  for (const { policy, file, code, sha256 } of codes) {
    const bytes = isCompiled(file) ? fromBase64(code!) : code!;
    if (bytes === undefined || (await hashOf(bytes).then((hash) => hash && hash !== sha256)))
      throw {
        what: `The plan is not understood: the code of ${file} is damaged.`,
        why: `Its SHA-256 is not ${sha256}, or it is not base64.`,
        next: "Ask for the plan again.",
      } satisfies Problem;
    const own = await take(policy, file, bytes);
    if (own !== policy) found = lab.renamePolicy(found, policy, own);
  }
  // Entries without code stay: the engine compares their hashes.
  const left = (found.own ?? []).filter((entry) => !entry.code);
  const { own: _, ...rest } = found;
  return JSON.stringify(left.length > 0 ? { ...rest, own: left } : rest);
}

/** Returns the text of a plan with the code of the own policies that it uses. */
export function withCode(text: string): string {
  const own = lab.ownInPlan(text).flatMap(({ file, policy, script, sha256 }): PlanCode[] =>
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
