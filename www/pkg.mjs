// Assembles pkg/, the npm package, from what the page's build made; in the layout of `wasm-pack build --target web`.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { crates, notices } from "./notices.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const pkg = join(root, "pkg");
/** A text or a list of texts in Cargo.toml, which JSON writes alike. */
const field = (name) => JSON.parse(readFileSync(join(root, "Cargo.toml"), "utf8").match(new RegExp(`^\\[package\\][^]*?^${name} = (.*)$`, "m"))[1]);

mkdirSync(pkg, { recursive: true });
for (const [from, to] of [
  ["target/bindgen/schedscope.js", "schedscope.js"],
  ["target/bindgen/schedscope.d.ts", "schedscope.d.ts"],
  ["target/bindgen/schedscope_bg.wasm.d.ts", "schedscope_bg.wasm.d.ts"],
  ["target/bindgen/optimised.wasm", "schedscope_bg.wasm"],
  ["README.md", "README.md"],
  ["LICENSE-MIT", "LICENSE-MIT"],
  ["LICENSE-APACHE", "LICENSE-APACHE"],
])
  copyFileSync(join(root, from), join(pkg, to));
writeFileSync(join(pkg, "THIRD-PARTY.txt"), notices("schedscope_bg.wasm and schedscope.js contain the work of others, under the licences below.", crates()));
const manifest = {
  name: "schedscope",
  type: "module",
  description: field("description"),
  version: field("version"),
  license: "MIT OR Apache-2.0",
  keywords: field("keywords"),
  repository: { type: "git", url: `git+${field("repository")}.git` },
  files: ["schedscope_bg.wasm", "schedscope.js", "schedscope.d.ts", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"],
  main: "schedscope.js",
  types: "schedscope.d.ts",
  sideEffects: ["./snippets/*"],
};
writeFileSync(join(pkg, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
