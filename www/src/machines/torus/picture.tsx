// A torus at an instant, and the largest free box over time.

import { useEffect, useRef } from "preact/hooks";
import * as s from "../../state";
import { useLatest } from "../../timeline/latest";
import { prepare, styled, useSize } from "../../ui/canvas";
import { contiguity, geometry, occupancy } from "./ask";
import { Pictures, pointAtNode } from "./panes";

export default function TorusPicture({ lane }: { lane: s.Lane }) {
  const shape = useLatest(lane, [lane.facts], () => (lane.facts ? geometry : undefined));
  const at = s.instant.value;
  const [colouring, theme] = [s.colouring.value, s.theme.value];
  const answer = useLatest(lane, [at, colouring, theme, lane.drawn], () =>
    at === undefined || !lane.facts
      ? undefined
      : (engine) => occupancy(engine, at, colouring, theme),
  );
  useEffect(() => () => pointAtNode(undefined), []);
  useEffect(() => {
    s.explainColours(answer?.legend);
  }, [answer]);
  return shape && answer ? (
    <Pictures lane={lane} geometry={shape} occupancy={answer.facts} />
  ) : (
    <p class="quiet">{lane.state === "failed" ? "The run failed." : "Waiting for the run…"}</p>
  );
}

/**
 * Strip with the share of the free nodes in the largest free box, over the window of the timeline.
 */
export function Strip({ lane }: { lane: s.Lane }) {
  const [ref, room] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { from, to } = s.view.value;
  const parts = Math.min(400, Math.round(room.width / 2));
  const shares = useLatest(lane, [from, to, parts, lane.state], () =>
    parts > 0 && lane.state === "done"
      ? async (engine) => ({ from, to, shares: await contiguity(engine, from, to, parts) })
      : undefined,
  );
  useEffect(() => {
    const context = canvas.current && prepare(canvas.current, room.width, room.height);
    if (!context || !shares) return;
    const x = (time: number) => ((time - from) / (to - from)) * room.width;
    context.fillStyle = styled("--silhouette");
    shares.shares.forEach((value, bin) => {
      if (value === null) return;
      const left = shares.from + (bin / shares.shares.length) * (shares.to - shares.from);
      const right = shares.from + ((bin + 1) / shares.shares.length) * (shares.to - shares.from);
      context.fillRect(
        x(left),
        room.height * (1 - value),
        Math.max(1, x(right) - x(left)),
        room.height * value,
      );
    });
    if (s.instant.value !== undefined) {
      context.strokeStyle = styled("--accent");
      context.lineWidth = 2;
      context.strokeRect(x(s.instant.value), -2, 0, room.height + 4);
    }
  }, [shares, room, from, to, s.instant.value, s.theme.value]);
  return (
    <div class="strip">
      <span class="strip-name">
        Largest free box
        <small>share of the free nodes, 0 to 100 %; no line where no node is free</small>
      </span>
      <div ref={ref} class="strip-canvas">
        <canvas
          ref={canvas}
          role="img"
          aria-label="The largest free box as a share of the free nodes, over time"
        />
      </div>
    </div>
  );
}
