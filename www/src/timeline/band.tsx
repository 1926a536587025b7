// The band below the timeline of an adaptive policy: the candidates that decided, over time. Each
// candidate has a row of its own, so that colour is not the only mark.

import { useEffect, useRef } from "preact/hooks";
import { count, share } from "../format/words";
import * as s from "../state";
import { prepare, styled, useSize } from "../ui/canvas";

/** Height of a row, in CSS pixels. */
const ROW = 9;

export function Band({ lane, index }: { lane: s.Lane; index: number }) {
  const [ref, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { candidates } = lane;
  const picture = s.pictures.value.get(lane.id);
  const w = s.view.value;
  const at = s.cursor.value;
  useEffect(() => {
    const context = canvas.current && prepare(canvas.current, size.width, size.height);
    if (!context || !picture) return;
    const x = (time: number) => ((time - w.from) / (w.to - w.from)) * size.width;
    const bins = picture.deciding.length / candidates.length;
    const { from, to } = picture.view;
    const width = (x(to) - x(from)) / bins;
    candidates.forEach((_, row) => {
      context.fillStyle = COLOURS[row]!;
      for (let bin = 0; bin < bins; bin += 1) {
        const share = picture.deciding[row * bins + bin]!;
        // If several candidates decided within a pixel, the height of each bar is its share.
        if (share > 0)
          context.fillRect(
            x(from) + bin * width,
            (row + 1) * ROW - 1 - share * (ROW - 1),
            width + 0.5,
            share * (ROW - 1),
          );
      }
    });
    if (at) {
      context.strokeStyle = styled("--ink");
      context.globalAlpha = 0.6;
      context.strokeRect(x(at.time), -1, 0, size.height + 2);
      context.globalAlpha = 1;
    }
  });
  const figures = lane.result?.figures;
  const shareOf = (row: number) => figures?.[`deciding.${PLACES[row]}`];
  const words = candidates
    .map(
      ({ name }, row) => `${name}${shareOf(row) === undefined ? "" : ` ${share(shareOf(row)!)}`}`,
    )
    .join(", ");
  const switches = figures?.["switches.count"];
  const label = `Deciding policies of run ${s.letter(index)}: ${words}${switches === undefined ? "" : `; ${count(switches)} switches`}`;
  return (
    <div class="band">
      <div class="band-canvas" ref={ref} style={{ height: `${candidates.length * ROW + 1}px` }}>
        <canvas ref={canvas} role="img" aria-label={label} />
      </div>
      <span class="strip-name">
        Deciding policies<small>rows from above:</small>
        {candidates.map(({ name }, row) => (
          <span key={name} class="band-name">
            <i style={{ background: COLOURS[row] }} /> {name}
            {shareOf(row) !== undefined && ` ${share(shareOf(row)!)}`}
          </span>
        ))}
        {switches !== undefined && <small>{count(switches)} switches</small>}
      </span>
    </div>
  );
}

/** Colours that differ from those of runs: Paul Tol's vibrant scheme, and one more. */
const COLOURS = [
  "#ee7733",
  "#009988",
  "#ee3377",
  "#33bbee",
  "#0077bb",
  "#cc3311",
  "#bbbbbb",
  "#997700",
];

const PLACES = ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"];
