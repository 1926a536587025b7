// The page: the top bar, the rail of views, and the visible view with its panels. The whole window
// accepts a dropped trace at any time.
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import "../explore/gaps";
import { LOGS } from "../files/logs";
import { ClassAnswers, Doors, Guide, TourChoice } from "../guide/doors";
import { Inspector } from "../inspect/inspector";
import * as lab from "../lab";
import { MetricsTable } from "../results/metrics";
import { doubted } from "../runs/size";
import * as s from "../state";
import { Lazy } from "../ui/lazy";
import * as link from "./arrive";
import { ProblemBanner } from "./banners";
import { DropTarget } from "./drop";
import { Footer } from "./footer";
import { Header } from "./header";
import { isOutdated, update } from "./offline";
import { Panel } from "./panel";
import { Later, Tabs } from "./tabs";
import { Timelines } from "./timelines";
import { Undo } from "./undo";
import { isVeiled, Veiled } from "./veiled";
import { ViewBar } from "./viewbar";

const AWAITED = () => import("./awaited").then((module) => module.Awaited);
const COLUMNS = () => import("./columns").then(({ ColumnsDialog }) => ColumnsDialog);
const EXPERIMENT = () => import("../experiment/experiment").then(({ Experiment }) => Experiment);
const SIZE_NOTE = () => import("../experiment/size").then(({ SizeNote }) => SizeNote);
const STRANGER = () => import("./news").then(({ Stranger }) => Stranger);
const UPDATE = () => import("./news").then(({ Update }) => Update);
const STEPS = () => import("../inspect/steps").then(({ Steps }) => Steps);

/** The part that takes files. Several imports of one part may end in another order than they began. */
let taker: Promise<typeof import("./take")> | undefined;

/** Takes files, in the order in which they come. */
async function takeAll(files: File[]): Promise<void> {
  taker ??= import("./take");
  taker.catch(() => (taker = undefined));
  return (await taker).takeAll(files);
}

/** The reading view takes the place of top bar, rail, panels and footer in narrow windows. */
export function Page({
  loadReading,
}: {
  loadReading: () => Promise<ComponentType<{ choose: () => void }>>;
}) {
  const input = useRef<HTMLInputElement>(null);
  const isReading = s.isReading.value;
  const choose = () => input.current?.click();
  return (
    <>
      <a
        class="skip"
        href="#panel"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("panel")?.focus();
        }}
      >
        Skip to the content
      </a>
      {!isReading && <Header choose={choose} />}
      <input
        ref={input}
        type="file"
        hidden
        aria-label="Trace file"
        accept={`${LOGS},.js,.mjs,.ts,.mts,.wasm,.conf`}
        multiple
        onChange={(event) => {
          takeAll([...(event.currentTarget.files ?? [])]).catch(lab.fail);
          event.currentTarget.value = "";
        }}
      />
      <div class="banners">
        {(update.value || isOutdated.value) && (
          <Lazy load={UPDATE} given={{}} fail={lab.fail} until={null} />
        )}
        {link.awaited.value && <Lazy load={AWAITED} given={{}} fail={lab.fail} until={null} />}
        {s.own.value.some(({ foreign }) => foreign !== undefined) && (
          <Lazy load={STRANGER} given={{}} fail={lab.fail} until={null} />
        )}
        <ProblemBanner />
      </div>
      {isReading ? (
        <Lazy load={loadReading} given={{ choose }} fail={lab.fail} until={<Until />} />
      ) : (
        <>
          <Tabs />
          <Main choose={choose} />
          <Footer />
        </>
      )}
      <DropTarget take={(files) => void takeAll(files).catch(lab.fail)} />
      {s.columns.value && <Lazy load={COLUMNS} given={{}} fail={lab.fail} until={null} />}
      <Undo />
      <div class="unseen" role="status" aria-live="polite">
        {s.spoken.value}
      </div>
    </>
  );
}

/** The page until the reading view has loaded. */
const Until = () => (
  <main id="panel" tabIndex={-1}>
    <h1>Schedscope</h1>
    <p class="quiet">Loading…</p>
  </main>
);

/**
 * The visible view with its panels: the set-up on one side, the inspector on the other, the results
 * below.
 */
function Main({ choose }: { choose: () => void }) {
  const tab = s.tab.value;
  const { open, sizes } = s.layout.value;
  const isLesson = s.lesson.value !== undefined;
  const isTelling = s.SET_UP.has(tab);
  const hasSetup = s.hasPanel("setup", tab) && open.setup;
  const isStepping = s.stepping.value !== undefined && tab === "timeline";
  const hasDock = s.hasPanel("dock", tab) ? open.dock || isStepping : isStepping;
  const isHidden = isVeiled();
  const isOfClass = s.isReadingAnswers.value;
  const isTimeline = tab === "timeline" && !isHidden && !isOfClass;
  // An exercise without jobs has no runs yet. The list of tours takes the place of the pictures.
  const isBlank =
    (s.isEditing.value && s.lanes.value.length === 0) ||
    (s.tourWanted.value !== undefined && !isLesson);
  useEffect(() => {
    if (s.selected.value !== undefined) lab.showInspector();
  }, [s.selected.value]);
  return (
    <main
      style={{
        "--setup": `${sizes.setup}px`,
        "--dock": `${sizes.dock}px`,
        "--results": `${sizes.results}px`,
      }}
    >
      {isLesson && <Guide />}
      {hasSetup && (
        <Panel panel="setup" grows="ArrowRight">
          <Lazy load={EXPERIMENT} given={{ choose }} fail={lab.fail} />
        </Panel>
      )}
      <div
        class={`centre ${isTimeline ? "pictures" : "page"}`}
        id="panel"
        role="tabpanel"
        tabIndex={-1}
        aria-labelledby={`tab-${tab}`}
      >
        {isTelling && !isLesson && doubted.value && (
          <Lazy load={SIZE_NOTE} given={{}} fail={lab.fail} until={null} />
        )}
        {isHidden ? (
          <Veiled />
        ) : isOfClass ? (
          <ClassAnswers />
        ) : tab === "timeline" ? (
          <>
            <TourChoice />
            {!isBlank && <ViewBar />}
            {!isBlank && <Timelines />}
          </>
        ) : (
          <Later tab={tab} />
        )}
      </div>
      {isTimeline && !isBlank && !s.isPredicting.value && <MetricsTable />}
      {hasDock && (
        <Panel panel="dock" grows="ArrowLeft" isFixed={isStepping}>
          {isStepping && <Lazy load={STEPS} given={{}} fail={lab.fail} />}
          {!isLesson && tab === "timeline" && s.selected.value === undefined && <Doors />}
          {!isLesson && <Inspector />}
        </Panel>
      )}
    </main>
  );
}
