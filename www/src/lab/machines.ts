// Registers machine models that have a view of their own. Entry points pass the list, because the
// views use the lab.
import type { ComponentType } from "preact";
import type { RowsBy } from "schedscope";
import type { Remote } from "../engine/workers";
import type { Lane, RowNames } from "../state";

export interface MachineView {
  /** Returns the machine's number of processors from its settings, if they alone give it. */
  processors: (setting: (key: string) => number) => number | undefined;
  /** The machine at an instant, and a strip below its timeline. Their code loads on demand. */
  pictures: () => Promise<{
    default: ComponentType<{ lane: Lane }>;
    Strip?: ComponentType<{ lane: Lane }>;
  }>;
  /** Meaning of a row of the timeline, in words. */
  rows: string;
  /** Asks a run for the names of its rows, if they have names. */
  rowNames?: (engine: Remote, rows: RowsBy) => Promise<RowNames | undefined>;
}

let known: Readonly<Record<string, MachineView>> = {};

/** Registers the views of machine models by their ids. */
export function knowMachines(machines: typeof known): void {
  known = machines;
}

/** Returns the view of a machine model; undefined if it has none. */
export const viewOf = (machine: string): MachineView | undefined => known[machine];
