/** Paul Tol's bright scheme; never the only mark: lanes also have a letter and a dash. */
const LANE_COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#888888"];

export const LANE_DASHES: number[][] = [[], [6, 3], [2, 2], [8, 2, 2, 2], [1, 3], [10, 4], [4, 4]];

export const laneColour = (index: number): string => LANE_COLOURS[index % LANE_COLOURS.length]!;
