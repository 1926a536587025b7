// Results of a card that come with the site.

import type { Analysis } from "schedscope";
import type { Drawn, Found } from "../plans/kinds";

/** The file of a card's results. */
export interface Stored extends Analysis {
  schedscope_card: 1;
  /** Version of the program, and hash of the engine, that ran the cells. */
  version: string;
  engine: string;
  /** The traces of the cells: name, and SHA-256 of the text. */
  traces: [string, string][];
  cells: StoredCell[];
}

/** A cell: its key, the place of its trace, its schedule's digest, and what charts draw of it. */
interface StoredCell extends Partial<Omit<Drawn, "key" | "version" | "trace" | "sha256">> {
  key: string;
  trace: number;
  seed?: number;
  digest: string;
}

/** Returns stored results as the page's charts and tables take them. */
export function outcomeOf(stored: Stored): Found {
  const results = stored.cells.map(({ trace, seed: _, ...cell }): Drawn => {
    const [name, sha256] = stored.traces[trace]!;
    return { figures: {}, ...cell, version: stored.version, trace: name, sha256 };
  });
  return {
    points: stored.points,
    differences: stored.differences,
    saturations: stored.saturations,
    results: new Map(results.map((result) => [result.key, result])),
    seeds: new Map(
      stored.cells.flatMap(({ key, seed }) => (seed === undefined ? [] : [[key, seed]])),
    ),
    all: results.length,
  };
}

/** Returns the keys of runs whose schedules are equal to the stored ones, and of those that differ. */
export function verify(
  stored: Stored,
  results: ReadonlyMap<string, { digest: string }>,
): { equal: string[]; different: string[] } {
  const ran = stored.cells.filter(({ key }) => results.has(key));
  const isEqual = ({ key, digest }: StoredCell) => results.get(key)!.digest === digest;
  return {
    equal: ran.filter(isEqual).map(({ key }) => key),
    different: ran.filter((cell) => !isEqual(cell)).map(({ key }) => key),
  };
}
