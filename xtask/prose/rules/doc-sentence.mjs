import { words } from "../english.mjs";

export default {
  message: "Make the first paragraph a full sentence of two words or more that ends with a full stop.",
  // The rule is for Rust: comments in the TypeScript of the page name small things in few words. It allows `See ...`, and a paragraph that is only code, which is a command.
  find({ kind, language, type, isFirst, isListed, text }) {
    if (kind !== "doc" || language !== "rust" || type !== "Paragraph" || !isFirst || isListed || /^See |^`[^`]*`\.?$/.test(text)) return [];
    return words(text).length >= 2 && /[.:?!…][)"”]*$/.test(text) ? [] : [0];
  },
  wrong: { doc: ["Seconds.", "The instant", "Number of timers that are due at this instant"] },
  right: {
    doc: ["The row.", "Number of timers that are due at this instant.", "See `Policy`.", "`cargo fuzz run filter`.", "The fields, in order:\n\n* one\n* two", "Returns nothing (yet)."],
    comment: ["Seconds"],
    "page doc": ["Height of a row"],
  },
};
