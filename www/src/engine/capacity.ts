// Memory and processors, as far as the browser reports them.

/** Gigabytes of memory; undefined if the browser does not report them. */
export const gigabytes = (): number | undefined =>
  (navigator as { deviceMemory?: number }).deviceMemory;

export const processors = (): number => navigator.hardwareConcurrency || 2;
