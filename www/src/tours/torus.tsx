// Fragmentation on a 4 x 4 torus, and what helps against it.

import { share } from "../format/words";
import { occupancy } from "../machines/torus/ask";
import { size } from "../machines/torus/boxes";
import * as s from "../state";
import type { Runs, Stage, Tour } from "../teach/tour";
import { HIDDEN, least, SHOWN } from "./answers";
import { swf } from "./swf";

const TRACE = swf(16, [
  { arrives: 0, processors: 4, runs: 200 },
  { arrives: 0, processors: 4, runs: 50 },
  { arrives: 0, processors: 4, runs: 210 },
  { arrives: 0, processors: 2, runs: 40 },
  { arrives: 60, processors: 8, runs: 120 },
  { arrives: 70, processors: 9, runs: 50 },
  { arrives: 80, processors: 5, runs: 20 },
]);

const stage = (...policies: string[]): Stage => ({
  name: "Tour: seven jobs on a 4 × 4 torus",
  trace: TRACE,
  machine: "torus",
  // The policy tries migration whenever a job does not fit.
  shared: { x: 4, y: 4, z: 1, start_delay: 0, supernode: 1 },
  runs: policies.map((policy) => ({
    policy,
    settings: policy === "migration" || policy === "bm" ? { fn_max: 1 } : {},
  })),
});

/** Returns the boxes of a run at an instant. */
const boxes = async (runs: Runs, run: number, at: number) =>
  (await runs.ask(run, (engine) => occupancy(engine, at, "user", "light"))).facts;

/** Submission of job 5. */
const CROWDED = 60;

const look = (at: number) => () => void s.showInstant(at);

export const torus: Tour = {
  id: "torus",
  title: "Fragmentation on a torus",
  about:
    "On a machine like BlueGene/L a job needs a box of neighbouring nodes. Enough nodes can be free and still be of no use.",
  chapters: [
    {
      title: "A job gets a box",
      text: (
        <>
          <p>
            The nodes of this machine lie on a grid, four by four, and each talks to its neighbours.
            The edges are joined: the last node of a row is a neighbour of its first. Such a grid is
            a <b>torus</b>.
          </p>
          <p>
            To keep the messages of different jobs apart, a job gets a <b>box</b> of nodes to
            itself. Here a box is a rectangle, which may continue over an edge on the opposite side.
          </p>
          <p>
            The picture shows the machine at 0 s. Each square is a node, each frame is the box of a
            job. Four jobs have started.
          </p>
        </>
      ),
      stage: stage("fcfs"),
      tab: "torus",
      veil: [0],
      show: look(0),
      questions: async (runs) => {
        const job = await runs.job(0, 7);
        const { residents } = await boxes(runs, 0, job.start ?? 0);
        const box = size(residents.find(({ number }) => number === 7)!.box);
        return [
          {
            ask: "Job 7 will ask for 5 nodes. How many does it get?",
            answer: { kind: "number", unit: "nodes", right: box, within: 0.1 },
            told: `No rectangle of this machine has 5 nodes: 5 × 1 is too long. The next larger one is 2 × 3, and ${box - 5} node${box === 6 ? " is" : "s are"} wasted on it.`,
          },
        ];
      },
    },
    {
      title: "Free but of no use",
      text: (
        <>
          <p>
            At 60 s, jobs 2 and 4 have ended, and job 5 has just arrived. It asks for 8 nodes, half
            of the machine.
          </p>
          <p>
            Look at the free nodes. Do they make a rectangle of 8, that is two by four, perhaps over
            an edge?
          </p>
        </>
      ),
      stage: stage("fcfs"),
      tab: "torus",
      veil: [CROWDED],
      show: look(CROWDED),
      questions: async (runs) => {
        const job = await runs.job(0, 5);
        const { free, largest } = await boxes(runs, 0, CROWDED);
        const most = largest ? size(largest) : 0;
        return [
          {
            ask: `${free} nodes are free. Does job 5 start at 60 s?`,
            answer: {
              kind: "choice",
              options: ["Yes", "No"],
              right: job.start === CROWDED ? 0 : 1,
            },
            told:
              job.start === CROWDED
                ? "There is a box for it."
                : `There is no box of 8 among them. It starts at ${job.start} s, when job 1 has ended. Until then the free nodes are of no use to it: the machine is fragmented.`,
          },
          {
            ask: "How many nodes has the largest free box?",
            answer: { kind: "number", unit: "nodes", right: most, within: 0.1 },
            told: `That is ${share(most / Math.max(1, free))} of the free nodes. It is marked in the picture now; the curve at the bottom shows this share over time.`,
          },
        ];
      },
    },
    {
      title: "Moving jobs together",
      text: (
        <>
          <p>
            As on a disk, it helps to move whatever is in the way. <b>Migration</b> stops the
            running jobs for a moment and places them anew in the empty machine. The largest job
            comes first, and of equal jobs the one that started first. Each gets the place that
            leaves the largest free box. (The original study does not count the cost of this; here
            it can have a cost.)
          </p>
          <p>
            In this tour the policy always tries migration. The study tries it only if the largest
            free box has less than 70 % of the free nodes, which is not so at 60 s.
          </p>
          <p>
            The picture shows the machine just before job 5 arrives. Job 5 needs half of the
            machine.
          </p>
        </>
      ),
      stage: stage("fcfs", "migration"),
      tab: "torus",
      veil: [CROWDED, CROWDED],
      show: (runs) => {
        s.showLane(runs.lane(1).id);
        s.showInstant(CROWDED - 1);
      },
      questions: async (runs) => {
        const after = await boxes(runs, 1, CROWDED);
        const before = await boxes(runs, 1, CROWDED - 1);
        const where = (box: { at: number[]; extent: number[] }) =>
          `${box.at.join()} ${box.extent.join()}`;
        const moved = after.residents
          .filter((now) =>
            before.residents.some(
              (then) => then.number === now.number && where(then.box) !== where(now.box),
            ),
          )
          .map(({ number }) => number);
        const jobs = (await runs.jobs(1)).filter((job) =>
          before.residents.some(({ number }) => number === job.number),
        );
        const [fcfs, migration] = [
          runs.figure(0, "makespan.value"),
          runs.figure(1, "makespan.value"),
        ];
        const saved = 1 - migration / fcfs;
        return [
          {
            ask: "Which of the running jobs is moved at 60 s, so that job 5 gets its box?",
            answer: { kind: "jobs", jobs, right: moved },
            told: "Job 1 is placed first and gets its column again. Job 3 goes beside it and leaves two whole columns: a box of eight, which job 5 gets at once. The picture shows the machine afterwards.",
            afterwards: () => {
              s.showInstant(CROWDED);
            },
          },
          {
            ask: `Under first come, first served the last job ends at ${fcfs} s. How much earlier is that with migration?`,
            answer: {
              kind: "choice",
              options: [
                "not at all",
                "less than a quarter of the time",
                "a quarter of the time, or more",
              ],
              right: saved <= 0 ? 0 : saved < 0.25 ? 1 : 2,
            },
            told: `It ends at ${migration} s, ${share(saved)} earlier.`,
          },
        ];
      },
    },
    {
      title: "Backfilling on a torus",
      text: (
        <>
          <p>
            Another way leaves the jobs in place, and lets later jobs <b>backfill</b>. A later job
            may start in a free box, if that does not delay the first job in the queue. On a torus,
            EASY promises this first job a time and a box.
          </p>
          <p>
            The two ways combine. Here are four runs, one below the other: first come, first served;
            backfilling (EASY); migration; and both together (B+M). The first one is shown.
          </p>
        </>
      ),
      stage: stage("fcfs", "easy", "migration", "bm"),
      tab: "timeline",
      veil: [SHOWN, HIDDEN, HIDDEN, HIDDEN],
      questions: async (runs) => {
        const waits = [0, 1, 2, 3].map((run) => runs.figure(run, "wait.mean"));
        const ends = [0, 1, 2, 3].map((run) => runs.figure(run, "makespan.value"));
        const names = ["first come, first served", "backfilling", "migration", "both"];
        const list = (values: number[]) =>
          values.map((value, at) => `${names[at]} ${Math.round(value)} s`).join(", ");
        return [
          {
            ask: "Which alone shortens the mean wait more here, backfilling or migration?",
            answer: {
              kind: "choice",
              options: ["Backfilling", "Migration"],
              right: waits[1]! <= waits[2]! ? 0 : 1,
            },
            told: "Backfilling finds work for small free boxes; migration makes large ones. The waiting jobs decide which is worth more.",
          },
          {
            ask: "Which of all four has the shortest mean wait?",
            answer: {
              kind: "choice",
              options: names.map((name) => name[0]!.toUpperCase() + name.slice(1)),
              right: least(waits),
            },
            told: `Mean waits: ${list(waits)}. The last job ends: ${list(ends)}.`,
          },
        ];
      },
    },
    {
      title: "The real machine",
      text: (
        <>
          <p>
            The real machine has three dimensions, and so have boxes. Choose a run and move through
            time: the slices and the picture in space show the place of each job.
          </p>
          <p>
            Krevat, Castaños and Moreira (2002) measured the worth of migration and backfilling on a
            BlueGene/L machine. On their logs, the result was the reverse of that of our seven jobs:
            backfilling alone was worth more than migration alone. Their figures are reproduced
            under <b>Papers</b>, beside the printed ones.
          </p>
        </>
      ),
      stage: stage("fcfs", "easy", "migration", "bm"),
      tab: "torus",
      show: look(CROWDED),
    },
  ],
};
