// A sheet over the lower end of the page, in three heights. The reader drags its head, taps it, or
// moves it with the arrow keys.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { HEIGHTS, type Height } from "./place";

/** Pixels after which a pressed head is dragged rather than tapped. */
const DRAGS = 6;

/** Pixels a millisecond from which on a drag is a throw, which goes on to the next height. */
const THROWN = 0.5;

/** Milliseconds without a move after which a release is no throw. */
const STILL = 100;

/** Shares of the room that divide the heights, for a head that comes to rest between them. */
const [LOW, HIGH] = [0.3, 0.75];

export function Sheet({
  name,
  height,
  setHeight,
  summary,
  children,
}: {
  name: string;
  height: Height;
  setHeight: (height: Height) => void;
  /** Content of the head. Without it, the begin of the content is in sight at peek. */
  summary: ComponentChildren;
  children: ComponentChildren;
}) {
  const root = useRef<HTMLDivElement>(null);
  const handle = useRef<HTMLButtonElement>(null);
  /** The height of a sheet that is dragged. */
  const pulled = useSignal<number | undefined>(undefined);
  const drag = useRef<
    { y: number; from: number; last: number; at: number; speed: number } | undefined
  >(undefined);
  /** True after a drag, whose end is no tap. */
  const wasDragged = useRef(false);
  const at = HEIGHTS.indexOf(height);
  const to = (next: number) => setHeight(HEIGHTS[Math.min(Math.max(next, 0), HEIGHTS.length - 1)]!);
  const lower = () => {
    // The focused element may disappear with the content.
    if (at <= 1) handle.current?.focus();
    to(at - 1);
  };
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    const from = root.current!.getBoundingClientRect().height;
    drag.current = { y: event.clientY, from, last: event.clientY, at: event.timeStamp, speed: 0 };
    wasDragged.current = false;
  };
  const onPointerMove = (event: PointerEvent) => {
    const now = drag.current;
    if (!now) return;
    if (Math.abs(event.clientY - now.y) > DRAGS) wasDragged.current = true;
    if (!wasDragged.current) return;
    now.speed = (now.last - event.clientY) / Math.max(1, event.timeStamp - now.at);
    [now.last, now.at] = [event.clientY, event.timeStamp];
    pulled.value = now.from + now.y - event.clientY;
  };
  const onPointerUp = (event: PointerEvent) => {
    const { speed: last = 0, at: moved = 0 } = drag.current ?? {};
    // A pointer that was held still before its release throws nothing.
    const speed = event.timeStamp - moved > STILL ? 0 : last;
    const { value: pixels } = pulled;
    drag.current = undefined;
    pulled.value = undefined;
    if (pixels === undefined) return;
    const part = pixels / root.current!.parentElement!.clientHeight;
    if (Math.abs(speed) > THROWN) to(at + Math.sign(speed));
    else setHeight(part < LOW ? "peek" : part > HIGH ? "full" : "half");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = {
      ArrowUp: at + 1,
      ArrowDown: at - 1,
      Home: 0,
      End: HEIGHTS.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    to(next);
  };
  return (
    <div
      ref={root}
      role="group"
      aria-label={name}
      class={`sheet ${height} ${summary ? "" : "sliced"} ${pulled.value === undefined ? "" : "pulled"}`}
      {...(pulled.value === undefined ? {} : { style: { height: `${pulled.value}px` } })}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || at === 0) return;
        event.stopPropagation();
        lower();
      }}
    >
      <div class="sheet-head">
        <button
          ref={handle}
          type="button"
          class="sheet-handle"
          aria-label={`${name}: ${height}`}
          aria-expanded={at > 0}
          aria-controls="sheet-body"
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
          onPointerCancel={() => {
            drag.current = undefined;
            wasDragged.current = false;
            pulled.value = undefined;
          }}
          onKeyDown={onKeyDown}
          onClick={() => {
            if (wasDragged.current) wasDragged.current = false;
            else to((at + 1) % HEIGHTS.length);
          }}
        />
        {summary}
      </div>
      <div
        class="sheet-body"
        id="sheet-body"
        onFocusCapture={() => {
          if (at === 0) setHeight("half");
        }}
      >
        {children}
      </div>
    </div>
  );
}
