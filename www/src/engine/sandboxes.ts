// Sandboxes: workers that run the code of own policies. Their addresses are their texts, so that they
// have no origin.
import type { Problem } from "schedscope";
import { textScriptUrl, textUrl } from "../security/trusted";
import type { Failed, PolicyCode } from "./protocol";

/**
 * Returns the address of a sandbox: a module that imports `program` first and then the code of the
 * policies, and gives their modules by the files' names to the function that `program` exports.
 */
export function sandboxUrl(program: string, own: PolicyCode[]): string {
  const lines = [`import begin from ${JSON.stringify(textUrl(program))};`];
  const names = own.flatMap(({ file, code }, at) => {
    if (typeof code !== "string") return [];
    // The name stands in the places of errors. A line of its own keeps the text's places.
    const named = `${code}\n//# sourceURL=${file.replaceAll(/[^\w.-]/g, "_")}`;
    lines.push(`import * as own${at} from ${JSON.stringify(textUrl(named))};`);
    return [`${JSON.stringify(file)}: own${at}`];
  });
  lines.push(`begin({ ${names.join(", ")} });`);
  return textScriptUrl(lines.join("\n"));
}

/** Returns why a run has ended whose code was silent. `at` is the last known instant, in words. */
export const endless = (seconds: number, own: PolicyCode[], at: string | undefined): Problem => ({
  what: `The code of ${own.map(({ file }) => file).join(", ")} did not return for ${seconds} s, and was stopped.`,
  why:
    at === undefined ? "The page does not know where." : `Its turn begins at ${at}, or soon after.`,
  next: "Look for a loop that does not end.",
});

/** Characters of what code says when it fails. */
const LONGEST = 2100;

/** Returns why a sandbox could not start. */
export function failureOf(
  { message: said, lineno, filename }: Failed["failed"],
  own: PolicyCode[],
): unknown {
  const message = said?.slice(0, LONGEST);
  const known = own.find(({ file }) => filename?.endsWith(file));
  const where = known && lineno > 0 ? `, line ${lineno}` : "";
  const files = known ? known.file : own.map(({ file }) => file).join(", ");
  return {
    what: `The code of ${files} cannot be loaded${where}${message ? `: ${message}` : ""}.`,
    why: "It fails before it has described its policy.",
    next: "Correct the code.",
    ...(where ? { line: lineno } : {}),
  };
}
