// Round instants for time axes, and their labels.
const MINUTE = 60;

const HOUR = 3600;

const DAY = 86400;

/** Steps of fixed length, in seconds. */
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
];

/** Steps of a trace without a calendar that are longer. */
const LONG = [30 * DAY, 60 * DAY, 180 * DAY, 365 * DAY, 1825 * DAY, 3650 * DAY];

/** Steps of a calendar that are longer, in months. */
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 600];

const CENTURY = 1200;

/** The mean length of a month. */
const MONTH = 30.436875 * DAY;

/** A trace without a calendar that ends before this has times in seconds. */
const SHORT = 10_000;

interface Tick {
  at: number;
  label: string;
}

/**
 * Returns instants for ticks: at most about `most`, at round times of the trace's clock; with a
 * calendar, at midnights and at the first days of months. The first label, and every label where
 * it changes, has the date; the first one has the year too. The whole trace ends at `end`.
 */
export function ticks(
  from: number,
  to: number,
  most: number,
  unixStart: number | null | undefined,
  end = Number.POSITIVE_INFINITY,
): Tick[] {
  const fits = (step: number) => (to - from) / step <= most;
  const isDated =
    unixStart != null && [from, to].every((at) => Math.abs((unixStart + at) * 1000) < 8.64e15);
  const fixed = (isDated ? STEPS : [...STEPS, ...LONG]).find(fits);
  if (fixed === undefined && isDated) {
    const months =
      MONTHS.find((months) => fits(months * MONTH)) ??
      Math.ceil((to - from) / MONTH / most / CENTURY) * CENTURY;
    return monthly(from, to, months, unixStart);
  }
  const step = fixed ?? (to - from) / most;
  const offset = (isDated ? unixStart : 0) % step;
  const found: Tick[] = [];
  for (let at = Math.ceil((from + offset) / step) * step - offset; at <= to; at += step)
    found.push({
      at,
      label: isDated
        ? dated(at, step, unixStart, found.at(-1)?.at)
        : unixStart == null && end < SHORT && step >= 1
          ? `${at.toLocaleString("en")} s`
          : counted(at, step, found.length === 0),
    });
  return found;
}

const NAMES = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Returns the first days of every so many months. */
function monthly(from: number, to: number, months: number, unixStart: number): Tick[] {
  const begin = new Date((unixStart + from) * 1000);
  const first = Math.floor((begin.getUTCFullYear() * 12 + begin.getUTCMonth()) / months) * months;
  const found: Tick[] = [];
  let year: number | undefined;
  for (let month = first; ; month += months) {
    const date = new Date(0);
    date.setUTCFullYear(Math.floor(month / 12), month % 12, 1);
    const at = date.getTime() / 1000 - unixStart;
    if (at > to || Number.isNaN(at)) return found;
    if (at < from) continue;
    const name = NAMES[date.getUTCMonth()]!;
    const now = date.getUTCFullYear();
    found.push({
      at,
      label: months >= 12 ? `${now}` : now === year ? name : `${name} ${now}`,
    });
    year = now;
  }
}

/** Returns a label with a date where the tick before has another one, or where there is none. */
function dated(at: number, step: number, unixStart: number, before: number | undefined): string {
  const dateOf = (at: number) => new Date((unixStart + at) * 1000);
  const date = dateOf(at);
  const last = before === undefined ? undefined : dateOf(before);
  const day = `${date.getUTCDate()} ${NAMES[date.getUTCMonth()]}`;
  const isNewYear = last?.getUTCFullYear() !== date.getUTCFullYear();
  if (step >= DAY) return isNewYear ? `${day} ${date.getUTCFullYear()}` : day;
  const iso = date.toISOString();
  const time =
    step >= MINUTE
      ? iso.slice(11, 16)
      : step >= 1
        ? iso.slice(11, 19)
        : `${iso.slice(11, 19)}${thousandths(at)}`;
  if (date.getTime() % (DAY * 1000) === 0)
    return isNewYear ? `${day} ${date.getUTCFullYear()}` : day;
  return last === undefined ? `${day}, ${time}` : time;
}

/** Returns a label of a trace without a calendar: its days are counted from 1. */
function counted(at: number, step: number, isFirst: boolean): string {
  const day = Math.floor(at / DAY);
  const rest = at - day * DAY;
  if (step >= DAY || rest === 0) return `day ${day + 1}`;
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  const clock = `${two(rest / HOUR)}:${two((rest % HOUR) / MINUTE)}`;
  const time =
    step >= MINUTE ? clock : `${clock}:${two(rest % MINUTE)}${step >= 1 ? "" : thousandths(at)}`;
  return isFirst ? `day ${day + 1}, ${time}` : time;
}

/** Returns the part below a second, as `.123`. */
const thousandths = (at: number): string => (at - Math.floor(at)).toFixed(3).slice(1);
