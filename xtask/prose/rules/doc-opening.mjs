import { only } from "../match.mjs";

// `What-if` is a noun here.
const OPENING = /^(?:What(?!-if)|Who|Whoever|Whom|Whose|Which|Whether|How|Where|When|Why|Of|That)\b/;

export default {
  message: "Open with what the item is or does: a noun or a verb (`Returns ...`); for a truth value, `True if ...`.",
  find: only(["doc", "help"], ({ isFirst, text }) => (isFirst && OPENING.test(text) ? [0] : [])),
  wrong: {
    doc: ["What settings say together that cannot be.", "How many of the turns that were asked for with wake_at are this one", "Of two candidates one takes over from another one, of which this is the policy", "Whether the run ends."],
    help: ["Whether the head of the queue is kept from starving"],
  },
  right: {
    doc: ["Rejects combinations of settings that contradict each other.", "Number of timers that are due at this instant.", "True if the run ends.", "What-if runs of this plan.", "If the queue is empty, does nothing."],
    docs: ["When a job ends, the policy runs."],
  },
};
