import { words } from "../english.mjs";
import { only } from "../match.mjs";

export default {
  message: "Label a button in sentence case, with a capital first and at most four words.",
  find: only(["button"], ({ text }) => {
    // A number stands for what the program inserts, whose length and case the syntax does not show.
    if (/\b7\b/.test(text)) return [];
    const [first, ...others] = words(text);
    const isTitled = others.filter((word) => /^\p{Lu}\p{Ll}/u.test(word) && !NAMES.has(word)).length > 0;
    return words(text).length > 4 || isTitled || /^\p{Ll}/u.test(first ?? "") ? [0] : [];
  }),
  wrong: { button: ["Clear Selection", "Open the file of this trace now", "show all"] },
  right: { button: ["Clear selection", "Save as SVG", "+ Add run", "▶", "Save as PNG"], label: ["Open the file of this trace now"] },
};

const NAMES = new Set(["Gantt", "Ousterhout", "Snakemake"]);
