// Writes docs/papers/: the printed figures, and those of our own runs. `node papers.mjs RESULTS`,
// where RESULTS has a folder NAME of `schedscope sweep` for each card (www/papers/NAME.json). To
// run missing folders first:
//   node papers.mjs RESULTS --run SCHEDSCOPE --traces FOLDER
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const www = dirname(fileURLToPath(import.meta.url));
const [results, ...rest] = process.argv.slice(2);
if (!results) throw new Error("usage: node papers.mjs RESULTS [--run SCHEDSCOPE --traces FOLDER]");
const option = (name) => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : undefined);

const bundled = await build({
  entryPoints: [join(www, "src/papers/printed.ts")],
  bundle: true,
  format: "esm",
  write: false,
});
const { compare } = await import(
  `data:text/javascript,${encodeURIComponent(bundled.outputFiles[0].text)}`
);

/**
 * Hash of the parts of a card that decide its figures. Docs that were written from another card are
 * out of date.
 */
const digest = ({ plan, printed }) =>
  createHash("sha256")
    .update(JSON.stringify([plan, printed]))
    .digest("hex")
    .slice(0, 12);

const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows]
    .map((row) => `| ${row.map(cell).join(" | ")} |`)
    .join("\n");

const pages = new Map();
for (const name of readdirSync(join(www, "papers"))
  .filter((name) => name.endsWith(".json"))
  .sort()) {
  const card = JSON.parse(readFileSync(join(www, "papers", name), "utf8"));
  const folder = join(results, name.replace(".json", ""));
  if (!existsSync(join(folder, "analysis.json")) && option("--run")) {
    const plan = `${folder}.plan.json`;
    mkdirSync(results, { recursive: true });
    writeFileSync(plan, JSON.stringify(card.plan));
    spawnSync(
      option("--run"),
      ["sweep", plan, "--out", folder, "--traces", option("--traces") ?? "."],
      { stdio: "inherit" },
    );
  }
  const { points } = JSON.parse(readFileSync(join(folder, "analysis.json"), "utf8"));
  const slug = card.paper
    .split(":")[0]
    .toLowerCase()
    .replace(/[^a-z]+/g, "-")
    .replace(/-$/, "");
  const parts = pages.get(slug) ?? [
    `# ${card.paper[0].toUpperCase()}${card.paper.slice(1)}\n\nThis page has every card of the tab *Papers* about this paper, with the printed figures beside those of our runs. Where they differ, the page gives the reason; we do not tune differences away. \`www/papers.mjs\` writes the tables from runs of the command line. The tab makes the same runs, with charts.`,
  ];
  const axes = Object.keys(card.printed[0]?.at ?? {});
  parts.push(
    `## ${card.shows}: ${card.title}\n\n<!-- card: ${card.id} ${digest(card)} -->\n\n${card.text}`,
  );
  if (card.printed.length > 0) {
    const rows = compare(card.printed, points);
    if (rows.every(({ ours }) => ours === "–")) throw new Error(`${name}: nothing to compare with`);
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
  pages.set(slug, parts);
}
mkdirSync(join(www, "../docs/papers"), { recursive: true });
for (const [slug, parts] of pages)
  writeFileSync(join(www, "../docs/papers", `${slug}.md`), `${parts.join("\n\n")}\n`);
console.log([...pages.keys()].join(" "));
