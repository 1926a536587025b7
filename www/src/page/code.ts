// The code of own policies in a link.
import type { Problem } from "schedscope";
import { fromBase64 } from "../format/base64";
import { renamePolicy } from "../lab";
import type { Linked } from "../link/format";
import { take } from "../own/actions";

/**
 * Takes the code of a link, and returns the link with the ids that the policies have here. Code that
 * the reader does not know waits for the reader's word.
 */
export async function withCode(linked: Linked, isQuiet: boolean): Promise<Linked> {
  let found = linked;
  for (const { id, file, code: text, isCompiled } of linked.own ?? []) {
    const code = isCompiled ? fromBase64(text) : text;
    if (code === undefined)
      throw {
        what: `The link is not understood: the code of ${file} is damaged.`,
        why: "Compiled code is written as base64.",
        next: "Ask for the link again, or open the page without it.",
      } satisfies Problem;
    const own = await take(id, file, code, isQuiet);
    if (own === id) continue;
    const { runs, plan } = found;
    found = {
      ...found,
      ...(runs ? { runs: renamePolicy(runs, id, own) } : {}),
      ...(plan ? { plan: JSON.stringify(renamePolicy(JSON.parse(plan), id, own)) } : {}),
    };
  }
  const { own: _, ...rest } = found;
  return rest;
}
