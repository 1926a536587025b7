// Compares runs in one sentence.
import { count, duration, figure, share } from "../format/words";
import * as s from "../state";
import { nameOf } from "./name";
import { doubted, inWords } from "./size";

const wait = (lane: s.Lane): number => lane.result!.figures["wait.mean"] ?? 0;

/**
 * Returns the comparison of the finished runs, as words and names: two runs against each other, or
 * more in the order of their mean waits.
 */
export function comparison(): (string | { name: string })[] {
  const done = s.lanes.value.filter((lane) => lane.result && lane.state === "done");
  if (done.length > 2 && done.every(({ facts }) => facts?.identity === done[0]!.facts?.identity))
    return ranking(done);
  const [a, b] = [done[0], done.at(-1)];
  if (!a) return [];
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

/** Most runs that the sentence names. The table has all of them. */
const NAMED = 4;

/** Returns the runs in the order of their mean waits. Equal schedules are said to be equal. */
function ranking(done: s.Lane[]): (string | { name: string })[] {
  const sorted = [...done].sort((one, other) => wait(one) - wait(other));
  const [best, ...others] = sorted;
  const isSame = (one: s.Lane, other: s.Lane) => one.result!.digest === other.result!.digest;
  const named = others
    .slice(0, NAMED - 1)
    .flatMap((lane, at) => [
      at === 0 ? "" : "; ",
      { name: nameOf(lane) },
      isSame(lane, best!) ? ": the same schedule" : `: ${duration(wait(lane))}`,
    ]);
  const left = others.length - (NAMED - 1);
  return [
    `On the same ${count(best!.facts?.jobs ?? 0)} jobs, the mean wait is least under `,
    { name: nameOf(best!) },
    `: ${duration(wait(best!))}. `,
    ...named,
    left > 0 ? `; and ${count(left)} more.` : ".",
  ];
}

/** Returns the result as text. If the machine's size is a guess, this note comes first. */
export const sentence = (): string =>
  `${doubted.value ? `${inWords(doubted.value)} ` : ""}${comparison()
    .map((part) => (typeof part === "string" ? part : part.name))
    .join("")}`;
