// Forecasts, in slices between which the worker answers.
import { ForecastCalibration, StartForecast, type Trace } from "schedscope";
import type { WholeEngine } from "../engine/protocol";
import { takeQueue } from "./read";
import { keepTrace, theTrace, yielded } from "./serve";

/** Length of a slice, in milliseconds. */
const SLICE = 50;

/** The queue beside the open trace, if one was read. */
let queue: Trace | undefined;

export const loadWithQueue: WholeEngine["loadWithQueue"] = async (source, onProgress) => {
  keepTrace(await takeQueue(source, onProgress));
};

export const readQueue: WholeEngine["readQueue"] = async (file) => {
  const read = await takeQueue({ kind: "file", file, skipBadLines: false }, () => {});
  queue?.free();
  queue = read;
};

/** Work that advances in slices and reports how far it is. */
interface Sliced<Progress, Result> {
  advanceFor(milliseconds: number): Progress;
  result(): Result;
  free(): void;
}

/** Works to the end, and answers other questions between the slices. */
async function finished<Progress extends { done: boolean }, Result>(
  work: Sliced<Progress, Result>,
  onProgress: (progress: Progress) => void,
): Promise<Result> {
  try {
    for (;;) {
      const progress = work.advanceFor(SLICE);
      onProgress(progress);
      if (progress.done) return work.result();
      await yielded();
    }
  } finally {
    work.free();
  }
}

export const forecast: WholeEngine["forecast"] = (scenario, settings, onProgress) => {
  const log = theTrace();
  return finished(new StartForecast(queue ?? log, log, scenario, settings), onProgress);
};

export const calibrate: WholeEngine["calibrate"] = (scenario, settings, moments, onProgress) =>
  finished(new ForecastCalibration(theTrace(), scenario, settings, moments), onProgress);
