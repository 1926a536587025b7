// The papers: runs the cards, stores what they show, and writes docs/papers/.
//
// `node papers.mjs` writes docs/papers/ from cards, claims and stored results.
// `node papers.mjs --run SCHEDSCOPE --traces FOLDER [--work FOLDER] [CARD...]` first runs the cards
// (all, unless some are named) in the terminal program, and stores what they show.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const www = dirname(fileURLToPath(import.meta.url));

/** Returns the page's own rules, for comparing figures and for what is stored of results. */
export async function rules() {
  const { outputFiles } = await build({
    stdin: {
      contents: `export * from "./src/papers/printed"; export * from "./src/papers/verdicts"; export * from "./papers/store";`,
      resolveDir: www,
    },
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    write: false,
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

const readAll = (folder) =>
  readdirSync(join(www, "papers", folder))
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => ({
      name: name.replace(/\.json$/, ""),
      ...readJson(join(www, "papers", folder, name)),
    }));

/** The cards, in the order of their names. */
export const cards = () => readAll("cards");

/** The papers with their conclusions, tables and figures. */
export const papers = () => readAll("claims");

/** The stored results of a card; undefined if there are none. */
export function resultsOf({ id }) {
  const path = join(www, "papers/results", `${id}.json`);
  return existsSync(path) ? readJson(path) : undefined;
}

/**
 * Hash of the parts of a card that decide its results. Results that were made from another card are
 * out of date; words may change.
 */
export const digest = ({ plan, printed, charts }) =>
  createHash("sha256")
    .update(
      JSON.stringify([
        plan,
        [...new Set(printed.map(({ figure }) => figure))],
        charts.map(({ note: _, ...chart }) => chart),
      ]),
    )
    .digest("hex")
    .slice(0, 12);

const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows]
    .map((row) => `| ${row.map(cell).join(" | ")} |`)
    .join("\n");

const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

/** Returns a paper's name without its title: "Talby and Feitelson". */
const authors = ({ paper }) => paper.split(":")[0];

/** Returns the part of a page about a card. */
function aboutCard(card, compare) {
  const parts = [
    `## ${card.shows}: ${card.title}\n\n<!-- card: ${card.id} ${digest(card)} -->\n\n${card.text}`,
  ];
  const results = resultsOf(card);
  if (!results) parts.push("This card has no stored results.");
  if (card.printed.length > 0 && results) {
    const axes = Object.keys(card.printed[0].at);
    const rows = compare(card.printed, results);
    if (rows.every(({ ours }) => ours === "–")) throw new Error(`${card.id}: nothing to compare`);
    const hasWhy = rows.some(({ why }) => why !== "");
    parts.push(
      table(
        [...axes, "figure", "printed", "ours", "difference", ...(hasWhy ? ["why"] : [])],
        rows.map(({ printed, theirs, ours, difference, why }) => [
          ...axes.map((axis) => printed.at[axis]),
          `${printed.figure}${printed.from ? `, against ${Object.values(printed.from).join(", ")}` : ""}`,
          theirs,
          ours,
          difference,
          ...(hasWhy ? [why] : []),
        ]),
      ),
    );
  }
  if (card.findings.length > 0)
    parts.push(card.findings.map((finding) => `* ${finding}`).join("\n"));
  return parts.join("\n\n");
}

/** Returns the page of a paper. */
function aboutPaper(paper, all, compare) {
  const own = all.filter((card) => card.paper === paper.paper);
  const anchor = (id) => {
    const card = own.find((card) => card.id === id);
    return `${card.shows}: ${card.title}`;
  };
  return `${[
    `# ${capital(paper.paper)}`,
    "This page has every card of the tab *Papers* about this paper, with the printed figures beside those of our runs. Where they differ, the page gives the reason; we do not tune differences away. Values cannot be read off curves here, because the source is the text of the papers without their pictures. Where a figure prints no values, the findings compare what the text says of it. The paper's conclusions are on [a page of their own](claims.md). `cargo xtask papers` runs the cards and writes this page. The tab makes the same runs, with charts.",
    "## Tables and figures of the paper",
    table(
      ["in the paper", "content", "here"],
      paper.shows.map(({ name, title, card, why }) => [
        name,
        title,
        card ? `card *${anchor(card)}*` : why,
      ]),
    ),
    ...own.map((card) => aboutCard(card, compare)),
  ].join("\n\n")}\n`;
}

/** Returns the page of all conclusions. */
function aboutClaims(all, VERDICTS) {
  const counts = (claims) =>
    VERDICTS.map((verdict) => claims.filter((claim) => claim.verdict === verdict).length);
  const every = all.flatMap(({ claims }) => claims);
  return `${[
    "# The papers' conclusions, and our verdicts",
    "This page has the conclusions of the five papers in short, as the papers draw them. A conclusion is *reproduced* if our runs show it, with figures close to the printed ones where the paper prints any. It is *in part* reproduced if they show its direction or a part of it, and *not reproduced* if they show something else. It is *not tested* if no simulation could test it. Each verdict names its card in the tab *Papers*, and its reason.",
    table(
      ["paper", "conclusions", ...VERDICTS],
      [
        ...all.map((paper) => [
          `[${capital(authors(paper))}](${paper.name}.md)`,
          paper.claims.length,
          ...counts(paper.claims),
        ]),
        ["all", every.length, ...counts(every)],
      ],
    ),
    ...all.map((paper) =>
      [
        `## ${capital(authors(paper))}`,
        table(
          ["section", "the paper says", "here", "because"],
          paper.claims.map(({ where, says, verdict, why }) => [where, says, `*${verdict}*`, why]),
        ),
      ].join("\n\n"),
    ),
  ].join("\n\n")}\n`;
}

/** Returns the pages of docs/papers/ by name. */
export async function pages() {
  const [all, about] = [cards(), papers()];
  const { compare, VERDICTS } = await rules();
  return new Map([
    ["claims.md", aboutClaims(about, VERDICTS)],
    ...about.map((paper) => [`${paper.name}.md`, aboutPaper(paper, all, compare)]),
  ]);
}

/** Returns the fields of a line of CSV. */
const fieldsOf = (line) =>
  [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, field]) => field);

/** Returns the results in a folder of `schedscope sweep`, with their seeds, each once. */
export function resultsIn(folder) {
  const [head, ...lines] = readFileSync(join(folder, "results.csv"), "utf8").trim().split("\n");
  const places = Object.fromEntries(fieldsOf(head).map((name, at) => [name, at]));
  const results = lines.map((line) => {
    const fields = fieldsOf(line);
    const result = readJson(join(folder, "cells", `${fields[places.key]}.json`));
    // A model's trace has the seed in its name.
    const seed = fields[places.seed] ?? /-seed(\d+)/.exec(result.trace)?.[1];
    return seed === undefined ? result : { ...result, seed: Number(seed) };
  });
  return [...new Map(results.map((result) => [result.key, result])).values()];
}

/** Runs a card's plan in the terminal program and stores what the card shows. */
async function run(card, { program, traces, work }) {
  mkdirSync(work, { recursive: true });
  const [plan, out] = [join(work, `${card.id}.plan.json`), join(work, card.id)];
  writeFileSync(plan, JSON.stringify(card.plan));
  for (const [name, text] of Object.entries(card.traces ?? {}))
    writeFileSync(join(work, name), text);
  const { status } = spawnSync(
    program,
    ["sweep", plan, "--out", out, "--traces", work, "--traces", traces],
    { stdio: "inherit" },
  );
  if (status !== 0) throw new Error(`${card.id}: the runs failed`);
  const { stored } = await rules();
  const kept = stored(card, readJson(join(out, "analysis.json")), resultsIn(out));
  writeFileSync(
    join(www, "papers/results", `${card.id}.json`),
    `${JSON.stringify({ card: digest(card), ...kept })}\n`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  const option = (name) => {
    const at = words.indexOf(name);
    return at < 0 ? undefined : words.splice(at, 2)[1];
  };
  const [program, traces, work] = [
    option("--run"),
    option("--traces") ?? ".",
    option("--work") ?? join(www, "../target/papers"),
  ];
  const unknown = words.filter((id) => !cards().some((card) => card.id === id));
  if (unknown.length > 0) throw new Error(`no card has the id ${unknown.join(", ")}`);
  if (program)
    for (const card of cards())
      if (words.length === 0 || words.includes(card.id)) await run(card, { program, traces, work });
  const folder = join(www, "../docs/papers");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of await pages()) writeFileSync(join(folder, name), text);
}
