// The menu of exports: what the page can save of its pictures, figures, runs and the trace.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { SaveTrace } from "../experiment/save";
import { PictureTools } from "../export/tools";
import { saveBlob, stem } from "../files/save";
import { FORMATS, type Format, saveTable } from "../files/table";
import { fail } from "../lab";
import { shareFrame } from "../link/share";
import { table } from "../results/figures";
import { Files } from "../results/files";
import { report } from "../results/report";
import { nameOf } from "../runs/name";
import * as s from "../state";
import { Mark } from "../ui/mark";

/** The views with charts. */
const CHARTED: ReadonlySet<s.Tab> = new Set(["compare", "sweep", "workload", "papers"]);

export function Exports() {
  const runs = s.lanes.value.map((lane, index) => ({ lane, index }));
  const done = s.lanes.value.filter(({ state }) => state === "done");
  const tab = s.tab.value;
  return (
    <div class="exports">
      {tab === "timeline" && (
        <Group name="Timelines">
          <PictureTools
            title="Timelines"
            isOff={done.length === 0}
            of={async () =>
              (await import("../export/timeline")).timelineFigure(
                done.filter(({ isHidden }) => !isHidden),
              )
            }
          />
        </Group>
      )}
      {CHARTED.has(tab) && <Charts key={tab} />}
      <Group name="Figures">
        {(Object.keys(FORMATS) as Format[]).map((format) => (
          <button
            type="button"
            class="small"
            key={format}
            aria-label={`Figures as ${format}`}
            disabled={done.length === 0}
            onClick={() => saveTable(table(), format)}
          >
            {format}
          </button>
        ))}
      </Group>
      {runs.map(({ lane, index }) => (
        <Group
          key={lane.id}
          name={
            <>
              <Mark index={index} /> {s.letter(index)} {nameOf(lane)}
            </>
          }
        >
          <Files lane={lane} index={index} />
        </Group>
      ))}
      <Group name="All of it">
        <button
          type="button"
          class="small"
          disabled={done.length === 0}
          onClick={() => void report()}
        >
          Report
        </button>
        <button type="button" class="small" onClick={() => void shareFrame()}>
          Copy frame code
        </button>
      </Group>
      <SaveTrace />
    </div>
  );
}

/** A line of the menu. */
function Group({ name, children }: { name: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class="export-line">
      <span>{name}</span>
      <span class="files">{children}</span>
    </div>
  );
}

/** The charts of the visible view. The code of charts has loaded with the view. */
function Charts() {
  const charts = useSignal<ReadonlyMap<string, () => string>>(new Map());
  useEffect(
    () =>
      void import("../charts/chart")
        .then((module) => (charts.value = new Map(module.charts)))
        .catch(fail),
    [],
  );
  return [...charts.value].map(([title, file]) => (
    <Group key={title} name={title}>
      <button
        type="button"
        class="small"
        aria-label={`${title} as SVG file`}
        onClick={() =>
          saveBlob(new Blob([file()], { type: "image/svg+xml" }), `${stem(title)}.svg`)
        }
      >
        SVG
      </button>
    </Group>
  ));
}
