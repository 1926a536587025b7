// Makes what runs of what an author writes: checks the syntax, and strips the types of TypeScript.
import { decode } from "@jridgewell/sourcemap-codec";
import { parse } from "acorn";
import { placed } from "../format/places";
import type { CodeProblem } from "../state";

/** A script, and the places of its lines in the author's text, if they differ. */
interface Compiled {
  script: string;
  /** For each line: columns of the script and of the text in turn, from 0. */
  places: number[][] | undefined;
}

/** True if a text has no half of a surrogate pair. */
const isWhole = (text: string): boolean => !/\p{Surrogate}/u.test(text);

const isTypeScript = (file: string): boolean => /\.m?ts$/i.test(file);

/** Returns what runs. Throws a problem with its place if the code breaks a rule of the language. */
export async function compile(file: string, text: string): Promise<Compiled> {
  if (!isWhole(text))
    throw {
      what: `${file} holds half a character.`,
      why: "Code is Unicode text, and a part of a surrogate pair is none.",
      next: "Look for an emoji or a rare sign that was cut.",
    };
  const { script, places } = isTypeScript(file)
    ? await stripped(file, text)
    : { script: text, places: undefined };
  const at = (line: number, column: number) => placed(places?.[line - 1] ?? [], column);
  let program: unknown;
  try {
    program = parse(script, { ecmaVersion: 2024, sourceType: "module", locations: true });
  } catch (error) {
    const { message, loc } = error as { message: string; loc?: { line: number; column: number } };
    if (!loc) throw error;
    const found = problem(message.replace(/ \(\d+:\d+\)$/, ""), loc.line, at(loc.line, loc.column));
    if (places || !(await isTyped(file, text))) throw found;
    throw {
      ...found,
      why: "It is TypeScript, and the name of its file says JavaScript.",
      next: "Let the name of the file end in .ts.",
    };
  }
  const found = forbidden(program as unknown as Node);
  if (found) {
    const { line, column } = found.node.loc.start;
    throw { ...problem("", line, at(line, column)), ...found.told(line) };
  }
  return { script, places };
}

/** A node of the syntax tree, as far as this file looks. */
interface Node {
  type: string;
  loc: { start: { line: number; column: number } };
  source?: unknown;
  async?: boolean;
  await?: boolean;
}

/** Parts of the language that a policy must not use. */
const FORBIDDEN: {
  is: (node: Node) => boolean;
  told: (line: number) => Pick<CodeProblem, "what" | "why" | "next">;
}[] = [
  {
    is: ({ type, source }) =>
      type === "ImportExpression" || (/^(Import|Export)/.test(type) && Boolean(source)),
    told: (line) => ({
      what: `The code imports another module at line ${line}.`,
      why: "A policy is one file, which imports nothing.",
      next: "Put everything into this file.",
    }),
  },
  {
    is: (node) => node.async === true || node.await === true || node.type === "AwaitExpression",
    told: (line) => ({
      what: `The code waits at line ${line}: it has \`async\` or \`await\`.`,
      why: "A policy decides at once, and nothing of it runs between two turns.",
      next: "Compute it without waiting.",
    }),
  },
];

/** Returns the first node that no policy may have. */
function forbidden(node: Node): { node: Node; told: (line: number) => object } | undefined {
  const rule = FORBIDDEN.find(({ is }) => is(node));
  if (rule) return { node, told: rule.told };
  for (const value of Object.values(node))
    for (const inner of Array.isArray(value) ? value : [value]) {
      const found = typeof inner?.type === "string" ? forbidden(inner) : undefined;
      if (found) return found;
    }
  return undefined;
}

/** True if a text becomes JavaScript once its types are gone. */
const isTyped = async (file: string, text: string): Promise<boolean> =>
  stripped(file, text)
    .then(({ script }) => {
      parse(script, { ecmaVersion: 2024, sourceType: "module" });
      return true;
    })
    .catch(() => false);

/** Returns a problem of the syntax. Lines count from 1, `column` from 0. */
const problem = (message: string, line: number, column: number): CodeProblem => ({
  what: `The code is not understood at line ${line}, column ${column + 1}: ${message}.`,
  why: "The language does not allow this here, or before.",
  next: "Correct the code.",
  line,
  column: column + 1,
});

async function stripped(file: string, text: string): Promise<Compiled> {
  const { transform } = await import("sucrase");
  try {
    const { code, sourceMap } = transform(text, {
      transforms: ["typescript"],
      disableESTransforms: true,
      filePath: file,
      sourceMapOptions: { compiledFilename: file },
    });
    const lines = decode(sourceMap!.mappings as string);
    return {
      script: code,
      places: lines.map((line) => line.flatMap(([own, , , theirs]) => [own, theirs ?? 0])),
    };
  } catch (error) {
    const { message, loc } = error as { message: string; loc?: { line: number; column: number } };
    if (!loc) throw error;
    const said = message.replace(/^Error transforming .*?: /, "").replace(/ \(\d+:\d+\)$/, "");
    throw problem(said, loc.line, loc.column - 1);
  }
}
