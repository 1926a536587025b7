// Checks the prose of the project. `node xtask/prose/main.mjs [--all | --bless | --counts] [PATH...]`, or `--message FILE`.
//
// left.json says how many faults each rule still has in each folder. A count that grows fails. One that shrinks fails too,
// until `--bless` has written it, so that it cannot grow again. `--counts` prints the counts, for a new left.json.
import { readFileSync, writeFileSync } from "node:fs";
import { files, messages, read } from "./files.mjs";
import { compare, count, folderOf, lower } from "./left.mjs";
import { lint, rules } from "./lint.mjs";

const LEFT = new URL("left.json", import.meta.url);

const options = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const paths = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const unknown = options.filter((option) => !["--all", "--bless", "--counts", "--message"].includes(option));

if (unknown.length > 0) end([`${unknown[0]} is no option of the linter: --all, --bless, --counts or --message FILE.`]);
else if (options.includes("--message")) await checkMessage();
else await checkFiles();

async function checkMessage() {
  const text = readFileSync(paths[0], "utf8").replace(/^#.*\n?/gm, "");
  const { faults } = await lint(`\0${text}`, "message.commits");
  end(faults.map(({ line, rule, message }) => `line ${line}: ${message} [${rule}]`));
}

async function checkFiles() {
  const faults = [];
  let allowed = 0;
  const wanted = files().filter((path) => paths.length === 0 || paths.some((start) => path === start || path.startsWith(`${start.replace(/\/$/, "")}/`)));
  for (const path of wanted) {
    const found = await lint(read(path), path);
    faults.push(...found.faults);
    allowed += found.allowed.length;
  }
  if (paths.length === 0) faults.push(...(await commitFaults()));
  const counts = count(faults);
  if (options.includes("--counts")) return console.log(JSON.stringify(counts, null, 1));
  // A part of the files has no counts of its own: all its faults are shown.
  if (options.includes("--all") || paths.length > 0) {
    faults.forEach((fault) => console.log(shown(fault)));
    return tell(faults.length, wanted.length, allowed);
  }
  const left = JSON.parse(readFileSync(LEFT, "utf8"));
  const differences = compare(counts, left);
  const grown = differences.filter(({ now, before }) => now > before);
  const shrunk = differences.filter(({ now, before }) => now < before);
  const told = grown.flatMap(({ rule, folder, now, before }) => [
    `${folder}: ${rule} has ${now} faults, ${before} are left from before the rule:`,
    ...faults.filter((fault) => fault.rule === rule && folderOf(fault.path) === folder).map(shown),
  ]);
  if (options.includes("--bless")) writeFileSync(LEFT, `${JSON.stringify(lower(counts, left), null, 1)}\n`);
  else told.push(...shrunk.map(({ rule, folder, now, before }) => `${folder}: ${rule} has ${now} faults, fewer than the ${before} in left.json. Run \`cargo xtask prose --bless\`.`));
  tell(faults.length, wanted.length, allowed);
  end(told);
}

/** Checks messages of commits by all rules. */
async function commitFaults() {
  const log = messages();
  if (log === undefined) {
    console.log("The history of this copy does not reach back to the rules on wording: no message is checked.");
    return [];
  }
  const { faults } = await lint(log, "log.commits");
  const lines = log.split("\n");
  return faults.map((fault) => {
    const commit = lines.slice(0, fault.line).findLast((line) => line.includes("\0"))?.replace("\u0001", "").split("\0")[0];
    return { ...fault, path: `commits/${commit}` };
  });
}

function shown({ path, line, column, message, rule }) {
  return `${path}:${line}:${column}: ${message} [${rule}]`;
}

function tell(faults, files, allowed) {
  console.log(`Prose: ${files} files, ${rules.size} rules, ${faults} faults, ${allowed} allowed by a comment.`);
}

function end(faults) {
  faults.forEach((line) => console.error(line));
  if (faults.length > 0) process.exitCode = 1;
}
