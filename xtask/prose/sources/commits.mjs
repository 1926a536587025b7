// Finds the prose of commit messages. The file holds what `git log --format=%h%x00%B%x01` says.
import { Piece } from "./pieces.mjs";

export function commits(text) {
  const pieces = [];
  for (const { index, 0: entry } of text.matchAll(/[^\u0001]+/g)) {
    const start = index + entry.indexOf("\0") + 1;
    const message = entry.slice(entry.indexOf("\0") + 1);
    const end = message.indexOf("\n");
    pieces.push(new Piece("commit").add(start, end < 0 ? message : message.slice(0, end)));
    if (end > 0) pieces.push(new Piece("reason", { isMarkdown: true }).add(start + end, message.slice(end)));
  }
  return pieces;
}
