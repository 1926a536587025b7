// Stores choices on this machine. Private windows may refuse storage; then a choice lasts as long
// as the page.

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {}
}

/** The chosen colours; undefined if the system decides. */
export function chosenTheme(): "dark" | "light" | undefined {
  const chosen = read("theme");
  return chosen === "light" || chosen === "dark" ? chosen : undefined;
}

/** Returns the chosen colours, else the system's. */
export const theme = (): "dark" | "light" =>
  chosenTheme() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

/**
 * Calls a function when the colours may be others: a system may change them in the evening, and
 * another tab has the reader's choice too.
 */
export function watchTheme(changed: () => void): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  addEventListener("storage", changed);
}

/** Stores the reader's colours. Without any, the system decides. */
export const keepTheme = (theme: "dark" | "light" | undefined): void => keep("theme", theme);

/** Returns the zone that the reader gave for logs whose times have none. */
export const chosenZone = (): string | undefined => read("zone") ?? undefined;

/** Remembers the zone of logs whose times have none. */
export const keepZone = (zone: string): void => keep("zone", zone);

/** True if the reader has closed the doors of the first page. */
export const areDoorsClosed = (): boolean => read("doors") === "closed";

export const keepDoorsClosed = (): void => keep("doors", "closed");

/** True if own policies ran when the page of this tab last ended: their code may have ended it. */
export function wasOwnRunning(): boolean {
  try {
    return sessionStorage.getItem("own") === "running";
  } catch {
    return false;
  }
}

/** Notes that own policies run, or that none does. */
export function noteOwnRunning(isRunning: boolean): void {
  try {
    if (isRunning) sessionStorage.setItem("own", "running");
    else sessionStorage.removeItem("own");
  } catch {}
}

/** Most hashes of code that the browser remembers. */
const MOST_KNOWN = 500;

/** Returns the SHA-256 of code that the reader has written or let run. */
export const knownCode = (): string[] => (read("own-code") ?? "").split(" ").filter(Boolean);

/** Remembers the SHA-256 of code that the reader has written or let run, or forgets it. */
export function keepKnownCode(sha256: string, isKnown: boolean): void {
  const others = knownCode().filter((each) => each !== sha256);
  keep("own-code", [...others, ...(isKnown ? [sha256] : [])].slice(-MOST_KNOWN).join(" "));
}

/** Returns what was last kept of the workspace's panels, which may be anything. */
export function keptLayout(): unknown {
  try {
    return JSON.parse(read("layout") ?? "null");
  } catch {
    return null;
  }
}

/** Remembers the workspace's panels. */
export const keepLayout = (layout: object): void => keep("layout", JSON.stringify(layout));
