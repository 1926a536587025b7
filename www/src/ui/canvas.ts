// Sizes in device pixels, and colours of the style sheet.
import { useEffect, useRef, useState } from "preact/hooks";

/** Tracks the size of an element in CSS pixels. */
export function useSize<T extends Element>() {
  const ref = useRef<T>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = () => {
      const { width, height } = element.getBoundingClientRect();
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return [ref, size] as const;
}

/** Device pixels per CSS pixel. More than two cost time without a visible effect. */
export const density = (): number => Math.min(2, devicePixelRatio || 1);

/** Fits a canvas to its CSS size. Returns its context, scaled so that one unit is one CSS pixel. */
export function prepare(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const scale = density();
  const [w, h] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const context = canvas.getContext("2d");
  context?.setTransform(scale, 0, 0, scale, 0, 0);
  context?.clearRect(0, 0, width, height);
  return context;
}

/** Returns a colour of style/tokens.css, as `rgb(1, 2, 3)`. */
export const styled = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Returns `rgb(1, 2, 3)` as a number. */
export function rgb(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number);
  return red * 65536 + green * 256 + blue;
}
