// The places of mistakes in the text of an author.
import { Silent } from "../engine/workers";
import { placed } from "../format/places";
import { asProblem } from "../format/problem";
import type * as s from "../state";

/** For each file in TypeScript: the columns of its script's lines and those of the text. */
const places = new Map<string, number[][]>();

/** Takes the places of a script in its author's text; undefined if they are the same. */
export function knowPlaces(file: string, found: number[][] | undefined): void {
  if (found) places.set(file, found);
  else places.delete(file);
}

/** Returns what code threw or did, with its place if that is known. */
export function problemOf(error: unknown, file: string): s.CodeProblem {
  if (error instanceof Silent)
    return {
      what: `The code of ${file} does not come to an end: it ran for ${error.seconds} s.`,
      why: "The page has stopped it.",
      next: "Look for a loop that does not end.",
    };
  const problem = asProblem(error);
  const [, line, column] = /at line (\d+), column (\d+)/.exec(problem.what) ?? [];
  if (line === undefined) return problem;
  const own = placeOf(file, Number(line), Number(column));
  return {
    ...problem,
    ...own,
    what: problem.what.replace(
      /at line \d+, column \d+/,
      `at line ${own.line}, column ${own.column}`,
    ),
  };
}

/** Returns the place in the author's text of a place in the script. Both count from 1. */
function placeOf(file: string, line: number, column: number): { line: number; column: number } {
  const pairs = places.get(file)?.[line - 1];
  if (!pairs) return { line, column };
  return { line, column: placed(pairs, column - 1) + 1 };
}
