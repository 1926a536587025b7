// Tells a table of demands from a table of jobs. Both are CSV.

/** The columns of a table of demands beside the job's number. */
const COLUMNS = ["cpu", "network", "disk", "memory"];

/** Bytes in which a header must end. */
const HEADER = 4096;

/** True if the header of a CSV file has two or more columns that only a table of demands has. */
export async function isDemands(file: File): Promise<boolean> {
  const start = await file.slice(0, HEADER).text();
  const header = start.split(/\r?\n/).find((line) => line.trim() && !line.startsWith("#")) ?? "";
  const names = header.split(",").map((name) => name.trim().toLowerCase());
  return names.includes("job") && COLUMNS.filter((name) => names.includes(name)).length >= 2;
}
