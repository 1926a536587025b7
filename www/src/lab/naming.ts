// The policies that runs and plans name, and other names for them.

/** Settings that hold policies, joined by `+`. */
const JOINED = "candidates";

/** Returns the names in a value that stands under a key; each candidate by itself. */
const namesUnder = (key: string, value: unknown): string[] =>
  typeof value !== "string"
    ? []
    : key === "policy"
      ? [value]
      : key === JOINED
        ? value.split("+")
        : [];

/** Returns the ids of the policies that a run, a plan or a part of one names. */
export function policiesIn(value: unknown, key = "", found = new Set<string>()): Set<string> {
  for (const name of namesUnder(key, value)) found.add(name);
  if (typeof value === "object" && value !== null)
    for (const [own, inner] of Object.entries(value))
      policiesIn(inner, Array.isArray(value) ? key : own, found);
  return found;
}

/** Returns a run, a plan or a part of one in which a policy has another id. */
export function renamePolicy<T>(value: T, from: string, to: string, key = ""): T {
  if (namesUnder(key, value).includes(from))
    return (value as string)
      .split("+")
      .map((name) => (name === from ? to : name))
      .join("+") as T;
  if (Array.isArray(value)) return value.map((inner) => renamePolicy(inner, from, to, key)) as T;
  if (typeof value !== "object" || value === null) return value;
  // A setting of a candidate begins with its name.
  const named = (own: string) => (own.startsWith(`${from}.`) ? to + own.slice(from.length) : own);
  return Object.fromEntries(
    Object.entries(value).map(([own, inner]) => [named(own), renamePolicy(inner, from, to, own)]),
  ) as T;
}
