import { anywhere, only } from "../match.mjs";

// `Just` has a meaning before a time, a place, a comparison or a number, and after an auxiliary verb.
const JUST = /(?<!\b(?:not|has|have|had|is|are|was|were|been|did|does) )\bjust(?! (?:as|before|after|above|below|under|over|enough|like|so|one|two|three|\d+|now|then|in|on|at|when|where|what|how|the|a|an|this|that|these|those|because|behind|beyond|outside|inside|become|begun|gone|come|\w+ed)\b)/;

export default {
  message: "Leave the filler out: it judges the reader, or says nothing.",
  find: only(["docs", "doc", "label", "message", "help", "summary"], (block) => [
    ...anywhere(/\b(?:simply|easily|obviously|basically|of course|needless to say)\b/i)(block),
    ...block.sentences.filter(({ text }) => JUST.test(text) && !text.endsWith("?")).map(({ text, index }) => index + text.search(JUST)),
  ]),
  wrong: { docs: ["Simply run it.", "You can just drag.", "Of course, it waits.", "Without an answer it just tells."] },
  right: { docs: ["Run it.", "A job that has just ended.", "It ends just before the next.", "Just so many fit.", "It does not just hold it.", "What did EASY just decide?"], comment: ["It is simply fast."] },
};
