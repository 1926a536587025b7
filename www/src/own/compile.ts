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

const isTypeScript = (file: string): boolean => /\.m?ts$/i.test(file);

/** Returns what runs. Throws a problem with its place if the code breaks a rule of the language. */
export async function compile(file: string, text: string): Promise<Compiled> {
  const { script, places } = isTypeScript(file)
    ? await stripped(file, text)
    : { script: text, places: undefined };
  const at = (line: number, column: number) => placed(places?.[line - 1] ?? [], column);
  let program: { body: { type: string; start: number; source?: unknown }[] };
  try {
    program = parse(script, { ecmaVersion: 2024, sourceType: "module", locations: true }) as never;
  } catch (error) {
    const { message, loc } = error as { message: string; loc?: { line: number; column: number } };
    if (!loc) throw error;
    throw problem(message.replace(/ \(\d+:\d+\)$/, ""), loc.line, at(loc.line, loc.column));
  }
  const foreign = program.body.find((node) => node.source);
  if (foreign) {
    const before = script.slice(0, foreign.start).split("\n");
    throw {
      ...problem("", before.length, at(before.length, before.at(-1)!.length)),
      what: `The code imports another module at line ${before.length}.`,
      why: "A policy is one file, which imports nothing.",
      next: "Put everything into this file.",
    };
  }
  return { script, places };
}

/** Returns a problem of the syntax. Lines count from 1, `column` from 0. */
const problem = (message: string, line: number, column: number): CodeProblem => ({
  what: `The code is not understood at line ${line}, column ${column + 1}: ${message}.`,
  why: "It is no valid JavaScript or TypeScript there, or before.",
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
