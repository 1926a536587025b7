// Compares runs in one sentence.
import type { Paired } from "schedscope";
import { count, counted, duration, figure, inList, share } from "../format/words";
import * as s from "../state";
import { isOld, nameOf } from "./name";
import { neverStarted } from "./pending";
import { areOfOne, gapInWords, gapOf, inWords, isPartial, type Ranked, ranked } from "./ranking";
import { doubted, inWords as sizeInWords } from "./size";

type Words = (string | { name: string })[];

/** Returns a difference with its interval, and whether chance may explain it. */
function withInterval(gap: Paired): string {
  const words = `by ${gapInWords(gap)}`;
  return Math.abs(gap.mean) <= gap.ci95 ? `${words}, which chance may explain` : words;
}

/**
 * Returns the comparison of the finished runs, as words and names: two runs against each other, or
 * more in the order of the figure that the reader ranks by.
 */
export function comparison(): Words {
  const runs = ranked();
  const old = runs.filter(({ lane }) => isOld(lane)).map(({ index }) => s.letter(index));
  if (old.length > 0)
    return [
      `Settings or code have changed since ${old.length > 1 ? "runs" : "run"} ${inList(old.sort())} ran. “Run what changed” brings the result.`,
    ];
  const inOrder = runs.toSorted((one, other) => one.index - other.index);
  return [...figuresOf(runs), ...inOrder.flatMap(leftOut)];
}

/** Returns what a run leaves out because it never starts. */
function leftOut({ lane }: Ranked): Words {
  const jobs = neverStarted(lane);
  if (jobs === 0) return [];
  const all = counted(lane.facts?.jobs ?? jobs, "job");
  const words =
    jobs === 1
      ? "never starts, and the job metrics leave it"
      : "never start, and the job metrics leave them";
  return [" Under ", { name: nameOf(lane) }, ` ${count(jobs)} of ${all} ${words} out.`];
}

function figuresOf(runs: Ranked[]): Words {
  const { phrase } = s.rankedBy.value;
  if (runs.length > 2 && areOfOne(runs)) return ranking(runs);
  const inOrder = runs.toSorted((one, other) => one.index - other.index);
  const [a, b] = [inOrder[0], inOrder.at(-1)];
  if (!a) return [];
  if (!b || a === b)
    return s.rankedBy.value === s.RANKINGS[0]
      ? [
          "Under ",
          { name: nameOf(a.lane) },
          ` a job waits ${duration(a.value)} on average, and ${share(a.lane.result!.figures["utilisation.value"])} of the machine is used.`,
        ]
      : ["Under ", { name: nameOf(a.lane) }, ` the ${phrase} is ${inWords(a.value)}.`];
  const [jobs, others] = [a.lane.facts?.jobs ?? 0, b.lane.facts?.jobs ?? 0];
  const same = areOfOne([a, b])
    ? `the same ${counted(jobs, "job")}`
    : `${count(jobs)} and ${counted(others, "job")} of the trace`;
  const between = gapOf(b.lane);
  if (runs.some(isPartial))
    return [
      `On the jobs that start, the ${phrase} is ${inWords(a.value)} under `,
      { name: nameOf(a.lane) },
      ` and ${inWords(b.value)} under `,
      { name: nameOf(b.lane) },
      ".",
    ];
  return [
    `On ${same}, the ${phrase} is ${inWords(a.value)} under `,
    { name: nameOf(a.lane) },
    ` and ${inWords(b.value)} under `,
    { name: nameOf(b.lane) },
    `: ${against(a.value, b.value)}${between && a.value !== b.value ? ` (${withInterval(between)})` : ""}.`,
  ];
}

/** Returns how the second value stands against the first. */
function against(first: number, second: number): string {
  if (first === second) return "the same";
  if (s.rankedBy.value.kind === "share")
    return `${figure(100 * Math.abs(second - first))} points ${second < first ? "less" : "more"}`;
  if (second < first) return second > 0 ? `${figure(first / second)} times less` : "nothing at all";
  return first > 0 ? `${figure(second / first)} times more` : "more than nothing";
}

/** Most runs that the sentence names. The table has all of them. */
const NAMED = 4;

/** Returns the runs in their order. Equal schedules are said to be equal. */
function ranking(runs: Ranked[]): Words {
  const [best, ...others] = runs as [Ranked, ...Ranked[]];
  const { phrase, isHigherBetter } = s.rankedBy.value;
  const isSame = ({ lane }: Ranked) => lane.result!.digest === best.lane.result!.digest;
  const told = (run: Ranked) => {
    // The list below the pictures has the intervals of all runs.
    const between = run === others[0] ? gapOf(run.lane) : undefined;
    if (isSame(run)) return ": the same schedule";
    return `: ${inWords(run.value)}${between ? ` (${withInterval(between)})` : ""}`;
  };
  const named = others
    .slice(0, NAMED - 1)
    .flatMap((run, at) => [at === 0 ? "" : "; ", { name: nameOf(run.lane) }, told(run)]);
  const left = others.length - (NAMED - 1);
  const jobs = runs.some(isPartial)
    ? "jobs that start"
    : `same ${counted(best.lane.facts?.jobs ?? 0, "job")}`;
  return [
    `On the ${jobs}, the ${phrase} is ${isHigherBetter ? "greatest" : "least"} under `,
    { name: nameOf(best.lane) },
    `: ${inWords(best.value)}. `,
    ...named,
    left > 0 ? `; and ${count(left)} more.` : ".",
  ];
}

/** Returns the result as text. If the machine's size is a guess, this note comes first. */
export const sentence = (): string =>
  `${doubted.value ? `${sizeInWords(doubted.value)} ` : ""}${comparison()
    .map((part) => (typeof part === "string" ? part : part.name))
    .join("")}`;
