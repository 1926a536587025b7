// Memory and processors, as far as the browser tells.

/** Gigabytes of memory; undefined if the browser does not say. */
export const gigabytes = (): number | undefined =>
  (navigator as { deviceMemory?: number }).deviceMemory;

export const processors = (): number => navigator.hardwareConcurrency || 2;
