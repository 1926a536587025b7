// The plan of src/: what each part may import, use and write. This is the one place to change it.

/** A part of src/: a folder or an entry point, the files that others may import of it, and the
 * parts that it may import beside itself. The types of an import count as the import. */
const part = (path, open, imports) => ({ path, open, imports });

/** The parts, from what knows least to the entry points. A file belongs to the longest path that it
 * has. */
export const PARTS = [
  // Figures, times, problems and CSV in words.
  part("format/", ["csv.ts", "metric.ts", "problem.ts", "words.ts"], []),
  // What the content security policy leaves open is closed here.
  part("security/", ["closed.ts", "shut.ts", "trusted.ts"], []),
  // Tables, pictures and downloads as files; the clipboard.
  part("files/", ["clipboard.ts", "picture.ts", "save.ts", "table.ts"], ["format/"]),
  // What the browser keeps between visits.
  part("storage/", ["choices.ts", "results.ts", "traces.ts", "usage.ts"], []),
  // The page's side of the workers: what is said, who is hired, how much there is room for.
  part(
    "engine/",
    ["capacity.ts", "limits.ts", "memory.ts", "protocol.ts", "rest.ts", "workers.ts"],
    ["format/", "security/"],
  ),
  // What runs inside a worker.
  part("worker/", ["serve.ts"], ["engine/"]),
  // What the page knows, and the actions that change it.
  part("state/", ["index.ts"], ["engine/"]),
  // Drawing and forms that know nothing of runs.
  part(
    "ui/",
    ["canvas.ts", "colours.ts", "draft.ts", "mark.tsx", "table.tsx", "ticks.ts"],
    ["files/"],
  ),
  // Parameters as a form.
  part("settings/", ["candidates.ts", "fields.tsx"], ["state/", "ui/"]),
  // What runs, traces and results are called in words.
  part(
    "runs/",
    ["name.ts", "origin.ts", "sentence.ts", "size.ts", "whatif.ts"],
    ["format/", "state/"],
  ),
  // Opens traces, runs lanes, asks about jobs.
  part("lab/", ["index.ts"], ["engine/", "files/", "format/", "settings/", "state/", "storage/"]),
  // Filters, areas and comparisons that every run follows.
  part(
    "explore/",
    ["area.ts", "filter.ts", "filterbar.tsx", "versus.ts"],
    ["engine/", "format/", "state/", "ui/"],
  ),
  // Charts with their tables and files.
  part("charts/", ["axes.ts", "chart.tsx"], ["files/", "format/", "state/", "ui/"]),
  // Timelines, strips, the instant, and moving through them.
  part(
    "timeline/",
    [
      "axis.tsx",
      "band.tsx",
      "clock.tsx",
      "gantt.tsx",
      "latest.ts",
      "legend.tsx",
      "minimap.tsx",
      "navigate.ts",
      "play.ts",
      "strips.tsx",
      "versus.tsx",
    ],
    ["engine/", "explore/", "format/", "lab/", "state/", "ui/"],
  ),
  // What the address says.
  part(
    "link/",
    ["format.ts", "here.ts", "share.tsx"],
    ["engine/", "explore/", "files/", "format/", "lab/", "runs/", "state/"],
  ),
  // Pictures and reports of runs.
  part(
    "export/",
    ["report.ts", "timeline.ts", "tools.tsx"],
    ["engine/", "explore/", "files/", "format/", "lab/", "link/", "runs/", "state/", "ui/"],
  ),
  // The selected job, the selected area, a run step by step.
  part(
    "inspect/",
    ["inspector.tsx", "job.tsx", "steps.tsx"],
    ["engine/", "explore/", "format/", "lab/", "runs/", "state/", "timeline/", "ui/"],
  ),
  // The left column: what is simulated.
  part(
    "experiment/",
    ["experiment.tsx", "size.tsx", "whatif.tsx"],
    ["engine/", "format/", "lab/", "runs/", "settings/", "state/", "ui/"],
  ),
  // Figures of runs, and two runs against each other.
  part(
    "results/",
    ["compare.tsx", "metrics.tsx"],
    ["charts/", "engine/", "export/", "format/", "lab/", "runs/", "state/", "ui/"],
  ),
  // The Workload tab.
  part(
    "workload/",
    ["workload.tsx"],
    ["charts/", "engine/", "format/", "lab/", "runs/", "state/", "ui/"],
  ),
  // The torus.
  part(
    "machines/torus/",
    ["boxes.ts", "machine.ts"],
    ["export/", "format/", "lab/", "state/", "timeline/", "ui/"],
  ),
  // The fat tree.
  part(
    "machines/fat_tree/",
    ["machine.ts"],
    ["engine/", "export/", "format/", "lab/", "state/", "timeline/", "ui/"],
  ),
  // The Machine tab, and the list of machine models with a view of their own.
  part(
    "machines/",
    ["machines.ts", "tab.tsx"],
    [
      "format/",
      "lab/",
      "machines/fat_tree/",
      "machines/torus/",
      "runs/",
      "state/",
      "timeline/",
      "ui/",
    ],
  ),
  // The Sharing tab: the Ousterhout matrix, the microscope, matches.
  part(
    "sharing/",
    ["microscope.tsx", "sharing.tsx"],
    ["engine/", "export/", "format/", "inspect/", "lab/", "runs/", "state/", "timeline/", "ui/"],
  ),
  // The Sweep tab: a plan, its workers, its charts.
  part(
    "plans/",
    ["kinds.ts", "plans.ts", "points.tsx", "run.tsx", "sweep.tsx"],
    [
      "charts/",
      "engine/",
      "export/",
      "files/",
      "format/",
      "lab/",
      "runs/",
      "settings/",
      "state/",
      "storage/",
      "ui/",
    ],
  ),
  // The Papers tab.
  part("papers/", ["papers.tsx"], ["charts/", "format/", "plans/", "state/", "ui/"]),
  // What a tour is.
  part("teach/", ["tour.ts"], ["engine/", "explore/", "format/", "lab/", "state/"]),
  // The tours.
  part(
    "tours/",
    ["backfilling.tsx", "coscheduling.tsx", "matrix.tsx", "torus.tsx"],
    ["format/", "inspect/", "machines/torus/", "sharing/", "state/", "teach/"],
  ),
  // The ways in, and the guide of a tour.
  part(
    "guide/",
    ["doors.tsx", "panel.tsx"],
    ["format/", "lab/", "state/", "storage/", "teach/", "tours/"],
  ),
  // Search, and commands by name.
  part(
    "commands/",
    ["search.tsx"],
    ["engine/", "explore/", "lab/", "link/", "state/", "timeline/"],
  ),
  // The page: tabs, header, footer, its address, its version.
  part(
    "page/",
    ["arrive.ts", "offline.ts", "page.tsx"],
    [
      "commands/",
      "engine/",
      "experiment/",
      "explore/",
      "format/",
      "guide/",
      "inspect/",
      "lab/",
      "link/",
      "machines/",
      "papers/",
      "plans/",
      "results/",
      "runs/",
      "security/",
      "sharing/",
      "state/",
      "storage/",
      "timeline/",
      "ui/",
      "workload/",
    ],
  ),
  // The page begins here.
  part(
    "main.tsx",
    [],
    ["format/", "lab/", "machines/", "page/", "security/", "state/", "storage/"],
  ),
  // The miniatures of the documentation begin here.
  part(
    "docs.tsx",
    [],
    [
      "engine/",
      "format/",
      "lab/",
      "link/",
      "machines/",
      "runs/",
      "security/",
      "state/",
      "storage/",
      "timeline/",
      "ui/",
    ],
  ),
  // A worker begins here.
  part("worker.ts", [], ["security/", "worker/"]),
  // The service worker.
  part("sw.ts", [], ["security/"]),
];

/** Parts that are seen. */
const VIEWS = [
  "charts/",
  "commands/",
  "docs.tsx",
  "experiment/",
  "explore/",
  "export/",
  "guide/",
  "inspect/",
  "link/",
  "machines/",
  "main.tsx",
  "page/",
  "papers/",
  "plans/",
  "results/",
  "settings/",
  "sharing/",
  "timeline/",
  "ui/",
  "workload/",
];

/** Libraries of npm, and where they may be used. */
export const LIBRARIES = {
  "@observablehq/plot": ["charts/", "plans/kinds.ts", "results/compare.tsx", "workload/"],
  "@preact/signals": [...VIEWS, "lab/", "runs/size.ts", "state/", "storage/results.ts", "teach/"],
  comlink: [
    "engine/workers.ts",
    "lab/",
    "plans/pool.ts",
    "sharing/microscope.tsx",
    "teach/tour.ts",
    "worker/serve.ts",
  ],
  idb: ["storage/results.ts"],
  preact: [...VIEWS, "lab/machines.ts", "teach/tour.ts", "tours/"],
  // The engine itself; the types of its answers are everybody's.
  schedscope: ["worker/"],
  three: ["machines/torus/scene.ts"],
};

/** Names that a browser knows, and where they may be used. */
export const GLOBALS = {
  // Ways to a host.
  EventSource: [],
  RTCPeerConnection: [],
  WebSocket: [],
  WebTransport: [],
  XMLHttpRequest: [],
  fetch: ["engine/workers.ts", "papers/papers.tsx", "security/closed.ts", "sw.ts"],
  "navigator.sendBeacon": [],
  // What stays in the browser.
  caches: ["storage/usage.ts", "sw.ts"],
  indexedDB: [],
  localStorage: ["storage/choices.ts"],
  sessionStorage: [],
  "navigator.storage": ["storage/"],
  "document.cookie": [],
  // Other threads, and this one from inside.
  BroadcastChannel: [],
  MessageChannel: ["worker/"],
  SharedWorker: [],
  Worker: ["engine/workers.ts"],
  importScripts: [],
  postMessage: ["worker/"],
  "navigator.serviceWorker": ["page/offline.ts"],
  // The reader's machine.
  "navigator.clipboard": ["files/clipboard.ts"],
  "navigator.deviceMemory": ["engine/capacity.ts"],
  "navigator.hardwareConcurrency": ["engine/capacity.ts"],
  "performance.memory": ["page/footer.tsx"],
  "performance.now": [
    "engine/",
    "lab/",
    "machines/torus/scene.ts",
    "plans/plans.ts",
    "sharing/microscope.tsx",
    "timeline/",
    "worker/",
  ],
  matchMedia: ["docs.tsx", "machines/torus/panes.tsx", "storage/choices.ts", "timeline/play.ts"],
  // The address.
  history: ["page/arrive.ts"],
  location: ["docs.tsx", "link/here.ts", "page/arrive.ts", "page/offline.ts", "security/"],
  // The document. What knows no view does not touch it.
  document: [...VIEWS, "engine/rest.ts", "files/", "security/trusted.ts", "state/tabs.ts"],
  getComputedStyle: ["ui/canvas.ts"],
  // Everything at once.
  globalThis: ["security/", "sw.ts", "worker/serve.ts"],
  self: [],
  // Words for nobody, and questions that stop the page.
  alert: [],
  confirm: [],
  console: [],
  prompt: [],
  // Text that becomes a program.
  Function: [],
  eval: [],
  // Results that depend on chance or on the hour.
  "Date.now": ["sw.ts"],
  "Math.random": [],
  crypto: [],
};

/** Globals of which only the members that are listed may be used, and never the whole. */
export const WHOLE = ["navigator"];

/** Members that nobody may use: they make markup or programs of text, or results that depend on
 * chance. */
export const MEMBERS = [
  "dangerouslySetInnerHTML",
  "innerHTML",
  "insertAdjacentHTML",
  "outerHTML",
  "srcdoc",
];
