// The question which column of a table holds what.
import { signal } from "@preact/signals";
import type { TableFacts } from "schedscope";
import type { Seen } from "./seen";

/** A table whose columns the reader checks. */
export interface ColumnsQuestion {
  /** Name of the file. */
  name: string;
  table: TableFacts;
  /** True if the table is open already. */
  isOpen: boolean;
}

const own = {
  columns: signal<ColumnsQuestion | undefined>(undefined),
};
export const { columns }: Seen<typeof own> = own;

/** Shows a table's columns, or another mapping of them. */
export function askColumns(question: ColumnsQuestion): void {
  own.columns.value = question;
}

export function dropColumns(): void {
  own.columns.value = undefined;
}
