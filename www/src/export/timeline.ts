// Timelines as a figure: every visible run, its strips, the axis, the legend and the caption.
import type { Picture } from "../engine/protocol";
import { ask } from "../engine/workers";
import { isCompared } from "../explore/versus";
import type { Figure, Panel } from "../files/picture";
import { count, counted, instant } from "../format/words";
import { nameOf } from "../runs/name";
import * as s from "../state";
import { rgb, styled } from "../ui/canvas";
import { LANE_DASHES, laneColour } from "../ui/colours";
import { ticks } from "../ui/ticks";
import { caption, colours } from "./tools";

const [WIDTH, HEIGHT, STRIP, BAND] = [1200, 240, 60, 26];

/** Pixels of the picture for each unit of the figure. */
const FINE = 2;

const LIMIT = 6000;

function image({ view, pixels }: Picture): { url: string } {
  const canvas = Object.assign(document.createElement("canvas"), {
    width: view.width,
    height: view.height,
  });
  canvas.getContext("2d")!.putImageData(new ImageData(pixels, view.width, view.height), 0, 0);
  return { url: canvas.toDataURL() };
}

/** Returns outlines and numbers of jobs that are large enough. */
function outlines({ boxes, view }: Picture): string {
  if (!boxes) return "";
  const x = (time: number) => ((time - view.from) / (view.to - view.from)) * WIDTH;
  const y = (row: number) => ((row - view.top) / (view.bottom - view.top)) * HEIGHT;
  const parts: string[] = [];
  for (let at = 0; at + 5 < boxes.length; at += 6) {
    const [, number, from, to, top, rows] = boxes.subarray(at, at + 6) as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const [left, width, upper, height] = [x(from), x(to) - x(from), y(top), y(top + rows) - y(top)];
    if (Number.isNaN(number) || width < 3 || height < 3) continue;
    const round = (value: number) => Math.round(value * 100) / 100;
    parts.push(
      `<rect x="${round(left)}" y="${round(upper)}" width="${round(width)}" height="${round(height)}" fill="none" stroke="${styled("--lane")}"/>`,
    );
    if (width > 8 * String(number).length + 6 && height > 12)
      parts.push(
        `<text x="${round(left + 4)}" y="${round(upper + height / 2 + 4)}" font-size="11" fill="#16191d" stroke="#fff" stroke-width="3" paint-order="stroke">${number}</text>`,
      );
  }
  return parts.join("");
}

/** Returns a line over the bins of a picture. */
function line(values: Float32Array, most: number, index: number): string {
  const points = [...values].map(
    (value, bin) =>
      `${(((bin + 0.5) / values.length) * WIDTH).toFixed(1)},${(STRIP - 2 - (Math.min(value, most) / most) * (STRIP - 4)).toFixed(1)}`,
  );
  return `<polyline points="${points.join(" ")}" fill="none" stroke="${laneColour(index)}" stroke-width="1.5" stroke-dasharray="${LANE_DASHES[index % LANE_DASHES.length]!.join(" ") || "none"}"/>`;
}

function band(versus: Float32Array, processors: number): string {
  const half = versus.length / 2;
  const bars = (place: number, colour: string, isUp: boolean) =>
    [...versus.subarray(place, place + half)]
      .map((value, bin) => {
        const height = Math.min(1, value / processors) * (BAND / 2);
        return height > 0
          ? `<rect x="${((bin / half) * WIDTH).toFixed(1)}" y="${(isUp ? BAND / 2 - height : BAND / 2).toFixed(2)}" width="${(WIDTH / half + 0.3).toFixed(2)}" height="${height.toFixed(2)}" fill="${colour}"/>`
          : "";
      })
      .join("");
  return bars(0, "#1b62b5", true) + bars(half, "#e06600", false);
}

/** Returns the figure of these runs, in the window that is shown. */
export async function timelineFigure(lanes: s.Lane[]): Promise<Figure | undefined> {
  const window = s.view.value;
  const drawn: { lane: s.Lane; index: number; picture: Picture }[] = [];
  for (const lane of lanes) {
    const view = {
      ...window,
      width: WIDTH * FINE,
      height: HEIGHT * FINE,
      background: rgb(styled("--lane")),
      colouring: s.colouring.value,
      theme: s.theme.value,
      bins: WIDTH,
      limit: LIMIT,
      rows: s.rowsBy.value,
      versus: isCompared(lane),
    };
    const picture = lane.hand && (await ask(lane.hand, (engine) => engine.draw(view)));
    if (picture) drawn.push({ lane, index: s.lanes.value.indexOf(lane), picture });
  }
  if (drawn.length === 0) return undefined;
  const panels: Panel[] = [];
  for (const { lane, index, picture } of drawn) {
    const letter = s.letter(index);
    if (picture.versus)
      panels.push({
        name: `above: runs in ${letter}, waits in A; below: runs in A, waits in ${letter}`,
        height: BAND,
        marks: band(picture.versus, Math.max(1, lane.facts?.processors ?? 1)),
      });
    panels.push({
      name: `${letter} ${nameOf(lane)}: ${s.rowsFor(lane) === "gpus" ? "GPUs" : "rows"} ${count(Math.floor(window.top))} to ${count(Math.ceil(window.bottom) - 1)}`,
      height: HEIGHT,
      image: image(picture),
      marks: outlines(picture),
    });
  }
  const part = (picture: Picture, at: number) =>
    picture.bins.subarray((at * picture.bins.length) / 3, ((at + 1) * picture.bins.length) / 3);
  ["Utilisation, 0 to 100 %", "Queue length", "Waiting work"].forEach((name, at) => {
    const scaled = drawn.map(({ lane, index, picture }) => ({
      index,
      values:
        at === 0
          ? part(picture, 0).map((value) => value / Math.max(1, lane.facts?.processors ?? 1))
          : part(picture, at),
    }));
    const most =
      at === 0
        ? 1
        : Math.max(
            1,
            ...scaled.map(({ values }) => values.reduce((one, other) => Math.max(one, other), 0)),
          );
    const unit =
      at === 1
        ? `, 0 to ${counted(Math.round(most), "job")}`
        : at === 2
          ? `, 0 to ${count(Math.round(most / 3600))} processor hours`
          : "";
    panels.push({
      name: `${name}${unit}`,
      height: STRIP,
      marks: scaled.map(({ index, values }) => line(values, most, index)).join(""),
    });
  });
  const unixStart = s.workload.value?.provenance.unix_start;
  const scale = WIDTH / (window.to - window.from);
  const legend = drawn[0]!.picture.legend;
  return {
    title:
      drawn.length === 1
        ? `Timeline ${s.letter(drawn[0]!.index)} ${drawn[0]!.lane.policy}`
        : "Timelines",
    caption: caption(
      `${drawn.map(({ lane, index }) => `${s.letter(index)}: ${nameOf(lane)}, schedule ${lane.result?.digest ?? "not complete"}`).join("; ")}. ${instant(window.from, unixStart)} to ${instant(window.to, unixStart)}`,
    ),
    width: WIDTH,
    panels,
    ticks: ticks(window.from, window.to, 12, unixStart, s.extent.value.to)
      .map(({ at, label }) => ({ at: (at - window.from) * scale, label }))
      .filter(({ at, label }) => at + 7 * label.length < WIDTH),
    ...(legend ? { legend } : {}),
    colours: colours(),
  };
}
