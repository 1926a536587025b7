// The lines of a description of a cluster, as a form edits them. Lines that the form cannot show stay
// as they are.

/** A line that the form shows: its words by key, and further words as they are. */
export interface Row {
  is: "nodes" | "partition";
  values: Record<string, string>;
  rest: string;
}

export type Part = Row | { is: "other"; text: string };

/** The keys of a line in the form, in the order in which they are written. The first one begins it. */
export const KEYS = {
  nodes: ["NodeName", "CPUs", "RealMemory", "Gres", "Feature", "Weight"],
  partition: ["PartitionName", "Nodes", "MaxTime", "PriorityTier", "Default", "OverSubscribe"],
} as const;

function rowOf(line: string): Row | undefined {
  if (/[#;\\"]/.test(line)) return undefined;
  const words = line.trim().split(/\s+/);
  const pairs = words.map((word) => {
    const at = word.indexOf("=");
    return at < 0 ? ([word, ""] as const) : ([word.slice(0, at), word.slice(at + 1)] as const);
  });
  const [first, name] = pairs[0] ?? ["", ""];
  const is = { nodename: "nodes", partitionname: "partition" }[first.toLowerCase()] as
    | Row["is"]
    | undefined;
  if (!is || name.toLowerCase() === "default") return undefined;
  const row: Row = { is, values: {}, rest: "" };
  const rest: string[] = [];
  for (const [at, [key, value]] of pairs.entries()) {
    const known =
      key.toLowerCase() === "procs"
        ? "CPUs"
        : KEYS[is].find((one) => one.toLowerCase() === key.toLowerCase());
    if (!known) rest.push(words[at]!);
    // The last of two values counts, which a form that shows one of them would hide.
    else if (row.values[known] !== undefined) return undefined;
    else row.values[known] = value;
  }
  row.rest = rest.join(" ");
  return row;
}

/** True if lines of a description give others their words. */
export function hasDefaults(parts: Part[], is: Row["is"]): boolean {
  const line = new RegExp(`(^|;)\\s*${KEYS[is][0]}=DEFAULT`, "i");
  return parts.some((part) => part.is === "other" && line.test(part.text));
}

/** Returns the lines of a description. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let goesOn = false;
  for (const line of text.split("\n")) {
    const row = goesOn ? undefined : rowOf(line);
    goesOn = line.trimEnd().endsWith("\\");
    parts.push(row ?? { is: "other", text: line });
  }
  return parts;
}

/** Returns the description that these lines make. */
export function textOf(parts: Part[]): string {
  const lines = parts.map((part) => {
    if (part.is === "other") return part.text;
    const words = KEYS[part.is].flatMap((key) => {
      const value = part.values[key]?.trim();
      return value ? [`${key}=${value}`] : [];
    });
    return [...words, ...(part.rest ? [part.rest] : [])].join(" ");
  });
  return lines.join("\n").trim();
}

/** Returns the parts with one more row, behind the last one of its sort. */
export function withRow(parts: Part[], row: Row): Part[] {
  const last = parts.findLastIndex(({ is }) => is === row.is);
  const before = last < 0 && row.is === "nodes" ? 0 : last < 0 ? parts.length : last + 1;
  return parts
    .filter((part) => part.is !== "other" || part.text !== "" || parts.length > 1)
    .toSpliced(before, 0, row);
}

/** Returns a name that no line has: `n[1-16]`, then `o[1-16]` and so on. */
export function freeName(parts: Part[], row: Row["is"]): string {
  const key = KEYS[row][0];
  const known = parts.flatMap((part) => (part.is === row ? [part.values[key] ?? ""] : []));
  const text = parts.flatMap((part) => (part.is === "other" ? [part.text] : [])).join(" ");
  const letters = [..."nabcdefghijklmopqrstuvwxyz"];
  const isFree = (letter: string) =>
    ![...known, text].some((name) => new RegExp(`(^|[\\s,=])${letter}[[\\d]`).test(name));
  if (row === "nodes") return `${letters.find(isFree) ?? "node"}[1-16]`;
  for (let at = 1; ; at += 1) if (!known.includes(`part${at}`)) return `part${at}`;
}
