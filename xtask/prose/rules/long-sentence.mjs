import { words } from "../english.mjs";
import { SHOWN } from "../match.mjs";

/** The longest sentence, in words: fewer than one in fifty of the docs was longer. Texts of the page are read at a glance. */
const LIMIT = 40;
const SHOWN_LIMIT = 30;

export default {
  message: "Split the sentence, or make it a list: one idea each.",
  find(block) {
    const limit = SHOWN.includes(block.kind) ? SHOWN_LIMIT : LIMIT;
    return block.sentences.flatMap(({ text, index }) => {
      // A cell of a table may list values, parted by semicolons: each counts by itself.
      const parts = block.type === "TableCell" ? text.split(";") : [text];
      const count = Math.max(...parts.map((part) => words(part).length));
      return count > limit ? [{ index, message: `Split the sentence of ${count} words (at most ${limit}), or make it a list.` }] : [];
    });
  },
  wrong: { docs: [`${"word ".repeat(40)}word.`], label: [`${"word ".repeat(30)}word.`] },
  right: { docs: [`${"word ".repeat(39)}word.`, `| a |\n|---|\n| ${"word ".repeat(30)}; ${"word ".repeat(30)} |`, `* ${"word ".repeat(20)}\n* ${"word ".repeat(21)}`, `${"word ".repeat(30)} e.g. a. ${"Word ".repeat(30)}.`], label: ["word ".repeat(30)] },
};
