// Pointers and wheels on a timeline.
import { useEffect, useRef } from "preact/hooks";
import { inWordsOf, pull } from "../explore/area";
import * as s from "../state";
import { panBy, zoomBy } from "./navigate";
import { describe, selectAt } from "./point";

/**
 * Handles the pointer: drag pans, two fingers pinch, a click selects, a movement moves the cursor.
 */
export function usePointer(
  canvas: { current: HTMLCanvasElement | null },
  id: number,
  at: (event: PointerEvent) => { time: number; processor: number },
) {
  const handlers = useRef({ at });
  handlers.current = { at };
  useEffect(() => {
    const element = canvas.current!;
    /** The pressed pointers, with their last positions. */
    const down = new Map<number, { x: number; y: number }>();
    let moved = 0;
    /** Corner at which the selection of an area began. */
    let corner: { time: number; processor: number } | undefined;
    const onDown = (event: PointerEvent) => {
      if (event.button !== 0) return;
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (down.size === 1) moved = 0;
      corner =
        down.size === 1 && (event.shiftKey || s.isSelecting.value)
          ? handlers.current.at(event)
          : undefined;
      element.setPointerCapture(event.pointerId);
    };
    const onMove = (event: PointerEvent) => {
      const was = down.get(event.pointerId);
      const at = handlers.current.at(event);
      s.moveCursor(at);
      void describe(id, at);
      if (!was) return;
      const box = element.getBoundingClientRect();
      const [dx, dy] = [event.clientX - was.x, event.clientY - was.y];
      moved += Math.abs(dx) + Math.abs(dy);
      if (down.size === 2) pinch(event, was, box);
      else if (moved > 4 && corner) pull(corner, at);
      else if (moved > 4) panBy(-dx / box.width, -dy / box.height, "drag");
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    };
    const pinch = (event: PointerEvent, was: { x: number; y: number }, box: DOMRect) => {
      const other = [...down].find(([pointer]) => pointer !== event.pointerId)?.[1];
      if (!other) return;
      const before = Math.hypot(was.x - other.x, was.y - other.y);
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      if (before > 1)
        zoomBy(
          after / before,
          "time",
          ((event.clientX + other.x) / 2 - box.left) / box.width,
          "pinch",
        );
    };
    const onUp = async (event: PointerEvent) => {
      const wasDown = down.delete(event.pointerId);
      if (corner && moved > 4 && s.area.value) s.say(`Selected ${inWordsOf(s.area.value)}.`);
      corner = undefined;
      if (!wasDown || moved > 4 || event.type !== "pointerup") return;
      const { time, processor } = handlers.current.at(event);
      void selectAt(id, time, processor);
    };
    const onLeave = () => {
      if (down.size > 0) return;
      s.moveCursor(undefined);
      s.pointAt(undefined);
      s.sayUnderPointer(id, "");
    };
    const listeners: [string, (event: PointerEvent) => void][] = [
      ["pointerdown", onDown],
      ["pointermove", onMove],
      ["pointerup", onUp],
      ["pointercancel", onUp],
      ["pointerleave", onLeave],
    ];
    for (const [name, listener] of listeners)
      element.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of listeners)
        element.removeEventListener(name, listener as EventListener);
    };
  }, []);
}

/**
 * Handles the wheel: Ctrl zooms time, Alt zooms processors, Shift or a sideways wheel pans; a plain
 * wheel scrolls the page.
 */
export function useWheel(
  canvas: { current: HTMLCanvasElement | null },
  place: (event: WheelEvent) => { x: number; y: number },
) {
  const latest = useRef(place);
  latest.current = place;
  useEffect(() => {
    const element = canvas.current!;
    const onWheel = (event: WheelEvent) => {
      const { x, y } = latest.current(event);
      const factor = Math.exp(-event.deltaY / 300);
      if (event.ctrlKey || event.metaKey) zoomBy(factor, "time", x, "wheel");
      else if (event.altKey) zoomBy(factor, "rows", y, "wheel");
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        panBy((event.deltaX || event.deltaY) / 800, 0, "wheel");
      else return;
      event.preventDefault();
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, []);
}
