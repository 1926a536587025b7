// Controls for lanes and colours of timelines, and their legend.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { LegendEntry, Legend as Meanings, RowsBy } from "schedscope";
import * as s from "../state";
import { Card, type Place } from "../ui/card";
import { colourings } from "./navigate";

/** Choice of the rows, on machines with time slots or GPUs. */
export function LanesBy() {
  const lanes = s.lanes.value;
  const [hasSlots, hasGpus] = [
    lanes.some((lane) => lane.slots > 1),
    lanes.some((lane) => lane.gpus > 0),
  ];
  if (!hasSlots && !hasGpus) return null;
  return (
    <label class="inline">
      Lanes
      <select
        value={s.rowsBy.value}
        onChange={(event) => {
          s.drawRows(event.currentTarget.value as RowsBy);
          // Windows and areas of the other kind of rows have no meaning here.
          s.forgetWindows();
          s.selectArea(undefined);
          s.moveCursor(undefined);
        }}
      >
        <option value="shared">
          {!hasSlots
            ? "cores"
            : lanes.some((lane) => lane.atOnce)
              ? "processors, by share"
              : "processors, by share and turn"}
        </option>
        {hasSlots && <option value="slots">slots, one below the other</option>}
        {hasGpus && <option value="gpus">GPUs</option>}
      </select>
    </label>
  );
}

/** Choice of the meaning of colours. */
export function ColourBy() {
  const { colouring } = s;
  const known = colourings();
  const isKnown = known.some(([id]) => id === colouring.value);
  useEffect(() => {
    // The runs for which these colours have a meaning may still be pending.
    if (!isKnown && s.lanes.value.every((lane) => lane.state === "done"))
      s.colourBy(s.usualColouring(s.workload.value));
  }, [isKnown, s.lanes.value]);
  return (
    <label class="inline">
      Colour by
      <select
        value={colouring.value}
        onChange={(event) => s.colourBy(event.currentTarget.value as typeof colouring.value)}
      >
        {known.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The meaning of the colours. */
export function Legend({
  jobsOf,
}: {
  /** Returns the number of jobs of an entry in words, where the page can tell it. */
  jobsOf?: (legend: Meanings, entry: LegendEntry) => Promise<string>;
}) {
  const legend = s.legend.value;
  const pointed = useSignal<{ at: Place; entry: LegendEntry } | undefined>(undefined);
  const jobs = useSignal("");
  const entry = pointed.value?.entry;
  useEffect(() => {
    jobs.value = "";
    if (!legend || !entry || !jobsOf) return undefined;
    let isLatest = true;
    jobsOf(legend, entry)
      .then((words) => isLatest && (jobs.value = words))
      // Without an answer the card has no number.
      .catch(() => {});
    return () => void (isLatest = false);
  }, [legend, entry]);
  if (!legend) return null;
  return (
    <div class={`legend ${legend.continuous ? "continuous" : ""}`}>
      <span>{legend.title}</span>
      <ul>
        {legend.entries.map((entry) => (
          <li
            key={entry.label}
            onPointerMove={({ clientX, clientY }) =>
              (pointed.value = { at: { x: clientX, y: clientY }, entry })
            }
            onPointerLeave={() => (pointed.value = undefined)}
          >
            <i style={{ background: entry.colour }} /> {entry.label}
          </li>
        ))}
      </ul>
      {pointed.value && (
        <Card
          at={pointed.value.at}
          words={[`${legend.title}: ${pointed.value.entry.label}`, jobs.value].join("\n").trim()}
        />
      )}
    </div>
  );
}
