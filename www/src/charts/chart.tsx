// A chart with its legend, its table and its files. Observable Plot draws it; this module is loaded
// when a chart is first shown.
import * as Plot from "@observablehq/plot";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { png, wrapped } from "../files/picture";
import { saveBlob } from "../files/save";
import { comment, csv } from "../format/csv";
import { asProblem } from "../format/problem";
import { count, figure } from "../format/words";
import * as s from "../state";
import { LANE_DASHES, laneColour, laneStyle } from "../ui/colours";
import { TableTools } from "../ui/table";

export type Row = Record<string, string | number | undefined>;

/** A chart's content: its marks and its table are made of `rows`. */
export interface Spec {
  /** Title in a few words, which also names the files. */
  title: string;
  /** Origin of the figures: trace, hash, seed, version. */
  caption: string;
  /** Names of the series, in order; empty where colour has another meaning. */
  series: string[];
  /** Names whose indices give the series their colours; the series themselves if empty. */
  palette?: string[];
  rows: Row[];
  /** Titles of the columns in the table and the CSV file, in order. */
  columns: string[];
  /** Columns along each axis that need not begin at zero. */
  free?: { x?: string[]; y?: string[] };
  /** Returns marks and scales for the rows of the visible series. */
  plot: (rows: Row[], look: Look) => Plot.PlotOptions;
  height?: number;
}

export interface Look {
  colour: (series: string) => string;
  dash: (series: string) => string;
  symbol: (series: string) => Plot.SymbolType;
  /** The visible series. */
  shown: string[];
  /** Width in pixels. */
  width: number;
  isDark: boolean;
}

/** The visible charts. A report asks each chart for its file. */
export const charts = new Map<string, () => string>();

const SYMBOLS: Plot.SymbolType[] = [
  "circle",
  "square",
  "triangle",
  "diamond",
  "cross",
  "star",
  "wye",
];

/** Number of rows that the table under a chart lists. */
const LISTED = 300;

const shownCell = (value: Row[string]): string =>
  typeof value === "number"
    ? Number.isInteger(value)
      ? count(value)
      : figure(value)
    : (value ?? "");

export function Chart({
  spec,
  onPick,
  pickable,
}: {
  spec: Spec;
  onPick?: (row: Row) => void;
  pickable?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const theme = s.theme.value;
  const visible = spec.series.filter((name) => !hidden.value.has(name));
  // Another plan may have none of these series.
  const shown = visible.length > 0 ? visible : spec.series;
  const rows = useMemo(
    () =>
      spec.series.length > 0
        ? spec.rows.filter((row) => shown.includes(String(row.series)))
        : spec.rows,
    [spec, hidden.value],
  );
  useEffect(() => {
    if (!box.current) return;
    const watch = new ResizeObserver(([entry]) =>
      setWidth(Math.floor(entry?.contentRect.width ?? 0)),
    );
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const draw = (across: number): Element => Plot.plot(options(spec, rows, shown, across));
  useEffect(() => {
    if (!box.current || width < 50) return;
    const drawn = draw(width);
    if (onPick)
      drawn.addEventListener("click", () => {
        const { value } = drawn as Element & { value?: Row };
        if (value) onPick(value);
      });
    // The figure has a name and a table. The names of marks inside a picture mean nothing to a
    // screen reader.
    for (const part of drawn.querySelectorAll("[aria-label], [aria-description]"))
      for (const name of ["aria-label", "aria-description"]) part.removeAttribute(name);
    box.current.replaceChildren(drawn);
  }, [spec, rows, width, theme]);
  const toggle = (name: string) => {
    const next = new Set(hidden.value);
    if (!next.delete(name) && shown.length > 1) next.add(name);
    hidden.value = next;
  };
  const stem = spec.title.replace(/[^\w.-]+/g, "-").toLowerCase();
  const file = () => complete(draw(720), spec, shown);
  const savePng = async () => {
    try {
      saveBlob(await png(file()), `${stem}.png`);
    } catch (error) {
      s.tell(asProblem(error));
    }
  };
  useEffect(() => {
    charts.set(spec.title, file);
    return () => void charts.delete(spec.title);
  });
  return (
    <figure class="chart">
      <figcaption>
        <b>{spec.title}</b>
        <span class="spring" />
        <button
          type="button"
          class="small"
          aria-label={`${spec.title} as SVG`}
          onClick={() => saveBlob(new Blob([file()], { type: "image/svg+xml" }), `${stem}.svg`)}
        >
          SVG
        </button>
        <button
          type="button"
          class="small"
          aria-label={`${spec.title} as PNG`}
          onClick={() => void savePng()}
        >
          PNG
        </button>
        <button
          type="button"
          class="small"
          aria-label={`${spec.title} as CSV`}
          onClick={() => saveBlob(new Blob([values(spec)], { type: "text/csv" }), `${stem}.csv`)}
        >
          CSV
        </button>
      </figcaption>
      {spec.series.length > 0 && (
        <div class="legend-keys" role="group" aria-label="Series">
          {spec.series.map((name) => (
            <button
              type="button"
              key={name}
              class="small"
              aria-pressed={shown.includes(name)}
              onClick={() => toggle(name)}
            >
              <Key name={name} spec={spec} /> {name}
            </button>
          ))}
        </div>
      )}
      <div
        ref={box}
        class="plot"
        role="img"
        aria-label={`${spec.title}. ${rows.length} values; the table below has them.`}
      />
      <p class="quiet">{spec.caption}</p>
      <details>
        <summary>Values as a table</summary>
        <TableTools
          of={() => ({
            title: spec.title,
            head: spec.columns,
            rows: spec.rows.map((row) => spec.columns.map((column) => row[column])),
          })}
        />
        <div class="scroll" tabIndex={0} role="region" aria-label={`Values of ${spec.title}`}>
          <table>
            <thead>
              <tr>
                {spec.columns.map((column) => (
                  <th scope="col" key={column}>
                    {column}
                  </th>
                ))}
                {onPick && <th scope="col">Run</th>}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, LISTED).map((row, at) => (
                <tr key={at}>
                  {spec.columns.map((column) => (
                    <td key={column}>{shownCell(row[column])}</td>
                  ))}
                  {onPick && (
                    <td>
                      <button type="button" class="small" onClick={() => onPick(row)}>
                        {pickable ?? "Open"}
                      </button>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {rows.length > LISTED && (
          <p class="quiet">
            Shows the first {LISTED} of {rows.length} values. The CSV file has all.
          </p>
        )}
      </details>
    </figure>
  );
}

/** Index of a series in the palette. */
const placeOf = (spec: Spec, name: string): number =>
  Math.max(0, (spec.palette ?? spec.series).indexOf(name));

function Key({ name, spec }: { name: string; spec: Spec }) {
  const index = placeOf(spec, name);
  return (
    <svg class="mark" viewBox="0 0 18 10" aria-hidden="true">
      <line
        x1="0"
        y1="5"
        x2="18"
        y2="5"
        style={{ stroke: laneStyle(index) }}
        stroke-width="3"
        stroke-dasharray={dashes(index)}
      />
    </svg>
  );
}

/** Colours repeat after seven series, then with other dashes and marks, so 49 series differ. */
const turn = (index: number): number => index + Math.floor(index / LANE_DASHES.length);

const dashes = (index: number): string => LANE_DASHES[turn(index) % LANE_DASHES.length]!.join(" ");

function options(spec: Spec, rows: Row[], shown: string[], width: number): Plot.PlotOptions {
  const index = (name: string) => placeOf(spec, name);
  const look: Look = {
    colour: (name) => laneColour(index(name)),
    dash: (name) => dashes(index(name)),
    symbol: (name) => SYMBOLS[turn(index(name)) % SYMBOLS.length]!,
    shown,
    width,
    isDark: s.theme.value === "dark",
  };
  const colours =
    spec.series.length > 0
      ? { color: { domain: spec.series, range: spec.series.map((name) => look.colour(name)) } }
      : {};
  return {
    width,
    height: spec.height ?? 340,
    marginLeft: 64,
    marginBottom: 42,
    style: { background: "transparent", fontSize: "12px" },
    ...colours,
    ...spec.plot(rows, look),
  };
}

/** Returns the chart as a standalone file with title, legend and caption. */
function complete(drawn: Element, spec: Spec, shown: string[]): string {
  const dark = s.theme.value === "dark";
  const [ink, paper] = dark ? ["#e8ebef", "#171a1f"] : ["#16191d", "#ffffff"];
  // Plot wraps its picture in a figure if a colour scale stands above it.
  const pictures =
    drawn instanceof SVGElement ? [drawn] : [...drawn.querySelectorAll<SVGElement>(":scope > svg")];
  const size = (picture: SVGElement, name: string) => Number(picture.getAttribute(name));
  const width = Math.max(...pictures.map((picture) => size(picture, "width")));
  const height = pictures.reduce((sum, picture) => sum + size(picture, "height"), 0);
  const space = "http://www.w3.org/2000/svg";
  const outer = document.createElementNS(space, "svg");
  const lines = wrapped(spec.caption, 110);
  // The keys of the legend stand in a line, each as wide as its name.
  let [across, row] = [10, 0];
  const keys = shown.map((name) => {
    const room = 46 + 7 * name.length;
    if (across + room > width && across > 10) [across, row] = [10, row + 1];
    const key = { name, x: across, y: 36 + 20 * row };
    across += room;
    return key;
  });
  const top = 26 + (shown.length > 0 ? 20 * (row + 1) : 0);
  const total = top + height + 8 + 14 * lines.length + 8;
  const attributes = {
    xmlns: space,
    width,
    height: total,
    viewBox: `0 0 ${width} ${total}`,
    fill: ink,
    color: ink,
    "font-family": "system-ui, sans-serif",
    "font-size": 12,
  };
  for (const [name, value] of Object.entries(attributes)) outer.setAttribute(name, String(value));
  const add = (tag: string, values: Record<string, string | number>, text = "") => {
    const element = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(values)) element.setAttribute(name, String(value));
    element.textContent = text;
    outer.append(element);
  };
  add("title", {}, spec.title);
  add("desc", {}, spec.caption);
  add("rect", { width, height: total, fill: paper });
  add("text", { x: 10, y: 18, "font-weight": 600, "font-size": 14 }, spec.title);
  keys.forEach(({ name, x, y }) => {
    const index = placeOf(spec, name);
    add("line", {
      x1: x,
      x2: x + 20,
      y1: y,
      y2: y,
      stroke: laneColour(index),
      "stroke-width": 3,
      "stroke-dasharray": dashes(index) || "none",
    });
    add("text", { x: x + 26, y: y + 4 }, name);
  });
  let below = top;
  for (const picture of pictures) {
    picture.setAttribute("y", String(below));
    picture.querySelector("style")?.remove();
    below += size(picture, "height");
    outer.append(picture);
  }
  for (const [at, line] of lines.entries())
    add("text", { x: 10, y: top + height + 14 + 14 * at, "font-size": 10 }, line);
  return new XMLSerializer().serializeToString(outer);
}

/** Returns the values as CSV, with the caption as comments above them. */
function values(spec: Spec): string {
  const rows = spec.rows.map((row) => spec.columns.map((column) => row[column]));
  return `${comment(spec.title)}\n${comment(spec.caption)}\n${csv([spec.columns, ...rows])}\n`;
}
