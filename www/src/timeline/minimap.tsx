// A small picture of the whole run, and the window in it.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "../engine/workers";
import { instant } from "../format/words";
import * as s from "../state";
import { prepare, styled, useSize } from "../ui/canvas";
import { show } from "./navigate";
import { ORDER } from "./strips";

/**
 * A small picture of the whole run: the utilisation of the first run, and the window as a handle.
 */
export function Minimap() {
  const [ref, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const lane = s.lanes.value.find((lane) => lane.hand && lane.facts);
  const all = s.extent.value;
  const data = useRef<{ bins: Float32Array; from: number; to: number } | undefined>(undefined);
  const asking = useRef(false);
  /** The last question. After an answer to an older question, the next question follows. */
  const asked = useRef<unknown[]>([]);
  const [answers, setAnswers] = useState(0);
  const paint = () => {
    const context = canvas.current && prepare(canvas.current, size.width, size.height);
    if (!context || !data.current) return;
    const { bins, from, to } = data.current;
    const extent = s.extent.value;
    context.fillStyle = styled("--silhouette");
    const processors = Math.max(1, lane?.facts?.processors ?? 1);
    const used = bins.subarray(0, bins.length / ORDER.length);
    const width = (((to - from) / (extent.to - extent.from)) * size.width) / used.length;
    used.forEach((value, bin) => {
      const height = (value / processors) * size.height;
      context.fillRect(bin * width, size.height - height, width + 0.5, height);
    });
  };
  useEffect(() => {
    if (!lane?.hand || asking.current || size.width < 1) return;
    const question = [lane.hand, lane.drawn, all, size];
    if (question.every((part, at) => part === asked.current[at])) return;
    asked.current = question;
    asking.current = true;
    const [from, to] = [all.from, all.to];
    ask(lane.hand, (engine) => engine.overview(from, to, Math.round(size.width))).then(
      (bins) => {
        asking.current = false;
        setAnswers((answers) => answers + 1);
        if (bins) data.current = { bins, from, to };
        paint();
      },
      () => {
        asking.current = false;
        setAnswers((answers) => answers + 1);
      },
    );
  }, [lane?.hand, lane?.drawn, all, size, answers]);
  useEffect(paint, [size, s.theme.value]);

  const w = s.view.value;
  const toTime = (event: PointerEvent) => {
    const box = ref.current!.getBoundingClientRect();
    return all.from + ((event.clientX - box.left) / box.width) * (all.to - all.from);
  };
  const centre = (event: PointerEvent) => {
    const length = w.to - w.from;
    const from = Math.min(Math.max(toTime(event) - length / 2, all.from), all.to - length);
    show({ ...w, from, to: from + length });
  };
  const onDown = (event: PointerEvent) => {
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    centre(event);
  };
  const onMove = (event: PointerEvent) => {
    if (event.buttons === 1) centre(event);
  };
  const percent = (time: number) => ((time - all.from) / (all.to - all.from)) * 100;
  const unixStart = s.workload.value?.provenance.unix_start;
  return (
    <div class="minimap" ref={ref} onPointerDown={onDown} onPointerMove={onMove}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`The whole run from ${instant(all.from, unixStart)} to ${instant(all.to, unixStart)}; the window shows ${instant(w.from, unixStart)} to ${instant(w.to, unixStart)}`}
      />
      <div
        class="minimap-window"
        style={{ left: `${percent(w.from)}%`, width: `${percent(w.to) - percent(w.from)}%` }}
      />
    </div>
  );
}
