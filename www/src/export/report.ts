// A report: one HTML file about the visible runs, or about a plan. It needs no other file, runs no script,
// and prints on paper.

import type { Problem } from "schedscope";
import { escaped, svgOf } from "../files/picture";
import { saveBlob, stem } from "../files/save";
import type { Table } from "../files/table";
import { inList } from "../format/words";
import * as lab from "../lab";
import { link } from "../link/here";
import { isOld, nameOf } from "../runs/name";
import { origin, sourceName } from "../runs/origin";
import { sentence } from "../runs/sentence";
import * as s from "../state";
import { basis, changesAndClasses, legend } from "./decision";
import { tableOf } from "./rows";
import { timelineFigure } from "./timeline";

const STYLE =
  "body{font:15px/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem;color:#16191d;background:#fff}table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}th,td{text-align:right;padding:.25rem .6rem;border-bottom:1px solid #d8dce2}.word{text-align:left;min-width:7rem;overflow-wrap:anywhere}svg{max-width:100%;height:auto}pre{background:#f6f7f9;padding:.8rem;overflow-x:auto}.wide{overflow-x:auto}h3,h4{margin-bottom:.3rem}@media print{body{margin:0;max-width:none;font-size:10pt}pre{white-space:pre-wrap;overflow-wrap:anywhere}.wide{overflow:visible}h2,h3,h4{break-after:avoid}tr,svg{break-inside:avoid}}";

const page = (title: string, body: string): string =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${STYLE}</style></head><body><h1>${escaped(title)}</h1>${body}</body></html>\n`;

const json = (value: unknown): string => `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;

/** Saves a report of the visible runs, with these figures. */
export async function saveReport(figures: Table): Promise<void> {
  const provenance = s.workload.value?.provenance;
  if (!provenance) return;
  const done = s.lanes.value.filter((lane) => lane.state === "done");
  const old = s.lanes.value.flatMap((lane, index) => (isOld(lane) ? [s.letter(index)] : []));
  if (old.length > 0)
    throw {
      what: `There is no report, because settings or code have changed since ${inList(old)} ran.`,
      why: "A report must not tell the figures of old settings beside new settings.",
      next: "Press “Run what changed”, and then “Report” again.",
    } satisfies Problem;
  const figure = await timelineFigure(done);
  const name = sourceName(provenance.name);
  const url = await link();
  const isFile = s.source.value?.kind === "file";
  const body = [
    `<p>${escaped(sentence())}</p>`,
    `<p>${escaped(origin(provenance))} SHA-256 of the trace: <code>${provenance.sha256}</code>.</p>`,
    legend(done),
    figure ? svgOf(figure) : "",
    "<h2>Figures</h2>",
    tableOf(figures),
    await changesAndClasses(done),
    basis(done),
    "<h2>Runs</h2>",
    ...done.map(
      (lane) =>
        `<h3>${s.letter(s.lanes.value.indexOf(lane))} ${escaped(nameOf(lane))}</h3><p>Schedule <code>${lane.result?.digest}</code>. The scenario, for <code>schedscope</code> and the page:</p>${json(lab.scenario(lane))}`,
    ),
    `<h2>Reproduce</h2><p>Open the same runs on the page: <a href="${escaped(url)}">link</a>.${isFile ? " The page asks for the trace's file, because no link contains it." : ""}</p>`,
  ];
  saveBlob(
    new Blob([page(`Schedscope: ${name}`, body.join("\n"))], { type: "text/html" }),
    `${stem(`report-${name}`)}.html`,
  );
}

/** Saves a report of a plan: its charts, its points, the plan itself. */
export function savePlanReport(
  name: string,
  plan: unknown,
  table: Table,
  charts: Iterable<() => string>,
): void {
  const body = [
    ...[...charts].map((chart) => chart()),
    "<h2>Points</h2>",
    tableOf(table),
    "<h2>Plan</h2>",
    `<p>For <code>schedscope sweep</code> and the page's Sweep tab. Schedscope ${escaped(s.catalog.value?.version ?? "")}.</p>`,
    json(plan),
  ];
  saveBlob(
    new Blob([page(`Schedscope: ${name}`, body.join("\n"))], { type: "text/html" }),
    `${stem(`report-${name}`)}.html`,
  );
}
