// Tables that the reader can copy or save as CSV, Markdown or LaTeX.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { copy } from "../files/clipboard";
import {
  type Cell,
  type Column,
  FORMATS,
  type Format,
  saveTable,
  type Table,
  tableOf,
  write,
} from "../files/table";

/** A column on the page: the value in a file, and the content on the page. */
interface Shown<Row> extends Column<Row> {
  /** Heading, if it differs from the name. */
  head?: ComponentChildren;
  /** Content of a cell, if it differs from the value. */
  show?: (row: Row) => ComponentChildren;
  /** True if the column names the row. */
  isHead?: boolean;
  class?: string;
}

/** A table that scrolls if it is wider than its place, with buttons for its data below. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  class: name,
  classOf,
}: {
  label: string;
  columns: Shown<Row>[];
  rows: readonly Row[];
  class?: string;
  classOf?: (row: Row) => string;
}) {
  return (
    <div class="tabled">
      <div class="scroll" tabIndex={0} role="region" aria-label={label}>
        <table class={name}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th scope="col" key={column.name} class={column.class}>
                  {column.head ?? column.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at} class={classOf?.(row)}>
                {columns.map((column) => cellOf(column, row))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <TableTools of={() => tableOf(label, columns, rows)} />
    </div>
  );
}

function cellOf<Row>(column: Shown<Row>, row: Row) {
  const shown = column.show ? column.show(row) : text(column.value?.(row));
  return column.isHead ? (
    <th scope="row" key={column.name} class={column.class}>
      {shown}
    </th>
  ) : (
    <td key={column.name} class={column.class}>
      {shown}
    </td>
  );
}

const text = (cell: Cell): string => (cell === undefined ? "–" : String(cell));

/**
 * Buttons that copy a table. With Shift, or if the browser allows no copying, they save it as a
 * file.
 */
export function TableTools({ of }: { of: () => Table }) {
  const said = useSignal("");
  const take = async (format: Format, isFile: boolean) => {
    const table = of();
    if (!isFile && (await copy(write(table, format)))) {
      said.value = `Copied as ${format}.`;
      return;
    }
    saveTable(table, format);
    said.value = `Saved as ${format}.`;
  };
  return (
    <span class="table-tools">
      {(Object.keys(FORMATS) as Format[]).map((format) => (
        <button
          type="button"
          class="small"
          key={format}
          title={`Copy as ${format}; with Shift, save as a file`}
          onClick={(event) => void take(format, event.shiftKey)}
        >
          Copy {format}
        </button>
      ))}
      <span class="quiet" role="status">
        {said.value}
      </span>
    </span>
  );
}
