// A small catalogue and workload, in the shape of the engine's answers.

const whole = (key, value, more = {}) => ({
  key,
  name: key,
  help: key,
  unit: "",
  kind: { type: "whole", default: value, min: 1, max: 1000 },
  ...more,
});

const policies = (defaults) => ({
  key: "candidates",
  name: "Candidates",
  help: "Who decides",
  unit: "",
  kind: { type: "policies", least: 2, most: 4, defaults },
});

const lines = (key, name) => ({ key, name, help: key, unit: "", kind: { type: "lines" } });

const metric = (id, unit, figures, units = []) => ({
  id,
  name: id[0].toUpperCase() + id.slice(1),
  unit,
  units,
  better: "lower",
  help: id,
  figures,
});

/** Two machines and four policies. One policy chooses among the others. */
export const CATALOG = {
  version: "1.2.3",
  policies: [
    { id: "fcfs", name: "FCFS", machines: ["flat", "torus"], params: [whole("estimates", 1)] },
    { id: "easy", name: "EASY", machines: ["flat", "torus"], params: [whole("depth", 1)] },
    {
      id: "adaptive",
      name: "Adaptive",
      machines: ["flat"],
      params: [policies(["torus_only+fcfs", "fcfs+easy2"])],
    },
    {
      id: "slurm",
      name: "Slurm",
      machines: ["nodes"],
      params: [lines("conf", "slurm.conf"), lines("accounts", "Accounts")],
    },
  ],
  recorded: { id: "recorded", name: "Recorded", machines: ["flat"], params: [] },
  machines: [
    { id: "flat", name: "Flat", sizes_itself: false, params: [] },
    {
      id: "torus",
      name: "Torus",
      sizes_itself: true,
      params: [whole("x", 4), whole("y", 4), whole("z", 8)],
    },
  ],
  presets: [],
  models: [],
  groups: {
    reading: [whole("processors", null)],
    workload: [whole("load", null)],
    run: [],
    metrics: [],
  },
  metrics: [
    metric("wait", "seconds", ["mean", "max"]),
    metric("utilisation", "share", ["value"]),
    metric("jain", "number", ["value"]),
    metric(
      "unfairness",
      "seconds",
      ["mean", "share", "jobs"],
      [
        ["share", "share"],
        ["jobs", "jobs"],
      ],
    ),
  ],
  monthly: [],
};

/** A workload of a trace that begins at the clock's zero. */
export const WORKLOAD = {
  first: 0,
  last: 1000,
  jobs: 10,
  processors: 100,
  all_processors: 100,
  recorded: 0,
  users: 2,
  offered_load: 0.5,
  identity: "same",
  provenance: { name: "a.swf", sha256: "0123456789abcdef".repeat(4), steps: [], unix_start: null },
  report: { read: 10, rules: [], size: { processors: 100, source: "setting", doubts: [] } },
};

/** True if a thrown value is a problem with all its parts. */
export const refused = (problem) => Boolean(problem.what && problem.why && problem.next);
