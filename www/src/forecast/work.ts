// Forecasts of the starts of waiting jobs, and how past ones held: a worker of their own computes them.
import { signal } from "@preact/signals";
import * as Comlink from "comlink";
import type {
  CalibrationProgress,
  CalibrationResult,
  ForecastProgress,
  ForecastResult,
  ForecastSettings,
  Scenario,
} from "schedscope";
import { type Hand, hire, Stopped, watched } from "../engine/workers";
import { asProblem } from "../format/problem";
import { count, counted } from "../format/words";
import * as lab from "../lab";
import * as s from "../state";

/** Moments of the past at which a calibration makes forecasts. */
const MOMENTS = 20;

/** The wishes of the reader, in the texts of the form. */
interface Asked {
  /** The lane whose policy decides. */
  lane: number | undefined;
  /** Hours after the zero of the log or queue; empty for the instant that the file tells. */
  hours: string;
  samples: number;
  arrivals: NonNullable<ForecastSettings["arrivals"]>;
}

const own = {
  /** The file of the queue, and the hash of its log; without one, the open log is looked at. */
  queue: signal<{ file: File; of: string | undefined } | undefined>(undefined),
  asked: signal<Asked>({ lane: undefined, hours: "", samples: 200, arrivals: "resampled" }),
  /** The work in progress, in words, and the share that is done. */
  work: signal<{ text: string; share: number } | undefined>(undefined),
  result: signal<{ of: string; forecast: ForecastResult } | undefined>(undefined),
  calibration: signal<{ of: string; calibration: CalibrationResult } | undefined>(undefined),
};
export const { queue, asked, work, result, calibration }: s.Seen<typeof own> = own;

/** The work in progress. Another one takes its place, and aborts it. */
let current: AbortController | undefined;

/** Takes a queue, which belongs to the open log; none if there is no file. */
export async function takeQueue(file: File | undefined): Promise<void> {
  if (file && !(await lab.untilOpen([file]))) return;
  own.queue.value = file && { file, of: s.workload.value?.provenance.sha256 };
  own.result.value = undefined;
}

/** Returns the queue, if it belongs to the open log. */
export const queueNow = (): File | undefined =>
  queue.value && queue.value.of === s.workload.value?.provenance.sha256
    ? queue.value.file
    : undefined;

export function askFor(more: Partial<Asked>): void {
  own.asked.value = { ...asked.value, ...more };
}

/** Returns the lane whose policy decides: the one that the reader chose, else the last one. */
export const laneAsked = (): s.Lane | undefined =>
  s.laneOf(asked.value.lane) ?? s.lanes.value.at(-1);

/** The work that is asked for now. */
interface Order {
  scenario: Scenario;
  settings: ForecastSettings;
  lane: s.Lane;
}

function order(lane: s.Lane): Order {
  const { hours, samples, arrivals } = asked.value;
  const at = hours.trim() === "" ? undefined : 3600 * Number(hours);
  return {
    scenario: lab.scenario(lane),
    settings: { samples, arrivals, ...(at === undefined ? {} : { at }) },
    lane,
  };
}

const nameOf = ({ scenario, settings }: Order, file: File | undefined): string =>
  JSON.stringify([
    s.workload.value?.provenance.sha256,
    file && [file.name, file.size, file.lastModified],
    scenario,
    settings,
  ]);

/** A test of past forecasts needs no queue and no instant. */
const past = ({ settings: { at: _, ...settings }, ...more }: Order): Order => ({
  ...more,
  settings,
});

/** Says which log, queue and settings a forecast would be of now. */
export function nameOfWork(): string {
  const lane = laneAsked();
  return lane ? nameOf(order(lane), queueNow()) : "";
}

/** Says of which log and settings a test of past forecasts would be now. */
export function nameOfPast(): string {
  const lane = laneAsked();
  return lane ? nameOf(past(order(lane)), undefined) : "";
}

/** Stops the work in progress. */
export function stop(): void {
  if (!current) return;
  current.abort();
  current = undefined;
  own.work.value = undefined;
  s.say("The forecast is stopped.");
}

/** Hires a worker with the open trace, lets it work, and dismisses it. */
async function withWorker<T>(
  text: string,
  lane: s.Lane,
  ask: (engine: Hand["engine"], report: (text: string, share: number) => void) => Promise<T>,
): Promise<T | undefined> {
  const source = s.source.value;
  if (!source) return undefined;
  current?.abort();
  const mine = new AbortController();
  current = mine;
  const isMine = () => current === mine;
  own.work.value = { text, share: 0 };
  let hand: Hand | undefined;
  mine.signal.addEventListener("abort", () => hand?.stop());
  try {
    hand = await hire({ isWhole: true, own: lab.codeOf(lab.setup(lane)), signal: mine.signal });
    const { engine } = hand;
    const found = await watched(hand, async (alive) => {
      // A log that is not SWF is read again, with the jobs that have not ended.
      if (source.kind === "file" && lab.needsWhole(source))
        await engine.loadWithQueue(
          source,
          Comlink.proxy(() => alive()),
        );
      else if (!(await lab.giveTrace(source, hand!, () => alive())))
        await engine.load(
          source,
          Comlink.proxy(() => alive()),
        );
      return ask(engine, (text, share) => {
        alive();
        if (isMine()) own.work.value = { text, share };
      });
    });
    return isMine() ? found : undefined;
  } catch (error) {
    if (isMine() && !(error instanceof Stopped)) s.tell(asProblem(error));
    return undefined;
  } finally {
    hand?.stop();
    if (isMine()) {
      current = undefined;
      own.work.value = undefined;
    }
  }
}

/** Computes the expected start of each waiting job. */
export async function forecast(): Promise<void> {
  const lane = laneAsked();
  if (!lane) return;
  const [asks, file] = [order(lane), queueNow()];
  const of = nameOf(asks, file);
  const found = await withWorker("Reading the queue", lane, async (engine, report) => {
    if (file) await engine.readQueue(file);
    return engine.forecast(
      asks.scenario,
      asks.settings,
      Comlink.proxy(({ samples, of: all }: ForecastProgress) =>
        report(`${count(samples)} of ${count(all)} samples`, samples / Math.max(1, all)),
      ),
    );
  });
  if (!found) return;
  own.result.value = { of, forecast: found };
  s.say(`${counted(found.jobs.length, "start is", "starts are")} forecast.`);
}

/** Makes forecasts at past instants of the open log, and counts how many held. */
export async function calibrate(): Promise<void> {
  const lane = laneAsked();
  if (!lane) return;
  const asks = past(order(lane));
  const of = nameOf(asks, undefined);
  const found = await withWorker("Looking for past queues", lane, (engine, report) =>
    engine.calibrate(
      asks.scenario,
      asks.settings,
      MOMENTS,
      Comlink.proxy(({ moments, of: all, samples }: CalibrationProgress) => {
        const share = samples / Math.max(1, asks.settings.samples ?? 1);
        report(
          `${count(moments)} of ${counted(all, "moment")}`,
          Math.min(1, (moments + share) / Math.max(1, all)),
        );
      }),
    ),
  );
  if (!found) return;
  own.calibration.value = { of, calibration: found };
  s.say("The forecasts of the past are compared with the recorded starts.");
}
