// Names of the rows of timelines, on machines whose rows have names.
import { signal } from "@preact/signals";
import type { Seen } from "./seen";

export interface NamedRow {
  name: string;
  /** First row, and the row behind the last one. */
  first: number;
  end: number;
}

export interface RowNames {
  /** The nodes, from the first row on. */
  nodes: readonly NamedRow[];
  /** The first rows of kinds of nodes. */
  kinds: readonly number[];
  /** Rows that are kept in advance: the first one and their number; and when, in seconds. */
  kept: readonly { rows: readonly [number, number][]; periods: readonly [number, number][] }[];
}

const own = {
  /** The names of each lane's rows, by lane id. */
  rowNames: signal<ReadonlyMap<number, RowNames>>(new Map()),
};
export const { rowNames }: Seen<typeof own> = own;

/** Keeps the names of a lane's rows; `undefined` if they have none. */
export function nameRows(lane: number, names: RowNames | undefined): void {
  if (own.rowNames.value.get(lane) === names) return;
  const next = new Map(own.rowNames.value);
  if (names) next.set(lane, names);
  else next.delete(lane);
  own.rowNames.value = next;
}

/** Returns the node that has a row. */
export function nodeOfRow({ nodes }: RowNames, row: number): NamedRow | undefined {
  let [from, to] = [0, nodes.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (nodes[middle]!.end <= row) from = middle + 1;
    else to = middle;
  }
  return nodes[from];
}

/** Returns rows in words: `c1 to c24`, `c1`. */
export function nodesInWords(names: RowNames, top: number, bottom: number): string {
  const [one, other] = [nodeOfRow(names, top), nodeOfRow(names, bottom - 1)];
  if (!one || !other) return "";
  return one === other ? `node ${one.name}` : `nodes ${one.name} to ${other.name}`;
}
