// Finds the longest wait, the largest gain and loss, the longest queue, the worst hour, and shows
// them.
import { ask, Stopped } from "../engine/workers";
import { counted, duration, instant, share } from "../format/words";
import { select } from "../lab";
import * as s from "../state";
import { showSpan } from "./navigate";
import { ORDER } from "./strips";

/** Number of parts of a run among which the longest queue is sought. */
const PARTS = 4096;

/** Most parts that a run tells at once. */
const MOST_PARTS = 16_384;

const HOUR = 3600;

interface Done {
  lane: s.Lane;
  hand: NonNullable<s.Lane["hand"]>;
  letter: string;
}

const finished = (): Done[] =>
  s.lanes.value.flatMap((lane, index) =>
    lane.state === "done" && lane.hand ? [{ lane, hand: lane.hand, letter: s.letter(index) }] : [],
  );

/** A place: a sentence about it, and what brings it into view. */
interface Place {
  told: string;
  /** `isLast` is false once the reader has asked for another place. */
  show?: (isLast: () => boolean) => void | Promise<void>;
}

const FINDERS: Record<"wait" | "gain" | "loss" | "queue" | "use", () => Promise<Place>> = {
  wait: longestWait,
  gain: () => largestChange(-1),
  loss: () => largestChange(1),
  queue: longestQueue,
  use: worstHour,
};

/** Counts the places that are asked for. Late answers about an earlier one are dropped. */
let asked = 0;

/** Goes to a place, and says what is there. */
export async function goTo(place: keyof typeof FINDERS): Promise<void> {
  const mine = ++asked;
  if (s.tab.value !== "timeline") s.showTab("timeline");
  try {
    const { told, show } = await FINDERS[place]();
    const isLast = () => mine === asked;
    if (isLast()) await show?.(isLast);
    if (isLast()) s.say(told);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
}

/** Selects a job and shows its time in all runs. */
async function showJob(record: number, isLast: () => boolean): Promise<void> {
  await select(record);
  if (!isLast()) return;
  const facts = [...s.jobFacts.value.values()].filter((job) => job !== null);
  // The reader may have selected another job meanwhile, or none.
  if (s.selected.value !== record || facts.length === 0) return;
  showSpan(
    Math.min(...facts.map(({ submitted }) => submitted)),
    Math.max(...facts.map(({ end }) => end ?? s.extent.value.to)),
  );
}

async function longestWait(): Promise<Place> {
  const found = await Promise.all(
    finished().map(async ({ hand, letter }) => ({
      letter,
      job: (await ask(hand, (engine) => engine.listed("wait", 0, 1)))[0],
    })),
  );
  let longest = found[0];
  for (const each of found) if ((each.job?.wait ?? -1) > (longest?.job?.wait ?? -1)) longest = each;
  const job = longest?.job;
  if (!longest || !job?.wait) return { told: "No job waits." };
  return {
    told: `Job ${job.number} waits longest: ${duration(job.wait)} in run ${longest.letter}.`,
    show: (isLast) => showJob(job.record, isLast),
  };
}

/** Finds the job whose wait differs most between the first and the last run; `sign` 1 is longer. */
async function largestChange(sign: 1 | -1): Promise<Place> {
  const runs = finished();
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last || first === last) return { told: "This needs two runs." };
  const [one, other] = [
    await ask(first.hand, (engine) => engine.times()),
    await ask(last.hand, (engine) => engine.times()),
  ];
  let [best, at] = [0, -1];
  one.waits.forEach((wait, job) => {
    const change = sign * ((other.waits[job] ?? Number.NaN) - wait);
    if (change > best) [best, at] = [change, job];
  });
  const than = sign < 0 ? "less" : "longer";
  if (at < 0) return { told: `No job waits ${than} in run ${last.letter}.` };
  return {
    told: `This job waits ${duration(best)} ${than} in run ${last.letter} than in run ${first.letter}.`,
    show: (isLast) => showJob(one.records[at]!, isLast),
  };
}

/** Returns the values of a strip over parts of a run. */
async function strip(
  { hand }: Done,
  kind: s.StripKind,
  to: number,
  parts: number,
): Promise<Float32Array> {
  const { from } = s.extent.value;
  const bins = (await ask(hand, (engine) => engine.overview(from, to, parts))) ?? [];
  const at = ORDER.indexOf(kind) * parts;
  return Float32Array.from(bins.slice(at, at + parts));
}

async function longestQueue(): Promise<Place> {
  const { from, to } = s.extent.value;
  let best = { value: 0, at: from, letter: "" };
  for (const run of finished())
    (await strip(run, "waiting", to, PARTS)).forEach((value, part) => {
      const at = from + ((part + 0.5) / PARTS) * (to - from);
      if (value > best.value) best = { value, at, letter: run.letter };
    });
  if (best.letter === "") return { told: "No job waits." };
  return {
    told: `Run ${best.letter} has the longest queue: ${counted(Math.round(best.value), "job")} ${when(best.at)}.`,
    show: () => {
      showSpan(best.at - (to - from) / 40, best.at + (to - from) / 40);
      s.moveCursor({ time: best.at, processor: 0 });
    },
  };
}

async function worstHour(): Promise<Place> {
  const { from, to } = s.extent.value;
  const hours = Math.max(1, Math.ceil((to - from) / HOUR));
  const parts = Math.min(hours, MOST_PARTS);
  const length = (hours / parts) * HOUR;
  const end = from + parts * length;
  let worst = { value: Number.POSITIVE_INFINITY, at: from, letter: "" };
  for (const run of finished()) {
    const used = await strip(run, "used", end, parts);
    const waiting = await strip(run, "waiting", end, parts);
    const processors = Math.max(1, run.lane.facts?.processors ?? 1);
    used.forEach((busy, part) => {
      // An idle machine without a queue wastes nothing.
      if (waiting[part]! < 1 || busy / processors >= worst.value) return;
      worst = { value: busy / processors, at: from + part * length, letter: run.letter };
    });
  }
  if (worst.letter === "") return { told: "There is no hour in which a job waits." };
  return {
    told: `Run ${worst.letter} uses ${share(worst.value)} of the machine for ${duration(length)} ${when(worst.at)}, while jobs wait.`,
    show: () => {
      showSpan(worst.at, worst.at + length);
      s.moveCursor({ time: worst.at + length / 2, processor: 0 });
    },
  };
}

const when = (at: number): string => `at ${instant(at, s.workload.value?.provenance.unix_start)}`;
