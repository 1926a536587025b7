export default {
  message: "Write one space between words, and none at the end of a line.",
  // Tables and ASCII drawings align with spaces.
  find({ raw, type, at, text }) {
    if (type === "TableCell") return [];
    const places = [];
    for (const { index } of raw.matchAll(/(?<=\p{L}[.,;:)]?) {2,}(?=[\p{L}(])|(?<=\S)[ \t]+(?=\n)/gu)) {
      // The index in the raw text becomes one in the text.
      places.push(Array.from(text, (_, place) => place).findLast((place) => at(place) <= index) ?? 0);
    }
    return type === "Text" ? [] : places;
  },
  wrong: { docs: ["Two  spaces.", "The end \nof a line."], comment: ["A sentence.  Another one."] },
  right: { docs: ["One space.", "| a   | b |\n|---|---|\n| c d   | e |"], comment: ["A sentence.\nAnother one."] },
};
