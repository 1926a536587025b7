// The files that the linter reads, and the messages of commits.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

/** The last commit before the rules on wording. Messages cannot be changed later. */
const BEFORE = "0db4611";

const FOLDERS = ["", "benches", "docs", "examples", "fuzz", "src", "tests", "www", "xtask"];
const BUILT = new Set(["artifacts", "corpus", "dist", "node_modules", "out", "pkg", "target"]);

function* below(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile() && /\.(?:rs|md|tsx?|mjs)$/.test(entry.name)) yield path;
    else if (entry.isDirectory() && folder !== "" && !BUILT.has(entry.name)) yield* below(path);
  }
}

/** Returns the paths of all files that hold prose, from the root. */
export const files = () => FOLDERS.flatMap((folder) => [...below(folder)]).sort();

export const read = (path) => readFileSync(join(root, path), "utf8");

/** Returns the messages of commits since the rules, or undefined if the history does not reach back to them. */
export function messages() {
  try {
    return execFileSync("git", ["log", "--no-merges", "--format=%h%x00%B%x01", `${BEFORE}..HEAD`], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
}
