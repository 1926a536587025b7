// Scenarios: small experiments that show one effect each, as states of the page.
import type { Linked, LinkedTrace } from "../link/format";
import type { Line } from "../teach/format";
import { swf } from "../teach/swf";

/** A scenario: its title, the effect that it shows, and the state of the page. */
interface Scenario {
  id: string;
  title: string;
  words: string;
  state: Linked;
}

/** Returns a generated trace of 128 processors, or fewer. */
const generated = (jobs: number, processors = 128): LinkedTrace => ({
  kind: "model",
  model: "lublin",
  name: `${jobs} generated jobs`,
  settings: { jobs, processors, seed: 3, users: 12, overestimate: 5 },
});

/** Narrow jobs that keep 16 processors busy for an hour, and one that wants all of them. */
function starving(): Line[] {
  const narrow = Array.from({ length: 60 }, (_, at) => ({
    arrives: at * 60,
    processors: 4,
    runs: 200 + ((at * 37) % 90),
  }));
  return narrow.toSpliced(3, 0, { arrives: 130, processors: 16, runs: 600 });
}

/** A wide job that must wait for a long one, and thirty short jobs behind it. */
function convoy(): Line[] {
  const short = Array.from({ length: 30 }, (_, at) => ({
    arrives: 120 + at * 100,
    processors: 2 + (at % 3) * 2,
    runs: 300 + ((at * 71) % 500),
  }));
  return [
    { arrives: 0, processors: 20, runs: 3600 },
    { arrives: 60, processors: 24, runs: 3600 },
    ...short,
  ];
}

export const SCENARIOS: readonly Scenario[] = [
  {
    id: "starving",
    title: "A wide job that starves",
    words: "Narrow jobs first, and job 4 waits for an hour. EASY gives it a reservation.",
    state: {
      trace: {
        kind: "text",
        name: "A wide job among narrow ones",
        text: swf({ processors: 16, jobs: starving() }),
      },
      runs: [
        { policy: "priority", settings: { order: "smallest", starvation: "none" } },
        { policy: "easy" },
      ],
      colours: "size",
      job: 3,
    },
  },
  {
    id: "convoy",
    title: "A convoy",
    words: "Under FCFS thirty short jobs queue behind a wide one, beside free processors.",
    state: {
      trace: {
        kind: "text",
        name: "A convoy behind a wide job",
        text: swf({ processors: 32, jobs: convoy() }),
      },
      colours: "job",
    },
  },
  {
    id: "estimates",
    title: "Do exact estimates help?",
    words: "EASY with users' estimates, predictions, true run times. Here the true ones lose.",
    state: {
      trace: generated(400),
      shared: { load: 0.9 },
      runs: ["requested", "predicted", "actual"].map((estimates) => ({
        policy: "easy",
        ...(estimates === "requested" ? {} : { settings: { estimates } }),
      })),
    },
  },
  {
    id: "torus",
    title: "A fragmented torus",
    words: "Free nodes that make no box are of no use. Backfilling and migration find some.",
    state: {
      trace: generated(400),
      machine: "torus",
      shared: { load: 0.9 },
      runs: [{ policy: "fcfs" }, { policy: "bm" }],
      tab: "torus",
      // The most fragmented instant of run A.
      instant: 624_778.5,
    },
  },
  {
    id: "gang",
    title: "Gang scheduling against batch",
    words: "Three jobs take turns on the same processors, so short ones do not wait for long ones.",
    state: {
      trace: generated(400),
      machine: "gang",
      shared: { load: 0.9 },
      runs: [{ policy: "fcfs", machine: "flat" }, { policy: "fcfs" }],
      colours: "slowdown",
    },
  },
  {
    id: "partners",
    title: "Two jobs on a node",
    words: "LOMARC pairs jobs that need different resources; hatched where they slow down.",
    state: {
      trace: generated(300, 64),
      machine: "smt",
      shared: { demands: "m1", load: 0.9, slowdowns: "printed" },
      runs: ["none", "response"].map((heuristic) => ({
        policy: "lomarc",
        settings: { heuristic },
      })),
    },
  },
  {
    id: "tree",
    title: "Jobs spread over a network",
    words: "The same schedule on a fat tree: whole switches first, or the lowest free hosts.",
    state: {
      trace: generated(400),
      machine: "fat_tree",
      shared: { load: 0.7 },
      runs: [{ policy: "easy" }, { policy: "easy", settings: { placing: "lowest" } }],
      tab: "torus",
    },
  },
  {
    id: "adaptive",
    title: "A policy that changes its mind",
    words: "PBAS lets that candidate decide which did best of late; a band shows which.",
    state: {
      trace: generated(300, 64),
      shared: { load: 0.9 },
      runs: [
        { policy: "flex" },
        { policy: "maui" },
        { policy: "pbas", settings: { frame: 14_400 } },
      ],
    },
  },
];
