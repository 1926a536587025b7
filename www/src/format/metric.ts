// Figures of metrics in their units.
import type { MetricSpec, Unit } from "schedscope";
import { count, figure, share } from "./words";

const unitOf = (spec: MetricSpec, name: string): Unit =>
  spec.units.find(([figure]) => figure === name)?.[1] ?? spec.unit;

/** Returns whether a figure is a share, which users see in percent. */
export const isShare = (spec: MetricSpec, name: string): boolean => unitOf(spec, name) === "share";

/** Units of numbers that are mostly whole. */
const WHOLE = new Set<Unit>(["count", "jobs"]);

/** Returns a metric's figure as users see it: shares are in percent, and counts have no decimals. */
export function metric(spec: MetricSpec, name: string, value: number | undefined): string {
  if (value === undefined) return "–";
  if (isShare(spec, name)) return share(value);
  const isCount = WHOLE.has(unitOf(spec, name)) && Number.isInteger(value);
  return isCount ? count(value) : figure(value);
}

const SYMBOLS: Partial<Record<Unit, string>> = {
  seconds: "s",
  jobs: "jobs",
  kilowatts: "kW",
  "kilowatt-hours": "kWh",
  kilograms: "kg",
};

/** Returns the symbol of a figure's unit. It is empty for shares and for plain numbers. */
export const symbolOf = (spec: MetricSpec, name: string): string =>
  SYMBOLS[unitOf(spec, name)] ?? "";
