// The files that a reader can choose as a log.

/** Ends of their names, for a dialog. The content decides. */
export const LOGS = ".swf,.gz,.zst,.xz,.bz2,.zip,.txt,.log,.json,.csv,.tsv,.parquet";
