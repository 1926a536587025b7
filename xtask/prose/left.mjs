// The faults that are left from before the rules: how many each rule has in each folder.

/** Returns the folder under which a path is counted: two levels, one in docs/. */
export function folderOf(path) {
  const parts = path.split("/").slice(0, -1);
  return parts.slice(0, parts[0] === "docs" ? 1 : 2).join("/") || ".";
}

/** Counts faults by rule and folder. */
export function count(faults) {
  const counts = {};
  const key = ({ rule, path }) => `${rule} ${folderOf(path)}`;
  for (const { rule, path } of faults.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))) {
    const folders = (counts[rule] ??= {});
    folders[folderOf(path)] = (folders[folderOf(path)] ?? 0) + 1;
  }
  return counts;
}

/** Lists the pairs of a rule and a folder whose count is another one than the one that is left. */
export function compare(counts, left) {
  return [...new Set([...Object.keys(counts), ...Object.keys(left)])].flatMap((rule) =>
    [...new Set([...Object.keys(counts[rule] ?? {}), ...Object.keys(left[rule] ?? {})])]
      .map((folder) => ({ rule, folder, now: counts[rule]?.[folder] ?? 0, before: left[rule]?.[folder] ?? 0 }))
      .filter(({ now, before }) => now !== before));
}

/** Lowers what is left to the counts, where they have shrunk; it never rises. */
export function lower(counts, left) {
  const lowered = {};
  for (const [rule, folders] of Object.entries(left)) {
    const kept = Object.entries(folders).map(([folder, before]) => [folder, Math.min(before, counts[rule]?.[folder] ?? 0)]).filter(([, now]) => now > 0);
    if (kept.length > 0) lowered[rule] = Object.fromEntries(kept);
  }
  return lowered;
}
