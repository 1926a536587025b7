import { inSentences, only, PROSE } from "../match.mjs";

export default {
  message: "Do not open a statement with a question word: name the thing (`The policy`, `Each job`).",
  find: only([...PROSE, "label"], (block) =>
    inSentences(STATEMENT)(block).filter((index) => {
      // The first sentence of a doc comment has a rule of its own. A name in emphasis, or of a page, may be a question.
      const isOpening = index === 0 && (block.type === "Header" || block.kind === "doc");
      return !isOpening && !/[[*_“"]$/.test(block.raw.slice(0, block.at(index)));
    })),
  wrong: {
    docs: ["What a process does not wait by itself is no waiting.", "What is to be predicted would be told here.", "How long a job runs decides its place."],
    comment: ["Who waits is asked again."],
    label: ["What is to be predicted would be told here."],
  },
  right: {
    docs: ["Time spent descheduled does not count as waiting.", "What does the policy know?", "What-if runs differ from an instant on.", "When a job ends, the policy runs.", "# What a policy is.", "See it. [How tests are organised](testing.md)."],
    label: ["Hidden until you answer the question.", "What happened", "Which jobs to show"],
  },
};

// A text without a full stop may be a heading or a label. `What follows:` and the like introduce lists.
const STATEMENT = /^(?:What(?!-if)|Who|Whoever|Whom|Whose|Which|How)\b[^?]*[.;]$/;
