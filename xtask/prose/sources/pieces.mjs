// A piece is a run of prose in a file: its kind, its text, and where each part of the text stands in the file.

/** Builds a piece from parts of a file: `add` takes an index in the file and the text that stands there. */
export class Piece {
  text = "";
  #parts = [];

  /** `kind` is one of docs, doc, comment, label, button, message, help, summary, name and commit. */
  constructor(kind, { isMarkdown = false, language = "" } = {}) {
    Object.assign(this, { kind, isMarkdown, language });
  }

  add(index, text) {
    this.#parts.push([this.text.length, index]);
    this.text += text;
    return this;
  }

  /** Returns the index in the file of an index in the text. */
  place(index) {
    const [from, start] = this.#parts.findLast(([from]) => from <= index) ?? [0, 0];
    return start + index - from;
  }
}

/** Reads a comment that switches a rule off for its line and the next; undefined if it is another comment. */
export function allowance(index, comment) {
  const [, rule, reason] = /^\s*prose-ok ([a-z-]+)(?:: *(\S.*?))?\s*$/.exec(comment) ?? [];
  return rule && Object.assign(new Piece("allowance"), { index, rule, reason });
}

/** Groups comments of one line each that stand below each other into pieces. */
export class Lines {
  #open;

  constructor(pieces) {
    this.pieces = pieces;
  }

  /** Adds a comment: its index and its text after the mark, its line, and what must be equal for it to join the last one. */
  add({ kind, language, index, text, line, group }) {
    const last = this.#open;
    // An allowance does not part the lines around it.
    const allowed = allowance(index, text);
    if (allowed) {
      this.pieces.push(allowed);
      if (last?.line === line - 1) last.line = line;
      return;
    }
    if (last && last.line + 1 === line && last.group === group) {
      last.piece.add(last.end, "\n").add(index, text);
    } else {
      const piece = new Piece(kind, { isMarkdown: true, language }).add(index, text);
      this.pieces.push(piece);
      this.#open = { piece };
    }
    Object.assign(this.#open, { line, group, end: index + text.length });
  }
}
