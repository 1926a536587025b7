// The fit card: how far each run is from what the cluster did.

import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { FitCard as Card, LogFit } from "schedscope";
import { ask } from "../engine/workers";
import { count, duration, figure, share } from "../format/words";
import * as lab from "../lab";
import { nameOf } from "../runs/name";
import { doubted } from "../runs/size";
import * as s from "../state";
import { Mark } from "../ui/mark";
import { DataTable } from "../ui/table";

const GROUPINGS: Record<string, string> = {
  all: "all jobs",
  size: "size",
  user: "user",
  queue: "queue",
  partition: "partition",
  account: "account",
  qos: "QOS",
};

interface Row {
  index: number;
  lane: s.Lane;
  fit: LogFit;
}

interface Known {
  fit: Card | null;
  overbooking: string | undefined;
}

/** Returns the fits of the finished runs, by run. */
function useFits(): Map<number, Known> {
  const [fits, setFits] = useState(new Map<number, Known>());
  const done = s.lanes.value.filter(
    (lane) => lane.state === "done" && lane.result && (lane.facts?.recorded ?? 0) > 0,
  );
  const key = done.map((lane) => `${lane.id}:${lane.result!.digest}`).join(" ");
  useEffect(() => {
    let isCurrent = true;
    const askAll = async () => {
      const found = new Map<number, Known>();
      for (const lane of done)
        if (lane.hand) found.set(lane.id, await ask(lane.hand, (engine) => engine.fit()));
      if (isCurrent) setFits(found);
    };
    askAll().catch(() => {});
    return () => void (isCurrent = false);
  }, [key]);
  return fits;
}

const isRecorded = (lane: s.Lane): boolean => lane.policy === s.catalog.value?.recorded.id;

/** Says in a sentence how far a run is from the log. */
function inWords(name: string, fit: LogFit): string {
  const half = duration(fit.median);
  return `Under ${name}, half of the jobs start within ${half} of their recorded start, and ${share(fit.hour)} within an hour. The mean wait is ${duration(fit.wait)}; the log has ${duration(fit.recorded_wait)}.`;
}

export function FitCard() {
  const grouping = useSignal("all");
  const fits = useFits();
  const lanes = s.lanes.value.map((lane, index) => ({ lane, index }));
  const known = lanes.flatMap(({ lane, index }) => {
    const found = fits.get(lane.id);
    return found?.fit ? [{ lane, index, fit: found.fit }] : [];
  });
  if (known.length === 0) return null;
  const simulated = known.filter(({ lane }) => !isRecorded(lane));
  const { value: by } = grouping;
  const rows: Row[] = known.flatMap(({ lane, index, fit }) =>
    (by === "all" ? [fit.all] : (fit.classes[by] ?? [])).map((fit) => ({ lane, index, fit })),
  );
  const overbooking = lanes.flatMap(({ lane }) => fits.get(lane.id)?.overbooking ?? []);
  const first = simulated.at(-1);
  const has = s.lanes.value.some(isRecorded);
  return (
    <section class="fit" aria-label="Runs against the log">
      <div class="bar">
        <h2>Fit to the log</h2>
        <label class="inline">
          by{" "}
          <select value={by} onChange={(event) => (grouping.value = event.currentTarget.value)}>
            {Object.entries(GROUPINGS)
              .filter(([id]) => id === "all" || id in known[0]!.fit.classes)
              .map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
          </select>
        </label>
        {!has && (
          <button type="button" class="small" onClick={lab.addRecorded}>
            Show the recorded schedule
          </button>
        )}
      </div>
      {first && !doubted.value && (
        <p class="sentence">{inWords(nameOf(first.lane), first.fit.all)}</p>
      )}
      {overbooking.map((text) => (
        <p class="notice" key={text}>
          {text.charAt(0).toUpperCase() + text.slice(1)}. The processors beyond those of the machine
          are the last rows of its timeline.
        </p>
      ))}
      <DataTable
        label="Fit to the log"
        rows={rows}
        columns={[
          {
            name: "Run",
            isHead: true,
            value: ({ lane }: Row) => nameOf(lane),
            show: ({ lane, index }: Row) => (
              <>
                <Mark index={index} /> {s.letter(index)} {nameOf(lane)}
              </>
            ),
          },
          ...(by === "all"
            ? []
            : [
                {
                  name: "Class",
                  value: ({ fit }: Row) => fit.name,
                  show: ({ fit }: Row) => fit.name,
                },
              ]),
          {
            name: "Jobs",
            value: ({ fit }: Row) => fit.jobs,
            show: ({ fit }: Row) => count(fit.jobs),
          },
          {
            name: "Error of start, median (s)",
            value: ({ fit }: Row) => fit.median,
            show: ({ fit }: Row) => duration(fit.median),
          },
          {
            name: "90th percentile (s)",
            value: ({ fit }: Row) => fit.p90,
            show: ({ fit }: Row) => duration(fit.p90),
          },
          {
            name: "Within 1 min",
            value: ({ fit }: Row) => fit.minute,
            show: ({ fit }: Row) => share(fit.minute),
          },
          {
            name: "Within 10 min",
            value: ({ fit }: Row) => fit.ten_minutes,
            show: ({ fit }: Row) => share(fit.ten_minutes),
          },
          {
            name: "Within 1 h",
            value: ({ fit }: Row) => fit.hour,
            show: ({ fit }: Row) => share(fit.hour),
          },
          {
            name: "Earlier than recorded",
            value: ({ fit }: Row) => fit.earlier,
            show: ({ fit }: Row) => share(fit.earlier),
          },
          {
            name: "Rank correlation of waits",
            value: ({ fit }: Row) => fit.rank,
            show: ({ fit }: Row) => figure(fit.rank),
          },
          {
            name: "Mean wait (s)",
            value: ({ fit }: Row) => fit.wait,
            show: ({ fit }: Row) => duration(fit.wait),
          },
          {
            name: "Recorded mean wait (s)",
            value: ({ fit }: Row) => fit.recorded_wait,
            show: ({ fit }: Row) => duration(fit.recorded_wait),
          },
        ]}
      />
    </section>
  );
}
