// Places in a text whose lines were shortened, as those of TypeScript are when its types go.

/**
 * Returns the column of the whole line for a column of the short one. `pairs` has columns of both in
 * turn, from 0.
 */
export function placed(pairs: readonly number[], column: number): number {
  let [short, whole] = [0, 0];
  for (let at = 0; at + 1 < pairs.length && pairs[at]! <= column; at += 2)
    [short, whole] = [pairs[at]!, pairs[at + 1]!];
  return whole + column - short;
}
