// Draws the lines of strips, pixel by pixel. The browser's own lines are several times slower without
// a graphics card: they would take half of each frame while the reader pans over several runs.

/** A picture, four bytes for each pixel. */
interface Pixels {
  data: Uint8ClampedArray;
  width: number;
  height: number;
}

/** Puts a colour over a pixel; `cover` is the share of the pixel that it covers. */
function put(data: Uint8ClampedArray, at: number, colour: number, cover: number): void {
  const under = (data[at + 3]! / 255) * (1 - cover);
  const alpha = cover + under;
  for (let channel = 0; channel < 3; channel += 1) {
    const own = (colour >> (16 - 8 * channel)) & 255;
    data[at + channel] = (own * cover + data[at + channel]! * under) / alpha;
  }
  data[at + 3] = 255 * alpha;
}

/** Returns, for each pixel along a line before the pattern repeats, 1 for a mark and 0 for a gap. */
function pattern(dashes: number[]): Uint8Array {
  const marks = dashes.flatMap((each, at) =>
    new Array<number>(Math.max(1, Math.round(each))).fill(at % 2 === 0 ? 1 : 0),
  );
  return Uint8Array.from(marks.length > 0 ? marks : [1]);
}

/**
 * Draws a line from the left to the right. `heightAt` gives its distance from the upper edge in a
 * column of pixels, NaN where there is no line. `colour` is a number such as 0xff8000. `dashes` are
 * the lengths of marks and gaps in turn, along the line; without them the line is solid.
 */
export function paintLine(
  { data, width, height }: Pixels,
  heightAt: (column: number) => number,
  colour: number,
  dashes: number[],
  thickness: number,
): void {
  const marks = pattern(dashes);
  const isMark = (place: number) => marks[Math.floor(place) % marks.length] === 1;
  /** A climb is as many columns wide as the line is thick. */
  const wide = Math.max(1, Math.round(thickness));
  let before = Number.NaN;
  let along = 0;
  for (let column = 0; column < width; column += 1) {
    const here = heightAt(column);
    const last = Number.isNaN(before) ? here : before;
    before = here;
    if (Number.isNaN(here)) continue;
    const climb = Math.abs(here - last);
    // Between the two heights no pixel is covered in part, which is faster.
    const first = Math.max(0, Math.floor(Math.min(last, here)));
    const until = climb > 1 ? Math.min(height, Math.ceil(Math.max(last, here))) : 0;
    const left = Math.max(0, column - (wide >> 1));
    const right = Math.min(width, column - (wide >> 1) + wide);
    for (let row = first; row < until; row += 1) {
      if (!isMark(along + Math.min(climb, Math.abs(row + 0.5 - last)))) continue;
      for (let at = left; at < right; at += 1) put(data, 4 * (row * width + at), colour, 1);
    }
    along += Math.max(1, climb);
    if (!isMark(along - 1)) continue;
    const top = Math.max(0, here - thickness / 2);
    const bottom = Math.min(height, here + thickness / 2);
    for (let row = Math.floor(top); row < bottom; row += 1) {
      const cover = Math.min(bottom, row + 1) - Math.max(top, row);
      put(data, 4 * (row * width + column), colour, cover);
    }
  }
}
