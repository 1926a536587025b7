// The page of the reading view between its bars, and the sheet over the lower end of the page.
import { X } from "lucide";
import type { ComponentChildren } from "preact";
import { SizeNote } from "../experiment/size";
import { ClassAnswers, TourChoice } from "../guide/doors";
import * as lab from "../lab";
import { RunChips } from "../page/chips";
import { Later } from "../page/tabs";
import { isVeiled, Veiled } from "../page/veiled";
import { ViewBar } from "../page/viewbar";
import { MetricsTable } from "../results/metrics";
import { Sentence } from "../results/sentence";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { Lazy } from "../ui/lazy";
import { Dock } from "./dock";
import { Pictures } from "./pictures";
import { hasSheet, height, page } from "./place";
import { RunBars } from "./runs";

const EXPERIMENT = () => import("../experiment/experiment").then(({ Experiment }) => Experiment);

/** The names of pages that are no views. */
const NAMES = { setup: "Set-up", results: "Results", tours: "Learn" };

export function Body({ choose }: { choose: () => void }) {
  const { value: shown } = page;
  const isTelling = s.SET_UP.has(s.tab.value) && !s.lesson.value && shown === s.tab.value;
  return (
    <main
      class="reading"
      aria-label={{ ...s.NAMES, ...NAMES }[shown]}
      data-sheet={hasSheet.value ? height.value : "none"}
    >
      <div
        key={shown}
        id="panel"
        class={`reading-page ${shown === "timeline" && !isVeiled() && !s.isReadingAnswers.value ? "pictures" : "page"}`}
        tabIndex={-1}
        inert={hasSheet.value && height.value === "full"}
      >
        {isTelling && <SizeNote />}
        <Content choose={choose} />
      </div>
      {hasSheet.value && <Dock />}
    </main>
  );
}

function Content({ choose }: { choose: () => void }) {
  const { value: shown } = page;
  switch (shown) {
    case "setup":
      return (
        <Overlay name={NAMES.setup} close={() => lab.unfold("setup", false)}>
          <RunChips />
          <Lazy load={EXPERIMENT} given={{ choose }} fail={lab.fail} />
        </Overlay>
      );
    case "results":
      if (s.isPredicting.value) return <p>Hidden until you answer the question.</p>;
      return (
        <>
          <h2>{NAMES.results}</h2>
          <Sentence />
          <RunBars />
          <MetricsTable />
        </>
      );
    case "tours":
      return <TourChoice />;
    case "timeline":
      if (isVeiled()) return <Veiled />;
      if (s.isReadingAnswers.value) return <ClassAnswers />;
      return (
        <div class="reading-time">
          {/* The board of an exercise. */}
          {s.lesson.value && <TourChoice />}
          {/* An exercise without jobs has no runs yet. */}
          {!(s.isEditing.value && s.lanes.value.length === 0) && (
            <>
              <ViewBar>{!s.isPredicting.value && <RunBars />}</ViewBar>
              <Pictures />
            </>
          )}
        </div>
      );
    default:
      return (
        <>
          <h2>{s.NAMES[shown]}</h2>
          {isVeiled() ? <Veiled /> : <Later tab={shown} />}
        </>
      );
  }
}

/** A page in the place of a view, to which its button returns. */
function Overlay({
  name,
  close,
  children,
}: {
  name: string;
  close: () => void;
  children: ComponentChildren;
}) {
  return (
    <>
      <div class="reading-head">
        <h2>{name}</h2>
        <button
          type="button"
          class="bare icon-only"
          aria-label={`Close ${name.toLowerCase()}`}
          onClick={close}
        >
          <Icon of={X} />
        </button>
      </div>
      {children}
    </>
  );
}
