// The HTML around a page of the documentation: header, contents, outline and links to its
// neighbours. All of it works without JavaScript; src/docs/ adds search, the choice of colours and
// copying.

export const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** @typedef {{ title: string, href: string, isHere: boolean }} Link */

const item = ({ title, href, isHere }) =>
  `<li><a href="${href}"${isHere ? ' aria-current="page"' : ""}>${escaped(title)}</a></li>`;

/** The contents of the whole documentation: a column on a wide window, a drawer on a narrow one. */
function contents({ overview, groups }) {
  const lists = groups.map(
    ({ name, links }) => `<h2>${escaped(name)}</h2><ul>${links.map(item).join("")}</ul>`,
  );
  return `<nav id="contents" class="contents" popover aria-label="Documentation"><ul>${item(overview)}</ul>${lists.join("")}</nav>`;
}

/** The headings of this page. */
function outlineOf(outline) {
  if (outline.length < 2) return "";
  const links = outline.map(
    ({ level, slug, title }) =>
      `<li class="level-${level}"><a href="#${slug}">${escaped(title)}</a></li>`,
  );
  return `<nav id="outline" class="outline" popover aria-labelledby="outline-name"><h2 id="outline-name">On this page</h2><ul>${links.join("")}</ul></nav>`;
}

/** The versions of the documentation. Older versions are read in the sources of that version. */
function versionsMenu({ version, versions, repository, path }) {
  const others = versions
    .filter((name) => name !== version)
    .map((name) => `<li><a href="${repository}/blob/v${name}/docs/${path}">${name}</a></li>`);
  return `<details class="versions">
        <summary><span class="unseen">Version </span>${version}</summary>
        <ul>
          <li><span aria-current="true">${version} <small>this version</small></span></li>
          ${[...others, ""].join("")}<li><a href="${repository}/blob/main/CHANGELOG.md">Changes</a></li>
          <li><a href="${repository}/releases">All releases</a></li>
        </ul>
      </details>`;
}

const neighbour = (link, word, rel) =>
  link
    ? `<a rel="${rel}" href="${link.href}"><small>${word}</small> <b>${escaped(link.title)}</b></a>`
    : "<span></span>";

/** Returns a whole page of the documentation. */
export function frame(page) {
  const {
    policy,
    stamp,
    repository,
    path,
    up,
    title,
    summary,
    group,
    overview,
    outline,
    before,
    next,
    body,
  } = page;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="description" content="${escaped(summary)}">
    <meta name="color-scheme" content="light dark">
    <title>${escaped(title)}: Schedscope</title>
    <link rel="icon" href="${up}icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${up}style.css?v=${stamp}">
    <link rel="stylesheet" href="${up}docs.css?v=${stamp}">
    <script src="${up}colours.js?v=${stamp}"></script>
    <script type="module" src="${up}docs.js?v=${stamp}"></script>
  </head>
  <body class="docs${overview.isHere ? " overview" : ""}">
    <a class="skip" href="#text">Skip to the content</a>
    <header>
      <a class="brand" href="${overview.href}"><img src="${up}icon.svg" alt="" width="22" height="22"><b>Schedscope</b> <span>Documentation</span></a>
      ${versionsMenu(page)}
      <span class="spring"></span>
      <a class="open" href="${up}index.html">Open the simulator</a>
      <button type="button" class="search-button scripted" aria-keyshortcuts="/ Control+K"><span>Search</span> <kbd>/</kbd></button>
      <label class="colours scripted"><span aria-hidden="true">◐</span><span class="unseen">Colours</span><select><option value="">System</option><option value="light">Light</option><option value="dark">Dark</option></select></label>
    </header>
    <div class="narrow-bar">
      <button type="button" popovertarget="contents">Contents</button>
      <span class="spring"></span>
      ${outline.length < 2 ? "" : '<button type="button" popovertarget="outline">On this page</button>'}
    </div>
    <div class="docs-page">
      ${contents(page)}
      <main id="text" tabindex="-1">
        ${group ? `<p class="group">${escaped(group)}</p>` : ""}
        <article>${body}</article>
        <footer>
          <p><a href="${repository}/edit/main/docs/${path}">Edit this page</a></p>
          <nav class="beside" aria-label="Neighbouring pages">${neighbour(before, "Previous", "prev")}${neighbour(next, "Next", "next")}</nav>
        </footer>
      </main>
      ${outlineOf(outline)}
    </div>
  </body>
</html>
`;
}
