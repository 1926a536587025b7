// Runs textlint with the project's rules.
import { readdirSync } from "node:fs";
import { TextlintKernel } from "./packages.mjs";
import { BLOCK, Processor } from "./plugin.mjs";

/** The rules by their names: one file each. */
export const rules = new Map();
for (const file of readdirSync(new URL("rules/", import.meta.url)).sort()) {
  rules.set(file.replace(".mjs", ""), (await import(`./rules/${file}`)).default);
}

/** Makes a rule of textlint from one of ours. */
const made = ({ find, message }) => (context) => ({
  [BLOCK](node) {
    for (const found of find(node.block)) {
      const { index, message: said = message } = typeof found === "number" ? { index: found } : found;
      context.report(node, new context.RuleError(said, { padding: context.locator.at(node.block.at(index)) }));
    }
  },
});

const kernel = new TextlintKernel();
const ours = [...rules].map(([ruleId, rule]) => ({ ruleId, rule: made(rule) }));

/** Checks a text: its faults, those that a comment allows, and faults of such comments. */
export async function lint(text, filePath) {
  const ext = /\.\w+$/.exec(filePath)[0];
  const allowances = [];
  const plugins = [{ pluginId: "schedscope", plugin: { Processor }, options: { allowances } }];
  const { messages } = await kernel.lintText(text, { ext, filePath, plugins, rules: ours });
  const faults = [];
  const allowed = [];
  for (const { ruleId, message, line, column, kind } of messages) {
    const fault = { path: filePath, line, column, rule: ruleId, message, kind };
    const allowance = allowances.find((one) => one.rule === ruleId && (one.line === line || one.line === line - 1));
    if (allowance) {
      allowance.isUsed = true;
      allowed.push(fault);
    } else faults.push(fault);
  }
  for (const { line, rule, reason, isUsed } of allowances) {
    const fault = { path: filePath, line, column: 1, rule: "prose-ok", kind: "comment" };
    if (!rules.has(rule)) faults.push({ ...fault, message: `No rule has the name ${rule}.` });
    else if (!reason) faults.push({ ...fault, message: "Give the reason: `prose-ok RULE: why`." });
    else if (!isUsed) faults.push({ ...fault, message: `Remove this comment: ${rule} finds nothing here.` });
  }
  return { faults: faults.sort((a, b) => a.line - b.line || a.column - b.column), allowed };
}
