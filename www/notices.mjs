// The notices of third parties: the parts of the page and of the npm package that others wrote,
// with their licences. The list of parts comes from the tools that add them: Cargo for the wasm,
// esbuild for the scripts.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const www = dirname(fileURLToPath(import.meta.url));

/** Licences that ask for no more than their text. deny.toml has the licences of all crates. */
const ACCEPTED = [
  "MIT",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "Zlib",
  "Unlicense",
  "BSL-1.0",
  "Unicode-3.0",
  "bzip2-1.0.6",
  "OFL-1.1",
];

/** @typedef {{ name: string, version: string, license: string, home: string, folder: string }}
 * Part */

/**
 * Returns the crates in the wasm of our own crates `roots`: their dependencies, without those that
 * only generate code. @param {string[]} roots
 */
export function crates(...roots) {
  const args = [
    "metadata",
    "--format-version",
    "1",
    "--locked",
    "--no-default-features",
    "--filter-platform",
    "wasm32-unknown-unknown",
  ];
  const { packages, resolve } = JSON.parse(
    execFileSync("cargo", args, {
      cwd: join(www, ".."),
      maxBuffer: 2 ** 28,
      stdio: ["ignore", "pipe", "inherit"],
    }).toString(),
  );
  const byId = new Map(packages.map((crate) => [crate.id, crate]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const isMacro = (id) => byId.get(id).targets.some(({ kind }) => kind.includes("proc-macro"));
  const found = new Set(
    packages.filter((crate) => roots.includes(crate.name)).map((crate) => crate.id),
  );
  for (const id of found)
    for (const { pkg, dep_kinds } of nodes.get(id).deps)
      if (dep_kinds.some(({ kind }) => kind === null) && !isMacro(pkg)) found.add(pkg);
  return [...found]
    .map((id) => byId.get(id))
    .filter((crate) => !roots.includes(crate.name))
    .map(({ name, version, license, repository, manifest_path }) => ({
      name,
      version,
      license,
      home: repository ?? "",
      folder: dirname(manifest_path),
    }));
}

/**
 * Returns the npm packages that have a part in esbuild's output. @param {{ outputs: object }[]}
 * metafiles
 */
export function bundled(metafiles) {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  const names = used.map((path) => path.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)\//));
  return packages(names.filter(Boolean).map(([path]) => path));
}

/** Returns the npm packages in these folders of www/. @param {string[]} folders */
export function packages(folders) {
  return [...new Set(folders)].map((path) => {
    const folder = join(www, path);
    const { name, version, license, repository, homepage } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    return {
      name,
      version,
      license,
      home: homepage ?? repository?.url ?? repository ?? "",
      folder,
    };
  });
}

/**
 * True if the project accepts a licence expression: one of the alternatives, or all parts together.
 */
const isAccepted = (license) => {
  const words = (license ?? "")
    .replaceAll("/", " OR ")
    .split(/[\s()]+/)
    .filter(Boolean);
  const names = words.filter((word) => word !== "OR" && word !== "AND");
  return words.includes("OR") && !words.includes("AND")
    ? names.some((name) => ACCEPTED.includes(name))
    : names.length > 0 && names.every((name) => ACCEPTED.includes(name));
};

/**
 * Returns the texts of a part's licence. From MIT and another licence it takes MIT, which has the
 * shorter text.
 */
function texts({ folder }) {
  const names = readdirSync(folder)
    .filter(
      (name) => /^(un)?licen[cs]e|^copying|^notice/i.test(name) && !/\.(js|json|rs)$/.test(name),
    )
    .sort();
  const mit = names.filter((name) => /mit/i.test(name));
  return (mit.length > 0 ? mit : names).map((name) =>
    readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim(),
  );
}

/** Returns the notices as one text. @param {string} head @param {Part[]} parts */
export function notices(head, parts) {
  const sorted = [...parts].sort((a, b) =>
    a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1,
  );
  for (const part of sorted)
    if (!isAccepted(part.license))
      throw new Error(
        `${part.name} ${part.version} has the licence ${part.license}, which www/notices.mjs does not accept`,
      );
  const line = "-".repeat(80);
  const entry = (part) =>
    `${line}\n${part.name} ${part.version} (${part.license})\n${part.home}\n\n${texts(part).join("\n\n") || "The package has no text of its licence."}\n`;
  return `${head}\n\nThe standard library of Rust (MIT OR Apache-2.0), https://github.com/rust-lang/rust, is in the program too.\n\n${sorted.map(entry).join("\n")}`;
}
