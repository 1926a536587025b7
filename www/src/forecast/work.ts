// Forecasts of the starts of waiting jobs, and how past ones held: a worker of their own computes them.
import { signal } from "@preact/signals";
import * as Comlink from "comlink";
import type {
  CalibrationProgress,
  CalibrationResult,
  ForecastProgress,
  ForecastResult,
  ForecastSettings,
} from "schedscope";
import { type Hand, hire, Stopped, watched } from "../engine/workers";
import { asProblem } from "../format/problem";
import { count } from "../format/words";
import * as lab from "../lab";
import * as s from "../state";

/** Moments of the past at which a calibration makes forecasts. */
const MOMENTS = 20;

/** What the reader asks for. The texts are those of the form. */
interface Asked {
  /** The lane whose policy decides. */
  lane: number | undefined;
  /** Hours after the zero of the log or queue; empty for the instant that the file tells. */
  hours: string;
  samples: number;
  arrivals: NonNullable<ForecastSettings["arrivals"]>;
}

const own = {
  /** The file of the queue; without one, the open log is looked at. */
  queue: signal<File | undefined>(undefined),
  asked: signal<Asked>({ lane: undefined, hours: "", samples: 200, arrivals: "resampled" }),
  /** The work in progress, in words, and the share that is done. */
  work: signal<{ text: string; share: number } | undefined>(undefined),
  result: signal<{ of: string; forecast: ForecastResult } | undefined>(undefined),
  calibration: signal<{ of: string; calibration: CalibrationResult } | undefined>(undefined),
};
export const { queue, asked, work, result, calibration }: s.Seen<typeof own> = own;

let hand: Hand | undefined;

export function takeQueue(file: File | undefined): void {
  own.queue.value = file;
  own.result.value = undefined;
}

export function askFor(more: Partial<Asked>): void {
  own.asked.value = { ...asked.value, ...more };
}

/** Returns the lane whose policy decides: the one that the reader chose, else the last one. */
export const laneAsked = (): s.Lane | undefined =>
  s.laneOf(asked.value.lane) ?? s.lanes.value.at(-1);

/** Returns the settings of the engine for what the reader asks for. */
function settings(): ForecastSettings {
  const { hours, samples, arrivals } = asked.value;
  const at = hours.trim() === "" ? undefined : 3600 * Number(hours);
  return { samples, arrivals, ...(at === undefined ? {} : { at }) };
}

/** Says which trace, queue and run a result is of, so that an old one is not taken for a new one. */
export function nameOfWork(): string {
  const lane = laneAsked();
  return JSON.stringify([
    s.workload.value?.provenance.sha256,
    queue.value?.name,
    queue.value?.lastModified,
    lane && lab.scenario(lane),
    settings(),
  ]);
}

/** Stops the work in progress. */
export function stop(): void {
  hand?.stop();
  hand = undefined;
  own.work.value = undefined;
}

/** Hires a worker with the open trace, lets it work, and dismisses it. */
async function withWorker<T>(
  text: string,
  ask: (engine: Hand["engine"], alive: () => void) => Promise<T>,
): Promise<T | undefined> {
  const source = s.source.value;
  if (!source) return undefined;
  stop();
  own.work.value = { text, share: 0 };
  let mine: Hand | undefined;
  try {
    mine = hand = await hire({ isWhole: true });
    const found = await watched(mine, async (alive) => {
      if (!(await lab.giveTrace(source, mine!, () => alive())))
        await mine!.engine.load(
          source,
          Comlink.proxy(() => alive()),
        );
      return ask(mine!.engine, () => alive());
    });
    return hand === mine ? found : undefined;
  } catch (error) {
    if (!(error instanceof Stopped)) s.tell(asProblem(error));
    return undefined;
  } finally {
    mine?.stop();
    if (hand === mine) {
      hand = undefined;
      own.work.value = undefined;
    }
  }
}

function show(text: string, share: number): void {
  if (own.work.value) own.work.value = { text, share };
}

/** Computes the expected start of each waiting job. */
export async function forecast(): Promise<void> {
  const lane = laneAsked();
  if (!lane) return;
  const [of, file] = [nameOfWork(), queue.value];
  const found = await withWorker("Reading the queue", async (engine, alive) => {
    if (file) await engine.readQueue(file);
    return engine.forecast(
      lab.scenario(lane),
      settings(),
      Comlink.proxy(({ samples, of: all }: ForecastProgress) => {
        alive();
        show(`${count(samples)} of ${count(all)} samples`, samples / Math.max(1, all));
      }),
    );
  });
  if (!found) return;
  own.result.value = { of, forecast: found };
  s.say(`The starts of ${count(found.jobs.length)} jobs are forecast.`);
}

/** Makes forecasts at past instants of the open log, and counts how many held. */
export async function calibrate(): Promise<void> {
  const lane = laneAsked();
  if (!lane) return;
  const of = nameOfWork();
  const { at: _, ...given } = settings();
  const found = await withWorker("Looking for past queues", (engine, alive) =>
    engine.calibrate(
      lab.scenario(lane),
      given,
      MOMENTS,
      Comlink.proxy(({ moments, of: all, samples }: CalibrationProgress) => {
        alive();
        const share = (moments + samples / Math.max(1, given.samples ?? 1)) / Math.max(1, all);
        show(`${count(moments)} of ${count(all)} moments`, Math.min(1, share));
      }),
    ),
  );
  if (!found) return;
  own.calibration.value = { of, calibration: found };
  s.say("The forecasts of the past are compared with the recorded starts.");
}
