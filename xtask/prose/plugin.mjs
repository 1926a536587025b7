// A plugin of textlint: it makes a tree of blocks from a file of any language, and says where in the file a fault is.
import { sentences } from "./english.mjs";
import { parseMarkdown } from "./packages.mjs";
import { markdown } from "./sources/markdown.mjs";
import { page } from "./sources/page.mjs";
import { rust } from "./sources/rust.mjs";
import { commits } from "./sources/commits.mjs";

const SOURCES = { ".rs": rust, ".md": markdown, ".ts": page, ".tsx": page, ".mjs": page, ".commits": commits };

/** The nodes of Markdown that hold sentences. */
const BLOCKS = new Set(["Paragraph", "Header", "TableCell"]);

/** The type of all nodes below the document: a block of prose. */
export const BLOCK = "Paragraph";

export class Processor {
  /** `allowances` receives the comments that switch rules off. */
  constructor({ allowances }) {
    this.allowances = allowances;
  }

  availableExtensions() {
    return Object.keys(SOURCES);
  }

  processor(extension) {
    return {
      preProcess: (text, path) => this.#read(SOURCES[extension](text, path), text),
      postProcess: (messages, filePath) => ({ messages: messages.map((message) => this.#place(message)), filePath }),
    };
  }

  /** Builds the text and the tree that textlint sees: the pieces of the file, one after the other. */
  #read(pieces, text) {
    this.file = text;
    this.pieces = [];
    let joined = "";
    const children = [];
    for (const piece of pieces) {
      if (piece.kind === "allowance") {
        this.allowances.push({ ...piece, line: this.#lineOf(piece.index) });
        continue;
      }
      piece.start = joined.length;
      this.pieces.push(piece);
      joined += `${piece.text}\n\n`;
      blocks(piece).forEach((block, at) => {
        const range = [piece.start + block.from, piece.start + block.to];
        const node = { type: BLOCK, raw: joined.slice(...range), range, loc: NOWHERE, children: [] };
        Object.defineProperty(node, "block", { value: { ...block, kind: piece.kind, language: piece.language, isFirst: at === 0, sentences: sentences(block.text), raw: node.raw } });
        children.push(node);
      });
    }
    return { text: joined, ast: { type: "Document", raw: joined, range: [0, joined.length], loc: NOWHERE, children } };
  }

  /** Moves a message from the joined text to the file. */
  #place(message) {
    const piece = this.pieces.findLast(({ start }) => start <= message.range[0]);
    const index = piece.place(message.range[0] - piece.start);
    return { ...message, line: this.#lineOf(index), column: index - this.file.lastIndexOf("\n", index - 1), kind: piece.kind };
  }

  #lineOf(index) {
    return this.file.slice(0, index).split("\n").length;
  }
}

const NOWHERE = { start: { line: 1, column: 0 }, end: { line: 1, column: 0 } };

/** Splits a piece into blocks. */
function blocks(piece) {
  if (!piece.isMarkdown) return [compact(piece.text, 0, piece.text.length, [], { type: "Text" })];
  // Most comments are one paragraph without marks; for them, the parser is not needed.
  if (/^[\w(][^*_[\]<>|#\n\\~]*(\n[\w(`][^*_[\]<>|#\n\\~]*)*$/.test(piece.text) && !/\n\d+[.)] |^\d+[.)] |https?:|`[^`]*\n[^`]*`|``|\n-|\n=/.test(piece.text)) {
    return [compact(piece.text, 0, piece.text.length, [...piece.text.matchAll(/`[^`]*`/g)].map(({ index, 0: code }) => ({ from: index, to: index + code.length, isCode: true })), { type: "Paragraph" })];
  }
  const found = [];
  const visit = (node, isListed) => {
    if (BLOCKS.has(node.type)) {
      found.push(compact(piece.text, ...node.range, hidden(node), { type: node.type, isListed }));
    } else {
      for (const child of node.children ?? []) visit(child, isListed || node.type === "ListItem");
    }
  };
  visit(parseMarkdown(piece.text), false);
  return found;
}

/** Returns the ranges of a node that are not words: code, marks and addresses. */
function hidden(node) {
  const found = [];
  const visit = (inner) => {
    const [from, to] = inner.range;
    if (inner.type === "Code") found.push({ from, to, isCode: true });
    else if (inner.type === "Str") return;
    else if (!inner.children?.length) found.push({ from, to });
    else {
      let at = from;
      for (const child of inner.children) {
        if (child.range[0] > at) found.push({ from: at, to: child.range[0] });
        visit(child);
        at = child.range[1];
      }
      if (at < to) found.push({ from: at, to });
    }
  };
  visit(node);
  return found;
}

/** Takes the words of a range: marks are dropped, white space is one space, and code is a word of `x`. `at` leads back. */
function compact(source, from, to, ranges, more) {
  let text = "";
  const places = [];
  let next = 0;
  for (let index = from; index < to; index += 1) {
    while (next < ranges.length && ranges[next].to <= index) next += 1;
    const range = ranges[next];
    if (range && index >= range.from && !range.isCode && source[index] !== "\n") continue;
    let character = source[index];
    if (range?.isCode && index >= range.from) character = index === range.from || index === range.to - 1 ? "`" : "x";
    else if (/\s/.test(character)) {
      if (text === "" || text.endsWith(" ")) continue;
      character = " ";
    }
    text += character;
    places.push(index - from);
  }
  return { ...more, from, to, text: text.trimEnd(), at: (index) => places[index] ?? Math.max(0, to - from - 1) };
}
