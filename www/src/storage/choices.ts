// Stores choices on this machine. Private windows may refuse storage; then a choice lasts as long as
// the page.

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {}
}

/** The colours that were chosen, else the system's. */
export function theme(): "dark" | "light" {
  const chosen = read("theme");
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export const keepTheme = (theme: "dark" | "light"): void => keep("theme", theme);

/** Whether the doors of the first page were closed. */
export const areDoorsClosed = (): boolean => read("doors") === "closed";

export const keepDoorsClosed = (): void => keep("doors", "closed");
