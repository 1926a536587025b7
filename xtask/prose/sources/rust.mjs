// Finds the prose of a Rust file: comments, messages of problems, and texts of specifications.
import { Lines, Piece } from "./pieces.mjs";

const TOKEN = /\/\/[^\n]*|\/\*|r(?<hashes>#*)"|b?"(?:\\[^]|[^"\\])*"|b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\\n])'|[A-Za-z_]\w*|\s+|[^]/gu;

/** The fields of specifications that users read, by the kind of their texts. */
const FIELDS = { help: "help", summary: "summary", name: "name" };

/** Splits Rust into tokens: comments, strings, identifiers and single characters. */
function* tokens(text) {
  TOKEN.lastIndex = 0;
  for (let match; (match = TOKEN.exec(text)); ) {
    let { 0: token, index, groups } = match;
    if (token === "/*") {
      let depth = 1;
      const mark = /\/\*|\*\//g;
      mark.lastIndex = index + 2;
      while (depth > 0) {
        const found = mark.exec(text);
        depth = found ? depth + (found[0] === "/*" ? 1 : -1) : 0;
      }
      TOKEN.lastIndex = mark.lastIndex || text.length;
    } else if (groups.hashes !== undefined) {
      const end = text.indexOf(`"${groups.hashes}`, index + token.length);
      TOKEN.lastIndex = end < 0 ? text.length : end + 1 + groups.hashes.length;
    }
    const end = TOKEN.lastIndex;
    const type = /^\s/.test(token) ? "space" : token.startsWith("//") ? "line" : token === "/*" ? "block" : /^(b?"|r#*")/.test(token) ? "string" : "code";
    yield { type, index, text: text.slice(index, end) };
    TOKEN.lastIndex = end;
  }
}

/** Adds a string literal to a piece, without its escapes. A number stands for a placeholder of a format. */
function addString(piece, { index, text }) {
  const open = /^b?r?#*"/.exec(text)[0].length;
  const close = text.startsWith("r") ? open - 1 : 1;
  const inner = text.slice(open, text.length - close);
  let last = 0;
  for (const { index: at, 0: escape } of inner.matchAll(/\\\n\s*|\\u\{[^}]*\}|\\[^]|\{\{|\}\}|\{[^{}]*\}/g)) {
    if (at > last) piece.add(index + open + last, inner.slice(last, at));
    const stands = escape === "{{" || escape === "}}" ? escape[0] : escape.startsWith("{") ? "7" : /^\\["'\\]/.test(escape) ? escape[1] : /^\\[nt]/.test(escape) ? " " : "";
    piece.add(index + open + at, stands);
    last = at + escape.length;
  }
  piece.add(index + open + last, inner.slice(last));
}

export function rust(text, path) {
  const pieces = [];
  const lines = new Lines(pieces);
  const isShown = path.startsWith("src/") && !/\/tests(\/|\.rs)/.test(path);
  const significant = [];
  let line = 1;
  let column = 0;
  let calls = [];
  let depth = 0;
  for (const token of tokens(text)) {
    if (token.type === "line") {
      const [, mark, space] = /^(\/\/[/!]?)( ?)/.exec(token.text);
      const isDoc = mark !== "//" && !token.text.startsWith("////");
      const alone = text.slice(text.lastIndexOf("\n", token.index - 1) + 1, token.index).trim() === "";
      const start = mark.length + space.length;
      lines.add({ kind: isDoc ? "doc" : "comment", language: "rust", index: token.index + start, text: token.text.slice(start), line, group: alone ? `${mark} ${column}` : NaN });
    } else if (token.type === "string") {
      const [before, colon] = significant.slice(-2).map(({ text }) => text);
      const call = calls.at(-1);
      if (call !== undefined && isShown) addString(pieces[pieces.push(new Piece("message")) - 1], token);
      else if (isShown && colon === ":" && FIELDS[before]) addString(pieces[pieces.push(new Piece(FIELDS[before])) - 1], token);
      significant.push(token);
    } else if (token.type === "code") {
      if (token.text === "(") {
        depth += 1;
        if (significant.slice(-4).map(({ text }) => text).join("") === "Problem::new") calls.push(depth);
      } else if (token.text === ")") {
        if (calls.at(-1) === depth) calls.pop();
        depth -= 1;
      }
      significant.push(token);
      if (significant.length > 64) significant.splice(0, 32);
    }
    const breaks = token.text.split("\n");
    line += breaks.length - 1;
    column = breaks.length > 1 ? breaks.at(-1).length : column + token.text.length;
  }
  return pieces;
}
