// The commands of the page, by name. Each can run from the keyboard.

import { filterBy, wanted } from "../explore/filter";
import * as lab from "../lab";
import { chooseTheme } from "../lab";
import { saveTrace } from "../lab/files";
import { runEachPartition } from "../lab/partitions";
import { share, shareFrame } from "../link/share";
import * as s from "../state";
import { jump, PLACES, places } from "../timeline/jump";
import * as navigate from "../timeline/navigate";
import { isPlaying, play } from "../timeline/play";

export interface Command {
  name: string;
  /** The key that runs the same command. */
  keys?: string;
  isOff?: boolean;
  /** True if the command only completes the text of the search field. */
  isCompletion?: boolean;
  run: () => void;
}

export function commands(open: () => void): Command[] {
  const isStale = s.lanes.value.some(
    (lane) => lane.stale || lane.state === "cancelled" || lane.state === "failed",
  );
  const other = s.theme.value === "dark" ? "light" : "dark";
  return [
    { name: "Show all", keys: "0", run: navigate.showAll },
    { name: "Zoom in", keys: "W", run: () => navigate.zoomBy(1.6, "time") },
    { name: "Zoom out", keys: "S", run: () => navigate.zoomBy(1 / 1.6, "time") },
    { name: "Earlier", keys: "A", run: () => navigate.panBy(-0.25, 0) },
    { name: "Later", keys: "D", run: () => navigate.panBy(0.25, 0) },
    {
      name: "Show previous window",
      keys: "Backspace",
      isOff: s.zooms.value.length === 0,
      run: navigate.back,
    },
    {
      name: isPlaying.value ? "Pause" : "Play the timeline",
      keys: "Space",
      isOff: s.tab.value !== "timeline",
      run: play,
    },
    {
      name: s.isSelecting.value ? "Drag to pan" : "Drag to select",
      keys: "Shift + drag",
      run: () => s.toggleSelecting(),
    },
    { name: "Clear selection", isOff: !s.area.value, run: () => s.selectArea(undefined) },
    { name: "Clear the filter", isOff: wanted.value === "", run: () => filterBy("") },
    {
      name: "Undo the last removal",
      keys: "Ctrl + Z",
      isOff: !s.removal.value,
      run: s.undoRemoval,
    },
    { name: "Copy link to this view", run: () => void share() },
    { name: "Copy the code that embeds this view", run: () => void shareFrame() },
    { name: "Run what changed", isOff: !isStale, run: lab.runAll },
    { name: "Open a trace", run: open },
    { name: "Open the sample", run: () => void lab.open(lab.SAMPLE) },
    { name: "Save the trace as SWF", run: () => void saveTrace("swf", false) },
    {
      name: "Save the trace as SWF with further fields",
      run: () => void saveTrace("swf-extended", false),
    },
    { name: "Save the trace as CSV", run: () => void saveTrace("csv", false) },
    {
      name: "Save the trace anonymised",
      run: () => void saveTrace("swf-extended", true),
    },
    ...places().map((place) => ({
      name: `Take me to the ${PLACES[place].toLowerCase()}`,
      run: () => jump(place),
    })),
    { name: "Teach me", isOff: s.lesson.value !== undefined, run: s.wantTour },
    { name: `Use ${other} colours`, run: () => chooseTheme(other) },
    ...navigate.colourings().map(([colouring, name]) => ({
      name: `Colour by ${name}`,
      keys: "C",
      isOff: s.colouring.value === colouring,
      run: () => void s.colourBy(colouring),
    })),
    {
      name: "Run each partition beside the others",
      isOff: (s.workload.value?.partition_count ?? 0) < 2 || s.lesson.value !== undefined,
      run: () => void runEachPartition(),
    },
    ...s.TABS.map((tab) => ({
      name: `Go to ${s.NAMES[tab]}`,
      isOff: s.tab.value === tab,
      run: () => s.goTo(tab),
    })),
    { name: "Write a policy of your own", run: () => s.goTo("policy") },
    {
      name: "Add the recorded schedule",
      isOff: s.lesson.value !== undefined || !s.workload.value?.recorded,
      run: () => lab.addRecorded(),
    },
    ...(s.catalog.value?.policies ?? [])
      .filter(({ machines }) => machines.includes(s.machine.value))
      .map(({ id, name }) => ({
        name: `Add a run of ${name}`,
        isOff: s.lesson.value !== undefined,
        run: () => lab.addLane(id),
      })),
  ];
}
