import { anywhere } from "../match.mjs";

const IRREGULAR = "found|read|told|held|kept|made|built|set|put|cut|seen|known|shown|drawn|given|taken|written|chosen|done|run|sent|met|thought|had|left|said|drawn|foreseen|understood|begun|won|lost|fed|led|bound|laid|paid|sold|split|spread|undone|thrown";

export default {
  message: "Write `must`, `can` or `will`, or let somebody act: not `is to be done`.",
  find: anywhere(new RegExp(`\\b(?:is|are|was|were) (?:not )?to be (?:\\w+ly )?(?:\\w{2,}ed|${IRREGULAR})\\b`, "i")),
  wrong: { docs: ["What is to be predicted would be told here.", "The job is to be started.", "They are to be had."] },
  right: { docs: ["Hidden until you answer the question.", "The aim is to be fast.", "It is to be a folder."] },
};
