import { only } from "../match.mjs";

export default {
  message: "Open the subject of a commit with a verb in the imperative.",
  find: only(["commit"], ({ text }) => (/^(?:What|Who|Whoever|Whom|Whose|Which|Whether|How|Where|When|Why|Of|That|The|An?|Each|Every|All|Some|No|It|This|These|Those|There|If|In|On|As|By|For|From|With|Two)\b/.test(text) ? [0] : [])),
  wrong: { commit: ["Who communicates goes before who does not: class F", "The page says why", "Whoever waits is told"] },
  right: { commit: ["Let communicating processes preempt class F (section 3.4)", "Test the page's links", "Test that links open"] },
};
