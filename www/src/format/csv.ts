/**
 * Puts an apostrophe before a text that a spreadsheet would take for a formula. Numbers stay as
 * they are, also as text.
 */
const guarded = (text: string): string =>
  /^[=+\-@\t\r]/.test(text) && !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)
    ? `'${text}`
    : text;

/**
 * Returns a table as CSV, as docs/formats/results.md defines it. Text is guarded, and quoted if it
 * holds a separator.
 */
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

/** Returns a comment above a table: one line, in which no formula begins after a separator. */
export const comment = (text: string): string =>
  `# ${text.replace(/[\r\n]+/g, " ").replace(/([,;\t]\s*)(?=[=+\-@])/g, "$1'")}`;
