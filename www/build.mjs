// Bundles page and worker into a folder that already has index.html, the wasm and its glue. `cargo
// xtask` and Trunk share it. Every URL carries the stamp of its content, so that no cache mixes
// versions.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import subset from "subset-font";
import { renderDocs } from "./docs.mjs";
import { bundled, crates, notices, packages } from "./notices.mjs";
import { cards as readCards, papers as readPapers, resultsOf } from "./papers.mjs";
import * as policies from "./policies.mjs";

const www = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? process.env.TRUNK_STAGING_DIR;
if (!out) throw new Error("usage: node build.mjs FOLDER");

// Trunk names files by the package, with its hyphen.
for (const part of ["unpack", "whole"])
  for (const end of [".js", "_bg.wasm"]) {
    const named = join(out, `schedscope-${part}${end}`);
    if (existsSync(named)) renameSync(named, join(out, `schedscope_${part}${end}`));
  }

// The page's own font: Inter from 400 to 600, with the characters of Latin-1 and some signs. That is
// 25 KB; the whole font has 48 KB, and lacks most of the signs too.
const FONT = "@fontsource-variable/inter";
const SIGNS = "–—‘’“”…−×≤≥≈±→←↑↓·•";
// The features that a browser applies without being told, and the figures of one width that style/
// asks for. The other features are alternative forms of characters, which nothing shows.
const FEATURES = "ccmp locl rlig rclt calt clig liga kern mark mkmk tnum".split(" ");
const latin = Array.from({ length: 224 }, (_, at) => String.fromCodePoint(at + 32)).join("");
const inter = await subset(
  readFileSync(join(www, "node_modules", FONT, "files", "inter-latin-wght-normal.woff2")),
  latin + SIGNS,
  {
    targetFormat: "woff2",
    variationAxes: { wght: { min: 400, max: 600 } },
    keepFeatures: FEATURES,
  },
);
const font = {
  name: "font",
  setup: (b) => {
    b.onResolve({ filter: /^inter\.woff2$/ }, ({ path }) => ({ path, namespace: "font" }));
    b.onLoad({ filter: /./, namespace: "font" }, () => ({ contents: inter, loader: "file" }));
  },
};

const options = {
  absWorkingDir: www,
  assetNames: "[name]-[hash]",
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  write: false,
  metafile: true,
  jsx: "automatic",
  jsxImportSource: "preact",
};

/** The same code works with both engines: `engine` names the glue of the one. */
const glueOf = (engine) => ({
  name: "glue",
  setup: (b) => {
    b.onResolve({ filter: /^schedscope(-unpack)?$/ }, ({ path }) => ({
      path: resolve(out, path === "schedscope" ? `${engine}.js` : "schedscope_unpack.js"),
    }));
    // The package's files run own policies in every host.
    b.onResolve({ filter: /^schedscope\/(policy|compiled)$/ }, ({ path }) => ({
      path: join(www, "..", "pkg", `${path.split("/")[1]}.js`),
    }));
  },
});
const [glue, wholeGlue] = [glueOf("schedscope"), glueOf("schedscope_whole")];
// The gallery of own policies, and the types for their editor.
const ownPolicies = {
  name: "own-policies",
  setup: (b) => {
    b.onResolve({ filter: /^own-policies$/ }, ({ path }) => ({ path, namespace: "own-policies" }));
    b.onLoad({ filter: /./, namespace: "own-policies" }, async () => ({
      contents: `export const gallery = ${JSON.stringify(await policies.gallery())};
export const types = ${JSON.stringify(policies.types())};`,
      loader: "js",
    }));
  },
};
const entryPoints = Object.entries({
  main: ["src/main.tsx"],
  docs: ["src/docs.ts", "src/docs/docs.css"],
  style: ["style/index.css"],
  // The style sheets of the reading view, of the views beside the timeline, of lessons and of the
  // Policy tab, which load with their code.
  reading: ["style/reading.css"],
  views: ["style/views.css"],
  teach: ["style/teach.css"],
  own: ["style/own.css"],
}).flatMap(([out, paths]) => paths.map((path) => ({ out, in: path })));

// Code that loads later never runs before the page. This plugin says so: it makes every dynamically
// imported module import the page. Otherwise esbuild splits the code that the page shares with
// later parts into one file for each combination of parts (20 files, 6 KB more gzip).
const { metafile: found } = await build({
  ...options,
  entryPoints,
  outdir: out,
  splitting: true,
  plugins: [glue, font, ownPolicies],
});
const later = new Set(
  Object.values(found.inputs)
    .flatMap(({ imports }) => imports.filter(({ kind }) => kind === "dynamic-import"))
    .map(({ path }) => join(www, path))
    // Pages of the documentation work without the page.
    .filter((path) => !path.startsWith(join(www, "src/docs"))),
);
const afterPage = {
  name: "after-page",
  setup: (b) =>
    b.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      if (!later.has(path)) return undefined;
      const page = JSON.stringify(join(www, "src/page/page.tsx"));
      const contents = `import ${page};\n${readFileSync(path, "utf8")}`;
      return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
    }),
};

const bundle = async (stamp) => {
  const common = {
    ...options,
    outdir: out,
    define: { STAMP: JSON.stringify(stamp) },
    plugins: [glue],
  };
  const page = await build({
    ...common,
    plugins: [glue, font, ownPolicies, afterPage],
    entryPoints,
    splitting: true,
    chunkNames: "part-[name]-[hash]",
  });
  // The colours must be set before the first drawing. A module would be too late.
  const early = await build({
    ...common,
    format: "iife",
    entryPoints: { colours: "src/colours.ts" },
  });
  // The worker starts from a blob, which can import nothing: it is one file.
  const worker = await build({ ...common, entryPoints: { worker: "src/worker.ts" } });
  const whole = await build({
    ...common,
    plugins: [wholeGlue],
    entryPoints: { whole: "src/whole.ts" },
  });
  // The program of a worker without an origin, which runs the code of own policies.
  const sandbox = await build({
    ...common,
    plugins: [wholeGlue],
    entryPoints: { sandbox: "src/sandbox.ts" },
    inject: ["src/security/kept.ts"],
  });
  const built = [page, early, worker, whole, sandbox];
  return {
    files: built.flatMap(({ outputFiles }) => outputFiles),
    metafiles: built.map(({ metafile }) => metafile),
  };
};

// The papers are data: the page shows every card in papers/cards/ and every conclusion in
// papers/claims/. The results of a card load when it opens.
const papers = JSON.stringify({ cards: readCards(), papers: readPapers() });
const results = readCards()
  .map((card) => [`papers/${card.id}.json`, JSON.stringify(resultsOf(card))])
  .filter(([, text]) => text);

// The documentation is under the page's policy.
const policy = readFileSync(join(www, "index.html"), "utf8").match(
  /http-equiv="Content-Security-Policy" content="([^"]*)"/,
)[1];
const fact = (name) =>
  readFileSync(join(www, "..", "Cargo.toml"), "utf8").match(
    new RegExp(`^${name} = "(.*)"$`, "m"),
  )[1];
const [repository, version] = ["repository", "version"].map(fact);
const documentation = (stamp) =>
  renderDocs({ root: join(www, ".."), stamp, policy, repository, version });

const hash = createHash("sha256");
for (const file of [
  "schedscope_bg.wasm",
  "schedscope.js",
  "schedscope_whole_bg.wasm",
  "schedscope_whole.js",
  "schedscope_unpack_bg.wasm",
  "schedscope_unpack.js",
])
  hash.update(readFileSync(join(out, file)));
const unstamped = await bundle("");
for (const file of unstamped.files) hash.update(file.contents);
const thirdParties = notices("The page contains the work of others, under the licences below.", [
  ...crates("schedscope", "schedscope-whole", "schedscope-unpack"),
  ...bundled(unstamped.metafiles),
  ...packages([`node_modules/${FONT}`]),
]);
hash.update(thirdParties);
hash.update(papers);
for (const [, text] of results) hash.update(text);
for (const file of ["icon.svg", "index.html"]) hash.update(readFileSync(join(www, file)));
const unstampedDocs = documentation("");
for (const content of unstampedDocs.pages.values()) hash.update(content);
hash.update(unstampedDocs.texts);
const stamp = hash.digest("hex").slice(0, 12);

for (const name of readdirSync(out))
  if (/^part-.*\.js$|^inter-.*\.woff2$/.test(name)) rmSync(join(out, name));
writeFileSync(join(out, "papers.json"), papers);
rmSync(join(out, "papers"), { recursive: true, force: true });
mkdirSync(join(out, "papers"));
for (const [path, text] of results) writeFileSync(join(out, path), text);
writeFileSync(join(out, "THIRD-PARTY.txt"), thirdParties);
for (const file of (await bundle(stamp)).files) writeFileSync(file.path, file.contents);
const html = readFileSync(join(out, "index.html"), "utf8")
  .replace(/^.*data-trunk.*\n/gm, "")
  .replace(/(main\.js|style\.css)(\?v=\w*)?"/g, `$1?v=${stamp}"`);
writeFileSync(join(out, "index.html"), html);
// The same page for frames in other pages.
writeFileSync(
  join(out, "embed.html"),
  html.replace("<html ", "<html data-embed ").replace(/.*rel="manifest".*\n/, ""),
);

rmSync(join(out, "docs"), { recursive: true, force: true });
const { pages, texts } = documentation(stamp);
writeFileSync(join(out, "search.json"), texts);
for (const [path, content] of pages) {
  mkdirSync(dirname(join(out, "docs", path)), { recursive: true });
  writeFileSync(join(out, "docs", path), content);
}

copyFileSync(join(www, "icon.svg"), join(out, "icon.svg"));
const manifest = {
  name: "Schedscope",
  short_name: "Schedscope",
  description: "A simulator of parallel job scheduling, in the browser.",
  start_url: "./",
  scope: "./",
  display: "standalone",
  background_color: "#f3f4f6",
  theme_color: "#4a45d4",
  icons: [{ src: "icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any" }],
};
writeFileSync(join(out, "manifest.webmanifest"), `${JSON.stringify(manifest, null, 2)}\n`);

// The service worker keeps everything that the page can request, under the names that the page
// uses.
const stamped = [
  "main.js",
  "docs.js",
  "docs.css",
  "colours.js",
  "search.json",
  "style.css",
  "reading.css",
  "views.css",
  "teach.css",
  "own.css",
  "worker.js",
  "whole.js",
  "sandbox.js",
  "schedscope_bg.wasm",
  "schedscope_whole_bg.wasm",
  "schedscope_unpack_bg.wasm",
  "papers.json",
  ...results.map(([path]) => path),
].map((name) => `${name}?v=${stamp}`);
const files = [
  "index.html",
  "embed.html",
  "icon.svg",
  "manifest.webmanifest",
  "THIRD-PARTY.txt",
  ...stamped,
  ...readdirSync(out).filter((name) => /^part-.*\.js$|^inter-.*\.woff2$/.test(name)),
  ...[...pages.keys()].map((path) => `docs/${path}`),
];
const { outputFiles } = await build({
  ...options,
  entryPoints: { sw: "src/sw.ts" },
  outdir: out,
  define: {
    STAMP: JSON.stringify(stamp),
    FILES: JSON.stringify(files),
    POLICY: JSON.stringify(policy),
  },
});
for (const file of outputFiles) writeFileSync(file.path, file.contents);

// For hosts that take headers from a file: the rules that a page's own policy cannot contain, and a
// policy for the service worker, which has no page.
const WORKER_POLICY =
  "default-src 'none'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
writeFileSync(
  join(out, "_headers"),
  `/*\n  Content-Security-Policy: ${policy}\n  X-Content-Type-Options: nosniff\n  Referrer-Policy: no-referrer\n\n/sw.js\n  ! Content-Security-Policy\n  Content-Security-Policy: ${WORKER_POLICY}\n`,
);
