// The page: header, three columns, metrics below. The whole window accepts a dropped trace at any
// time.
import { useEffect, useRef } from "preact/hooks";
import { Experiment } from "../experiment/experiment";
import { SizeNote } from "../experiment/size";
import { Doors, Guide } from "../guide/doors";
import { Inspector } from "../inspect/inspector";
import { Steps } from "../inspect/steps";
import * as lab from "../lab";
import { MetricsTable, Sentence } from "../results/metrics";
import * as s from "../state";
import * as link from "./arrive";
import { Awaited } from "./awaited";
import { ProblemBanner, Update } from "./banners";
import { ColumnsDialog } from "./columns";
import { isDemands } from "./demands";
import { DropTarget } from "./drop";
import { Footer } from "./footer";
import { Header } from "./header";
import { Later, Tabs } from "./tabs";
import { Timelines } from "./timelines";

export function Page() {
  const input = useRef<HTMLInputElement>(null);
  const choose = () => input.current?.click();
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.name.toLowerCase().endsWith(".json")) return void takePlan(file);
    // A table of demands belongs to the open trace.
    if (s.source.value && (await isDemands(file)))
      return void lab.open(
        { ...s.source.value, demands: file },
        { ...s.shared.value, demands: "file" },
      );
    if (link.awaited.value) return void link.give(file);
    // A trace of the reader's own replaces the runs of a plan.
    s.dropAside();
    void lab.open({ kind: "file", file, skipBadLines: false });
  };
  useEffect(() => void (document.documentElement.dataset.theme = s.theme.value), [s.theme.value]);
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
      <Header choose={choose} />
      <input
        ref={input}
        type="file"
        hidden
        aria-label="Trace file"
        accept=".swf,.gz,.zst,.xz,.bz2,.zip,.txt,.log,.json,.csv,.tsv,.parquet"
        onChange={(event) => {
          void take(event.currentTarget.files?.[0]);
          event.currentTarget.value = "";
        }}
      />
      <Update />
      <Awaited />
      <ProblemBanner />
      <Tabs />
      <Main choose={choose} />
      <Footer />
      <DropTarget take={(file) => void take(file)} />
      <ColumnsDialog />
      <div class="unseen" role="status" aria-live="polite">
        {s.spoken.value}
      </div>
    </>
  );
}

/** Takes a dropped plan to the Sweep tab. */
async function takePlan(file: File): Promise<void> {
  const { setPlanFile } = await import("../plans/plans");
  s.goTo("sweep");
  await setPlanFile(file);
}

/** Tabs that show runs. */
const TELLING: ReadonlySet<s.Tab> = new Set(["timeline", "torus", "sharing", "compare"]);

/**
 * The visible tab. Timeline and Compare have columns beside them; the other tabs take the whole
 * width.
 */
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
            Hidden until you answer the question.{" "}
            <button
              type="button"
              class="link"
              onClick={() => s.goTo(s.veil.value?.tab ?? "timeline")}
            >
              Go back to it
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
