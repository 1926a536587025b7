// Remembers which column of a table holds what, by the table's header. Private windows may refuse
// storage; then the page asks again for each file.

const KEY = "columns";

/** Most headers that are remembered. The one that was used longest ago goes first. */
const MOST = 50;

/** A header, and the mapping that the reader has accepted for it. */
interface Remembered {
  header: string;
  columns: string;
}

const isRemembered = (value: unknown): value is Remembered => {
  const { header, columns } = (value ?? {}) as Partial<Remembered>;
  return typeof header === "string" && typeof columns === "string";
};

function all(): Remembered[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter(isRemembered) : [];
  } catch {
    return [];
  }
}

/** Returns the mapping for tables with this header. */
export const rememberedColumns = (header: string): string | undefined =>
  all().find((each) => each.header === header)?.columns;

/** Remembers the mapping for tables with this header. */
export function rememberColumns(header: string, columns: string): void {
  const others = all().filter((each) => each.header !== header);
  try {
    localStorage.setItem(KEY, JSON.stringify([{ header, columns }, ...others].slice(0, MOST)));
  } catch {}
}
