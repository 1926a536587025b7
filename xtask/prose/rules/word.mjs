import { anywhere } from "../match.mjs";

/** Words that the glossary or PROSE replaces: what must not be written, and what to write. */
const WORDS = [
  [/\bmend(?:s|ed|ing)?\b/i, "fix"],
  [/\blet(?:s|ting)? (?:(?:the|a|an|this|that|its|their|all|it|them|one) )?(?:\w+ )?go\b(?! (?:to|on|through|back|up|down|ahead)\b)/i, "clear, or release"],
  [/\bde-?scheduling list\b/i, "run queue"],
  [/\bportraits?\b/i, "summary of the trace"],
];

export default {
  message: "Use the field's word.",
  find: (block) => WORDS.flatMap(([pattern, better]) => anywhere(pattern)(block).map((index) => ({ index, message: `Use the field's word: ${better}.` }))),
  wrong: { label: ["Let the area go", "Mend the line"], comment: ["It lets go.", "The row is let go.", "letting its processors go"], docs: ["The portrait of a trace"] },
  right: { label: ["Clear selection", "Fix the line"], comment: ["Let the reader go to the tab.", "Let jobs of class F go ahead.", "The amendment"] },
};
