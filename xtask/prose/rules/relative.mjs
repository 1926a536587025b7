import { anywhere } from "../match.mjs";

export default {
  message: "Name the thing: `the job that`, `each process that`.",
  find: anywhere(/\b(?:who(?:so|m)?ever|that which|such (?:a|an) one|(?<!\b(?:no|any|some|every) )one who|he who|she who)\b/i),
  wrong: { docs: ["One who hardly communicates does not, until it is judged again; whoever is of class F does.", "It is that which waits.", "Take such a one."] },
  right: { docs: ["A process counts as communicating if its granularity was below DC_thresh at the last evaluation.", "No one who reads this waits.", "Class F always does."] },
};
