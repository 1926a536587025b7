// The colours and dashes of runs.
import { styled } from "./canvas";

/** Paul Tol's bright scheme, never as the only mark: runs also have a letter and a dash. */
const LANE_COLOURS = [
  "--run-1",
  "--run-2",
  "--run-3",
  "--run-4",
  "--run-5",
  "--run-6",
  "--run-7",
] as const;

export const LANE_DASHES: number[][] = [[], [6, 3], [2, 2], [8, 2, 2, 2], [1, 3], [10, 4], [4, 4]];

const nameOf = (index: number): string => LANE_COLOURS[index % LANE_COLOURS.length]!;

/** Returns the colour of a run in the present theme, for canvases and files. */
export const laneColour = (index: number): string => styled(nameOf(index));

/** Returns the colour of a run for a style, which follows the theme. */
export const laneStyle = (index: number): string => `var(${nameOf(index)})`;
