// The packing of a file, recognised by its first bytes; src/import/packing.rs has the same rule.

/** Number of first bytes that are enough for `packingOf`. */
export const PACKING_BYTES = 10;

/** The first bytes of packings. */
const BEGINNINGS: [number[], "gzip" | "other"][] = [
  [[0x1f, 0x8b], "gzip"],
  // zstd, xz
  [[0x28, 0xb5, 0x2f, 0xfd], "other"],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], "other"],
  // zip: a file, or the end of an empty directory
  [[0x50, 0x4b, 3, 4], "other"],
  [[0x50, 0x4b, 5, 6], "other"],
  // Parquet: four letters, and the first field of a page or of the directory
  [[0x50, 0x41, 0x52, 0x31, 0x15], "other"],
];

/** `BZh`, a digit, and the first bytes of a block of bzip2, or of the end. */
const BZIP2 = [0x42, 0x5a, 0x68];
const BLOCKS = [
  [0x31, 0x41, 0x59, 0x26, 0x53, 0x59],
  [0x17, 0x72, 0x45, 0x38, 0x50, 0x90],
];

/** A frame of zstd that holds no data, after a first byte from 50 to 5f. */
const SKIPPABLE = [0x2a, 0x4d, 0x18];

/**
 * Returns `gzip` for gzip, which the browser unpacks itself; `other` for a packing that needs a
 * program of its own; undefined for plain text.
 */
export function packingOf(start: Uint8Array): "gzip" | "other" | undefined {
  const has = (from: number, bytes: number[]) =>
    bytes.every((byte, at) => start[from + at] === byte);
  const known = BEGINNINGS.find(([bytes]) => has(0, bytes));
  if (known) return known[1];
  const isSkippable = start[0] !== undefined && start[0] >> 4 === 5 && has(1, SKIPPABLE);
  const isBzip2 = has(0, BZIP2) && BLOCKS.some((block) => has(4, block));
  return isSkippable || isBzip2 ? "other" : undefined;
}
