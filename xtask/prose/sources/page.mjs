// Finds the prose of a script of the page: comments, texts of elements and of attributes, and messages of problems.
import { parseScript } from "../packages.mjs";
import { allowance, Lines, Piece } from "./pieces.mjs";

const ATTRIBUTES = new Set(["title", "aria-label", "placeholder", "label", "hint", "alt"]);

/** The properties of a problem that the page shows. */
const PROBLEM = ["what", "why", "next"];

/** Elements within a text: what they hold belongs to the sentence around them. */
const INLINE = new Set(["a", "b", "code", "em", "i", "kbd", "q", "small", "span", "strong", "sub", "sup", "time"]);

/** Elements that hold texts nobody reads as English. */
const SILENT = new Set(["code", "kbd", "pre", "style"]);

export function page(text, path) {
  const plugins = path.endsWith(".ts") ? ["typescript"] : ["typescript", "jsx"];
  // AssemblyScript has decorators where TypeScript allows none.
  const script = text.replace(/^@external\([^)]*\)/gm, (decorator) => " ".repeat(decorator.length));
  const tree = parseScript(script, { sourceType: "module", plugins, errorRecovery: true });
  const pieces = [];
  comments(text, tree.comments, pieces);
  if (!path.includes("/e2e/")) walk(tree.program, pieces, text);
  return pieces;
}

function comments(text, found, pieces) {
  const lines = new Lines(pieces);
  for (const { type, value, start, loc } of found) {
    if (value.startsWith("/ <reference")) continue;
    const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
    const isAlone = before.trim() === "";
    if (type === "CommentLine") {
      const space = value.startsWith(" ") ? 1 : 0;
      lines.add({ kind: "comment", language: "page", index: start + 2 + space, text: value.slice(space), line: loc.start.line, group: isAlone ? before : NaN });
    } else if (allowance(start, value)) {
      pieces.push(allowance(start, value));
    } else {
      const isDoc = value.startsWith("*");
      const piece = new Piece(isDoc ? "doc" : "comment", { isMarkdown: true, language: "page" });
      const body = isDoc ? value.slice(1) : value;
      let index = start + 2 + (isDoc ? 1 : 0);
      for (const line of body.split("\n")) {
        const mark = /^\s*\*? ?/.exec(line)[0].length;
        piece.add(index + mark, `${line.slice(mark).trimEnd()}\n`);
        index += line.length + 1;
      }
      pieces.push(piece);
    }
  }
}

/** Visits the tree and adds a piece for each text that users see. */
function walk(node, pieces, text) {
  if (Array.isArray(node)) return node.forEach((child) => walk(child, pieces, text));
  if (typeof node?.type !== "string") return;
  if (node.type === "JSXElement" || node.type === "JSXFragment") element(node, pieces, text);
  else if (node.type === "JSXAttribute" && ATTRIBUTES.has(node.name.name)) strings(node.value?.expression ?? node.value, "label", pieces, text);
  else if (node.type === "ObjectExpression") {
    const values = new Map(node.properties.map(({ key, value }) => [key?.name, value]));
    if (PROBLEM.every((name) => values.has(name))) PROBLEM.forEach((name) => strings(values.get(name), "message", pieces, text));
  }
  for (const [key, child] of Object.entries(node)) {
    if (child && typeof child === "object" && key !== "loc" && !/omments$/.test(key)) walk(child, pieces, text);
  }
}

/** Adds the texts between the tags of an element. An inline element among words is part of its parent's text. */
function element(node, pieces, text) {
  const name = node.openingElement?.name.name;
  if (node.isTaken || SILENT.has(name)) return;
  // A button that looks like a link is a part of its sentence.
  const isButton = name === "button" && !/\blink\b/.test(node.openingElement.attributes.find((one) => one.name?.name === "class")?.value?.value);
  const kind = isButton ? "button" : "label";
  const isWord = (child) => child.type === "JSXText" && /\p{L}/u.test(child.value);
  const isInline = (child) => child.type === "JSXElement" && INLINE.has(child.openingElement.name.name);
  let piece = new Piece(kind);
  const end = () => {
    if (/\p{L}/u.test(piece.text)) pieces.push(piece);
    piece = new Piece(kind);
  };
  const add = (children) => {
    for (const child of children) {
      if (child.type === "JSXText") piece.add(child.start, text.slice(child.start, child.end).replace(/&\w+;/g, (entity) => " ".repeat(entity.length)));
      else if (child.type === "JSXExpressionContainer") {
        // A number stands for a value that the program inserts. The expression's own texts are pieces too.
        if (child.expression.type === "JSXEmptyExpression") continue;
        if (child.expression.type === "StringLiteral" && child.expression.value === " ") piece.add(child.start, " ");
        else {
          piece.add(child.start, "7");
          strings(child.expression, kind, pieces, text);
        }
      } else if (isButton && child.openingElement?.name.name === "span") {
        // It explains the button, whose label has ended.
        end();
      } else if (isInline(child) && (!SILENT.has(child.openingElement.name.name) || children.some(isWord))) {
        child.isTaken = true;
        if (SILENT.has(child.openingElement.name.name)) piece.add(child.start, "`x`");
        else add(child.children);
      } else end();
    }
  };
  if (isButton || node.children.some(isWord)) add(node.children);
  else for (const child of node.children) if (child.type === "JSXExpressionContainer") strings(child.expression, kind, pieces, text);
  end();
}

/** Adds the strings that an expression can become. */
function strings(node, kind, pieces, text) {
  switch (node?.type) {
    case "StringLiteral":
      // A text without a letter, or with one word in lower case, may be a key.
      if (/\p{L}/u.test(node.value)) pieces.push(new Piece(kind).add(node.start + 1, text.slice(node.start + 1, node.end - 1)));
      break;
    case "TemplateLiteral": {
      const piece = new Piece(kind);
      node.quasis.forEach((quasi, at) => {
        piece.add(quasi.start, text.slice(quasi.start, quasi.end));
        if (at < node.expressions.length) piece.add(quasi.end, "7");
      });
      if (/\p{L}/u.test(piece.text)) pieces.push(piece);
      node.expressions.forEach((inner) => strings(inner, "part", pieces, text));
      break;
    }
    case "ConditionalExpression":
      strings(node.consequent, kind, pieces, text);
      strings(node.alternate, kind, pieces, text);
      break;
    case "LogicalExpression":
      if (node.operator !== "&&") strings(node.left, kind, pieces, text);
      strings(node.right, kind, pieces, text);
  }
}
