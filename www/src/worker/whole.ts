// The further answers of a worker with the whole engine.
import {
  analysePlan,
  checkResults,
  clusterDescription,
  readPlan,
  slurmKeywords,
  slurmLines,
  slurmOptions,
} from "schedscope";
import type { WholeEngine } from "../engine/protocol";
import { calibrate, forecast, loadWithQueue, readQueue } from "./forecast";
import { table } from "./table";

export const whole: WholeEngine = {
  table: (file, columns) => table(file, columns),
  clusterDescription: (text) => clusterDescription(text),
  slurmLines: (text) => slurmLines(text),
  slurmOptions: () => slurmOptions(),
  slurmKeywords: (text, accounts) => slurmKeywords(text, accounts),
  loadWithQueue,
  readQueue,
  forecast,
  calibrate,
  readPlan: (text) => readPlan(text),
  analysePlan: (text, results) => analysePlan(text, results),
  checkResults: (keys, results) => checkResults(keys, results),
};
