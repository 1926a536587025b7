// Gang scheduling: jobs that take turns, and the matrix that says who runs when.

import * as s from "../state";
import type { Runs, Stage, Tour } from "../teach/tour";
import { compared, HIDDEN, SHOWN } from "./answers";
import { swf } from "./swf";

const MIXED = swf(8, [
  { arrives: 0, processors: 8, runs: 200 },
  { arrives: 10, processors: 8, runs: 20 },
  { arrives: 20, processors: 6, runs: 60 },
  { arrives: 20, processors: 2, runs: 60 },
  { arrives: 30, processors: 6, runs: 40 },
]);

const EQUAL = swf(
  8,
  [1, 2, 3].map(() => ({ arrives: 0, processors: 8, runs: 100 })),
);

const SLOTS = 3;

const gang = { slots: SLOTS, quantum: 10 };

const batch = { policy: "fcfs", machine: "flat" };

const shared = { policy: "fcfs" };

const mixed = (runs: Stage["runs"]): Stage => ({
  name: "Tour: five jobs on eight processors",
  trace: MIXED,
  machine: "gang",
  shared: gang,
  runs,
});

const equal: Stage = {
  name: "Tour: three equal jobs",
  trace: EQUAL,
  machine: "gang",
  shared: gang,
  runs: [batch, shared],
};

const EARLIER = ["earlier", "at the same time", "later"];

const response = (runs: Runs, run: number): string =>
  `${Math.round(runs.figure(run, "response.mean"))} s`;

export const matrix: Tour = {
  id: "matrix",
  title: "Taking turns: the Ousterhout matrix",
  about:
    "Instead of waiting for a long job to end, jobs can share the processors in time. Which jobs gain, which pay, and when is sharing a mistake?",
  chapters: [
    {
      title: "The short job behind the long one",
      text: (
        <>
          <p>
            On most machines a job has its processors to itself until it ends. A short job that
            arrives after a long one then has a long wait. No order of the queue can help: the
            processors are taken.
          </p>
          <p>
            There are eight processors. Job 1 takes them all at 0 s, for 200 s. At 10 s job 2
            arrives, which needs them all too, but only for 20 s.
          </p>
        </>
      ),
      stage: mixed([batch]),
      tab: "timeline",
      veil: [10],
      questions: async (runs) => {
        const job = await runs.job(0, 2);
        return [
          {
            ask: "When has job 2 ended?",
            answer: { kind: "number", unit: "s", right: job.end ?? 0, within: 0.5 },
            told: `It was in the system for ${(job.end ?? 0) - job.submitted} s, its response time, for ${job.runtime} s of work.`,
          },
        ];
      },
    },
    {
      title: "Rows that take turns",
      text: (
        <>
          <p>
            <b>Gang scheduling</b> divides time into slots. Think of a matrix: a column for each
            processor, a row for each slot. A job has its processors in one row, and all of them run
            at the same time: its gang. The rows take turns, here of 10 s each, again and again.
          </p>
          <p>
            J. K. Ousterhout drew this matrix in 1982. A new job goes into the first row that has
            room for it; if none has, it waits.
          </p>
          <p>
            The matrix has three rows. You see it at 15 s: job 1 is in the first, job 2 in the
            second. Five seconds later jobs 3 (6 processors) and 4 (2 processors) arrive, and at 30
            s job 5 (6 processors).
          </p>
        </>
      ),
      stage: mixed([shared]),
      tab: "sharing",
      veil: [15],
      show: () => void s.showInstant(15),
      questions: async (runs) => {
        const row =
          (await runs.matrix(0, 25)).seats.find(({ number }) => number === 4)?.row ?? SLOTS;
        const five = await runs.job(0, 5);
        const later = (await runs.matrix(0, five.start ?? 0)).seats.find(
          ({ number }) => number === 5,
        )?.row;
        const ROWS = ["The first slot", "The second slot", "The third slot", "None: it waits"];
        return [
          {
            ask: "Which slot does job 4 get, directly after job 3?",
            answer: { kind: "choice", options: ROWS, right: row },
            told: "Jobs 3 and 4 need 6 and 2 of 8 processors: they share a row, and run at the same time.",
            afterwards: () => void s.showInstant(25),
          },
          {
            ask: "Which slot does job 5 get, at 30 s?",
            answer: {
              kind: "choice",
              options: ROWS,
              right: five.start === 30 ? (later ?? SLOTS) : SLOTS,
            },
            told:
              five.start === 30
                ? "It has room there."
                : `No row has six free processors. It waits until ${five.start} s, when a job of slot ${(later ?? 0) + 1} has ended. With more rows it would start at once, and each turn would come less often.`,
            afterwards: () => void s.showInstant((five.start ?? 0) + 1),
          },
        ];
      },
    },
    {
      title: "Short jobs gain, long jobs pay",
      text: (
        <>
          <p>
            Above: each job has its processors to itself, in order of arrival (batch). Below: three
            slots that take turns; the picture shows the slot that has its turn.
          </p>
          <p>
            While two rows have jobs, each runs for half of the time; while three rows have jobs,
            each for a third.
          </p>
        </>
      ),
      stage: mixed([batch, shared]),
      tab: "timeline",
      veil: [SHOWN, HIDDEN],
      questions: async (runs) => {
        const [two, one] = [
          [await runs.job(0, 2), await runs.job(1, 2)],
          [await runs.job(0, 1), await runs.job(1, 1)],
        ];
        const [before, after] = [runs.figure(0, "response.mean"), runs.figure(1, "response.mean")];
        return [
          {
            ask: `Job 2 ended at ${two[0]!.end} s. When does it end now? An answer within 10 s counts.`,
            answer: { kind: "number", unit: "s", right: two[1]!.end ?? 0, within: 10 },
            told: `It has a row of its own at once. Its first turn follows that of job 1, and it needs two turns for its ${two[1]!.runtime} s.`,
          },
          {
            ask: `Job 1 ended at ${one[0]!.end} s. When does it end now?`,
            answer: {
              kind: "choice",
              options: EARLIER,
              right: compared(one[0]!.end ?? 0, one[1]!.end ?? 0),
            },
            told: `It ends at ${one[1]!.end} s: all the others had turns.`,
          },
          {
            ask: "How does the mean response time of the five change?",
            answer: {
              kind: "choice",
              options: ["it falls", "it stays the same", "it rises"],
              right: compared(before, after),
            },
            told: `It goes from ${response(runs, 0)} to ${response(runs, 1)}. The scheduler did not have to know which jobs are short: this is the strength of taking turns.`,
          },
        ];
      },
    },
    {
      title: "Idle processors of another row",
      text: (
        <>
          <p>
            From 60 s on job 5 has the second row, on six processors. The other two are idle in that
            row's turns, although job 4, in the third row, has just those two and could use them.
          </p>
          <p>
            <b>Alternative scheduling</b> lets a job also run in the turns of another row in which
            all of its processors are idle. Above without it, below with it. Here the three rows are
            drawn one below the other. A job fills its row from its start to its end, also during
            the turns of other rows.
          </p>
        </>
      ),
      stage: { ...mixed([shared, { ...shared, settings: { alternate: "on" } }]), rows: true },
      tab: "timeline",
      veil: [SHOWN, HIDDEN],
      questions: async (runs) => {
        const [without, having] = [await runs.jobs(0), await runs.jobs(1)];
        const ended = (jobs: typeof without, at: number) => jobs[at]!.end ?? 0;
        const earlier = without.filter((_, at) => ended(having, at) < ended(without, at));
        return [
          {
            ask: "Which jobs end earlier with alternative scheduling?",
            answer: { kind: "jobs", jobs: without, right: earlier.map(({ number }) => number) },
            told: `${earlier.map((job) => `Job ${job.number} ends at ${having.find(({ number }) => number === job.number)!.end} s instead of ${job.end} s`).join("; ") || "No job does"}. No job gets slower: only idle processors are used.`,
          },
        ];
      },
    },
    {
      title: "When taking turns is a mistake",
      text: (
        <>
          <p>Three jobs arrive together. Each needs the whole machine for 100 s.</p>
          <p>
            Above they run one after the other, below in three slots. Neither run loses a second of
            the machine.
          </p>
        </>
      ),
      stage: equal,
      tab: "timeline",
      veil: [SHOWN, HIDDEN],
      questions: async (runs) => {
        const [before, after] = [runs.figure(0, "response.mean"), runs.figure(1, "response.mean")];
        const first = [await runs.job(0, 1), await runs.job(1, 1)];
        return [
          {
            ask: `One after the other they end at 100, 200 and 300 s. What is the mean response time in slots, compared with that?`,
            answer: {
              kind: "choice",
              options: ["shorter", "the same", "longer"],
              right: compared(before, after),
            },
            told: `It is ${response(runs, 1)} instead of ${response(runs, 0)}: job 1 ends at ${first[1]!.end} s instead of ${first[0]!.end} s, and the last one no earlier than before. If all jobs are alike, taking turns only makes all of them end late. It pays if run times differ much, as on real machines: most jobs are short, and most of the work is in a few long ones.`,
          },
        ];
      },
    },
    {
      title: "On to real programs",
      text: (
        <>
          <p>
            The tab “Sharing” shows the matrix at any instant, and plays it. So far a job was a
            block of work. Real programs send messages and wait for them. Then it matters{" "}
            <i>which</i> jobs share a processor: that is another tour.
          </p>
          <p>
            Gang scheduling is compared with backfilling in the student projects of Rajaei and
            Dadfar (2007), which are reproduced under <b>Papers</b>.
          </p>
        </>
      ),
      stage: mixed([shared, { ...shared, settings: { alternate: "on" } }]),
      tab: "sharing",
      show: () => void s.showInstant(65),
    },
  ],
};
