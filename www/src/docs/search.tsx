// The search of the documentation: a dialog over the page. The texts of all pages load when the
// dialog opens for the first time, and the browser builds their index. No question leaves the
// browser.
import { signal } from "@preact/signals";
import MiniSearch, { type SearchResult } from "minisearch";
import { render } from "preact";

declare const STAMP: string;

/** An entry of search.json: a page with its sections, each with an anchor, a heading and a text. */
interface Page {
  path: string;
  title: string;
  group: string;
  sections: [string, string, string][];
}

interface Section {
  id: number;
  page: Page;
  /** The page's title, for the index. */
  title: string;
  anchor: string;
  heading: string;
  text: string;
}

/** Most results to show: of all pages, and of one page. */
const SHOWN = 20;
const SHOWN_OF_PAGE = 4;

/** Number of characters of text that a result shows. */
const EXCERPT = 150;

const state = signal<"closed" | "loading" | "ready" | "failed">("closed");
const question = signal("");
const chosen = signal(0);

let sections: Section[] = [];
const index = new MiniSearch<Section>({
  fields: ["title", "heading", "text"],
  searchOptions: {
    boost: { title: 2, heading: 3 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: "AND",
    // The head of a page comes before its sections.
    boostDocument: (id) => (sections[id as number]?.anchor === "" ? 1.5 : 1),
  },
});

async function load(): Promise<void> {
  const answer = await fetch(new URL(`search.json?v=${STAMP}`, import.meta.url));
  if (!answer.ok) throw new Error(`search.json: ${answer.status}`);
  const pages = (await answer.json()) as Page[];
  const all = pages.flatMap((page) =>
    page.sections.map(([anchor, heading, text]) => ({
      page,
      title: page.title,
      anchor,
      heading,
      text,
    })),
  );
  sections = all.map((section, id) => ({ id, ...section }));
  await index.addAllAsync(sections);
}

/** Returns the best sections, at most a few of each page. */
function search(asked: string): SearchResult[] {
  const counts = new Map<Page, number>();
  const isShown = ({ id }: SearchResult) => {
    const { page } = sections[id as number]!;
    counts.set(page, (counts.get(page) ?? 0) + 1);
    return counts.get(page)! <= SHOWN_OF_PAGE;
  };
  return index.search(asked).filter(isShown).slice(0, SHOWN);
}

/** Returns a text with the found words marked. */
function Marked({ text, terms }: { text: string; terms: string[] }) {
  const words = terms
    .map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .sort((a, b) => b.length - a.length);
  // Every second part comes from the parentheses of the pattern.
  const parts = text.split(new RegExp(`(${words.join("|")})`, "gi"));
  return <>{parts.map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>;
}

/** Returns the part of a text around the first found word. */
function excerpt(text: string, terms: string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const first = places.length > 0 ? Math.min(...places) : 0;
  const from = first < EXCERPT / 2 ? 0 : text.indexOf(" ", first - EXCERPT / 3) + 1;
  const to =
    text.length <= from + EXCERPT
      ? text.length
      : Math.max(text.lastIndexOf(" ", from + EXCERPT), from + EXCERPT / 2);
  return `${from > 0 ? "… " : ""}${text.slice(from, to)}${to < text.length ? " …" : ""}`;
}

function Result({ result, at }: { result: SearchResult; at: number }) {
  const { page, anchor, heading, text } = sections[result.id as number]!;
  const href = new URL(`docs/${page.path}${anchor ? `#${anchor}` : ""}`, import.meta.url).href;
  return (
    <a
      id={`result-${at}`}
      role="option"
      aria-selected={at === chosen.value}
      tabIndex={-1}
      href={href}
      onPointerMove={() => (chosen.value = at)}
      onClick={close}
    >
      <span class="where">{[page.group, page.title].filter(Boolean).join(" › ")}</span>
      <b>
        <Marked text={heading} terms={result.terms} />
      </b>
      {text && (
        <span class="excerpt">
          <Marked text={excerpt(text, result.terms)} terms={result.terms} />
        </span>
      )}
    </a>
  );
}

function Search() {
  const asked = question.value.trim();
  const results = state.value === "ready" && asked ? search(asked) : [];
  const answer =
    results.length === 0
      ? `No results for “${asked}”. Try a shorter word.`
      : results.length === 1
        ? "1 result"
        : `${results.length} results`;
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && results.length > 0) {
      event.preventDefault();
      chosen.value = (chosen.value + step + results.length) % results.length;
      document.getElementById(`result-${chosen.value}`)?.scrollIntoView({ block: "nearest" });
    }
    if (event.key === "Enter") {
      event.preventDefault();
      document.getElementById(`result-${chosen.value}`)?.click();
    }
  };
  const type = (event: Event) => {
    question.value = (event.currentTarget as HTMLInputElement).value;
    chosen.value = 0;
  };
  return (
    <>
      <div class="search-field">
        <input
          type="text"
          role="combobox"
          aria-label="Search the documentation"
          placeholder="Search the documentation"
          autocomplete="off"
          spellcheck={false}
          aria-expanded={results.length > 0}
          aria-controls="results"
          aria-autocomplete="list"
          aria-activedescendant={results.length > 0 ? `result-${chosen.value}` : undefined}
          value={question.value}
          onInput={type}
          onKeyDown={press}
        />
        <button type="button" class="small" onClick={close}>
          Close
        </button>
      </div>
      <div id="results" role="listbox" aria-label="Results" hidden={results.length === 0}>
        {results.map((result, at) => (
          <Result key={result.id as number} result={result} at={at} />
        ))}
      </div>
      {state.value === "failed" && (
        <p class="notice bad" role="alert">
          The search could not load the pages' texts. Check the connection, then open the search
          again.
        </p>
      )}
      <p class={results.length > 0 ? "unseen" : "quiet"} role="status">
        {state.value === "loading" ? "Loading…" : state.value === "ready" && asked ? answer : ""}
      </p>
      <p class="keys quiet" aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>{" "}
        <span>
          <kbd>Enter</kbd> open
        </span>{" "}
        <span>
          <kbd>Esc</kbd> close
        </span>
      </p>
    </>
  );
}

const dialog = Object.assign(document.createElement("dialog"), { className: "search" });
dialog.setAttribute("aria-label", "Search the documentation");
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) close();
});
document.body.append(dialog);
render(<Search />, dialog);

function close(): void {
  dialog.close();
}

/** Loads the texts. After a failure, the next opening of the search tries again. */
async function begin(): Promise<void> {
  state.value = "loading";
  try {
    await load();
    state.value = "ready";
  } catch {
    state.value = "failed";
  }
}

/** Opens the search with the last question. */
export function open(): void {
  if (!dialog.open) dialog.showModal();
  const field = dialog.querySelector("input");
  field?.focus();
  field?.select();
  if (state.value === "failed" || state.value === "closed") void begin();
}
