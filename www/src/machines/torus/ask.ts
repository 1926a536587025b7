// The questions that only a torus answers.
import type { Colouring, GeometryFacts, Legend, OccupancyFacts, Theme } from "schedscope";
import type { Remote } from "../../engine/workers";

/** Returns the machine's shape. */
export const geometry = async (engine: Remote): Promise<GeometryFacts> =>
  (await engine.show({ ask: "geometry" })).answer as GeometryFacts;

/** Returns the box of each job at an instant, with the meanings of the colours. */
export async function occupancy(
  engine: Remote,
  at: number,
  colouring: Colouring,
  theme: Theme,
): Promise<{ facts: OccupancyFacts; legend: Legend | null }> {
  const { answer, legend } = await engine.show({ ask: "occupancy", at }, colouring, theme);
  return { facts: answer as OccupancyFacts, legend };
}

/**
 * Returns the share of the free nodes in the largest free box, for each part of a period; null for
 * a part in which no node is free.
 */
export const contiguity = async (
  engine: Remote,
  from: number,
  to: number,
  count: number,
): Promise<(number | null)[]> =>
  (await engine.show({ ask: "contiguity", from, to, count })).answer as (number | null)[];
