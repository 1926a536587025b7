import { inSentences } from "../match.mjs";

export default {
  message: "Do not open a sentence with `Of`: put the subject first.",
  find: (block) => (block.type === "Header" ? [] : inSentences(/^Of\b/)(block)),
  wrong: {
    doc: ["Of a policy that takes over on the way, they are its own."],
    docs: ["Of two candidates one takes over from another one, of which this is the policy"],
  },
  right: { docs: ["If a what-if switches the policy mid-run, use the successor's candidates.", "Most of the jobs wait.", "# Of a run"] },
};
