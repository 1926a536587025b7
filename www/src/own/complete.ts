// Completion and hover texts of the editor, by the types of a policy. It follows the names that a
// policy usually gives: parameters, constants, loops over jobs.
import {
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from "@codemirror/autocomplete";
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState, Text } from "@codemirror/state";
import { type EditorView, hoverTooltip } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import type { Member } from "own-policies";
import { bare, isKnown, memberNamed, memberOf, membersOf } from "./types";

/** The parameters of a policy's methods, by the methods' names. */
const PARAMETERS: Record<string, string[]> = {
  begin: ["Settings"],
  decide: ["Turn"],
  believe: ["Request"],
  completed: ["Request", "Microseconds"],
};

/** Methods of lists whose functions get a member, and those that return such a list. */
const OF_MEMBERS = /^(sort|toSorted|filter|find|findIndex|some|every|forEach|map|flatMap)$/;
const LISTS = /^(sort|toSorted|filter|slice|toReversed|toSpliced|with|concat)$/;

/** Functions of Math that a policy has. */
const EXACT =
  "abs ceil clz32 floor fround imul max min round sign sqrt trunc exp log pow E LN2 LN10 PI".split(
    " ",
  );

/** Most names that are followed one after the other. */
const DEEPEST = 12;

/** Follows names of a program to their types. */
class Types {
  constructor(private readonly doc: Text) {}

  private text(node: SyntaxNode): string {
    return this.doc.sliceString(node.from, node.to);
  }

  /** Returns the type of an expression; an empty text if it is not known. */
  of(node: SyntaxNode | null, depth = 0): string {
    if (!node || depth > DEEPEST) return "";
    const next = (inner: SyntaxNode | null) => this.of(inner, depth + 1);
    switch (node.name) {
      case "VariableName":
        return this.named(node, depth);
      case "MemberExpression": {
        const name = node.lastChild;
        if (name?.name !== "PropertyName") return "";
        return memberNamed(next(node.firstChild), this.text(name))?.type ?? "";
      }
      case "CallExpression": {
        const callee = node.firstChild;
        const name = callee?.lastChild ? this.text(callee.lastChild) : "";
        const owner = next(callee?.firstChild ?? null);
        if (memberOf(owner) && LISTS.test(name)) return `${memberOf(owner)}[]`;
        if (memberOf(owner) && name === "find") return memberOf(owner);
        return memberNamed(owner, name)?.type ?? "";
      }
      case "ArrayExpression": {
        const spread = node.getChild("Spread")?.nextSibling ?? null;
        const inside = memberOf(next(spread));
        return inside && `${inside}[]`;
      }
      case "ParenthesizedExpression":
        return next(node.firstChild?.nextSibling ?? null);
      case "BinaryExpression":
        return next(node.firstChild) || next(node.lastChild);
      default:
        return "";
    }
  }

  /** Returns the type of a name: that of its nearest declaration before its use. */
  private named(use: SyntaxNode, depth: number): string {
    const name = this.text(use);
    for (let scope = use.parent; scope; scope = scope.parent) {
      const type = this.declared(scope, name, use.from, depth);
      if (type !== undefined) return type;
    }
    return "";
  }

  private declared(
    scope: SyntaxNode,
    name: string,
    before: number,
    depth: number,
  ): string | undefined {
    const isName = (node: SyntaxNode | null) =>
      node?.name === "VariableDefinition" && this.text(node) === name;
    const parameters = scope.getChild("ParamList")?.getChildren("VariableDefinition") ?? [];
    const at = parameters.findIndex(isName);
    if (at >= 0) return this.parameter(scope, at, depth);
    const spec = scope.name === "ForStatement" ? scope.getChild("ForOfSpec") : null;
    if (spec && isName(spec.getChild("VariableDefinition")))
      return memberOf(this.of(spec.lastChild?.prevSibling ?? null, depth + 1));
    let found: string | undefined;
    for (const declaration of scope.getChildren("VariableDeclaration")) {
      if (declaration.from >= before) break;
      for (const definition of declaration.getChildren("VariableDefinition")) {
        if (!isName(definition)) continue;
        let value = definition.nextSibling;
        while (value && value.name !== "Equals" && value.name !== ",") value = value.nextSibling;
        found = value?.name === "Equals" ? this.of(value.nextSibling, depth + 1) : "";
      }
    }
    return found;
  }

  /** Returns the type of a parameter of a method of the policy, or of a function over a list. */
  private parameter(scope: SyntaxNode, at: number, depth: number): string {
    const method =
      scope.name === "Property" || scope.name === "MethodDeclaration"
        ? scope.getChild("PropertyDefinition")
        : scope.parent?.getChild("PropertyDefinition");
    if (method) {
      const known = PARAMETERS[this.text(method)]?.[at];
      if (known) return known;
    }
    const call = scope.parent?.name === "ArgList" ? scope.parent.parent : null;
    const callee = call?.firstChild;
    if (callee?.name === "MemberExpression" && OF_MEMBERS.test(this.text(callee.lastChild!)))
      return memberOf(this.of(callee.firstChild, depth + 1));
    return "";
  }
}

/** Longest time to wait for the tree of a text, in milliseconds. */
const PARSING = 200;

/** Returns the tree of a text up to a place at least, also on a busy machine. */
const treeTo = (state: EditorState, position: number) =>
  ensureSyntaxTree(state, position, PARSING) ?? syntaxTree(state);

/** Returns the type of what stands before the dot at or before a place. */
function ownerAt(state: EditorState, position: number): string {
  let node: SyntaxNode | null = treeTo(state, position).resolveInner(position, -1);
  while (node && node.name !== "MemberExpression") node = node.parent;
  return node ? new Types(state.doc).of(node.firstChild) : "";
}

/** Returns the member at a place: a property after a dot, or a property of the policy itself. */
function memberAt(state: EditorState, position: number): Member | undefined {
  const node = treeTo(state, position).resolveInner(position, 1);
  const name = state.doc.sliceString(node.from, node.to);
  if (node.name === "PropertyName") return memberNamed(ownerAt(state, node.to), name);
  if (node.name === "PropertyDefinition" && isOfPolicy(node)) return memberNamed("Policy", name);
  return undefined;
}

/** True for a name in the object that the module exports. */
function isOfPolicy(node: SyntaxNode): boolean {
  for (let at: SyntaxNode | null = node; at; at = at.parent)
    if (at.name === "ObjectExpression") return at.parent?.name === "ExportDeclaration";
  return false;
}

const infoOf = (member: Member) => () => {
  const box = document.createElement("div");
  const code = box.appendChild(document.createElement("code"));
  code.textContent = member.signature;
  box.appendChild(document.createElement("p")).textContent = member.doc;
  return box;
};

const optionOf = (member: Member) => {
  const takes = member.isMethod && !/^\w+\(\)/.test(member.signature);
  const option = {
    label: member.name,
    type: member.isMethod ? "method" : "property",
    detail: member.type,
    info: infoOf(member),
  };
  if (!member.isMethod) return option;
  return snippetCompletion(takes ? `${member.name}(\${})` : `${member.name}()`, option);
};

/** Completes members of turns, queues, jobs, reservations and plans, and the fields of a policy. */
export function completeMembers(context: CompletionContext): CompletionResult | null {
  const dot = context.matchBefore(/\.\w*$/);
  const { state } = context;
  if (dot) {
    const node = treeTo(state, dot.to).resolveInner(dot.from, -1);
    if (state.doc.sliceString(node.from, node.to) === "Math")
      return { from: dot.from + 1, options: EXACT.map((label) => ({ label, type: "function" })) };
    const owner = ownerAt(state, dot.to);
    const options = membersOf(owner).map(optionOf);
    return options.length > 0 ? { from: dot.from + 1, options, validFor: /^\w*$/ } : null;
  }
  const word = context.matchBefore(/\w+$/);
  if (!word && !context.explicit) return null;
  const node = treeTo(state, context.pos).resolveInner(word?.from ?? context.pos, 0);
  const inner = treeTo(state, context.pos).resolveInner(context.pos, -1);
  const isKey =
    (node.name === "ObjectExpression" && node.parent?.name === "ExportDeclaration") ||
    (inner.name === "PropertyDefinition" &&
      isOfPolicy(inner) &&
      inner.parent?.parent?.parent?.name === "ExportDeclaration");
  if (!isKey) return null;
  return {
    from: word?.from ?? context.pos,
    options: membersOf("Policy").map((member) => ({ ...optionOf(member), boost: 1 })),
    validFor: /^\w*$/,
  };
}

/** A name that a type does not have. */
interface Unknown {
  from: number;
  to: number;
  message: string;
}

/** Returns the members in a text that the types of a policy do not have. */
export function unknownMembers(state: EditorState): Unknown[] {
  const found: Unknown[] = [];
  const types = new Types(state.doc);
  treeTo(state, state.doc.length).iterate({
    enter({ node }) {
      const name = node.name === "MemberExpression" ? node.lastChild : null;
      if (name?.name !== "PropertyName") return;
      const owner = types.of(node.firstChild);
      const word = state.doc.sliceString(name.from, name.to);
      if (!isKnown(owner) || word === "" || memberNamed(owner, word)) return;
      // Members that every object has, such as `constructor`, are no mistake.
      if (word in Object.prototype) return;
      found.push({ from: name.from, to: name.to, message: `${nameOf(owner)} has no \`${word}\`.` });
    },
  });
  return found;
}

/** Returns the name of a type in a sentence. */
const nameOf = (type: string): string => `A ${bare(type).toLowerCase()}`;

/** Shows the signature and the description of a member. */
export const hover = hoverTooltip((view: EditorView, position) => {
  const member = memberAt(view.state, position);
  if (!member) return null;
  const node = treeTo(view.state, position).resolveInner(position, 1);
  return {
    pos: node.from,
    end: node.to,
    create: () => ({ dom: Object.assign(infoOf(member)(), { className: "own-hover" }) }),
  };
});
