// Describes tables of jobs.
import { type TableFacts, tableFacts } from "schedscope";
import { start } from "./read";

/** Describes the beginning of a file; null if it is not read as a table. */
export const table = async (file: File, columns?: string): Promise<TableFacts | null> =>
  tableFacts(await start(file), columns) ?? null;
