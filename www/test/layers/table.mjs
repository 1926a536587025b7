// The plan of src/: the imports, libraries and globals that each part may use. Change it only here.

/** A part of src/ is a folder or an entry point. `open` lists its files that other parts may
 * import, `imports` the parts that it may import. An import of types counts as an import. */
const part = (path, open, imports) => ({ path, open, imports });

/** The parts, lower layers first. A file belongs to the part with the longest matching path. */
export const PARTS = [
  // Writes figures, times, problems and CSV.
  part(
    "format/",
    [
      "base64.ts",
      "check.ts",
      "csv.ts",
      "metric.ts",
      "packed.ts",
      "places.ts",
      "problem.ts",
      "words.ts",
    ],
    [],
  ),
  // Closes the ways out that the content security policy leaves open; seals sandboxes.
  part("security/", ["closed.ts", "sealed.ts", "shut.ts", "trusted.ts"], []),
  // Makes files of tables and pictures; saves them or copies them to the clipboard.
  part("files/", ["clipboard.ts", "logs.ts", "picture.ts", "save.ts", "table.ts"], ["format/"]),
  // Stores results, traces, policies, choices and the columns of tables in the browser.
  part(
    "storage/",
    [
      "choices.ts",
      "columns.ts",
      "database.ts",
      "policies.ts",
      "results.ts",
      "sessions.ts",
      "traces.ts",
      "usage.ts",
    ],
    [],
  ),
  // The page's side of the workers: the protocol, starting and watching them, memory.
  part(
    "engine/",
    [
      "capacity.ts",
      "limits.ts",
      "memory.ts",
      "protocol.ts",
      "rest.ts",
      "sandboxes.ts",
      "workers.ts",
    ],
    ["format/", "security/"],
  ),
  // The worker's side: reads traces, runs the wasm engine.
  part("worker/", ["own.ts", "serve.ts", "whole.ts"], ["engine/"]),
  // The state of the page, and the actions that change it.
  part("state/", ["index.ts"], ["engine/"]),
  // Drawing, tables and form fields that know nothing of runs.
  part(
    "ui/",
    [
      "canvas.ts",
      "card.tsx",
      "code.ts",
      "colours.ts",
      "draft.ts",
      "help.tsx",
      "icon.tsx",
      "lazy.tsx",
      "mark.tsx",
      "menu.tsx",
      "separator.tsx",
      "sheet.ts",
      "table.tsx",
      "ticks.ts",
      "typing.ts",
      "words.tsx",
    ],
    ["engine/", "files/"],
  ),
  // Forms of parameters.
  part("settings/", ["candidates.ts", "fields.tsx"], ["state/", "ui/"]),
  // Names and sentences for runs, traces and results.
  part(
    "runs/",
    [
      "attempts.ts",
      "changes.ts",
      "name.ts",
      "origin.ts",
      "pending.ts",
      "ranking.ts",
      "sentence.ts",
      "size.ts",
      "whatif.ts",
      "why.ts",
    ],
    ["format/", "state/"],
  ),
  // Opens traces, runs lanes, selects jobs.
  part(
    "lab/",
    ["files.ts", "held.ts", "index.ts", "partitions.ts"],
    ["engine/", "files/", "format/", "settings/", "state/", "storage/"],
  ),
  // Filters, areas and comparisons, applied to every run.
  part(
    "explore/",
    ["area.ts", "filter.ts", "filterbar.tsx", "gaps.ts", "versus.ts"],
    ["engine/", "format/", "runs/", "state/", "ui/"],
  ),
  // Charts, each with its table and its files.
  part("charts/", ["axes.ts", "chart.tsx"], ["files/", "format/", "state/", "ui/"]),
  // Timelines, strips and the clock; panning, zooming, playing.
  part(
    "timeline/",
    [
      "axis.tsx",
      "band.tsx",
      "clock.tsx",
      "gantt.tsx",
      "jump.ts",
      "latest.ts",
      "legend.tsx",
      "meaning.ts",
      "minimap.tsx",
      "navigate.ts",
      "play.ts",
      "strips.tsx",
      "versus.tsx",
      "who.ts",
    ],
    ["engine/", "explore/", "format/", "lab/", "runs/", "state/", "ui/"],
  ),
  // Links: their format, and the link to the present state.
  part(
    "link/",
    ["format.ts", "here.ts", "share.tsx"],
    ["engine/", "explore/", "files/", "format/", "lab/", "runs/", "state/", "ui/"],
  ),
  // Pictures and reports of runs.
  part(
    "export/",
    ["report.ts", "timeline.ts", "tools.tsx"],
    [
      "charts/",
      "engine/",
      "explore/",
      "files/",
      "format/",
      "lab/",
      "link/",
      "runs/",
      "state/",
      "ui/",
    ],
  ),
  // The selected job, the selected area, a run step by step.
  part(
    "inspect/",
    ["begin.ts", "cursor.tsx", "inspector.tsx", "job.tsx", "steps.tsx", "story.ts"],
    ["engine/", "explore/", "format/", "lab/", "runs/", "state/", "timeline/", "ui/"],
  ),
  // The left column: trace, machine, policies, settings, what-if.
  part(
    "experiment/",
    [
      "accounts.ts",
      "asking.ts",
      "cluster.tsx",
      "experiment.tsx",
      "lane.tsx",
      "save.tsx",
      "size.tsx",
      "usage.ts",
      "whatif.tsx",
    ],
    ["engine/", "format/", "lab/", "runs/", "settings/", "state/", "ui/"],
  ),
  // The metrics table and the Compare tab.
  part(
    "results/",
    ["compare.tsx", "figures.ts", "files.tsx", "metrics.tsx", "report.ts", "sentence.tsx"],
    ["charts/", "engine/", "export/", "files/", "format/", "lab/", "runs/", "state/", "ui/"],
  ),
  // The Forecast tab: expected starts of waiting jobs.
  part(
    "forecast/",
    ["forecast.tsx", "work.ts"],
    ["charts/", "engine/", "format/", "lab/", "runs/", "state/", "ui/"],
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
    ["ask.ts", "boxes.ts", "machine.ts"],
    ["engine/", "export/", "format/", "lab/", "state/", "timeline/", "ui/"],
  ),
  // The fat tree.
  part(
    "machines/fat_tree/",
    ["machine.ts"],
    ["engine/", "export/", "format/", "lab/", "state/", "timeline/", "ui/"],
  ),
  // A cluster of nodes.
  part(
    "machines/nodes/",
    ["machine.ts"],
    ["charts/", "engine/", "export/", "format/", "lab/", "state/", "timeline/", "ui/"],
  ),
  // The Machine tab, and the list of machine models with a view of their own.
  part(
    "machines/",
    ["machines.ts", "tab.tsx"],
    [
      "format/",
      "lab/",
      "machines/fat_tree/",
      "machines/nodes/",
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
  // The Policy tab: the editor of own policies, and what is known of them.
  part(
    "own/",
    ["actions.ts", "own.tsx", "store.ts"],
    [
      "engine/",
      "experiment/",
      "files/",
      "format/",
      "inspect/",
      "lab/",
      "runs/",
      "state/",
      "storage/",
      "ui/",
    ],
  ),
  // The Sweep tab: a plan, its workers, its charts.
  part(
    "plans/",
    ["kinds.ts", "plans.ts", "points.tsx", "run.tsx", "spec.ts", "sweep.tsx"],
    [
      "charts/",
      "engine/",
      "export/",
      "files/",
      "format/",
      "lab/",
      "own/",
      "runs/",
      "settings/",
      "state/",
      "storage/",
      "ui/",
    ],
  ),
  // The Papers tab.
  part("papers/", ["papers.tsx"], ["charts/", "format/", "plans/", "state/", "ui/"]),
  // Exercises and guided tours: their form, their runs and right answers, and what readers answer.
  part(
    "teach/",
    [
      "answers.ts",
      "editing.ts",
      "format.ts",
      "kinds.ts",
      "measures.ts",
      "packing.ts",
      "questions.ts",
      "swf.ts",
      "tour.ts",
    ],
    [
      "engine/",
      "explore/",
      "format/",
      "inspect/",
      "lab/",
      "machines/torus/",
      "runs/",
      "sharing/",
      "state/",
    ],
  ),
  // The doors of the first visit, the panel of a tour, the editor of exercises, a class's answers.
  part(
    "guide/",
    ["doors.tsx", "panel.tsx", "sessions.tsx"],
    [
      "engine/",
      "files/",
      "format/",
      "lab/",
      "link/",
      "runs/",
      "settings/",
      "state/",
      "storage/",
      "teach/",
      "ui/",
    ],
  ),
  // The search field, and commands by name.
  part(
    "commands/",
    ["search.tsx"],
    ["engine/", "explore/", "lab/", "link/", "state/", "timeline/", "ui/"],
  ),
  // Assembles the page: header, tabs, footer, address, service worker.
  part(
    "page/",
    [
      "chips.tsx",
      "embed.tsx",
      "export.tsx",
      "footer.tsx",
      "history.ts",
      "lane.tsx",
      "offline.ts",
      "page.tsx",
      "pointer.tsx",
      "scroll.ts",
      "tabs.tsx",
      "veiled.tsx",
      "viewbar.tsx",
    ],
    [
      "charts/",
      "commands/",
      "engine/",
      "experiment/",
      "explore/",
      "export/",
      "files/",
      "forecast/",
      "format/",
      "guide/",
      "inspect/",
      "lab/",
      "link/",
      "machines/",
      "own/",
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
  // The reading view: the page of narrow windows.
  part(
    "reading/",
    ["reading.tsx"],
    [
      "commands/",
      "experiment/",
      "explore/",
      "format/",
      "guide/",
      "inspect/",
      "lab/",
      "link/",
      "page/",
      "results/",
      "runs/",
      "state/",
      "timeline/",
      "ui/",
    ],
  ),
  // Entry point of the page.
  part(
    "main.tsx",
    [],
    ["lab/", "machines/", "page/", "reading/", "security/", "state/", "storage/"],
  ),
  // The search and the miniatures of the documentation.
  part(
    "docs/",
    ["miniature.tsx", "search.tsx"],
    ["engine/", "format/", "lab/", "link/", "machines/", "runs/", "state/", "timeline/", "ui/"],
  ),
  // Entry point of the documentation's pages.
  part("docs.ts", [], ["docs/", "files/", "security/", "storage/"]),
  // Entry point of what runs before a page of the documentation is drawn.
  part("colours.ts", [], ["storage/"]),
  // Entry point of a worker.
  part("worker.ts", [], ["security/", "worker/"]),
  // Entry point of a worker with the whole engine.
  part("whole.ts", [], ["security/", "worker/"]),
  // Entry point of a worker that runs own policies.
  part("sandbox.ts", [], ["security/", "worker/"]),
  // Entry point of the service worker.
  part("sw.ts", [], ["security/"]),
];

/** Parts that draw. */
const VIEWS = [
  "charts/",
  "colours.ts",
  "commands/",
  "docs.ts",
  "docs/",
  "experiment/",
  "explore/",
  "export/",
  "forecast/",
  "guide/",
  "inspect/",
  "link/",
  "machines/",
  "main.tsx",
  "own/",
  "page/",
  "papers/",
  "plans/",
  "reading/",
  "results/",
  "settings/",
  "sharing/",
  "timeline/",
  "ui/",
  "workload/",
];

/** Libraries of npm, and the paths below which they may be used. */
export const LIBRARIES = {
  "@observablehq/plot": ["charts/", "forecast/", "plans/", "results/compare.tsx", "workload/"],
  "@preact/signals": [...VIEWS, "lab/", "runs/size.ts", "state/", "storage/database.ts", "teach/"],
  // The syntax of JavaScript; TypeScript without its types, and the places in it.
  acorn: ["own/compile.ts"],
  sucrase: ["own/compile.ts"],
  "@jridgewell/sourcemap-codec": ["own/compile.ts"],
  // The text editor, and its syntax trees.
  "@codemirror": ["experiment/confeditor.tsx", "experiment/confwords.ts", "own/", "ui/code.ts"],
  "@lezer": ["own/", "ui/code.ts"],
  // The gallery and the types of own policies, from policies.mjs.
  "own-policies": ["own/"],
  comlink: [
    "engine/callbacks.ts",
    "engine/workers.ts",
    "forecast/work.ts",
    "lab/",
    "plans/pool.ts",
    "sharing/microscope.tsx",
    "teach/runs.ts",
    "worker/serve.ts",
  ],
  // Icons, and the form of one.
  lucide: VIEWS,
  idb: ["storage/database.ts"],
  minisearch: ["docs/search.tsx"],
  preact: [...VIEWS, "lab/machines.ts"],
  // The wasm engine. Every part may import its types.
  schedscope: ["sandbox.ts", "worker/"],
  // The wasm that unpacks rare packings.
  "schedscope-unpack": ["worker/unpacker.ts"],
  three: ["machines/torus/scene.ts"],
};

/** Files of data outside src/, by the file that imports them. */
export const DATA = {
  "guide/tours.ts": /^\.\.\/\.\.\/tours\/\w+\.json$/,
};

/** Files whose exports the bundler takes, and no file of src/. */
export const BUNDLED = ["sandbox.ts", "security/kept.ts"];

/** Globals of the browser, and the paths below which they may be used. */
export const GLOBALS = {
  // Network.
  EventSource: [],
  RTCPeerConnection: [],
  WebSocket: [],
  WebTransport: [],
  XMLHttpRequest: [],
  fetch: ["docs/search.tsx", "engine/workers.ts", "papers/load.ts", "security/closed.ts", "sw.ts"],
  "navigator.sendBeacon": [],
  // Storage.
  caches: ["storage/usage.ts", "sw.ts"],
  indexedDB: [],
  localStorage: ["storage/choices.ts", "storage/columns.ts"],
  sessionStorage: ["storage/choices.ts"],
  "navigator.storage": ["storage/"],
  "document.cookie": [],
  // Threads.
  BroadcastChannel: [],
  MessageChannel: ["engine/callbacks.ts", "worker/"],
  SharedWorker: [],
  Worker: ["engine/workers.ts"],
  importScripts: [],
  postMessage: ["worker/"],
  "navigator.serviceWorker": ["page/offline.ts"],
  // The computer.
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
  matchMedia: [
    "lab/layout.ts",
    "machines/torus/panes.tsx",
    "storage/choices.ts",
    "timeline/play.ts",
  ],
  // The address.
  history: ["page/history.ts"],
  location: [
    "docs.ts",
    "docs/miniature.tsx",
    "link/here.ts",
    "page/embed.tsx",
    "page/history.ts",
    "page/offline.ts",
    "security/",
  ],
  // The document belongs to the parts that draw.
  document: [...VIEWS, "engine/rest.ts", "files/", "security/trusted.ts", "state/tabs.ts"],
  getComputedStyle: ["ui/canvas.ts"],
  // The global object gives access to every other name.
  globalThis: ["sandbox.ts", "security/", "sw.ts", "worker/serve.ts"],
  self: [],
  // The page has its own messages.
  alert: [],
  confirm: [],
  console: [],
  prompt: [],
  // No text becomes a program.
  Function: [],
  eval: [],
  // Results depend neither on chance nor on the clock.
  "Date.now": ["storage/sessions.ts", "sw.ts"],
  "Math.random": [],
  // Hashes of code that the reader has let run.
  crypto: ["own/store.ts"],
};

/** Globals whose members must be listed one by one. */
export const WHOLE = ["navigator"];

/** Members that no part may use, because they turn text into markup. */
export const MEMBERS = [
  "dangerouslySetInnerHTML",
  "innerHTML",
  "insertAdjacentHTML",
  "outerHTML",
  "srcdoc",
];
