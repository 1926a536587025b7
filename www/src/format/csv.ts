/** A text that a spreadsheet would take for a formula gets an apostrophe before it; a number, also
 * as text, stays. */
const guarded = (text: string): string =>
  /^[=+\-@\t\r]/.test(text) && !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)
    ? `'${text}`
    : text;

/** A table as CSV, as docs/formats/results.md says it: text is guarded, and quoted where it holds
 * what separates cells. */
export function csv(rows: unknown[][]): string {
  const field = (cell: unknown) => {
    const text =
      cell === undefined || cell === null
        ? ""
        : typeof cell === "string"
          ? guarded(cell)
          : String(cell);
    return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(field).join(",")).join("\n");
}

/** A comment above a table: one line, in which no separator begins a formula. */
export const comment = (text: string): string =>
  `# ${text.replace(/[\r\n]+/g, " ").replace(/([,;\t]\s*)(?=[=+\-@])/g, "$1'")}`;
