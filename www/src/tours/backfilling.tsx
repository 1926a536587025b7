// From first come, first served to backfilling, on eight jobs.

import type { JobFacts } from "schedscope";
import { share } from "../format/words";
import { begin as tell } from "../inspect/story";
import type { Runs, Stage, Tour } from "../teach/tour";
import { compared, HIDDEN, SHOWN } from "./answers";
import { type Line, swf } from "./swf";

const PROCESSORS = 8;

const LINES: Line[] = [
  { arrives: 0, processors: 4, runs: 50 },
  { arrives: 0, processors: 6, runs: 60 },
  { arrives: 0, processors: 3, runs: 20 },
  { arrives: 20, processors: 4, runs: 60 },
  { arrives: 30, processors: 4, runs: 50 },
  { arrives: 30, processors: 2, runs: 60 },
  { arrives: 40, processors: 1, runs: 10 },
  { arrives: 40, processors: 2, runs: 50 },
];

const stage = (...policies: string[]): Stage => ({
  name: "Tour: eight jobs on eight processors",
  trace: swf(PROCESSORS, LINES),
  runs: policies.map((policy) => ({ policy })),
});

/** Job 1 claims twice the time that it needs. */
const claimed: Stage = {
  name: "Tour: job 1 claims 100 s",
  trace: swf(
    PROCESSORS,
    LINES.map((line, at) => (at === 0 ? { ...line, claims: 2 * line.runs } : line)),
  ),
  runs: [{ policy: "easy", settings: { estimate_model: "exact" } }, { policy: "easy" }],
};

/** Pairs the jobs of two runs. */
async function pairs(
  runs: Runs,
  one: number,
  other: number,
): Promise<{ job: JobFacts; before: number; after: number }[]> {
  const [first, second] = [await runs.jobs(one), await runs.jobs(other)];
  return first.map((job, at) => ({ job, before: job.start ?? 0, after: second[at]!.start ?? 0 }));
}

const changes = (pairs: { job: JobFacts; before: number; after: number }[]): string =>
  pairs
    .filter(({ before, after }) => before !== after)
    .map(({ job, before, after }) => `job ${job.number} from ${before} s to ${after} s`)
    .join(", ");

const mean = (runs: Runs, run: number): string =>
  `${Math.round(runs.figure(run, "wait.mean") * 100) / 100} s`;

const QUARTERS = [
  "less than a tenth",
  "a tenth to a quarter",
  "a quarter to a half",
  "more than a half",
];

export const backfilling: Tour = {
  id: "backfilling",
  title: "From first come, first served to backfilling",
  about:
    "Eight jobs, eight processors, three policies: which job may pass which, what that gains, and which job pays. For readers who have never seen a scheduler.",
  chapters: [
    {
      title: "A machine, a queue and a rule",
      text: (
        <>
          <p>
            A parallel computer has many processors; this one has eight. A <b>job</b> asks for some
            of them, all at once, and gives an estimate of its run time. It keeps them until it
            ends.
          </p>
          <p>
            In the picture, time runs from left to right and processors run from top to bottom. A
            job is a rectangle: as high as the processors it has, as long as it runs.
          </p>
          <p>
            A job that does not fit waits in a <b>queue</b>. The oldest rule for it is{" "}
            <b>first come, first served</b> (FCFS): only the first job in the queue may start. While
            it does not fit, no job behind it starts.
          </p>
          <p>
            Step through the instants with <b>Next</b>. At each instant, predict which jobs start,
            then reveal the answer. The steps answer the question below.
          </p>
        </>
      ),
      stage: stage("fcfs"),
      tab: "timeline",
      show: (runs) => tell(runs.lane(0).id, true),
      questions: async (runs) => {
        const job = await runs.job(0, 3);
        return [
          {
            ask: "Job 3 arrives at 0 s and asks for 3 processors, of which 4 are free then. Job 2 is before it in the queue. How long does job 3 wait?",
            answer: { kind: "number", unit: "s", right: job.wait ?? 0, within: 0.5 },
            told: `It waits ${job.wait} s to run for ${job.runtime} s, although enough processors were free from the start: it may not pass job 2, which needs more of them.`,
          },
        ];
      },
    },
    {
      title: "What the rule costs",
      text: (
        <>
          <p>
            Here is the whole run. It is fair: no job passes another. But look at the white space.
            Until 180 s, when the last job starts, every white rectangle shows processors that were
            idle while jobs waited.
          </p>
          <p>
            Two figures say how good a schedule is. <b>Utilisation</b> is the share of the machine
            that is used, which is what its owner looks at. <b>Wait</b> is what its users notice.
          </p>
        </>
      ),
      stage: stage("fcfs"),
      tab: "timeline",
      // The picture is visible; the figures would give the answer away.
      veil: [SHOWN],
      questions: async (runs) => {
        const jobs = await runs.jobs(0);
        const end = Math.max(...jobs.map((job) => job.end ?? 0));
        const idle =
          1 - jobs.reduce((sum, job) => sum + job.processors * job.runtime, 0) / (PROCESSORS * end);
        const long = jobs.filter((job) => (job.wait ?? 0) > job.runtime);
        return [
          {
            ask: "How much of the machine is unused, from 0 s until the last job ends?",
            answer: {
              kind: "choice",
              options: QUARTERS,
              right: [0.1, 0.25, 0.5, 1].findIndex((limit) => idle < limit),
            },
            told: `It is ${share(idle)} of ${PROCESSORS} processors over ${end} s.`,
          },
          {
            ask: "How many of the eight jobs wait longer than they run?",
            answer: { kind: "number", unit: "jobs", right: long.length, within: 0.1 },
            told: `They wait for ${mean(runs, 0)} on average. Short jobs suffer most. Job ${long.reduce((a, b) => ((b.wait ?? 0) / b.runtime > (a.wait ?? 0) / a.runtime ? b : a)).number} waits many times as long as it runs. The slowdown of a job is its time in the system, with its wait, over its run time.`,
          },
        ];
      },
    },
    {
      title: "The hole in front of job 2",
      text: (
        <>
          <p>
            At 0 s job 1 runs. Job 2 is the first in the queue and does not fit. <b>Backfilling</b>{" "}
            lets later jobs into the hole in front of it, if that does not delay it.
          </p>
          <p>
            The estimates of the running jobs tell the latest start of job 2: the time at which
            enough of them must have ended. This is its <b>shadow time</b>. Processors that are free
            then beyond what job 2 needs are <b>extra</b>.
          </p>
          <p>
            The policy <b>EASY</b> (Lifka, 1995) lets a later job start now if it fits, and either
            ends by the shadow time or needs only extra processors.
          </p>
        </>
      ),
      stage: stage("easy"),
      tab: "timeline",
      veil: [0],
      questions: async (runs) => {
        const step = await runs.step(0, 0);
        const reserved = step.reserved[0]!;
        const [first, job] = [await runs.job(0, 2), await runs.job(0, 3)];
        const starts = step.started.some(({ number }) => number === job.number);
        const right = !starts ? 2 : step.at + job.estimate <= reserved.start ? 0 : 1;
        return [
          {
            ask: "What is job 2's shadow time?",
            answer: { kind: "number", unit: "s", right: reserved.start, within: 0.5 },
            told: "By its estimate, job 1 ends then. Its processors and the free ones are enough for job 2.",
          },
          {
            ask: "How many processors are extra then?",
            answer: { kind: "number", unit: "processors", right: reserved.extra ?? 0, within: 0.1 },
            told: `${first.processors + (reserved.extra ?? 0)} are free at ${reserved.start} s, and job 2 needs ${first.processors}.`,
          },
          {
            ask: "Job 3 asks for 3 processors for 20 s. May it start at 0 s?",
            answer: {
              kind: "choice",
              options: [
                "Yes: it ends by the shadow time",
                "Yes: the extra processors are enough for it",
                "No: it would delay job 2",
              ],
              right,
            },
            told: starts
              ? `It has ended by ${step.at + job.estimate} s. Job 2 starts at ${reserved.start} s, as it would without job 3.`
              : "It has to wait.",
          },
        ];
      },
      afterwards: (runs) => tell(runs.lane(0).id),
    },
    {
      title: "EASY, step by step",
      text: (
        <>
          <p>
            Now the whole run under EASY. At each instant: which job is the first that does not fit?
            What are its shadow time and its extra processors? Which jobs may pass it?
          </p>
          <p>
            Dotted boxes are reservations: the place and time of the start of the first job in the
            queue.
          </p>
        </>
      ),
      stage: stage("easy"),
      tab: "timeline",
      show: (runs) => tell(runs.lane(0).id, true),
      questions: async (runs) => {
        const late = (await runs.story(0)).filter(
          (step) => step.started.length > 0 && step.reserved.length > 0,
        );
        const passing = [
          ...new Set(
            late.flatMap((step) =>
              step.started
                .filter(({ job }) => job > step.reserved[0]!.job.job)
                .map(({ number }) => number),
            ),
          ),
        ].sort((one, other) => one - other);
        return [
          {
            ask: "Which jobs start while one that came before them holds the reservation?",
            answer: { kind: "jobs", jobs: await runs.jobs(0), right: passing },
            told: "These are the backfilled jobs. None of them delays the job that holds the reservation.",
          },
        ];
      },
    },
    {
      title: "Which jobs win, and which pay",
      text: (
        <>
          <p>
            Above FCFS, below EASY, on the same eight jobs. EASY promises only one thing: jobs that
            pass do not delay the <i>first</i> job in the queue.
          </p>
          <p>
            Does that mean that no job is worse off than under FCFS? Think of the second job in the
            queue.
          </p>
        </>
      ),
      stage: stage("fcfs", "easy"),
      tab: "timeline",
      veil: [SHOWN, HIDDEN],
      questions: async (runs) => {
        const both = await pairs(runs, 0, 1);
        const later = both.filter(({ before, after }) => after > before);
        return [
          {
            ask: "How many of the eight jobs start earlier under EASY than under FCFS?",
            answer: {
              kind: "number",
              unit: "jobs",
              right: both.filter(({ before, after }) => after < before).length,
              within: 0.1,
            },
            told: `The mean wait falls from ${mean(runs, 0)} to ${mean(runs, 1)}.`,
          },
          {
            ask: "And which of the eight start later than under FCFS?",
            answer: {
              kind: "jobs",
              jobs: await runs.jobs(0),
              right: later.map(({ job }) => job.number),
            },
            told:
              later.length > 0
                ? `EASY moves ${changes(later)}. Other jobs passed it when it was not the first in the queue. EASY had promised it nothing, and the jobs that passed took processors that it needed.`
                : "EASY delays no job here.",
          },
        ];
      },
    },
    {
      title: "A promise to every job",
      text: (
        <>
          <p>
            <b>Conservative</b> backfilling gives every job a reservation when it arrives: the
            earliest large enough hole that is not promised to an earlier job. A later job may pass
            if it delays <i>none</i> of the earlier jobs.
          </p>
          <p>Above EASY, below conservative. More is promised, so less is free for late jobs.</p>
        </>
      ),
      stage: stage("easy", "conservative"),
      tab: "timeline",
      veil: [SHOWN, HIDDEN],
      questions: async (runs) => {
        const both = await pairs(runs, 0, 1);
        const [later, earlier] = [
          both.filter(({ before, after }) => after > before),
          both.filter(({ before, after }) => after < before),
        ];
        return [
          {
            ask: "Which jobs start later than under EASY, because of a promise to another job?",
            answer: {
              kind: "jobs",
              jobs: await runs.jobs(0),
              right: later.map(({ job }) => job.number),
            },
            told:
              later.length > 0
                ? `Conservative backfilling moves ${changes(later)}.`
                : "No job does here.",
          },
          {
            ask: "Which jobs start earlier than under EASY?",
            answer: {
              kind: "jobs",
              jobs: await runs.jobs(0),
              right: earlier.map(({ job }) => job.number),
            },
            told: `${earlier.length > 0 ? `It moves ${changes(earlier)}. ` : ""}On average a job waits ${mean(runs, 1)} here and ${mean(runs, 0)} under EASY. The better of the two depends on the jobs: on real logs, either can win.`,
          },
        ];
      },
      afterwards: (runs) => tell(runs.lane(1).id),
    },
    {
      title: "When a user claims too much",
      text: (
        <>
          <p>
            All of this depends on the estimates of users. Most users claim far more time than they
            need, because many machines stop a job that exceeds its estimate.
          </p>
          <p>
            Now job 1 claims 100 s; it still runs for 50 s. Above EASY with true claims, below EASY
            with that one. Job 2 is the first in the queue from the start, and its shadow time is
            now 100 s.
          </p>
        </>
      ),
      stage: claimed,
      tab: "timeline",
      veil: [SHOWN, HIDDEN],
      questions: async (runs) => {
        const both = await pairs(runs, 0, 1);
        const two = both.find(({ job }) => job.number === 2)!;
        const [before, after] = [runs.figure(0, "wait.mean"), runs.figure(1, "wait.mean")];
        return [
          {
            ask: "Job 2 has the reservation. When does it start, compared with before?",
            answer: {
              kind: "choice",
              options: ["earlier", "at the same time", "later"],
              right: compared(two.before, two.after),
            },
            told: `It starts at ${two.after} s instead of ${two.before} s. There seemed to be room until 100 s, so EASY let job 4 start. When job 1 ended early, job 4 was in the way. Job 2 still starts before its shadow time: EASY kept its promise.`,
          },
          {
            ask: "How does the mean wait of all eight change?",
            answer: {
              kind: "choice",
              options: ["it falls", "it stays the same", "it rises"],
              right: compared(before, after),
            },
            told: `It goes from ${mean(runs, 0)} to ${mean(runs, 1)}: ${changes(both)}. ${after < before ? `A wrong claim by one user made things better on average: much better for ${both.filter(({ before, after }) => after < before).length} job, worse for ${both.filter(({ before, after }) => after > before).length}. Wrong estimates can help on average on real logs too. This is one reason to simulate policies before trusting them.` : "Other users pay for a wrong claim by one user."}`,
          },
        ];
      },
    },
    {
      title: "The three side by side",
      text: (
        <>
          <p>
            The three policies on the same jobs, with their figures below. The best figure of each
            column is marked. Click a job to see it in all three runs.
          </p>
          <p>
            Eight jobs prove nothing. EASY and conservative backfilling on the logs of three real
            machines are under <b>Papers</b>, if you have these logs. You can also drop any log of
            yours on this page.
          </p>
        </>
      ),
      stage: stage("fcfs", "easy", "conservative"),
      tab: "timeline",
    },
  ],
};
