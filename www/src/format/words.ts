// Writes figures, times and the activities of workers for people.
import type { DoingFacts } from "schedscope";

/** Returns a figure with a number of decimals that fits its size. */
export function figure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const digits = size === 0 || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 3;
  return value.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export const count = (value: number): string => value.toLocaleString("en");

/** Returns a length of time in its two largest units. */
export function duration(seconds: number | undefined): string {
  if (seconds === undefined || !Number.isFinite(seconds)) return "–";
  const sign = seconds < 0 ? "−" : "";
  const s = Math.abs(seconds);
  if (s < 60) return `${sign}${s < 10 && !Number.isInteger(s) ? s.toFixed(1) : Math.round(s)} s`;
  const units: [number, string][] = [
    [86400, "d"],
    [3600, "h"],
    [60, "min"],
    [1, "s"],
  ];
  const first = units.findIndex(([size]) => s >= size);
  const [size, name] = units[first]!;
  const [smaller, smallerName] = units[first + 1] ?? [1, ""];
  const whole = Math.floor(s / size);
  const rest = Math.floor((s - whole * size) / smaller);
  return rest > 0 && smallerName
    ? `${sign}${count(whole)} ${name} ${rest} ${smallerName}`
    : `${sign}${count(whole)} ${name}`;
}

/** Returns a length of time with its interval, in one unit: `1.92 ± 0.40 d`. */
export function interval(seconds: number, halfWidth: number): string {
  const most = Math.max(Math.abs(seconds), halfWidth);
  const units: [number, string][] = [
    [86400, "d"],
    [3600, "h"],
    [60, "min"],
  ];
  const [size, name] = units.find(([size]) => most >= size) ?? [1, "s"];
  const decimals = most / size >= 100 ? 0 : most / size >= 10 ? 1 : 2;
  return `${(seconds / size).toFixed(decimals)} ± ${(halfWidth / size).toFixed(decimals)} ${name}`;
}

/** Returns an instant: a date if the trace has a calendar, else day and time since its zero. */
export function instant(seconds: number, unixStart: number | null | undefined): string {
  if (unixStart !== null && unixStart !== undefined) {
    const date = new Date((unixStart + seconds) * 1000);
    if (!Number.isNaN(date.getTime())) return date.toISOString().replace("T", " ").slice(0, 19);
  }
  const day = Math.floor(seconds / 86400);
  const rest = seconds - day * 86400;
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  return `day ${day + 1}, ${two(rest / 3600)}:${two((rest % 3600) / 60)}:${two(rest % 60)}`;
}

/** Returns the activity of a worker in words. */
export function doingInWords(doing: DoingFacts, unixStart: number | null | undefined): string {
  const words = {
    nothing: "working",
    reading: `reading: ${counted(doing.jobs, "job")}`,
    drawing: `drawing jobs: ${count(doing.jobs)} of ${count(doing.of)}`,
    hashing: `hashing jobs: ${count(doing.jobs)} of ${count(doing.of)}`,
    preparing: `preparing jobs: ${count(doing.jobs)} of ${count(doing.of)}`,
    deciding: `deciding at ${instant(doing.now, unixStart)}, queue of ${counted(doing.jobs, "job")}`,
    measuring: "measuring",
  }[doing.kind];
  return `${words}, ${duration(Math.floor(doing.seconds))}`;
}

/** Returns words as a list: `1, 2 and 3`. */
export const inList = (words: string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : (words[0] ?? "");

/** Returns a number of things in words: `1 job`, `2 jobs`. */
export const counted = (number: number, one: string, more = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : more}`;

export function share(value: number | undefined): string {
  return value === undefined ? "–" : `${(100 * value).toFixed(1)} %`;
}

/** Returns a number of bytes in words, as people compare files. */
export const bytes = (size: number | undefined): string =>
  size === undefined
    ? "unknown"
    : size < 1e6
      ? `${count(Math.round(size / 1000))} kB`
      : `${count(Math.round(size / 1e6))} MB`;
