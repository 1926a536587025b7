// The strips below the timelines: utilisation, queue length and waiting work of all runs in one
// picture.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { counted, figure, instant, share } from "../format/words";
import * as s from "../state";
import { density, prepare, rgb, styled, useSize } from "../ui/canvas";
import { Card, type Place } from "../ui/card";
import { LANE_DASHES, laneColour, laneStyle } from "../ui/colours";
import { paintLine } from "./line";

/** The strips: text of a value, and the least height of the scale. */
const KINDS = {
  used: { say: (value: number) => share(value), least: 1 },
  waiting: {
    say: (value: number) => counted(Math.round(value), "job"),
    least: 1,
  },
  work: {
    say: (value: number) => `${figure(value / 3600)} processor hours`,
    least: 3600,
  },
} satisfies Record<s.StripKind, { say: (value: number) => string; least: number }>;

/** The order of the strips in a picture's bins. */
export const ORDER = ["used", "waiting", "work"] as const;

const shown = s.lanesWith("id", "facts");

/** Draws one line for each run. A strip shows means over the pixels of the window. */
export function Strip({ kind }: { kind: s.StripKind }) {
  const [ref, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const pointed = useSignal<Place | undefined>(undefined);
  const lines = shown.value.map((lane, index) => {
    const picture = s.pictures.value.get(lane.id);
    const part = picture ? picture.bins.length / ORDER.length : 0;
    const values = picture?.bins.subarray(
      ORDER.indexOf(kind) * part,
      (ORDER.indexOf(kind) + 1) * part,
    );
    // Processors in use are a share of the run's own machine.
    const scale = kind === "used" ? 1 / Math.max(1, lane.facts?.processors ?? 1) : 1;
    return { index, picture, scale, values: lane.facts ? values : undefined };
  });
  const at = pointedTime();
  const { say, least } = KINDS[kind];
  const name = s.STRIPS[kind];
  const most =
    kind === "used"
      ? 1
      : Math.max(
          least,
          ...lines.map(({ values }) => (values ? values.reduce((a, b) => Math.max(a, b), 0) : 0)),
        );
  const w = s.view.value;
  useEffect(() => {
    const context = canvas.current && prepare(canvas.current, size.width, size.height);
    if (!context) return;
    const { width, height } = context.canvas;
    const unit = density();
    const pixels = context.createImageData(width, height);
    for (const line of lines) {
      const heightAt = (column: number) => {
        const time = w.from + ((column + 0.5) / width) * (w.to - w.from);
        const value = lineAt(line, time) ?? Number.NaN;
        return height - 2 * unit - (value / most) * (height - 4 * unit);
      };
      const dashes = LANE_DASHES[line.index % LANE_DASHES.length]!.map((each) => each * unit);
      paintLine(pixels, heightAt, rgb(laneColour(line.index)), dashes, 1.5 * unit);
    }
    context.putImageData(pixels, 0, 0);
    if (at !== undefined) {
      context.strokeStyle = styled("--ink");
      context.globalAlpha = 0.6;
      context.strokeRect(((at - w.from) / (w.to - w.from)) * size.width, -1, 0, size.height + 2);
      context.globalAlpha = 1;
    }
  }, [
    w,
    size,
    s.theme.value,
    at,
    most,
    ...lines.flatMap(({ picture, scale, values }) => [picture, scale, !values]),
  ]);
  const scale = `0 to ${kind === "used" ? "100 %" : say(most)}`;
  const point = (event: PointerEvent) => {
    const box = ref.current!.getBoundingClientRect();
    pointed.value = { x: event.clientX, y: event.clientY };
    s.moveCursor({
      time: w.from + ((event.clientX - box.left) / box.width) * (w.to - w.from),
      processor: s.cursor.value?.processor ?? 0,
    });
  };
  return (
    <div class="strip along">
      <span class="gutter strip-name">
        {name}
        <small title={scale}>{scale}</small>
      </span>
      <div
        ref={ref}
        class="strip-canvas"
        onPointerMove={point}
        onPointerLeave={() => {
          pointed.value = undefined;
          s.moveCursor(undefined);
        }}
      >
        <canvas ref={canvas} role="img" aria-label={`${name} over time, one line for each run`} />
        <span class="strip-values">
          {lines.map((line) => {
            const value = lineAt(line, at);
            return (
              value !== undefined && (
                <span key={line.index}>
                  <b style={{ color: laneStyle(line.index) }}>{s.letter(line.index)}</b>{" "}
                  {say(value)}
                </span>
              )
            );
          })}
        </span>
        {pointed.value && at !== undefined && (
          <Card
            at={pointed.value}
            words={[
              `${name}, ${instant(at, s.workload.value?.provenance.unix_start)}`,
              ...lines.map((line) => {
                const value = lineAt(line, at);
                return `${s.letter(line.index)}: ${value === undefined ? "–" : say(value)}`;
              }),
            ].join("\n")}
          />
        )}
      </div>
    </div>
  );
}

/** Position of the cursor that all pictures share. */
const pointedTime = (): number | undefined => s.cursor.value?.time ?? s.instant.value;

/** The values of a run in a strip. */
interface Line {
  index: number;
  picture: { view: { from: number; to: number } } | undefined;
  scale: number;
  values: Float32Array | undefined;
}

/** Returns the value of a run at an instant; undefined outside its picture. */
function lineAt({ picture, scale, values }: Line, at: number | undefined): number | undefined {
  if (at === undefined || !values || !picture) return undefined;
  const { from, to } = picture.view;
  const value = values[Math.floor(((at - from) / (to - from)) * values.length)];
  return value === undefined ? undefined : value * scale;
}
