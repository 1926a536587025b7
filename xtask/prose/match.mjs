// Helpers of the rules: each turns a pattern into a function from a block to the indices of its faults.

/** Finds a pattern anywhere in a block. */
export const anywhere = (pattern) => (block) => [...block.text.matchAll(new RegExp(pattern, `${pattern.flags.replace("g", "")}g`))].map(({ index }) => index);

/** Finds sentences that a pattern matches. */
export const inSentences = (pattern) => (block) => block.sentences.filter(({ text }) => pattern.test(text)).map(({ index }) => index);

/** Matches the blocks of some kinds only. */
export const only = (kinds, find) => (block) => (kinds.includes(block.kind) ? find(block) : []);

/** Joins words into a pattern that matches any of them, whole. */
export const anyOf = (words) => `\\b(?:${words.join("|")})\\b`;

/** Texts of several sentences: pages, comments, messages and reasons of commits. */
export const PROSE = ["docs", "doc", "comment", "message", "help", "summary", "reason"];

/** Texts that users of the page see. */
export const SHOWN = ["label", "button", "part", "message", "help", "summary", "name"];
