import { inSentences, only, PROSE, SHOWN } from "../match.mjs";

export default {
  message: "Write a full sentence: do not open with a fragment (`As ...:`, `And 12 ...`).",
  find(block) {
    return [...only(PROSE, inSentences(/^As [^,.:;]{1,40}:/))(block), ...only(SHOWN, inSentences(/^(?:And|But|Or) (?:7|\d)/))(block)];
  },
  wrong: { comment: ["As one question: each by itself can hardly be foreseen."], label: ["And 1042 causes more, 15 d 20 h in all", "And 3 others"] },
  right: {
    comment: ["Uses & instead of && on purpose: one unpredictable branch instead of three.", "As the queue is empty, the policy waits: nothing runs."],
    label: ["1,042 more causes (15 d 20 h)"],
  },
};
