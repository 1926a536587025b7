// Views of machine models. Entry points bring the list, because the views use the lab.
import type { ComponentType } from "preact";
import type { Lane } from "../state";

export interface MachineView {
  /** Returns the number of processors under these settings. */
  processors: (setting: (key: string) => number) => number;
  /** The machine at an instant, and a strip below its timeline; loaded when they are first
   * shown. */
  pictures: () => Promise<{
    default: ComponentType<{ lane: Lane }>;
    Strip?: ComponentType<{ lane: Lane }>;
  }>;
  /** Meaning of a row of the timeline. */
  rows: string;
}

let known: Readonly<Record<string, MachineView>> = {};

/** Takes the views of machine models, by their ids. */
export function knowMachines(machines: typeof known): void {
  known = machines;
}

/** The view of a machine model, if it has one. */
export const viewOf = (machine: string): MachineView | undefined => known[machine];
