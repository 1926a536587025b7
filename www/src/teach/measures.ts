// Reads what a question asks for from the runs of a chapter.
import type { JobFacts, StepFacts } from "schedscope";
import { LIMITS } from "../engine/limits";
import { inList, share } from "../format/words";
import { occupancy } from "../machines/torus/ask";
import { size } from "../machines/torus/boxes";
import { runsAt } from "../runs/attempts";
import type { Changes, Compared, Jobs, Measure, Question } from "./format";
import { kept, Missing, type Runs } from "./runs";

/** The numbers of the activities of a process, as a microscope reports them. */
const ACTIVITIES = { computing: 0, spinning: 1, off: 4 } as const;

/** The classes of processes, by the words with which the legend begins. */
const CLASSES = ["CS", "F", "DC"];

const started = (job: JobFacts): number => job.start ?? Number.POSITIVE_INFINITY;

const ended = (job: JobFacts): number => job.end ?? Number.POSITIVE_INFINITY;

const waited = (job: JobFacts): number => started(job) - job.submitted;

const slowdown = (job: JobFacts): number => (ended(job) - job.submitted) / job.runtime;

const VALUES: Record<string, (job: JobFacts) => number> = {
  start: started,
  end: ended,
  wait: waited,
  response: (job) => ended(job) - job.submitted,
  slowdown,
  arrives: (job) => job.submitted,
  processors: (job) => job.processors,
  runs: (job) => job.runtime,
  claims: (job) => job.estimate,
};

/** Returns the reservation of the job that arrived first, of those that are held after a step. */
const firstOf = ({ reserved }: StepFacts): StepFacts["reserved"][number] | undefined =>
  reserved.reduce<StepFacts["reserved"][number] | undefined>(
    (first, each) => (first && first.job.job <= each.job.job ? first : each),
    undefined,
  );

/** Returns the value of a measure. */
export async function measured(runs: Runs, measure: Measure): Promise<number> {
  if (typeof measure === "number") return measure;
  if ("of" in measure) return VALUES[measure.of]!(await runs.job(measure.run, measure.job));
  if ("figure" in measure) return runs.figure(measure.run, measure.figure);
  if ("count" in measure) return (await jobsOf(runs, measure.count)).length;
  if ("promised" in measure) {
    const at = await measured(runs, measure.at);
    const first = firstOf(await runs.step(measure.run, at));
    if (!first) throw new Missing(`No job holds a reservation at ${at} s in run ${measure.run}.`);
    return measure.promised === "start" ? first.start : (first.extra ?? 0);
  }
  if ("nodes" in measure) {
    const { free, largest } = await boxes(runs, measure.run, await measured(runs, measure.at));
    return measure.nodes === "free" ? free : largest ? size(largest) : 0;
  }
  if ("box" in measure) {
    const job = await runs.job(measure.run, measure.box);
    const { residents } = await boxes(runs, measure.run, started(job));
    const found = residents.find(({ number }) => number === measure.box);
    return found ? size(found.box) : 0;
  }
  if ("slot" in measure) {
    const { seats } = await runs.matrix(measure.run, await measured(runs, measure.at));
    return (seats.find(({ number }) => number === measure.slot)?.row ?? -1) + 1;
  }
  if ("spent" in measure) {
    const { processor, from, to, job } = measure;
    const { processes, stretches } = await runs.probe(measure.run, processor, from, to);
    const ours = stretches.filter(
      ({ activity, process }) =>
        activity === ACTIVITIES[measure.spent] &&
        (job === undefined || processes[process]?.number === job),
    );
    return ours.reduce((sum, { from, to }) => sum + to - from, 0) / (to - from);
  }
  if ("class" in measure) {
    const { seats, legend } = await runs.matrix(measure.run, measure.at, "class");
    const colour = seats.find(
      ({ number, first, count }) =>
        number === measure.class && first <= measure.processor && measure.processor < first + count,
    )?.colour;
    const label = legend?.entries.find(
      (entry) => entry.colour === `#${colour?.toString(16).padStart(6, "0")}`,
    )?.label;
    return CLASSES.findIndex((name) => new RegExp(`\\b${name}\\b`).test(label ?? "")) + 1;
  }
  if ("plus" in measure) return sum(await both(runs, measure.plus), (a, b) => a + b);
  if ("minus" in measure) return sum(await both(runs, measure.minus), (a, b) => a - b);
  return sum(await both(runs, measure.over), (a, b) => a / b);
}

const both = async (runs: Runs, [one, other]: [Measure, Measure]): Promise<[number, number]> => [
  await measured(runs, one),
  await measured(runs, other),
];

const sum = ([a, b]: [number, number], by: (a: number, b: number) => number): number => by(a, b);

const boxes = async (runs: Runs, run: string, at: number) =>
  (await runs.ask(run, (engine) => occupancy(engine, at, "user", "light"))).facts;

/** Returns the jobs of a set, by number. */
export async function jobsOf(runs: Runs, wanted: Jobs): Promise<JobFacts[]> {
  const all = await runs.jobs(wanted.run);
  const among = (numbers: Iterable<number>) => {
    const wanted = new Set(numbers);
    return all.filter(({ number }) => wanted.has(number));
  };
  switch (wanted.jobs) {
    case "all":
      return all;
    case "waiting long":
      return all.filter((job) => waited(job) > job.runtime);
    case "most slowed":
      return all.length === 0 ? [] : [all.reduce((a, b) => (slowdown(b) > slowdown(a) ? b : a))];
    case "backfilled":
      return among(
        (await runs.story(wanted.run)).flatMap((step) => {
          const first = firstOf(step);
          return step.started
            .filter(({ job }) => first && job > first.job.job)
            .map(({ number }) => number);
        }),
      );
    case "earlier":
    case "later": {
      const by = wanted.by === "start" ? started : ended;
      const other = new Map((await runs.jobs(wanted.than)).map((job) => [job.number, by(job)]));
      return all.filter((job) => {
        const than = other.get(job.number) ?? by(job);
        return wanted.jobs === "earlier" ? by(job) < than : by(job) > than;
      });
    }
  }
  const at = await measured(runs, wanted.at);
  switch (wanted.jobs) {
    case "starting":
      return all.filter((job) => job.start === at);
    case "waiting":
      return all.filter((job) => job.submitted <= at && started(job) > at && !runsAt(job, at));
    case "running":
      return all.filter((job) => runsAt(job, at));
    case "moved":
      return among((await runs.step(wanted.run, at)).moved.map(({ number }) => number));
  }
}

/** Returns the jobs whose start or end differs between two runs, in words. */
async function changesInWords(runs: Runs, { changes, run, than }: Changes): Promise<string> {
  const by = changes === "start" ? started : ended;
  const now = new Map((await runs.jobs(run)).map((job) => [job.number, by(job)]));
  const parts = (await runs.jobs(than))
    .filter((job) => now.has(job.number) && now.get(job.number) !== by(job))
    .map((job) => `job ${job.number} from ${plain(by(job))} s to ${plain(now.get(job.number)!)} s`);
  return parts.length > 0 ? parts.join(", ") : "no job";
}

/** Returns the numbers of jobs in words. */
export const jobsInWords = (numbers: number[]): string =>
  numbers.length === 0
    ? "no job"
    : `job${numbers.length === 1 ? "" : "s"} ${inList(numbers.map(String))}`;

/** Returns a number with two digits after the point at most. */
export const plain = (value: number, digits = 2): string =>
  String(Math.round(value * 10 ** digits) / 10 ** digits);

/** Returns a value in words: a number, jobs, or changes. */
async function textOf(runs: Runs, of: Measure | Jobs | Changes): Promise<string | number> {
  if (typeof of === "object" && "changes" in of) return changesInWords(runs, of);
  if (typeof of === "object" && "jobs" in of)
    return jobsInWords((await jobsOf(runs, of)).map(({ number }) => number));
  return measured(runs, of);
}

/**
 * Returns a function that fills in the values of texts: `{name}` is a value, `{name:0}` rounds it to
 * that many digits, `{name:%}` writes it as a share. Other braces stay. Each value is asked for once.
 */
export function filler(
  runs: Runs,
  values: Question["values"] = {},
): (text: string) => Promise<string> {
  const found = new Map<string, Promise<string | number>>();
  return async (text) => {
    let told = "";
    for (const part of text.split(/(\{\w+(?::[\d%])?\})/)) {
      const [, name, as] = /^\{(\w+)(?::([\d%]))?\}$/.exec(part) ?? [];
      if (name === undefined || !Object.hasOwn(values, name)) {
        told += part;
        continue;
      }
      const value = await kept(found, name, () => textOf(runs, values[name]!));
      told +=
        typeof value === "string"
          ? value
          : as === "%"
            ? share(value)
            : plain(value, as === undefined ? 2 : Number(as));
      if (told.length > LIMITS.exercise_bytes)
        throw new Missing("Its text is too long with its values.");
    }
    return told;
  };
}

const HOLDS: Record<Compared, (a: number, b: number) => boolean> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  "=": (a, b) => a === b,
  ">=": (a, b) => a >= b,
  ">": (a, b) => a > b,
};

/** True if all conditions hold. */
export async function hold(
  runs: Runs,
  conditions: [Measure, Compared, Measure][],
): Promise<boolean> {
  for (const [one, compared, other] of conditions)
    if (!HOLDS[compared](await measured(runs, one), await measured(runs, other))) return false;
  return true;
}
