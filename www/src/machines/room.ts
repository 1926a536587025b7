// What a machine model can have on the page that is its own: a folder and a line in `rooms.ts`.
import type { ComponentType } from "preact";
import type { Lane } from "../state";

export interface Room {
  /** How many processors the machine has, by its settings. */
  processors: (setting: (key: string) => number) => number;
  /** The machine at an instant, and a strip below its timeline; loaded when they are first shown. */
  pictures: () => Promise<{
    default: ComponentType<{ lane: Lane }>;
    Strip?: ComponentType<{ lane: Lane }>;
  }>;
  /** What a row of the timeline is. */
  rows: string;
}
