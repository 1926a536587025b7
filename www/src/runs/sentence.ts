// Compares runs in one sentence.
import { count, duration, figure, share } from "../format/words";
import * as s from "../state";
import { nameOf } from "./name";
import { doubted, inWords } from "./size";

/** Returns the comparison of the last finished run with the first, as words and names. */
export function comparison(): (string | { name: string })[] {
  const done = s.lanes.value.filter((lane) => lane.result && lane.state === "done");
  const [a, b] = [done[0], done.at(-1)];
  if (!a) return [];
  const wait = (lane: s.Lane) => lane.result!.figures["wait.mean"] ?? 0;
  if (!b || a === b)
    return [
      "Under ",
      { name: nameOf(a) },
      ` a job waits ${duration(wait(a))} on average, and ${share(a.result!.figures["utilisation.value"])} of the machine is used.`,
    ];
  const [first, second] = [wait(a), wait(b)];
  const times = second > 0 ? first / second : Number.POSITIVE_INFINITY;
  const compared =
    first === second
      ? "the same"
      : times >= 1
        ? `${times === Number.POSITIVE_INFINITY ? "no wait at all" : `${figure(times)} times less`}`
        : `${figure(1 / times)} times more`;
  const [jobs, others] = [a.facts?.jobs ?? 0, b.facts?.jobs ?? 0];
  const same =
    a.facts?.identity === b.facts?.identity
      ? `the same ${count(jobs)} jobs`
      : `${count(jobs)} and ${count(others)} jobs of the trace`;
  return [
    `On ${same}, the mean wait is ${duration(first)} under `,
    { name: nameOf(a) },
    ` and ${duration(second)} under `,
    { name: nameOf(b) },
    `: ${compared}.`,
  ];
}

/** Returns the result as text. If the machine's size is a guess, this note comes first. */
export const sentence = (): string =>
  `${doubted.value ? `${inWords(doubted.value)} ` : ""}${comparison()
    .map((part) => (typeof part === "string" ? part : part.name))
    .join("")}`;
