// Completes pkg/, the npm package: adds the notices of third parties, and refuses a package that
// lacks a file or mixes versions, because npm packs both silently. `cargo xtask pkg` runs this
// script. npm also runs it before it packs or publishes, because wasm-pack may have built
// pkg/wasm/.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { crates, notices } from "./notices.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const pkg = join(root, "pkg");
const refuse = (sentence) => {
  console.error(sentence);
  process.exit(1);
};

writeFileSync(
  join(pkg, "THIRD-PARTY.txt"),
  notices(
    "wasm/schedscope_bg.wasm and wasm/schedscope.js contain the work of others, under the licences below.",
    crates("schedscope"),
  ),
);
const manifest = JSON.parse(readFileSync(join(pkg, "package.json"), "utf8"));
const missing = manifest.files.filter((name) => !existsSync(join(pkg, name)));
if (missing.length > 0) refuse(`pkg/ lacks ${missing.join(", ")}. Run: cargo xtask pkg`);

// The package must match its sources: it loads, and the engine reports the same version.
const { default: init, catalog } = await import(
  new URL("../pkg/index.js", import.meta.url).href
).catch((error) => refuse(`pkg/wasm/ was not built for --target web: ${error.message}`));
await init();
const [, version] = readFileSync(join(root, "Cargo.toml"), "utf8").match(
  /^\[package\][^]*?^version = "(.*)"$/m,
);
const versions = {
  "Cargo.toml": version,
  "pkg/package.json": manifest.version,
  "pkg/wasm/": catalog().version,
};
if (new Set(Object.values(versions)).size > 1)
  refuse(
    `The package would be of several versions: ${Object.entries(versions)
      .map(([place, said]) => `${place} has ${said}`)
      .join(", ")}.`,
  );
