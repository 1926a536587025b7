// Names of packed files. Reading looks at the content; src/trace/name.rs has the same endings.

const ENDING = /\.(gz|zst|xz|bz2|zip)$/i;

export const isPackedName = (name: string): boolean => ENDING.test(name);

/** Returns a file's name without the ending of its packing. */
export const unpackedName = (name: string): string => name.replace(ENDING, "");
