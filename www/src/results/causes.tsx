// Why jobs waited, in all: the causes of all waits of a run, by class of jobs.
import { useSignal } from "@preact/signals";
import type { ClassCauses, Grouping } from "schedscope";
import { ask, Stopped } from "../engine/workers";
import { asProblem } from "../format/problem";
import { count, duration, share } from "../format/words";
import * as s from "../state";
import { DataTable } from "../ui/table";

/** The kinds of reasons in words, in the order of the table. */
const KINDS: Record<string, string> = {
  processors: "too few processors free",
  partition: "no free partition",
  nodes: "no nodes with enough",
  reserved: "would delay a reservation",
  behind: "behind another job",
  not_chosen: "another set of jobs was better",
  not_tried: "not tried",
  start_delay: "start delay",
  recorded: "later in the log",
  lost: "ran in vain, and was preempted",
};

interface Line {
  name: string;
  jobs: number;
  cause: string;
  total: number;
  share: number;
}

const causeOf = ({ kind, resource }: ClassCauses["causes"][number]): string =>
  kind === "nodes"
    ? `short of ${resource ?? "nodes"}`
    : kind === "slurm"
      ? (resource ?? kind)
      : (KINDS[kind] ?? kind);

/** Returns a line for each cause of each class. */
const linesOf = (classes: ClassCauses[]): Line[] =>
  classes.flatMap(({ name, jobs, causes }) => {
    const all = causes.reduce((sum, { total }) => sum + total, 0);
    return causes.map((cause) => ({
      name,
      jobs,
      cause: causeOf(cause),
      total: cause.total,
      share: all > 0 ? cause.total / all : 0,
    }));
  });

export function Causes({ runs, grouping }: { runs: s.Lane[]; grouping: Grouping }) {
  const run = useSignal(0);
  const found = useSignal<{ key: string; lines: Line[] } | undefined>(undefined);
  const isBusy = useSignal(false);
  const lane = runs[Math.min(run.value, runs.length - 1)];
  if (!lane) return null;
  const key = [lane.id, lane.result?.digest, grouping].join(" ");
  const letterOf = (one: s.Lane) => s.letter(s.lanes.value.indexOf(one));
  const look = async () => {
    // The button stays enabled, because a disabled one loses the focus.
    if (!lane.hand || isBusy.value) return;
    const letter = letterOf(lane);
    isBusy.value = true;
    s.say(`Adding up the causes of run ${letter}.`);
    try {
      const classes = await ask(lane.hand, (engine) => engine.waitCauses(grouping));
      found.value = { key, lines: linesOf(classes) };
      s.say(`The causes of run ${letter} are added up.`);
    } catch (error) {
      s.say(`The causes of run ${letter} were not added up.`);
      if (!(error instanceof Stopped)) s.tell(asProblem(error));
    }
    isBusy.value = false;
  };
  return (
    <section class="panel" aria-label="Why jobs waited">
      <h3>Why jobs waited</h3>
      <div class="buttons">
        <label class="inline">
          Run
          <select
            value={runs.indexOf(lane)}
            onChange={(event) => (run.value = Number(event.currentTarget.value))}
          >
            {runs.map((one, at) => (
              <option key={one.id} value={at}>
                {letterOf(one)} {s.policyNamed(one.policy)?.name ?? one.policy}
              </option>
            ))}
          </select>
        </label>
        <button type="button" aria-busy={isBusy.value} onClick={() => void look()}>
          {isBusy.value ? "Running again…" : "Add up the causes"}
        </button>
      </div>
      {found.value?.key !== key ? (
        <p class="quiet">
          The run is repeated with the reasons of all jobs, which can take a while.
        </p>
      ) : found.value.lines.length === 0 ? (
        <p class="quiet">No job waited.</p>
      ) : (
        <DataTable
          label="Causes by class"
          rows={found.value.lines}
          columns={[
            { name: "Class", isHead: true, value: ({ name }) => name },
            { name: "Jobs", value: ({ jobs }) => jobs, show: ({ jobs }) => count(jobs) },
            { name: "Cause", value: ({ cause }) => cause },
            {
              name: "Waits in all",
              value: ({ total }) => total,
              show: ({ total }) => duration(total),
            },
            {
              name: "Of the class",
              value: (line) => line.share,
              show: (line) => share(line.share),
            },
          ]}
        />
      )}
    </section>
  );
}
