// Splits a text into sentences and words.

/** Matches the end of a text that an abbreviation or an initial ends, not a sentence. */
const ABBREVIATION = /(?:\b(?:e\.g|i\.e|al|vs|cf|[Ff]igs?|Nos?|[Ss]ects?|[Ee]qs?|pp?|St|resp|approx|[Vv]ol|Dr|[A-Z])|\.\.)\.$/;

/** Splits a text into its sentences: the text of each and its index. */
export function sentences(text) {
  const found = [];
  let start = 0;
  for (const { index, 0: end } of text.matchAll(/[.?!]["')\]”’]*(?=\s+["'(“‘[]*[\p{Lu}\p{N}`]|\s*$)/gu)) {
    if (ABBREVIATION.test(text.slice(start, index + 1)) && index + end.length < text.length) continue;
    found.push([start, index + end.length]);
    start = index + end.length;
  }
  if (text.slice(start).trim()) found.push([start, text.length]);
  return found.map(([from, to]) => {
    const index = from + text.slice(from, to).search(/\S/);
    return { text: text.slice(index, to).trimEnd(), index };
  });
}

/** Returns the words of a text; a run of characters without a letter or a digit does not count. */
export function words(text) {
  return text.split(/[\s—–]+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
}
