// The published parts: the npm package, and the notices beside the page.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assert, root } from "./support.mjs";

test("what is in the page and the package from others has its licence beside it", () => {
  const page = readFileSync(join(root, "dist/THIRD-PARTY.txt"), "utf8");
  const own = readFileSync(join(root, "pkg/THIRD-PARTY.txt"), "utf8");
  for (const name of ["serde", "rand_chacha", "wasm-bindgen"])
    for (const text of [page, own]) assert.match(text, new RegExp(`^${name} \\d.*MIT`, "m"));
  for (const name of ["preact", "three", "d3-scale"])
    assert.match(page, new RegExp(`^${name} \\d`, "m"));
  assert.doesNotMatch(own, /^preact /m);
  // Tools of the build and the tests are not published.
  for (const name of ["esbuild", "clap", "playwright-core", "wasm-bindgen-cli"])
    assert.doesNotMatch(page + own, new RegExp(`^${name} \\d`, "m"));
  assert.doesNotMatch(page, /has no text of its licence/);
});

test("the package says of itself what the crate says", () => {
  const manifest = JSON.parse(readFileSync(join(root, "pkg/package.json"), "utf8"));
  const cargo = readFileSync(join(root, "Cargo.toml"), "utf8");
  const field = (name) =>
    JSON.parse(cargo.match(new RegExp(`^\\[package\\][^]*?^${name} = (.*)$`, "m"))[1]);
  for (const name of ["name", "version", "description", "keywords"])
    assert.deepEqual(manifest[name], field(name), name);
  assert.equal(manifest.license, cargo.match(/^license = "(.*)"$/m)[1]);
  assert.equal(manifest.repository.url, `git+${field("repository")}.git`);
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE"])
    assert.equal(
      readFileSync(join(root, "pkg", name), "utf8"),
      readFileSync(join(root, name), "utf8"),
      name,
    );
});

test("the package is complete, and npm would correct nothing in it", () => {
  const manifest = JSON.parse(readFileSync(join(root, "pkg/package.json"), "utf8"));
  for (const name of manifest.files) assert.ok(existsSync(join(root, "pkg", name)), name);
  const { status, stdout, stderr } = spawnSync("npm", ["publish", "--dry-run", "--offline"], {
    cwd: join(root, "pkg"),
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /schedscope@/);
  assert.doesNotMatch(stderr, /auto-corrected/);
});
