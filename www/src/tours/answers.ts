// Helpers of the tours' questions.

/** Instants from which on a run is hidden: from its start, or never. */
export const HIDDEN = Number.NEGATIVE_INFINITY;

export const SHOWN = Number.POSITIVE_INFINITY;

/** Returns the right one of three answers: less than before, the same, or more. */
export const compared = (before: number, after: number): number =>
  after < before ? 0 : after === before ? 1 : 2;

/** Returns the index of the least. */
export const least = (values: number[]): number => values.indexOf(Math.min(...values));
