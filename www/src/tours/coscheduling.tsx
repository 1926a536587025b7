// Programs that wait for messages, under the microscope: gang scheduling, spin-block and flexible
// coscheduling.

import { share } from "../format/words";
import { wantLook } from "../sharing/microscope";
import * as s from "../state";
import type { Runs, Stage, Tour } from "../teach/tour";
import { HIDDEN, least } from "./answers";
import { swf } from "./swf";

/**
 * Programs of the library: slow on one node and fast on the other; the reverse; two thirds idle;
 * fine-grained.
 */
const [SLOW_FIRST, FAST_FIRST, HALF_IDLE, THRICE] = [2, 3, 4, 5];

const PROCESSORS = 8;

/** A processor of each of the two nodes, which have four processors each. */
const [FIRST, SECOND] = [0, 4];

const run = (coscheduling: string) => ({ policy: "fcfs", settings: { coscheduling } });

const stage = (name: string, programs: [number, number][], ...algorithms: string[]): Stage => ({
  name: `Tour: ${name}`,
  trace: swf(
    PROCESSORS,
    programs.map(([program, runs]) => ({ arrives: 0, processors: PROCESSORS, runs, program })),
  ),
  machine: "bsp",
  shared: { programs: "library" },
  runs: algorithms.map(run),
});

const ALONE: [number, number][] = [[SLOW_FIRST!, 120]];

const AGAINST: [number, number][] = [
  [SLOW_FIRST!, 120],
  [FAST_FIRST!, 120],
];

const COMPLEMENTING: [number, number][] = [
  [HALF_IDLE!, 60],
  [HALF_IDLE!, 60],
  [THRICE!, 180],
];

/**
 * An instant long after the start of all jobs, and the seconds to look at: whole rounds of turns of
 * 100 ms, of two rows and of three.
 */
const AT = 30;

const WINDOW = 0.6;

const [COMPUTES, SPINS, OFF] = [0, 1, 4];

const look =
  (processor: number, length = 0.02) =>
  () => {
    wantLook(processor, length);
  };

const middle = () => void s.showInstant(AT);

/**
 * Returns the share of the window that the processes on a processor spent on some activities,
 * summed over processes.
 */
async function part(
  runs: Runs,
  at: number,
  processor: number,
  activities: (number | undefined)[],
  job?: number,
): Promise<number> {
  const { processes, stretches } = await runs.probe(at, processor, AT, AT + WINDOW);
  const ours = stretches.filter(
    ({ activity, process }) =>
      activities.includes(activity) && (job === undefined || processes[process]?.number === job),
  );
  return ours.reduce((sum, { from, to }) => sum + to - from, 0) / WINDOW;
}

const end = (runs: Runs, at: number): Promise<number> =>
  runs.jobs(at).then((jobs) => Math.max(...jobs.map((job) => job.end ?? 0)));

const seconds = (value: number): string => `${Math.round(value)} s`;

const nearest = (value: number, to: number[]): number =>
  to.reduce(
    (best, each, at) => (Math.abs(each - value) < Math.abs(to[best]! - value) ? at : best),
    0,
  );

/**
 * Returns the class of a job's process on the first processor at the instant, in the words of the
 * picture's legend.
 */
async function classOf(runs: Runs, run: number, number: number): Promise<string> {
  const { seats, legend } = await runs.matrix(run, AT, "class");
  const colour = seats.find(
    (seat) => seat.number === number && seat.first <= FIRST! && FIRST! < seat.first + seat.count,
  )?.colour;
  return (
    legend?.entries.find((entry) => entry.colour === `#${colour?.toString(16).padStart(6, "0")}`)
      ?.label ?? ""
  );
}

const CLASSES = ["CS: to be coscheduled", "F: frustrated", "DC: don't care"];

const classNumber = (label: string): number =>
  ["CS", "F", "DC"].findIndex((name) => new RegExp(`\\b${name}\\b`).test(label));

export const coscheduling: Tour = {
  id: "coscheduling",
  title: "Spin-block against flexible coscheduling",
  about:
    "Programs compute for a millisecond, wait for a message, compute again. The scheduler's choices in these milliseconds decide how long programs take. A microscope shows them.",
  chapters: [
    {
      title: "Processes wait for each other",
      text: (
        <>
          <p>
            A parallel program is a set of <b>processes</b>, one on each of its processors. They
            work in rounds: compute for a while, send a message to both neighbours, wait for theirs,
            continue.
          </p>
          <p>
            This cluster has two nodes of four processors. Job 1 is badly balanced: on processors 0
            to 3 its processes compute for 2.04 ms a round, on processors 4 to 7 for 1 ms. A message
            takes 0.005 ms. While a process waits it <b>spins</b>: it asks again and again whether
            the message is there, and holds its processor.
          </p>
        </>
      ),
      stage: stage("one unbalanced program", ALONE, "batch"),
      tab: "sharing",
      veil: [HIDDEN],
      show: middle,
      questions: async (runs) => {
        const fast = await part(runs, 0, SECOND!, [SPINS]);
        const slow = await part(runs, 0, FIRST!, [SPINS]);
        return [
          {
            ask: "For what share of the time does the process on processor 4 spin? An answer within 8 percentage points counts.",
            answer: { kind: "number", unit: "%", right: Math.round(fast * 1000) / 10, within: 8 },
            told: `A round takes as long as its slowest process. The fast ones compute for less than half of it and wait for the rest; the slow ones spin for ${share(slow)}. The microscope below shows processor 4, millisecond by millisecond.`,
            afterwards: look(SECOND!),
          },
        ];
      },
    },
    {
      title: "Two jobs that fit together",
      text: (
        <>
          <p>
            Now job 2 joins. It is unbalanced in the opposite way: fast where job 1 is slow. Each
            alone takes 120 s. Wherever one of them waits, the other has work to do.
          </p>
          <p>
            <b>Gang scheduling</b> lets the two take turns of 100 ms each. In its turn a job has all
            processors, and a waiting process spins.
          </p>
        </>
      ),
      stage: stage("two that complement each other", AGAINST, "gang"),
      tab: "sharing",
      veil: [HIDDEN],
      show: middle,
      questions: async (runs) => {
        const last = await end(runs, 0);
        const [spun, computed] = [
          await part(runs, 0, SECOND!, [SPINS]),
          await part(runs, 0, SECOND!, [COMPUTES]),
        ];
        return [
          {
            ask: "When have both ended?",
            answer: {
              kind: "choice",
              options: ["after about 120 s", "after about 180 s", "after about 240 s"],
              right: nearest(last, [120, 180, 240]),
            },
            told: `After ${seconds(last)}. On processor 4, processes compute for ${share(computed)} of the time (over ${WINDOW} s from ${AT} s on), and spin for ${share(spun)}: the two jobs never had the processor in the same turn.`,
            afterwards: look(SECOND!, 0.1),
          },
        ];
      },
    },
    {
      title: "Spin, then block",
      text: (
        <>
          <p>
            <b>Spin-block</b> has no turns. Every processor decides by itself. A process that waits
            spins for only 0.12 ms, far longer than a message takes. Then it <b>blocks</b> and
            leaves the processor to a process with work.
          </p>
          <p>
            Above the two jobs under gang scheduling, below under spin-block; the microscope will
            show both.
          </p>
        </>
      ),
      stage: stage("two that complement each other", AGAINST, "gang", "spin_block"),
      tab: "sharing",
      veil: [HIDDEN, HIDDEN],
      show: middle,
      questions: async (runs) => {
        const [gang, block] = [await end(runs, 0), await end(runs, 1)];
        const [before, after] = [
          await part(runs, 0, SECOND!, [COMPUTES]),
          await part(runs, 1, SECOND!, [COMPUTES]),
        ];
        return [
          {
            ask: `Under gang scheduling both have ended after ${seconds(gang)}. And under spin-block?`,
            answer: {
              kind: "choice",
              options: [
                "after about 120 s",
                "after about 180 s",
                "after about 240 s",
                "after about 300 s",
              ],
              right: nearest(block, [120, 180, 240, 300]),
            },
            told: `After ${seconds(block)}. On processor 4, processes compute for ${share(after)} of the time instead of ${share(before)}.`,
            afterwards: look(SECOND!),
          },
        ];
      },
    },
    {
      title: "The weakness of spin-block",
      text: (
        <>
          <p>
            Three jobs now. Jobs 1 and 2 only compute, on processors 0 to 3, for 60 s each; on the
            others they have nothing to do. Job 3 computes three times as long on processors 4 to 7
            as on 0 to 3, and exchanges messages in every round; alone it takes 180 s.
          </p>
          <p>
            In theory everything fits: on processors 0 to 3, job 3 leaves exactly the time that jobs
            1 and 2 need. But job 3's processes there must answer quickly, every few milliseconds,
            while the two others never wait and want the same processors. Spin-block does not know
            that one of the three is in a hurry.
          </p>
        </>
      ),
      stage: stage("two that compute, one that communicates", COMPLEMENTING, "gang", "spin_block"),
      tab: "sharing",
      veil: [HIDDEN, HIDDEN],
      show: middle,
      questions: async (runs) => {
        const three = [await runs.job(0, 3), await runs.job(1, 3)].map((job) => job.end ?? 0);
        const off = await part(runs, 1, FIRST!, [OFF], 3);
        return [
          {
            ask: `Under gang scheduling job 3 has ended after ${seconds(three[0]!)}. When has it ended under spin-block?`,
            answer: {
              kind: "choice",
              options: [
                "after about 180 s: as if it were alone",
                "after about 230 s",
                "after about 280 s",
                "after about 330 s",
              ],
              right: nearest(three[1]!, [180, 230, 280, 330]),
            },
            told: `After ${seconds(three[1]!)}, ${three[1]! < three[0]! ? "earlier than under gang scheduling, but" : "no earlier than under gang scheduling, and"} far from 180 s. In the ${WINDOW} s from ${AT} s on, its process on processor 0 had its messages but stayed off the processor for ${share(off)} of the time. Its neighbours on the other node waited for it.`,
            afterwards: look(FIRST!),
          },
        ];
      },
    },
    {
      title: "Telling them apart",
      text: (
        <>
          <p>
            <b>Flexible coscheduling</b> (FCS; Frachtenberg, Feitelson, Petrini and Fernandez, 2005)
            measures how each process communicates, and sorts them into classes:
          </p>
          <ul>
            <li>
              <b>CS</b>: it communicates often and needs its partners at the same time: to be{" "}
              <i>coscheduled</i>.
            </li>
            <li>
              <b>F</b>: it needs its partners too, but spends its time waiting for slower ones:{" "}
              <i>frustrated</i>.
            </li>
            <li>
              <b>DC</b>: it hardly ever waits, because it rarely communicates, or because other
              processes wait for it: <i>don't care</i>.
            </li>
          </ul>
          <p>
            A CS process gets its processor for its whole turn. F and DC processes share theirs: a
            process that blocks leaves it to others. In its own turn an F process has priority. In
            every turn, processes that never communicate give way to it.
          </p>
          <p>
            The same three jobs. Think of processor 0: jobs 1 and 2 compute without end there; job 3
            computes for 1 ms, then waits for neighbours that take 3.08 ms.
          </p>
        </>
      ),
      stage: stage("two that compute, one that communicates", COMPLEMENTING, "flexible"),
      tab: "sharing",
      veil: [HIDDEN],
      show: middle,
      questions: async (runs) => {
        const [one, three] = [await classOf(runs, 0, 1), await classOf(runs, 0, 3)];
        return [
          {
            ask: "Which class has job 1's process on processor 0?",
            answer: { kind: "choice", options: CLASSES, right: classNumber(one) },
            told: "It never communicates, so it does not care which other processes are on the processor.",
          },
          {
            ask: "Which class has job 3's process there?",
            answer: { kind: "choice", options: CLASSES, right: classNumber(three) },
            told: "It waits much longer than it computes. In class F it precedes the two others, which never communicate, whenever its messages have arrived, and leaves the processor to them while it waits. The colours of the timeline now show the classes. On processors 4 to 7 job 3 is DC, because the others wait for it there. Jobs 1 and 2 have nothing to do there, and stay in their first class, CS.",
            afterwards: () => {
              s.colourBy("class");
              look(FIRST!)();
            },
          },
        ];
      },
    },
    {
      title: "All four",
      text: (
        <>
          <p>
            The same three jobs under batch (one after the other), gang scheduling, spin-block and
            flexible coscheduling.
          </p>
          <p>
            Utilisation in the table below counts the time that the jobs would need alone, waiting
            included. If they use each other's waiting time, it exceeds 100 %.
          </p>
        </>
      ),
      stage: stage(
        "two that compute, one that communicates",
        COMPLEMENTING,
        "batch",
        "gang",
        "spin_block",
        "flexible",
      ),
      tab: "timeline",
      veil: [HIDDEN, HIDDEN, HIDDEN, HIDDEN],
      questions: async (runs) => {
        const names = ["Batch", "Gang scheduling", "Spin-block", "Flexible coscheduling"];
        const ends = await Promise.all([0, 1, 2, 3].map((at) => end(runs, at)));
        const means = [0, 1, 2, 3].map((at) => runs.figure(at, "response.mean"));
        const list = (values: number[]) =>
          values.map((value, at) => `${names[at]!.toLowerCase()} ${seconds(value)}`).join(", ");
        return [
          {
            ask: "Under which of them does the last job end first?",
            answer: { kind: "choice", options: names, right: least(ends) },
            told: `The last job ends: ${list(ends)}. The busiest processors have about 180 s of work, so no algorithm could be much faster than flexible coscheduling here.`,
          },
          {
            ask: "Under which of them is the mean response time shortest?",
            answer: { kind: "choice", options: names, right: least(means) },
            told: `Mean response times: ${list(means)}. Two of the jobs are short and came first. An algorithm that runs them alone is hard to beat by this measure. One figure never says all: the paper's tables show both, and are reproduced under Papers.`,
          },
        ];
      },
    },
  ],
};
