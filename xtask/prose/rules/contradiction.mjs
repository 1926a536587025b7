import { anywhere } from "../match.mjs";

export default {
  message: "Say what is wrong or what does not count: `contradict each other`, `does not count as waiting`.",
  find: anywhere(/\bthat cannot be(?=[.,;:]|$)|(?<!\bthere )\b(?:is|are|was|were) no (?!thing\b|string\b|ring\b|morning\b|evening\b|ceiling\b)\w{2,}ing\b(?! \w)/i),
  wrong: { doc: ["What settings say together that cannot be."], docs: ["Time of others is no waiting.", "This is no waiting: it runs."] },
  right: { doc: ["Rejects combinations of settings that contradict each other."], docs: ["There is no waiting.", "It is no longer here.", "A plan that cannot be read fails.", "There are no running jobs."] },
};
