// The edge of a panel. The reader drags it, or moves it with the arrow keys.
import { useRef } from "preact/hooks";

/** Pixels of a press of an arrow key. */
const STEP = 16;

/** Resizes a panel that lies on one side of the edge. `grows` is the key that makes it larger. */
export function Separator({
  name,
  controls,
  grows,
  size,
  least,
  usual,
  most,
  resize,
}: {
  name: string;
  controls: string;
  grows: "ArrowLeft" | "ArrowRight" | "ArrowUp";
  size: number;
  least: number;
  usual: number;
  most: number;
  resize: (size: number) => void;
}) {
  const from = useRef<{ at: number; size: number } | undefined>(undefined);
  const isUpright = grows !== "ArrowUp";
  const sign = grows === "ArrowRight" ? 1 : -1;
  const place = (event: PointerEvent) => (isUpright ? event.clientX : event.clientY);
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    from.current = { at: place(event), size };
  };
  const onPointerMove = (event: PointerEvent) => {
    if (from.current) resize(from.current.size + sign * (place(event) - from.current.at));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const [more, less] = isUpright ? ["ArrowRight", "ArrowLeft"] : ["ArrowUp", "ArrowDown"];
    const step = { [more!]: STEP, [less!]: -STEP }[event.key];
    const wanted =
      step !== undefined
        ? size + (isUpright ? sign : 1) * step
        : { Home: least, End: most, Enter: usual }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    resize(wanted);
  };
  return (
    <div
      class={`separator ${isUpright ? "upright" : "level"}`}
      role="separator"
      tabIndex={0}
      aria-label={`Size of ${name}`}
      aria-orientation={isUpright ? "vertical" : "horizontal"}
      aria-controls={controls}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={size}
      title="Drag to resize; double-click for the usual size"
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => (from.current = undefined)}
      onPointerCancel={() => (from.current = undefined)}
      onDblClick={() => resize(usual)}
      onKeyDown={onKeyDown}
    />
  );
}
