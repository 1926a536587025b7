import { anywhere } from "../match.mjs";

export default {
  message: "Say what is compared, in a sentence of its own: `No free processor`.",
  find: anywhere(/, (?:more|fewer|less) than (?:is|are|was|were)\b/),
  wrong: { label: ["it needs 1 processor, more than were free"] },
  right: { label: ["No free processor", "It needs more processors than are free."] },
};
