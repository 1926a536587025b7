// Figures of metrics in their units.
import type { MetricSpec } from "schedscope";
import { figure, share } from "./words";

/** Metrics that are shares of the machine. Their specs have an empty unit, as ratios do. */
const SHARES: ReadonlySet<string> = new Set(["utilisation", "accepted", "unused", "lost"]);

/** Returns a metric's figure in its unit. */
export function metric(spec: MetricSpec, name: string, value: number | undefined): string {
  if (value === undefined) return "–";
  return name === "share" || SHARES.has(spec.id) ? share(value) : figure(value);
}

/** Returns the unit above a column of a metric's figures. */
export const unitOf = (spec: MetricSpec, name: string): string =>
  name === "share" ? "" : spec.unit;
