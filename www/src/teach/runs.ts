// The runs of a chapter: on the page or beside it, and the facts that they report.
import * as Comlink from "comlink";
import type { Colouring, JobFacts, Problem, StepFacts } from "schedscope";
import { LIMITS } from "../engine/limits";
import type { MatrixFacts, Probed } from "../engine/protocol";
import { ask, type Hand, hire, Stopped, watched } from "../engine/workers";
import { isOnlyWhole, newLane, scenario } from "../lab";
import * as s from "../state";
import type { Stage } from "./format";
import { swf } from "./swf";

/** A finished run. */
interface Finished {
  hand: Hand;
  figures: Record<string, number>;
}

/** A fault of a question: it asks for something that the runs do not have. */
export class Missing extends Error implements Problem {
  readonly what = "A question of the exercise has no answer.";

  readonly next = "Ask the author of the exercise to correct it.";

  constructor(readonly why: string) {
    super(why);
  }
}

/** Facts that the finished runs of a chapter report. Runs are named by their letters. */
export class Runs {
  private readonly found = new Map<string, Promise<JobFacts[]>>();

  private readonly told = new Map<string, Promise<StepFacts[]>>();

  constructor(
    private readonly count: number,
    private readonly finished: (index: number) => Finished,
  ) {}

  private run(letter: string): Finished {
    const index = letter.charCodeAt(0) - "A".charCodeAt(0);
    if (!(index >= 0 && index < this.count)) throw new Missing(`There is no run ${letter}.`);
    return this.finished(index);
  }

  /** The letters of all runs. */
  get letters(): string[] {
    return Array.from({ length: this.count }, (_, index) => s.letter(index));
  }

  /** Asks the engine of a run. */
  ask<T>(run: string, work: Parameters<typeof ask<T>>[1]): Promise<T> {
    return ask(this.run(run).hand, work);
  }

  /** All jobs, by number. */
  jobs(run: string): Promise<JobFacts[]> {
    return kept(this.found, run, async () =>
      (await this.ask(run, (engine) => engine.jobs(0, LIMITS.exercise_jobs))).sort(
        (one, other) => one.number - other.number,
      ),
    );
  }

  /** Returns a job by its number. */
  async job(run: string, number: number): Promise<JobFacts> {
    const found = (await this.jobs(run)).find((job) => job.number === number);
    if (!found) throw new Missing(`There is no job ${number}.`);
    return found;
  }

  story(run: string): Promise<StepFacts[]> {
    return kept(this.told, run, () => this.ask(run, (engine) => engine.story()));
  }

  /** Returns the events of an instant. */
  async step(run: string, at: number): Promise<StepFacts> {
    const found = (await this.story(run)).find((step) => step.at === at);
    if (!found) throw new Missing(`Nothing happens at ${at} s in run ${run}.`);
    return found;
  }

  matrix(run: string, at: number, colouring: Colouring = "user"): Promise<MatrixFacts> {
    return this.ask(run, (engine) => engine.matrix(at, colouring, "light"));
  }

  async probe(run: string, processor: number, from: number, to: number): Promise<Probed> {
    const found = await this.ask(run, (engine) =>
      engine.microscope(
        processor,
        from,
        to,
        Comlink.proxy(() => {}),
      ),
    );
    if (!found) throw new Missing(`The machine of run ${run} does not see processes.`);
    return found;
  }

  /** Returns a figure of the run, for example `wait.mean`. */
  figure(run: string, key: string): number {
    const { figures } = this.run(run);
    if (!Object.hasOwn(figures, key)) throw new Missing(`Run ${run} has no figure ${key}.`);
    return figures[key]!;
  }
}

/** Returns a value that is known, or makes it. */
export function kept<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

/** Returns runs that are on the page, by the ids of their lanes. */
export function onPage(ids: number[]): Runs {
  return new Runs(ids.length, (index) => {
    const lane = s.lanes.value.find(({ id }) => id === ids[index]);
    if (!lane?.hand || !lane.result) throw new Stopped("the run is no longer there");
    return { hand: lane.hand, figures: lane.result.figures };
  });
}

/**
 * Runs the stage of a chapter in workers of its own, beside the page, and asks about the runs.
 * Rejects when `signal` aborts.
 */
export async function beside<Answer>(
  stage: Stage,
  signal: AbortSignal,
  work: (runs: Runs) => Promise<Answer>,
): Promise<Answer> {
  const hands: Hand[] = [];
  signal.addEventListener("abort", () => {
    for (const hand of hands) hand.stop();
  });
  try {
    const finished: Finished[] = [];
    const common = { machine: stage.machine, shared: stage.settings };
    for (const run of stage.runs) {
      const hand = await hire({ isWhole: isOnlyWhole(run.machine || stage.machine) });
      hands.push(hand);
      if (signal.aborted) throw new Stopped("nobody waits for the run");
      const result = await watched(hand, async (alive) => {
        const tell = Comlink.proxy(() => alive());
        await hand.engine.load({ kind: "text", name: stage.name, text: swf(stage) }, tell);
        await hand.engine.prepare(scenario(newLane(run), common));
        return hand.engine.run(tell);
      });
      if (!result) throw new Stopped("the run was cancelled");
      finished.push({ hand, figures: result.figures });
    }
    return await work(new Runs(finished.length, (index) => finished[index]!));
  } finally {
    for (const hand of hands) hand.stop();
  }
}
