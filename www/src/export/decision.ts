// The part of a report on which a committee decides: what changes, who gains and who loses, and what the
// figures rest on.
import type { Comparison } from "schedscope";
import { GROUPINGS } from "../charts/axes";
import { ask } from "../engine/workers";
import { escaped } from "../files/picture";
import { count, counted, duration, share } from "../format/words";
import { changesBetween } from "../runs/changes";
import { nameOf } from "../runs/name";
import { neverStarted } from "../runs/pending";
import { doubted, inWords as sizeInWords } from "../runs/size";
import * as s from "../state";
import { listOf, tableOf } from "./rows";

/** Classes that a table lists: those whose jobs gain or lose most in all. */
const CLASSES = 20;

/** The groupings that a report has, if the log has them, in this order. */
const ORDER = [
  "account",
  "group",
  "partition",
  "queue",
  "qos",
  "size",
  "run_time",
  "user",
] as const;

/** The groupings whose classes have an order of their own, from small to large. */
const IN_ORDER: readonly string[] = ["size", "run_time"];

const letterOf = (lane: s.Lane): string => s.letter(s.lanes.value.indexOf(lane));

/** Returns a difference of two waits in words. */
const difference = (seconds: number): string =>
  seconds === 0 ? "0 s" : `${seconds < 0 ? "−" : "+"}${duration(Math.abs(seconds))}`;

function classesOf(
  { classes }: Comparison,
  grouping: (typeof ORDER)[number],
  [first, second]: [s.Lane, s.Lane],
): string {
  const all = classes[grouping];
  if (!all || all.length < 2) return "";
  const weight = (one: (typeof all)[number]) => Math.abs(one.second - one.first) * one.jobs;
  const shown = all.toSorted((one, other) => weight(other) - weight(one)).slice(0, CLASSES);
  const more = all.length - shown.length;
  if (IN_ORDER.includes(grouping))
    shown.sort((one, other) => all.indexOf(one) - all.indexOf(other));
  const name = GROUPINGS[grouping].toLowerCase();
  return `<h4>By ${name}</h4>${tableOf({
    title: name,
    head: [
      GROUPINGS[grouping],
      "Jobs",
      `Mean wait, ${letterOf(first)}`,
      `Mean wait, ${letterOf(second)}`,
      "Difference",
      "Wait less",
      "Wait longer",
    ],
    rows: shown.map((one) => [
      one.name,
      count(one.jobs),
      duration(one.first),
      duration(one.second),
      difference(one.second - one.first),
      count(one.gained),
      count(one.lost),
    ]),
  })}${more > 0 ? `<p>And ${count(more)} more, whose jobs gain or lose less in all.</p>` : ""}`;
}

function sideBySide(first: s.Lane, second: s.Lane, comparison: Comparison): string {
  const { paired } = comparison;
  const isChance = Math.abs(paired.mean) <= paired.ci95;
  return [
    `<p>Under ${letterOf(second)} a job waits ${
      paired.mean === 0
        ? "just as long on average"
        : `${duration(Math.abs(paired.mean))} ${paired.mean < 0 ? "less" : "longer"} on average`
    } than under ${letterOf(first)} (± ${duration(paired.ci95)}${isChance ? ", which chance may explain" : ""}). Of ${counted(paired.jobs, "job")}, ${share(paired.smaller)} wait less and ${share(paired.larger)} wait longer.${
      neverStarted(first) + neverStarted(second) > 0
        ? " Jobs that never start in one of the two runs are not compared."
        : ""
    }</p>`,
    ...ORDER.map((grouping) => classesOf(comparison, grouping, [first, second])),
  ].join("\n");
}

/** Returns what changes from the first run to each other one, and who gains and who loses. */
export async function changesAndClasses(done: s.Lane[]): Promise<string> {
  const [first, ...others] = done;
  if (!first || others.length === 0) return "";
  const waits = first.hand ? await ask(first.hand, (engine) => engine.waits()) : undefined;
  const parts: string[] = [];
  for (const other of others) {
    const changes = changesBetween(first, other);
    parts.push(
      `<h2>From ${letterOf(first)} to ${letterOf(other)}</h2>`,
      changes.length === 0
        ? `<p>${JSON.stringify(first.settings) === JSON.stringify(other.settings) ? "Both runs have the same settings." : "The settings of both runs differ in order, repetitions or comments only."}</p>`
        : `<pre>${changes.map(({ sign, text }) => escaped(`${sign} ${text}`)).join("\n")}</pre>`,
    );
    if (!waits || !other.hand || first.facts?.identity !== other.facts?.identity) {
      parts.push(
        "<p>The two runs have different jobs, so that no comparison job by job is possible.</p>",
      );
      continue;
    }
    const comparison = await ask(other.hand, (engine) => engine.comparison(waits));
    parts.push(sideBySide(first, other, comparison));
  }
  return parts.join("\n");
}

/** Begin of a step that says something of the cluster. */
const OF_CLUSTER = "cluster: ";

const EFFECTS = { noted: "noted", repaired: "repaired", skipped: "skipped" } as const;

/** Returns what the figures rest on: what was guessed, dropped and not modelled. */
export function basis(done: s.Lane[]): string {
  const facts = s.workload.value;
  if (!facts) return "";
  const { report, provenance } = facts;
  return [
    "<h2>What the figures rest on</h2>",
    `<p>Read from the log: ${counted(report.read, "record")}. Simulated: ${counted(facts.jobs, "job")} of ${counted(facts.users, "user")} on ${counted(facts.processors, "processor")}. Each job runs for as long as in the log, whenever it starts, and users submit their jobs at the same instants under each policy, unless a setting says otherwise.</p>`,
    listOf([
      ...(doubted.value ? [sizeInWords(doubted.value)] : []),
      ...provenance.steps.map((step) =>
        step.startsWith(OF_CLUSTER)
          ? `About the cluster: ${step.slice(OF_CLUSTER.length)}.`
          : `The jobs were changed: ${step}.`,
      ),
      ...report.rules.map((rule) => `${count(rule.count)} ${EFFECTS[rule.effect]}: ${rule.text}.`),
      ...done.flatMap((lane) =>
        lane.notModelled.map((text) => `Run ${letterOf(lane)}. ${text.replaceAll("`", "")}`),
      ),
    ]),
  ].join("\n");
}

/** Returns the names of the runs, with their letters. */
export const legend = (done: s.Lane[]): string =>
  listOf(done.map((lane) => `${letterOf(lane)}: ${nameOf(lane)}`));
