// Completions of a filter: the attributes that the trace has, and their first words.

import type { AttributeFacts } from "schedscope";
import * as s from "../state";
import type { Command } from "./commands";

/** Number of completions that are listed. */
const LISTED = 8;

const isWords = ({ words }: AttributeFacts): boolean => words.length > 0;

/** Returns a word as a filter needs it: in quotes if it has a space, a comma or a quotation mark. */
const quoted = (word: string): string =>
  /[\s,"]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word;

/** Returns the completions of the last test of a filter. `write` takes the completed text. */
export function completions(text: string, write: (text: string) => void): Command[] {
  const attributes = s.workload.value?.attributes ?? [];
  const [, before, minus, name, operator, value] =
    /^(.*?\s)?(-?)([\w.]*)\s*([:=~]?)\s*"?([^"\s]*)$/s.exec(text.trimStart()) ?? [];
  if (name === undefined || (name === "" && operator === "")) return [];
  const complete = (test: string): Command => ({
    name: `Filter ${minus}${test}`,
    isCompletion: true,
    run: () => write(`${before ?? ""}${minus}${test}`),
  });
  if (operator === "")
    return attributes
      .filter(({ id }) => id.startsWith(name.toLowerCase()))
      .map((attribute) => complete(`${attribute.id}${isWords(attribute) ? ":" : ">"}`))
      .slice(0, LISTED);
  const attribute = attributes.find(({ id }) => id === name);
  const start = (value ?? "").toLowerCase();
  return (attribute?.words ?? [])
    .filter((word) => word.toLowerCase().startsWith(start) && word.toLowerCase() !== start)
    .map((word) => complete(`${name}${operator}${quoted(word)}`))
    .slice(0, LISTED);
}
