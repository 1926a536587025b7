// The usage of accounts, as `sshare -P` writes it, within a text of accounts.

/** The columns that the header of a table of usage has, in any order. */
const COLUMNS = [/^account$/i, /^user$/i, /^(?:rawusage|grptresraw)$/i];

const cellsOf = (line: string) => line.split("|").map((cell) => cell.trim());

function isHeader(line: string): boolean {
  const cells = cellsOf(line);
  return COLUMNS.every((column) => cells.some((cell) => column.test(cell)));
}

/** True if a text has a table of usage. */
export const hasUsage = (text: string): boolean => text.split("\n").some(isHeader);

/** Returns a text of accounts without its tables of usage. */
export function withoutUsage(text: string): string {
  let isUsage = false;
  const lines = text.split("\n").filter((line) => {
    if (!line.includes("|")) return true;
    if (isHeader(line)) isUsage = true;
    // The header of a table of QOS ends it.
    else if (cellsOf(line).some((cell) => /^name$/i.test(cell))) isUsage = false;
    return !isUsage;
  });
  return lines.join("\n");
}

/** True if a text has usage and, but for comments, nothing else. */
export const isUsage = (text: string): boolean =>
  hasUsage(text) &&
  withoutUsage(text)
    .split("\n")
    .every((line) => /^\s*(?:#|$)/.test(line));
