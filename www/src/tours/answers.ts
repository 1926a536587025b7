// What the tours' questions have in common.

/** From when on a run is hidden: from its beginning, or never. */
export const HIDDEN = Number.NEGATIVE_INFINITY;

export const SHOWN = Number.POSITIVE_INFINITY;

/** Which of three is right where something is less than before, the same, or more. */
export const compared = (before: number, after: number): number =>
  after < before ? 0 : after === before ? 1 : 2;

/** The place of the least. */
export const least = (values: number[]): number => values.indexOf(Math.min(...values));
