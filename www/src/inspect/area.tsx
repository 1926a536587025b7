// The statistics of an area of the timelines, in the inspector.

import { facts, inWordsOf, isOld, rows } from "../explore/area";
import { applied } from "../explore/filter";
import { count, duration, figure, instant, share } from "../format/words";
import * as s from "../state";
import { show } from "../timeline/navigate";
import { Mark } from "../ui/mark";
import { TableTools } from "../ui/table";

const QUANTITIES: [string, string, (value: number) => string][] = [
  ["wait", "Wait", duration],
  ["bounded_slowdown", "Slowdown", figure],
  ["runtime", "Run time", duration],
  ["size", "Processors", figure],
];

const STATISTICS: [string, string][] = [
  ["mean", "mean"],
  ["median", "p50"],
  ["p95", "p95"],
  ["max", "max"],
];

export function AreaPanel() {
  const area = s.area.value;
  if (!area) return null;
  const unixStart = s.workload.value?.provenance.unix_start;
  const size = (area.to - area.from) * (area.bottom - area.top);
  const lanes = s.lanes.value.map((lane, index) => {
    const found = facts.value.get(lane.id);
    return { lane, index, found, isOld: found !== undefined && isOld(found) };
  });
  const table = () => ({
    title: `Jobs of ${inWordsOf(area)}`,
    head: [
      "run",
      "jobs",
      ...QUANTITIES.flatMap(([id]) => STATISTICS.map(([statistic]) => `${id}.${statistic}`)),
    ],
    rows: lanes.map(({ index, found: told, isOld }) => {
      const found = isOld ? undefined : told;
      return [
        s.letter(index),
        found?.jobs,
        ...QUANTITIES.flatMap(([id]) =>
          STATISTICS.map(([statistic]) => found?.figures[`${id}.${statistic}`]),
        ),
      ];
    }),
  });
  return (
    <section class="area" aria-label="Area">
      <h2>Area</h2>
      <dl class="facts">
        <dt>From</dt>
        <dd>{instant(area.from, unixStart)}</dd>
        <dt>To</dt>
        <dd>{instant(area.to, unixStart)}</dd>
        <dt>Length</dt>
        <dd>{duration(area.to - area.from)}</dd>
        <dt>Rows</dt>
        <dd>{rows(area)}</dd>
      </dl>
      {lanes.map(
        ({ lane, index, found, isOld }) =>
          found && (
            <div
              key={lane.id}
              class="scroll"
              aria-busy={isOld}
              tabIndex={0}
              role="region"
              aria-label={`The area in run ${s.letter(index)}`}
            >
              <table class="area-table" data-run={s.letter(index)}>
                <caption>
                  <Mark index={index} /> {s.letter(index)}: {count(found.jobs)} job
                  {found.jobs === 1 ? "" : "s"}
                  {applied.value && " that pass the filter"}, {share(found.work / size)} of the area
                  {found.figures["jobs.value"] !== found.jobs &&
                    `; figures of the ${count(found.figures["jobs.value"] ?? 0)} finished jobs`}
                </caption>
                <thead>
                  <tr>
                    <th scope="col">
                      <span class="unseen">Quantity</span>
                    </th>
                    {STATISTICS.map(([, name]) => (
                      <th scope="col" key={name}>
                        {name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {QUANTITIES.map(([id, name, say]) => (
                    <tr key={id}>
                      <th scope="row">{name}</th>
                      {STATISTICS.map(([statistic]) => (
                        <td key={statistic}>
                          {found.figures["jobs.value"]
                            ? say(found.figures[`${id}.${statistic}`] ?? Number.NaN)
                            : "–"}
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          ),
      )}
      <div class="buttons">
        <button type="button" class="small" onClick={() => show(area)}>
          Zoom to area
        </button>
        <button type="button" class="small" onClick={() => s.selectArea(undefined)}>
          Clear selection
        </button>
        <TableTools of={table} />
      </div>
    </section>
  );
}
