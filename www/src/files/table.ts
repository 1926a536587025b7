// Tables as text: CSV, Markdown and LaTeX.
import { csv } from "../format/csv";
import { saveBlob, stem } from "./save";

export type Cell = string | number | undefined;

export interface Table {
  title: string;
  head: string[];
  rows: Cell[][];
  /** Number of columns of words, from the left; the others hold figures. One by default. */
  words?: number;
}

const text = (cell: Cell): string => (cell === undefined ? "" : String(cell));

function markdown({ head, rows, words = 1 }: Table): string {
  const line = (row: Cell[]) =>
    `| ${row.map((cell) => text(cell).replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [
    line(head),
    line(head.map((_, at) => (at < words ? "---" : "---:"))),
    ...rows.map(line),
  ].join("\n");
}

const SPECIAL: Record<string, string> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
};

function latex({ head, rows, words = 1 }: Table): string {
  const escaped = (cell: Cell) =>
    text(cell).replace(/[&%$#_{}]|[\\~^<>]/g, (mark) => SPECIAL[mark] ?? `\\${mark}`);
  const line = (row: Cell[]) => `${row.map(escaped).join(" & ")} \\\\`;
  return [
    `\\begin{tabular}{${"l".repeat(words)}${"r".repeat(Math.max(0, head.length - words))}}`,
    "\\hline",
    line(head),
    "\\hline",
    ...rows.map(line),
    "\\hline",
    "\\end{tabular}",
  ].join("\n");
}

export const FORMATS = {
  CSV: {
    write: (table: Table) => csv([table.head, ...table.rows]),
    ending: "csv",
    media: "text/csv",
  },
  Markdown: { write: markdown, ending: "md", media: "text/markdown" },
  LaTeX: { write: latex, ending: "tex", media: "application/x-tex" },
} as const;

export type Format = keyof typeof FORMATS;

export const write = (table: Table, format: Format): string => FORMATS[format].write(table);

/** Saves a table as a file. */
export function saveTable(table: Table, format: Format): void {
  const { ending, media } = FORMATS[format];
  saveBlob(
    new Blob([`${write(table, format)}\n`], { type: media }),
    `${stem(table.title)}.${ending}`,
  );
}

/** A column of a table in a file. */
export interface Column<Row> {
  /** Its name, with the unit if figures need one. */
  name: string;
  /** Value in the file. A column without it stands only on the page. */
  value?: (row: Row) => Cell;
}

/** Returns the rows as a table for a file. */
export function tableOf<Row>(title: string, columns: Column<Row>[], rows: readonly Row[]): Table {
  const own = columns.flatMap(({ name, value }) => (value ? [{ name, value }] : []));
  return {
    title,
    head: own.map(({ name }) => name),
    rows: rows.map((row) => own.map(({ value }) => value(row))),
  };
}
