// The page: header, three columns, metrics below. The whole window takes a dropped trace, at any time.
import "./shut";
import { useSignal } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Band } from "./band";
import { Experiment, Mark } from "./experiment";
import { setTheme } from "./explore/commands";
import { FilterBar } from "./explore/filterbar";
import { isPlaying, play } from "./explore/play";
import { Search } from "./explore/search";
import { isCompared } from "./explore/versus";
import { Versus } from "./explore/versusband";
import { inWords } from "./explore/whatif";
import * as whatIf from "./explore/whatifform";
import { WhatIfForm } from "./explore/whatifform";
import { asProblem, count, doingInWords, duration, share } from "./format";
import { ColourBy, Gantt, hover, LanesBy, Legend } from "./gantt";
import { Inspector } from "./inspector";
import * as lab from "./lab";
import * as link from "./link/link";
import { Awaited, Share } from "./link/share";
import * as navigate from "./navigate";
import * as offline from "./offline/offline";
import { MetricsTable, Sentence } from "./results";
import { nameOf } from "./runs";
import { SizeNote } from "./size";
import * as s from "./state";
import * as steps from "./steps";
import { canStep, Steps } from "./steps";
import { Minimap, Strip, TimeAxis } from "./strips";
import { Later, Tabs } from "./tabs";
import { Doors, Guide } from "./teach/doors";
import { wantTour } from "./teach/want";

function Page() {
  const input = useRef<HTMLInputElement>(null);
  const choose = () => input.current?.click();
  const take = (file: File | undefined) => {
    if (!file) return;
    if (file.name.toLowerCase().endsWith(".json")) return void takePlan(file);
    // A table of demands belongs to the trace that is here.
    if (file.name.toLowerCase().endsWith(".csv") && s.source.value)
      return void lab.open(
        { ...s.source.value, demands: file },
        { ...s.shared.value, demands: "file" },
      );
    if (link.awaited.value) return void link.give(file);
    // A trace of the reader's own takes the place of a plan's run.
    s.before.value = undefined;
    void lab.open({ kind: "file", file, skipBadLines: false });
  };
  useEffect(() => void (document.documentElement.dataset.theme = s.theme.value), [s.theme.value]);
  return (
    <>
      <a
        class="skip"
        href="#panel"
        onClick={(event) => (event.preventDefault(), document.getElementById("panel")?.focus())}
      >
        Skip to the content
      </a>
      <Header choose={choose} />
      <input
        ref={input}
        type="file"
        hidden
        aria-label="Trace file"
        accept=".swf,.gz,.txt,.json,.csv"
        onChange={(event) => {
          take(event.currentTarget.files?.[0]);
          event.currentTarget.value = "";
        }}
      />
      <Update />
      <Awaited />
      <ProblemBanner />
      <Tabs />
      <Main choose={choose} />
      <Footer />
      <DropTarget take={take} />
      <div class="unseen" role="status" aria-live="polite">
        {s.spoken.value}
      </div>
    </>
  );
}

/** A dropped plan is one for the Sweep tab. */
async function takePlan(file: File): Promise<void> {
  const { setPlanFile } = await import("./plans/plans");
  s.goTo("sweep");
  await setPlanFile(file);
}

/** Tabs that tell of the runs. */
const TELLING: ReadonlySet<s.Tab> = new Set(["timeline", "torus", "sharing", "compare"]);

/** The tab that is shown. Timeline and Compare have what they are about beside them; the others have the whole width. */
function Main({ choose }: { choose: () => void }) {
  const tab = s.tab.value;
  const isWide = tab !== "timeline" && tab !== "compare" && tab !== "torus" && tab !== "sharing";
  return (
    <main class={s.lesson.value ? "tour" : isWide ? "wide" : ""}>
      {s.lesson.value && <Guide />}
      <div class="centre" id="panel" role="tabpanel" tabIndex={-1} aria-labelledby={`tab-${tab}`}>
        {TELLING.has(tab) && !s.lesson.value && <SizeNote />}
        {s.isPredicting.value && TELLING.has(tab) && tab !== (s.veil.value?.tab ?? "timeline") ? (
          <p>
            What is to be predicted would be told here. Answer first, or{" "}
            <button
              type="button"
              class="link"
              onClick={() => s.goTo(s.veil.value?.tab ?? "timeline")}
            >
              go back to it
            </button>
            .
          </p>
        ) : tab === "timeline" ? (
          <>
            <Doors />
            {!s.isPredicting.value && <Sentence />}
            <Steps />
            <Timelines />
          </>
        ) : (
          <Later tab={tab} />
        )}
      </div>
      {tab === "timeline" && !s.isPredicting.value && <MetricsTable />}
      {!isWide && !s.lesson.value && <Experiment choose={choose} />}
      {!isWide && !s.lesson.value && <Inspector />}
    </main>
  );
}

function Header({ choose }: { choose: () => void }) {
  const facts = s.workload.value;
  const other = s.theme.value === "dark" ? "light" : "dark";
  return (
    <header>
      <h1>Schedscope</h1>
      {facts && (
        <p class="chip">
          <b>{lab.sourceName(facts.provenance.name)}</b> {count(facts.jobs)} jobs ·{" "}
          {duration(facts.last - facts.first)} · {count(facts.processors)} processors{" "}
          {!s.lesson.value && ` · load ${share(facts.offered_load)}`}
        </p>
      )}
      <Search open={choose} />
      <span class="spring" />
      <button
        type="button"
        onClick={wantTour}
        disabled={s.lesson.value !== undefined}
        aria-expanded={s.tourWanted.value !== undefined}
      >
        Teach me
      </button>
      <button type="button" class="primary" onClick={choose}>
        Open a trace…
      </button>
      <Share />
      <a href="docs/index.html">Docs</a>
      <button type="button" onClick={() => setTheme(other)} aria-label={`Use ${other} colours`}>
        {other === "light" ? "Light" : "Dark"}
      </button>
    </header>
  );
}

function ProblemBanner() {
  const problem = s.problem.value;
  const opening = s.opening.value;
  if (!problem && !opening) return null;
  return (
    <section aria-label="Messages">
      {opening && (
        <div class="banner">
          <p>
            Reading {opening.name}
            {opening.doing
              ? `: ${doingInWords(opening.doing, undefined)}`
              : opening.reading
                ? `: ${count(opening.reading.records)} jobs`
                : ""}
            …{" "}
            <button type="button" class="small" onClick={lab.stopOpening}>
              Cancel
            </button>
          </p>
          <div
            class="progress"
            role="progressbar"
            aria-label={`Reading ${opening.name}`}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(
              100 * ((opening.reading?.read ?? 0) / Math.max(1, opening.reading?.total ?? 1)),
            )}
          >
            <div
              style={{
                width: `${100 * ((opening.reading?.read ?? 0) / Math.max(1, opening.reading?.total ?? 1))}%`,
              }}
            />
          </div>
        </div>
      )}
      {problem && (
        <div class="banner bad" role="alert">
          <p>
            <b>{problem.what}</b> {problem.why}
          </p>
          <p>{problem.next} What was on the page before is still there.</p>
          <div class="buttons">
            {problem.skippable && (
              <button type="button" onClick={lab.openSkipping}>
                Skip bad lines and count them
              </button>
            )}
            <button type="button" onClick={() => (s.problem.value = undefined)}>
              Dismiss
            </button>
          </div>
        </div>
      )}
    </section>
  );
}

function Timelines() {
  const isPredicting = s.isPredicting.value;
  return (
    <section id="timelines" class="timelines" aria-label="Timelines">
      <div class="bar">
        <h2>Timeline</h2>
        <div class="group" role="group" aria-label="Zoom">
          <button
            type="button"
            class="small"
            aria-label="Earlier (A)"
            title="Earlier (A)"
            onClick={() => navigate.panBy(-0.25, 0)}
          >
            ◀
          </button>
          <button
            type="button"
            class="small"
            aria-label="Zoom out (S)"
            title="Zoom out (S)"
            onClick={() => navigate.zoomBy(1 / 1.6, "time")}
          >
            −
          </button>
          <button
            type="button"
            class="small"
            aria-label="Zoom in (W)"
            title="Zoom in (W)"
            onClick={() => navigate.zoomBy(1.6, "time")}
          >
            +
          </button>
          <button
            type="button"
            class="small"
            aria-label="Later (D)"
            title="Later (D)"
            onClick={() => navigate.panBy(0.25, 0)}
          >
            ▶
          </button>
          <button
            type="button"
            class="small"
            aria-label="Fewer processors"
            title="Fewer processors (Alt + wheel)"
            onClick={() => navigate.zoomBy(1.6, "rows")}
          >
            ↕+
          </button>
          <button
            type="button"
            class="small"
            aria-label="More processors"
            title="More processors (Alt + wheel)"
            onClick={() => navigate.zoomBy(1 / 1.6, "rows")}
          >
            ↕−
          </button>
          <button type="button" class="small" title="Show all (0)" onClick={navigate.showAll}>
            All
          </button>
          <button
            type="button"
            class="small"
            title="Back (Backspace)"
            disabled={s.zooms.value.length === 0}
            onClick={navigate.back}
          >
            Back
          </button>
          <button
            type="button"
            class="small"
            title="An instant moves through the window (Space)"
            aria-pressed={isPlaying.value}
            onClick={play}
          >
            {isPlaying.value ? "Pause" : "Play"}
          </button>
          <button
            type="button"
            class="small"
            title="Dragging selects an area for statistics (Shift + drag)"
            aria-pressed={s.isSelecting.value}
            onClick={() => (s.isSelecting.value = !s.isSelecting.value)}
          >
            Select
          </button>
        </div>
        <ColourBy />
        <LanesBy />
        {s.lanes.value.length > 1 && (
          <label class="inline">
            <input
              type="checkbox"
              checked={s.isVersus.value}
              onChange={(event) => (s.isVersus.value = event.currentTarget.checked)}
            />{" "}
            Difference
          </label>
        )}
      </div>
      <FilterBar />
      {!isPredicting && <Minimap />}
      {s.lanes.value.map((lane, index) => (
        <figure key={lane.id} class="lane">
          {!isPredicting && isCompared(lane) && <Versus lane={lane} index={index} />}
          <figcaption>
            <Mark index={index} /> <b>{s.letter(index)}</b> {nameOf(lane)}
            <small>{lane.state === "done" ? "" : lane.state}</small>
            {canStep(lane) && !s.veil.value && s.stepping.value?.lane !== lane.id && (
              <button
                type="button"
                class="small"
                aria-label={`Step through run ${s.letter(index)}`}
                onClick={() => void steps.begin(lane.id)}
              >
                Step through
              </button>
            )}
            {!isPredicting && (lane.state === "done" || lane.state === "running") && (
              <button
                type="button"
                class="small"
                aria-label={`What if, in run ${s.letter(index)}`}
                aria-expanded={whatIf.isAsked(lane)}
                data-what-if={lane.id}
                onClick={() => whatIf.ask(lane)}
              >
                What if…
              </button>
            )}
            {lane.whatIf && <small>{inWords(lane.whatIf)}</small>}
            <span class="rows">
              {lane.slots > 1 && !s.isShared.value
                ? `${lane.slots} slots of ${count(lane.facts?.processors ?? 0)} processors: rows`
                : "processors"}{" "}
              {count(Math.floor(s.view.value.top))} to {count(Math.ceil(s.view.value.bottom) - 1)}
            </span>
          </figcaption>
          <WhatIfForm lane={lane} index={index} />
          <Gantt lane={lane} index={index} />
          {!isPredicting && lane.candidates.length > 1 && <Band lane={lane} index={index} />}
        </figure>
      ))}
      <TimeAxis />
      {!isPredicting && <Strip kind="used" />}
      {!isPredicting && <Strip kind="waiting" />}
      {!isPredicting && <Strip kind="work" />}
      <p class="hover">
        {hover.value ||
          "Drag pans, Shift + drag selects an area, Ctrl + wheel zooms, a click selects a job. Focus a timeline for the keyboard: W A S D, arrows, 0, C, Space; / searches, Ctrl + K lists the commands."}
      </p>
      <Legend />
    </section>
  );
}

/** What the page itself takes, where the browser says so; its workers are not in it. */
function memory(): string {
  const { memory } = performance as { memory?: { usedJSHeapSize: number } };
  return memory ? `page ${count(Math.round(memory.usedJSHeapSize / 1e6))} MB` : "";
}

/** Its code is loaded when it is first wanted. */
function Storage() {
  const found = useSignal<ComponentType | undefined>(undefined);
  useEffect(
    () =>
      void import("./offline/storage")
        .then((module) => (found.value = module.default))
        .catch((error) => (s.problem.value = asProblem(error))),
    [],
  );
  const Found = found.value;
  return Found ? <Found /> : <p class="quiet">Loading…</p>;
}

/** A newer version is offered, never forced. */
function Update() {
  const { update, isOutdated } = offline;
  if (isOutdated.value)
    return (
      <section class="banner" aria-label="Version">
        <p>
          Another tab has changed to a newer version of the page. This one goes on as it is; reload
          it when it suits you.
        </p>
      </section>
    );
  if (!update.value) return null;
  return (
    <section class="banner" aria-label="Version">
      <p>
        A newer version of the page is ready. The address keeps what you see
        {s.source.value?.kind === "file" &&
          "; the trace's file will be asked for again, unless this browser keeps it"}
        .
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={offline.takeUpdate}>
          Use it now
        </button>
        <button type="button" onClick={() => (update.value = undefined)}>
          Later
        </button>
      </div>
    </section>
  );
}

function Footer() {
  const isStorageOpen = useSignal(false);
  return (
    <footer>
      <details>
        <summary>Your trace stays in this browser</summary>
        <p>
          The page's content security policy lets it, and the workers it starts, talk to no other
          host than the one it came from, and it sends nothing there. To check: open the developer
          tools' network panel and drop a trace; nothing is sent. Or go offline once the page is
          there: it works the same.
        </p>
      </details>
      <details onToggle={(event) => (isStorageOpen.value = event.currentTarget.open)}>
        <summary>What this browser keeps</summary>
        {isStorageOpen.value && <Storage />}
      </details>
      <span class="quiet">
        {offline.isReady.value && "works without the network · "}
        {memory() && `${memory()} · `}Schedscope {s.catalog.value?.version} ·{" "}
        <a href="THIRD-PARTY.txt">Third-party notices</a>
      </span>
    </footer>
  );
}

/** The whole window takes a dropped file. */
function DropTarget({ take }: { take: (file: File | undefined) => void }) {
  const isOver = useSignal(false);
  useEffect(() => {
    let depth = 0;
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const on = {
      dragenter: (event: DragEvent) => {
        depth += 1;
        isOver.value = hasFile(event);
      },
      dragleave: () => {
        depth = Math.max(0, depth - 1);
        if (depth === 0) isOver.value = false;
      },
      dragover: (event: DragEvent) => event.preventDefault(),
      drop: (event: DragEvent) => {
        event.preventDefault();
        depth = 0;
        isOver.value = false;
        take(event.dataTransfer?.files[0]);
      },
    };
    for (const [name, listener] of Object.entries(on))
      window.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(on))
        window.removeEventListener(name, listener as EventListener);
    };
  }, []);
  return isOver.value ? (
    <div class="drop">
      Drop a trace (.swf, .swf.gz), a plan (.json) or a table of demands (.csv)
    </div>
  ) : null;
}

try {
  const saved = localStorage.getItem("theme");
  if (saved === "light" || saved === "dark") s.theme.value = saved;
} catch {
  // Without storage the system's colours are used.
}
document.documentElement.dataset.theme = s.theme.value;
render(<Page />, document.getElementById("page")!);
offline.register();
link.begin().catch((error) => (s.problem.value = asProblem(error)));
