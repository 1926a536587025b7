// The time axis. Dragging on it measures.
import { useRef } from "preact/hooks";
import { pull, rulerOf } from "../explore/area";
import * as s from "../state";
import { useSize } from "../ui/canvas";
import { ticks } from "../ui/ticks";

export function TimeAxis() {
  const [ref, size] = useSize<HTMLDivElement>();
  const w = s.view.value;
  const unixStart = s.workload.value?.provenance.unix_start;
  // A label that the right edge would cut off is omitted.
  const last = w.to - ((w.to - w.from) * 75) / Math.max(150, size.width);
  const found = ticks(
    w.from,
    w.to,
    Math.max(2, size.width / 90),
    unixStart,
    s.extent.value.to,
  ).filter(({ at }) => at <= last);
  const corner = useRef<number | undefined>(undefined);
  const timeAt = (event: PointerEvent) => {
    const box = ref.current!.getBoundingClientRect();
    return (
      w.from +
      (Math.min(Math.max(event.clientX - box.left, 0), box.width) / box.width) * (w.to - w.from)
    );
  };
  const all = s.extent.value;
  const onDown = (event: PointerEvent) => {
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    corner.current = timeAt(event);
  };
  const onMove = (event: PointerEvent) => {
    // A ruler is an area of all processors.
    if (corner.current !== undefined && event.buttons === 1)
      pull(
        { time: corner.current, processor: all.top },
        { time: timeAt(event), processor: all.bottom },
      );
  };
  const ruler = rulerOf(w);
  return (
    <div
      class="time-axis"
      ref={ref}
      aria-hidden="true"
      title="Drag to measure"
      onPointerDown={onDown}
      onPointerMove={onMove}
      onPointerUp={() => (corner.current = undefined)}
    >
      {ruler && (
        <i class="ruler" style={{ left: `${100 * ruler.left}%`, width: `${100 * ruler.width}%` }}>
          <b>{ruler.text}</b>
        </i>
      )}
      {found.map(({ at, label }) => (
        <span key={at} style={{ left: `${((at - w.from) / (w.to - w.from)) * 100}%` }}>
          {label}
        </span>
      ))}
    </div>
  );
}
