// Renders docs/ into the site's folder as docs/*.html, with the same origin, policy and style as
// the page. docs/README.md decides the content and order of the navigation. A link that leads
// nowhere fails the build.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { deflateRawSync } from "node:zlib";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import MarkdownIt from "markdown-it";
import anchor from "markdown-it-anchor";
import { escaped, frame } from "./docs-frame.mjs";

for (const [name, language] of Object.entries({ bash, javascript, json }))
  hljs.registerLanguage(name, language);

/** Headings have the same anchors as on GitHub. */
const slugify = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/** The link behind a heading that leads to this heading. */
const permalink = anchor.permalink.linkAfterHeader({
  style: "visually-hidden",
  assistiveText: (title) => `Link to “${title}”`,
  visuallyHiddenClass: "unseen",
  symbol: "#",
  wrapper: ['<div class="heading">', "</div>"],
});

/**
 * The longest text of a cell that stays on one line, and the shortest text that gets a broad
 * column.
 */
const SHORT = 16;
const LONG = 40;

/** The most values of a parameter that a cell shows at once. */
const OPEN = 3;

/**
 * Makes tables readable. Short cells stay on one line, and values with their meanings become a
 * list. Each cell knows the name of its column, because a narrow window shows the cells of a row
 * below each other.
 */
function tidyTables({ tokens, Token }) {
  let table;
  let names = [];
  let column = 0;
  tokens.forEach((token, at) => {
    if (token.type === "table_open") [table, names] = [token, []];
    if (token.type === "tr_open") column = 0;
    if (token.type === "th_open") names.push(tokens[at + 1].content);
    if (token.type !== "td_open") return;
    const inline = tokens[at + 1];
    token.attrSet("data-name", names[column++] ?? "");
    if (inline.content.length <= SHORT) token.attrSet("class", "short");
    if (inline.content.length >= LONG) {
      token.attrSet("class", "words");
      table.attrSet("class", "stacking");
    }
    listValues(inline, Token);
  });
}

/**
 * Makes a list of "`queue`: as the queue; `arrival`: as they arrived". A long list starts closed.
 */
function listValues(inline, Token) {
  const parts = inline.content.split(/; (?=`[^`]+`: )/);
  if (parts.length < 2 || !parts.every((part) => /^`[^`]+`: /.test(part))) return;
  const html = (content) => Object.assign(new Token("html_inline", "", 0), { content });
  const items = inline.children.flatMap((child, index) => {
    const [value, meaning] = inline.children.slice(index + 1);
    const isBoundary =
      child.type === "text" &&
      child.content.endsWith("; ") &&
      value?.type === "code_inline" &&
      meaning?.content.startsWith(": ");
    if (!isBoundary) return [child];
    child.content = child.content.slice(0, -2);
    return [child, html("</li><li>")];
  });
  const [begin, end] =
    parts.length <= OPEN
      ? ["", ""]
      : [`<details><summary>${parts.length} values</summary>`, "</details>"];
  inline.children = [html(`${begin}<ul class="values"><li>`), ...items, html(`</li></ul>${end}`)];
}

/** Returns a renderer of one page. It puts every heading that it meets into `headings`. */
function renderer(headings) {
  const md = new MarkdownIt({ html: true, linkify: false, typographer: false });
  md.use(anchor, {
    slugify,
    permalink,
    tabIndex: false,
    callback: (token, { slug, title }) =>
      headings.push({ level: Number(token.tag.slice(1)), slug, title }),
  });
  // Code can be wider than the page: it scrolls, also from the keyboard.
  md.renderer.rules.fence = (tokens, at) => {
    const { content, info } = tokens[at];
    const language = hljs.getLanguage(info.trim()) ? info.trim() : undefined;
    const html = language ? hljs.highlight(content, { language }).value : escaped(content);
    return `<div class="code"><pre tabindex="0"><code>${html}</code></pre></div>\n`;
  };
  md.core.ruler.push("tables", tidyTables);
  let tables = 0;
  md.renderer.rules.table_open = (list, at) => {
    const open = `<table${md.renderer.renderAttrs(list[at])}>`;
    return `<div class="scroll" tabindex="0" role="region" aria-label="Table ${(tables += 1)}">${open}\n`;
  };
  md.renderer.rules.table_close = () => "</table></div>\n";
  return md;
}

/** Returns the files of a folder and those below it, as paths relative to it. */
function filesOf(folder, below = "") {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(below, entry.name);
    return entry.isDirectory() ? filesOf(folder, path) : [path];
  });
}

const pageOf = (path) => (path === "README.md" ? "index.html" : path.replace(/\.md$/, ".html"));

/**
 * Returns the place of a live miniature: a comment that names jobs and runs becomes an element in
 * which the engine runs them.
 */
const MINIATURE = /<!-- miniature: (\{[^]*?\}) -->/g;

/**
 * Returns the link to a paper's card: a comment that names the card becomes a link that opens it in
 * the simulator.
 */
const CARD = /<!-- card: (\S+) \w+ -->/g;

/**
 * Returns the part of an address that restores a state of the page, as src/link/format.ts writes
 * it.
 */
const fragment = (state) => `1.${deflateRawSync(JSON.stringify(state)).toString("base64url")}`;

/**
 * Returns the jobs of a miniature: a file of docs/miniatures/, a golden case of the tests, or jobs
 * of a model.
 */
function sourceOf(root, { jobs, golden, model, name }) {
  if (model) return { kind: "model", model: model.id, settings: model.settings, name };
  const path = jobs
    ? join(root, "docs/miniatures", `${jobs}.swf`)
    : join(root, "tests/cases", golden, "trace.swf");
  // A golden case numbers its jobs for the people who check it. A miniature numbers them from 1,
  // and gives each a colour of its own.
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

/** Returns a page's Markdown with miniatures and cards in the places of their comments. */
function expand(root, path, source) {
  let miniature = "";
  const bare = source.replace(MINIATURE, (_, text) => {
    const { jobs, golden, model, name, ...rest } = JSON.parse(text);
    const data = JSON.stringify({ source: sourceOf(root, { jobs, golden, model, name }), ...rest });
    const words = `<p class="quiet">Here the engine itself runs in your browser. It needs JavaScript and WebAssembly.</p>`;
    miniature = `<div class="miniature" data-runs="${rest.runs.length}" data-miniature="${escaped(data)}">${words}</div>\n\n`;
    return "";
  });
  // The miniature precedes the parameters, which are long.
  const at = bare.search(/^(\| parameter|It has no parameters)/m);
  const up = "../".repeat(path.split("/").length);
  const link = (_, card) =>
    `<p><a class="run" href="${up}index.html#${fragment({ tab: "papers", card })}">Run it in the simulator</a></p>`;
  return (bare.slice(0, at) + miniature + bare.slice(at)).replace(CARD, link);
}

/** Reads a page: its tokens, headings, links and title. */
function read(root, path, source) {
  const headings = [];
  const md = renderer(headings);
  const env = {};
  const tokens = md.parse(expand(root, path, source), env);
  const links = [];
  // The links behind headings are not children of a token and need no check.
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type === "link_open") links.push([token, "href"]);
    if (token.type === "image") links.push([token, "src"]);
  }
  const title = headings.find(({ level }) => level === 1)?.title ?? path;
  const ids = new Set(headings.map(({ slug }) => slug));
  return {
    tokens,
    headings,
    ids,
    links,
    title,
    render: () => md.renderer.render(tokens, md.options, env),
  };
}

/**
 * Points the links of all pages to rendered pages and to the repository. Returns those that lead
 * nowhere.
 */
function connect(root, pages, repository) {
  const from = join(root, "docs");
  const problems = [];
  for (const [path, { links }] of pages) {
    for (const [token, name] of links) {
      const href = token.attrGet(name);
      if (/^[a-z]+:/.test(href)) continue;
      const [file, id] = href.split("#");
      const target = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), file));
      const isOutside = target.startsWith("../");
      const stat = statSync(isOutside ? join(root, target.slice(3)) : join(from, target), {
        throwIfNoEntry: false,
      });
      if (!stat) problems.push(`docs/${path}: ${href} leads nowhere`);
      else if (isOutside)
        token.attrSet(
          name,
          `${repository}/${stat.isDirectory() ? "tree" : "blob"}/main/${target.slice(3)}`,
        );
      else if (stat.isDirectory()) problems.push(`docs/${path}: ${href} is a folder`);
      else if (pages.has(target)) {
        if (id && !pages.get(target).ids.has(id))
          problems.push(`docs/${path}: ${href} names no heading`);
        token.attrSet(name, `${relative(path, target)}${id ? `#${id}` : ""}`);
      }
    }
  }
  return problems;
}

/** Returns the address of a page as another page links to it. */
const relative = (path, target) =>
  posix.relative(posix.dirname(path), pageOf(target)) || posix.basename(pageOf(target));

/**
 * Returns the pages that docs/README.md links to, under its level-2 headings, with their names
 * there. The links in `tokens` must already point to pages of the site.
 */
function navigation(tokens) {
  const groups = [];
  const names = new Map([["README.md", "Overview"]]);
  tokens.forEach((token, at) => {
    if (token.type === "heading_open" && token.tag === "h2")
      groups.push({ name: tokens[at + 1].content, pages: [] });
    (token.children ?? []).forEach((child, index) => {
      const href = child.type === "link_open" && child.attrGet("href");
      if (!href || groups.length === 0 || /^[a-z]+:/.test(href) || !href.endsWith(".html")) return;
      const path = href.replace(/\.html$/, ".md");
      groups.at(-1).pages.push(path);
      names.set(path, token.children[index + 1].content);
    });
  });
  return { groups: groups.filter(({ pages }) => pages.length > 0), names };
}

/** Returns the words of an inline token. */
const wordsOf = (token) =>
  (token.children ?? [])
    .map(({ type, content }) =>
      /break$|^html/.test(type) ? " " : /^(text|code_inline)$/.test(type) ? content : "",
    )
    .join("");

/** Returns the sections of a page: the anchor, heading and text of each. */
function sectionsOf({ tokens, headings }) {
  const sections = [];
  let next = 0;
  tokens.forEach((token, at) => {
    if (token.type === "heading_open") {
      const { slug, title, level } = headings[next++];
      sections.push({ slug: level === 1 ? "" : slug, title, texts: [] });
    } else if (tokens[at - 1]?.type !== "heading_open") {
      if (token.type === "inline") sections.at(-1)?.texts.push(wordsOf(token));
      if (token.type === "fence") sections.at(-1)?.texts.push(token.content);
    }
  });
  return sections.map(({ slug, title, texts }) => [
    slug,
    title,
    texts.join(" ").replace(/\s+/g, " ").trim(),
  ]);
}

/** Returns the first paragraph of a page, shortened for a list of search results. */
function summaryOf({ tokens }) {
  const at = tokens.findIndex(({ type, level }) => type === "paragraph_open" && level === 0);
  const words = at < 0 ? "" : wordsOf(tokens[at + 1]);
  return words.length <= 160 ? words : `${words.slice(0, 157).replace(/\s+\S*$/, "")}…`;
}

/** Returns the versions that CHANGELOG.md names, newest first. */
const versionsOf = (root) =>
  [...readFileSync(join(root, "CHANGELOG.md"), "utf8").matchAll(/^## (\d[\w.-]*)/gm)].map(
    ([, version]) => version,
  );

/**
 * Renders the docs. The options are the project's folder, the version's stamp and name, the content
 * security policy, and the address of the sources. Returns the files of the site's docs/ by path,
 * and the texts for the search as JSON.
 *
 * @param {{ root: string, stamp: string, policy: string, repository: string, version: string }}
 * options
 * @returns {{ pages: Map<string, string | Buffer>, texts: string }}
 */
export function renderDocs({ root, stamp, policy, repository, version }) {
  const files = filesOf(join(root, "docs"));
  const pages = new Map();
  for (const path of files.filter((path) => path.endsWith(".md")))
    pages.set(path, read(root, path, readFileSync(join(root, "docs", path), "utf8")));
  const problems = connect(root, pages, repository);
  const { groups, names } = navigation(pages.get("README.md").tokens);
  const order = ["README.md", ...groups.flatMap(({ pages }) => pages)];
  for (const path of pages.keys())
    if (!order.includes(path)) problems.push(`docs/${path} is not in docs/README.md`);
  if (problems.length > 0) throw new Error(`the docs are not whole:\n${problems.join("\n")}`);

  const site = new Map();
  const versions = versionsOf(root);
  const groupOf = (path) => groups.find(({ pages }) => pages.includes(path))?.name;
  for (const [path, page] of pages) {
    const link = (target) =>
      target && { title: names.get(target), href: relative(path, target), isHere: target === path };
    const at = order.indexOf(path);
    const html = frame({
      policy,
      stamp,
      repository,
      path,
      version,
      versions,
      up: "../".repeat(path.split("/").length),
      title: page.title,
      summary: summaryOf(page),
      group: groupOf(path),
      overview: link("README.md"),
      groups: groups.map(({ name, pages }) => ({ name, links: pages.map(link) })),
      outline: page.headings.filter(({ level }) => level === 2 || level === 3),
      before: link(order[at - 1]),
      next: link(order[at + 1]),
      body: page.render(),
    });
    site.set(pageOf(path), html);
  }
  for (const path of files.filter((path) => /\.(svg|png|json)$/.test(path)))
    site.set(path, readFileSync(join(root, "docs", path)));
  const texts = order.map((path) => ({
    path: pageOf(path),
    title: names.get(path),
    group: groupOf(path) ?? "",
    sections: sectionsOf(pages.get(path)),
  }));
  return { pages: site, texts: JSON.stringify(texts) };
}
