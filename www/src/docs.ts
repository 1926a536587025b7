// Script of every page of the documentation: search, choice of colours, copying of code, and the
// reader's place in the outline. The search and the miniatures load on demand.
import { copy } from "./files/clipboard";
import "./security/shut";
// Makes the page's policy, so that no other script can make one of its name.
import "./security/trusted";
import { chosenTheme, keepTheme } from "./storage/choices";

/** Distance from the top of the window, in pixels, at which a heading counts as reached. */
const REACHED = 130;

const find = <Kind extends Element>(selector: string): Kind | null =>
  document.querySelector<Kind>(selector);

/** The list of colours: the system's, light or dark. src/colours.ts sets them. */
function offerColours(list: HTMLSelectElement): void {
  list.value = chosenTheme() ?? "";
  list.addEventListener("change", () => {
    const chosen = list.value;
    keepTheme(chosen === "light" || chosen === "dark" ? chosen : undefined);
    dispatchEvent(new Event("colours"));
  });
}

async function openSearch(): Promise<void> {
  const { open } = await import("./docs/search");
  open();
}

/**
 * Search opens with its button, with Control or Command and K, and with a slash outside of fields.
 */
function offerSearch(buttons: Iterable<HTMLElement>): void {
  for (const button of buttons) button.addEventListener("click", () => void openSearch());
  document.addEventListener("keydown", (event) => {
    const isCommand =
      (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k";
    const isTyped =
      event.target instanceof Element &&
      event.target.closest("input, textarea, select, [contenteditable]");
    const isSlash =
      event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyped;
    if (!isCommand && !isSlash) return;
    event.preventDefault();
    void openSearch();
  });
}

/** Adds a button to each piece of code that copies it. */
function offerCopies(): void {
  const said = Object.assign(document.createElement("div"), {
    className: "unseen",
    role: "status",
  });
  document.body.append(said);
  for (const code of document.querySelectorAll(".code")) {
    const button = Object.assign(document.createElement("button"), {
      type: "button",
      className: "small",
      textContent: "Copy",
    });
    button.addEventListener("click", async () => {
      const isCopied = await copy(code.querySelector("code")?.textContent ?? "");
      button.textContent = isCopied ? "Copied" : "Not allowed";
      said.textContent = button.textContent;
      setTimeout(() => {
        button.textContent = "Copy";
        said.textContent = "";
      }, 2000);
    });
    code.append(button);
  }
}

/** Marks the heading in the outline that the reader has reached. */
function follow(outline: HTMLElement): void {
  const links = [...outline.querySelectorAll<HTMLAnchorElement>("a")];
  const headings = links.map((link) =>
    document.getElementById(decodeURIComponent(link.hash.slice(1))),
  );
  let isWanted = false;
  const mark = () => {
    isWanted = false;
    const root = document.documentElement;
    const isEnd = root.scrollTop > 0 && root.scrollTop + innerHeight >= root.scrollHeight - 2;
    const passed = headings.findLastIndex(
      (heading) => heading && heading.getBoundingClientRect().top < REACHED,
    );
    // The last headings never reach the top. At the end of the page, the place is the heading that
    // the reader asked for, or else the last one.
    const asked = links.findIndex((link) => link.hash === location.hash);
    const place = !isEnd ? passed : asked > passed ? asked : links.length - 1;
    for (const [at, link] of links.entries()) {
      if (at === place) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
  };
  addEventListener(
    "scroll",
    () => {
      if (!isWanted) requestAnimationFrame(mark);
      isWanted = true;
    },
    { passive: true },
  );
  addEventListener("hashchange", mark);
  mark();
  // On a narrow window the outline covers the page.
  outline.addEventListener("click", (event) => {
    if (event.target instanceof HTMLAnchorElement && outline.matches(":popover-open"))
      outline.hidePopover();
  });
}

const colours = find<HTMLSelectElement>(".colours select");
if (colours) offerColours(colours);
offerSearch(document.querySelectorAll<HTMLElement>(".search-button"));
offerCopies();
const outline = find<HTMLElement>("#outline");
if (outline) follow(outline);

// The contents are longer than the window: scroll them to the reader's page.
const contents = find<HTMLElement>("#contents");
const here = contents?.querySelector<HTMLElement>("[aria-current]");
if (contents && here && here.offsetTop > contents.clientHeight * 0.75)
  contents.scrollTop = here.offsetTop - contents.clientHeight / 2;

const versions = find<HTMLDetailsElement>(".versions");
addEventListener("click", (event) => {
  if (versions && !versions.contains(event.target as Node)) versions.open = false;
});
versions?.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !versions.open) return;
  versions.open = false;
  versions.querySelector("summary")?.focus();
});

const place = find<HTMLElement>(".miniature");
if (place) void import("./docs/miniature").then(({ show }) => show(place));
