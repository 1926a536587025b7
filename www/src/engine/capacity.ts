// What the browser says of the machine that it runs on.

/** Gigabytes of memory; undefined if the browser does not say. */
export const gigabytes = (): number | undefined =>
  (navigator as { deviceMemory?: number }).deviceMemory;

export const processors = (): number => navigator.hardwareConcurrency || 2;
