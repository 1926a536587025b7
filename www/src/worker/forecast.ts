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

export const forecast: WholeEngine["forecast"] = async (scenario, settings, onProgress) => {
  const log = theTrace();
  const made = new StartForecast(queue ?? log, log, scenario, settings);
  try {
    for (;;) {
      const progress = made.advanceFor(SLICE);
      onProgress(progress);
      if (progress.done) return made.result();
      await yielded();
    }
  } finally {
    made.free();
  }
};

export const calibrate: WholeEngine["calibrate"] = async (
  scenario,
  settings,
  moments,
  onProgress,
) => {
  const made = new ForecastCalibration(theTrace(), scenario, settings, moments);
  try {
    for (;;) {
      const progress = made.advanceFor(SLICE);
      onProgress(progress);
      if (progress.done) return made.result();
      await yielded();
    }
  } finally {
    made.free();
  }
};
