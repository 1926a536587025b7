// The band between two timelines: the jobs that run in one run while they wait in the first.

import { useEffect, useRef } from "preact/hooks";
import { figure } from "../format/words";
import * as s from "../state";
import { prepare, styled, useSize } from "../ui/canvas";

/**
 * Colours of the band and of the colouring: blue if a job waits less, orange if it waits longer.
 */
const [LESS, MORE] = ["#1b62b5", "#e06600"];

export function Versus({ lane, index }: { lane: s.Lane; index: number }) {
  const [ref, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = s.pictures.value.get(lane.id);
  const w = s.view.value;
  const processors = Math.max(1, lane.facts?.processors ?? 1);
  const half = (picture?.versus?.length ?? 0) / 2;
  useEffect(() => {
    const context = canvas.current && prepare(canvas.current, size.width, size.height);
    if (!context || !picture?.versus) return;
    const { from, to } = picture.view;
    const x = (time: number) => ((time - w.from) / (w.to - w.from)) * size.width;
    const width = (x(to) - x(from)) / half;
    const middle = size.height / 2;
    for (const [place, colour, direction] of [
      [0, LESS, -1],
      [half, MORE, 1],
    ] as const) {
      context.fillStyle = colour;
      for (let bin = 0; bin < half; bin += 1) {
        const length = Math.min(1, picture.versus[place + bin]! / processors) * middle;
        if (length > 0)
          context.fillRect(
            x(from) + bin * width,
            direction < 0 ? middle - length : middle,
            width + 0.5,
            length,
          );
      }
    }
    context.fillStyle = styled("--ink-2");
    context.fillRect(0, middle - 0.5, size.width, 1);
  });
  const at = s.cursor.value?.time;
  const value = (place: number) => {
    if (at === undefined || !picture?.versus) return undefined;
    const bin = Math.floor(
      ((at - picture.view.from) / (picture.view.to - picture.view.from)) * half,
    );
    return bin >= 0 && bin < half ? picture.versus[place + bin] : undefined;
  };
  const [here, there] = [value(0), value(half)];
  const letter = s.letter(index);
  return (
    <div class="versus along">
      <span class="gutter strip-name">
        <small class="less" title={`Runs in ${letter} while it waits in A`}>
          <i style={{ background: LESS }} /> {letter} only
          {here !== undefined && ` ${figure(here)}`}
        </small>
        <small class="more" title={`Runs in A while it waits in ${letter}`}>
          <i style={{ background: MORE }} /> A only
          {there !== undefined && ` ${figure(there)}`}
        </small>
      </span>
      <div ref={ref} class="versus-canvas">
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Processors of jobs that run in ${letter} and wait in A, above the middle; of jobs that run in A and wait in ${letter}, below`}
        />
      </div>
    </div>
  );
}
