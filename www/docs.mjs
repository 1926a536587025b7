// Renders docs/ into the page's folder, as docs/*.html: same origin, same policy, same style. What
// is in the navigation, and in which order, is what docs/README.md links to. A link that leads
// nowhere is an error.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { deflateRawSync } from "node:zlib";
import MarkdownIt from "markdown-it";
import anchor from "markdown-it-anchor";

/** Headings are named as on GitHub. */
const slugify = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
const markdown = () =>
  new MarkdownIt({ html: true, linkify: false, typographer: false }).use(anchor, {
    slugify,
    tabIndex: false,
  });

const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** Files of a folder and those below it, as paths relative to it. */
function filesOf(folder, below = "") {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(below, entry.name);
    return entry.isDirectory() ? filesOf(folder, path) : [path];
  });
}

const pageOf = (path) => (path === "README.md" ? "index.html" : path.replace(/\.md$/, ".html"));

/** A live miniature: a comment that names jobs and runs becomes the place where they are run. */
const MINIATURE = /<!-- miniature: (\{[^]*?\}) -->/g;

/** A paper's card: a comment that names it becomes a link that opens it in the simulator. */
const CARD = /<!-- card: (\S+) \w+ -->/g;

/** What a link of the page holds, as src/link/format.ts writes it. */
const fragment = (state) => `1.${deflateRawSync(JSON.stringify(state)).toString("base64url")}`;

/** The jobs of a miniature: a file of docs/miniatures/, a golden case of the tests, or a
 * model's. */
function sourceOf(root, { jobs, golden, model, name }) {
  if (model) return { kind: "model", model: model.id, settings: model.settings, name };
  const path = jobs
    ? join(root, "docs/miniatures", `${jobs}.swf`)
    : join(root, "tests/cases", golden, "trace.swf");
  // Numbers of golden cases are for those who check them. Here jobs are counted, and each has a
  // colour of its own.
  let number = 0;
  const text = readFileSync(path, "utf8")
    .split("\n")
    .map((line) => {
      if (!/^\d/.test(line)) return /^; MaxProcs/.test(line) ? line : undefined;
      const fields = line.split(/\s+/);
      [fields[0], fields[11]] = [(number += 1), number];
      return fields.join(" ");
    });
  return { kind: "text", name, text: `${text.filter((line) => line !== undefined).join("\n")}\n` };
}

/**
 * Renders the docs.
 * @param {{ root: string, stamp: string, policy: string, repository: string }} options the project's folder, the version's
 * stamp, the content security policy, and where the sources are shown
 * @returns {Map<string, string | Buffer>} what lies in the site's docs/, by path
 */
export function renderDocs({ root, stamp, policy, repository }) {
  const from = join(root, "docs");
  const files = filesOf(from);
  const pages = files.filter((path) => path.endsWith(".md"));
  const sources = new Map(pages.map((path) => [path, readFileSync(join(from, path), "utf8")]));
  const anchors = new Map();
  const problems = [];
  const bodies = new Map();
  for (const [path, source] of sources) {
    const md = markdown();
    let miniature = "";
    const bare = source.replace(MINIATURE, (_, json) => {
      const { jobs, golden, model, name, ...rest } = JSON.parse(json);
      miniature = `<div class="miniature" data-miniature="${escaped(JSON.stringify({ source: sourceOf(root, { jobs, golden, model, name }), ...rest }))}"><p class="quiet">Here runs the engine itself, in your browser.</p></div>\n\n`;
      return "";
    });
    // Before the parameters, which are long.
    const at = bare.search(/^(\| parameter|It has no parameters)/m);
    const linked = (bare.slice(0, at) + miniature + bare.slice(at)).replace(
      CARD,
      (_, card) =>
        `<p><a class="run" href="${"../".repeat(path.split("/").length)}index.html#${fragment({ tab: "papers", card })}">Run it in the simulator</a></p>`,
    );
    const env = {};
    const tokens = md.parse(linked, env);
    const ids = new Set();
    const links = [];
    const walk = (list) => {
      for (const token of list) {
        if (token.attrGet?.("id")) ids.add(token.attrGet("id"));
        if (token.type === "link_open") links.push([token, "href"]);
        if (token.type === "image") links.push([token, "src"]);
        if (token.children) walk(token.children);
      }
    };
    walk(tokens);
    anchors.set(path, ids);
    const title =
      tokens[tokens.findIndex((token) => token.type === "heading_open" && token.tag === "h1") + 1]
        ?.content ?? path;
    bodies.set(path, { md, tokens, env, links, title });
  }
  // Links, when all anchors are known.
  for (const [path, { links }] of bodies) {
    for (const [token, name] of links) {
      const href = token.attrGet(name);
      if (/^[a-z]+:/.test(href)) continue;
      const [file, fragment] = href.split("#");
      const target = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), file));
      const outside = target.startsWith("../");
      const wanted = outside ? join(root, target.slice(3)) : join(from, target);
      const stat = statSync(wanted, { throwIfNoEntry: false });
      if (!stat) problems.push(`docs/${path}: ${href} leads nowhere`);
      else if (outside)
        token.attrSet(
          name,
          `${repository}/${stat.isDirectory() ? "tree" : "blob"}/main/${target.slice(3)}`,
        );
      else if (stat.isDirectory()) problems.push(`docs/${path}: ${href} is a folder`);
      else {
        if (fragment && anchors.has(target) && !anchors.get(target).has(fragment))
          problems.push(`docs/${path}: ${href} names no heading`);
        if (target.endsWith(".md"))
          token.attrSet(
            name,
            `${posix.relative(posix.dirname(path), pageOf(target)) || posix.basename(pageOf(target))}${fragment ? `#${fragment}` : ""}`,
          );
      }
    }
  }
  const order = navigation(bodies.get("README.md").tokens);
  for (const path of pages)
    if (path !== "README.md" && !order.some(({ pages }) => pages.includes(path)))
      problems.push(`docs/${path} is not in docs/README.md`);
  if (problems.length > 0) throw new Error(`the docs are not whole:\n${problems.join("\n")}`);

  const site = new Map();
  const flat = order.flatMap(({ pages }) => pages);
  for (const [path, { md, tokens, env, title }] of bodies) {
    const up = "../".repeat(path.split("/").length);
    const relative = (target) =>
      posix.relative(posix.dirname(path), pageOf(target)) || posix.basename(pageOf(target));
    const at = flat.indexOf(path);
    const nav = order
      .map(
        ({ name, pages }) =>
          `<h2>${escaped(name)}</h2><ul>${pages.map((page) => `<li><a href="${relative(page)}"${page === path ? ' aria-current="page"' : ""}>${escaped(bodies.get(page).title)}</a></li>`).join("")}</ul>`,
      )
      .join("");
    const beside = [
      [flat[at - 1], "Before", "prev"],
      [flat[at + 1], "Next", "next"],
    ]
      .filter(([page]) => page)
      .map(
        ([page, word, rel]) =>
          `<a rel="${rel}" href="${relative(page)}">${word}: ${escaped(bodies.get(page).title)}</a>`,
      )
      .join(" ");
    // Wide tables and code scroll, and can be reached from the keyboard.
    let tables = 0;
    const body = md.renderer
      .render(tokens, md.options, env)
      .replaceAll(
        "<table>",
        () =>
          `<div class="scroll" tabindex="0" role="region" aria-label="Table ${(tables += 1)}"><table>`,
      )
      .replaceAll("</table>", "</table></div>")
      .replaceAll("<pre>", '<pre tabindex="0">');
    site.set(
      pageOf(path),
      `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escaped(title)}: Schedscope</title>
    <link rel="icon" href="${up}icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${up}style.css?v=${stamp}">
    <script type="module" src="${up}docs.js?v=${stamp}"></script>
  </head>
  <body class="docs">
    <a class="skip" href="#text">Skip to the content</a>
    <header><h1><a href="${up}index.html">Schedscope</a></h1> <span class="quiet">Documentation</span> <span class="spring"></span> <a href="${up}index.html">Open the simulator</a></header>
    <div class="docs-page">
      <nav aria-label="Documentation"><details open><summary>Contents</summary><p><a href="${relative("README.md")}"${path === "README.md" ? ' aria-current="page"' : ""}>Overview</a></p>${nav}</details></nav>
      <main id="text" tabindex="-1">${body}<p class="beside">${beside}</p></main>
    </div>
  </body>
</html>
`,
    );
  }
  for (const path of files.filter((path) => /\.(svg|png|json)$/.test(path)))
    site.set(path, readFileSync(join(from, path)));
  return site;
}

/** What docs/README.md links to, under its second headings. */
function navigation(tokens) {
  const found = [];
  tokens.forEach((token, at) => {
    if (token.type === "heading_open" && token.tag === "h2")
      found.push({ name: tokens[at + 1].content, pages: [] });
    for (const child of token.children ?? []) {
      // The target is that of a rendered page by now.
      const href = child.type === "link_open" && child.attrGet("href");
      if (href && found.length > 0 && !/^[a-z]+:/.test(href) && href.endsWith(".html"))
        found.at(-1).pages.push(href.replace(/\.html$/, ".md"));
    }
  });
  return found.filter(({ pages }) => pages.length > 0);
}
