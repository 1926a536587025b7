// Resolves imports without endings, as the bundler does, and strips types.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

const ENDINGS = ["", ".ts", ".tsx", "/index.ts"];

export async function resolve(specifier, context, next) {
  if (!specifier.startsWith(".")) return next(specifier, context);
  const base = new URL(specifier, context.parentURL).href;
  const found = ENDINGS.map((ending) => base + ending).find(
    (url) => /\.\w+$/.test(url) && existsSync(fileURLToPath(url)),
  );
  return next(found ?? specifier, context);
}

export async function load(url, context, next) {
  const loader = /\.tsx?$/.exec(url)?.[0].slice(1);
  if (!loader) return next(url, context);
  const text = await readFile(fileURLToPath(url), "utf8");
  const { code } = await transform(text, {
    loader,
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    sourcemap: "inline",
  });
  return { format: "module", source: code, shortCircuit: true };
}
