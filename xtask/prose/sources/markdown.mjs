// Reads a page of the docs as one piece.
import { allowance, Piece } from "./pieces.mjs";

export function markdown(text) {
  const comments = [...text.matchAll(/<!--(.*?)-->/g)].map(({ index, 1: comment }) => allowance(index, comment));
  return [new Piece("docs", { isMarkdown: true }).add(0, text), ...comments.filter(Boolean)];
}
