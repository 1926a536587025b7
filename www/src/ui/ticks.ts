// Round instants for time axes.
const MINUTE = 60;

const HOUR = 3600;

const DAY = 86400;

const STEPS = [
  0.001,
  0.005,
  0.01,
  0.02,
  0.05,
  0.1,
  0.2,
  0.5,
  1,
  2,
  5,
  10,
  30,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  4 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
  60 * DAY,
  180 * DAY,
  365 * DAY,
  1825 * DAY,
  3650 * DAY,
];

/** A trace without a calendar that ends before this has times in seconds. */
const SHORT = 10_000;

/**
 * Returns instants for ticks: at most `most`, at round times of the trace's clock. The whole trace
 * ends at `end`.
 */
export function ticks(
  from: number,
  to: number,
  most: number,
  unixStart: number | null | undefined,
  end = Number.POSITIVE_INFINITY,
): { at: number; label: string }[] {
  const step = STEPS.find((step) => (to - from) / step <= most) ?? (to - from) / most;
  const offset = (unixStart ?? 0) % step;
  const found = [];
  for (let at = Math.ceil((from + offset) / step) * step - offset; at <= to; at += step)
    found.push({
      at,
      label:
        unixStart == null && end < SHORT && step >= 1
          ? `${at.toLocaleString("en")} s`
          : label(at, step, unixStart),
    });
  return found;
}

function label(at: number, step: number, unixStart: number | null | undefined): string {
  if (unixStart !== null && unixStart !== undefined) {
    const date = new Date((unixStart + at) * 1000);
    if (Number.isNaN(date.getTime())) return "";
    const iso = date.toISOString();
    if (step >= DAY) return iso.slice(0, 10);
    if (date.getTime() % (DAY * 1000) === 0) return iso.slice(5, 10);
    return step >= MINUTE
      ? iso.slice(11, 16)
      : step >= 1
        ? iso.slice(11, 19)
        : `${iso.slice(11, 19)}${thousandths(at)}`;
  }
  const day = Math.floor(at / DAY);
  const rest = at - day * DAY;
  if (step >= DAY || rest === 0) return `day ${day + 1}`;
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  const clock = `${two(rest / HOUR)}:${two((rest % HOUR) / MINUTE)}`;
  return step >= MINUTE
    ? clock
    : `${clock}:${two(rest % MINUTE)}${step >= 1 ? "" : thousandths(at)}`;
}

/** Returns the part below a second, as `.123`. */
const thousandths = (at: number): string => (at - Math.floor(at)).toFixed(3).slice(1);
