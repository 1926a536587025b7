// Reads the imports, exports, globals and writes of a source file from its syntax.
import { parse as parseText } from "@babel/parser";

/** Nodes of TypeScript that wrap an expression. */
const WRAPPERS = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSInstantiationExpression",
  "TSTypeAssertion",
]);

/** Objects whose members are global names. */
const WINDOWS = new Set(["globalThis", "self", "window"]);

/** Functions that make a signal that any file could write. */
const SIGNALS = new Set(["signal", "useSignal"]);

/** Files that were read before. Tests change one file at a time. */
const known = new Map();

/** Reads a file. Takes its path below src/, and its text. */
export function read(path, text) {
  const key = `${path}\n${text}`;
  if (!known.has(key)) known.set(key, parse(path, text));
  return known.get(key);
}

function parse(path, text) {
  const plugins = ["estree", "typescript", ...(path.endsWith("x") ? ["jsx"] : [])];
  const { program } = parseText(text, { sourceType: "module", sourceFilename: path, plugins });
  const source = {
    path,
    /** Imports: the source, the names (`*` for all), and the form. */
    imports: [],
    /** Names that other files can import. */
    exports: new Set(),
    /** Global names in use: `fetch`, `navigator.clipboard`. */
    globals: new Set(),
    /** Names of members in use: `innerHTML`. */
    members: new Set(),
    /** Its own signals and groups of signals. */
    own: new Set(),
    /** Faults that a file shows without the plan. */
    faults: [],
  };
  const locals = importsOf(program, source);
  exportsOf(program, source, locals);
  visit(program, undefined, source, locals);
  return source;
}

const nameOf = (node) => node?.name ?? node?.value;

/** Adds static imports. Returns the import of each local name. */
function importsOf(program, source) {
  const locals = new Map();
  for (const node of program.body) {
    if (node.type !== "ImportDeclaration") continue;
    const names = node.specifiers.map((each) => {
      const name =
        each.type === "ImportNamespaceSpecifier"
          ? "*"
          : each.type === "ImportDefaultSpecifier"
            ? "default"
            : nameOf(each.imported);
      return { name, isType: node.importKind === "type" || each.importKind === "type" };
    });
    const entry = { from: node.source.value, names, kind: "import" };
    source.imports.push(entry);
    node.specifiers.forEach((each, at) => {
      locals.set(each.local.name, { entry, name: names[at].name });
    });
  }
  return locals;
}

function exportsOf(program, source, locals) {
  for (const { type, declarations } of program.body)
    if (type === "VariableDeclaration")
      for (const { id, init } of declarations)
        if (init && holdsSignal(init)) for (const name of bound(id)) source.own.add(name);
  const add = (name) => source.exports.add(name);
  for (const node of program.body) {
    if (node.type === "ExportDefaultDeclaration") add("default");
    if (node.type === "ExportAllDeclaration") {
      source.imports.push({ from: node.source.value, names: [{ name: "*" }], kind: "re-export" });
      add("*");
    }
    if (node.type !== "ExportNamedDeclaration") continue;
    if (node.source) {
      const names = node.specifiers.map((each) => ({ name: nameOf(each.local) }));
      source.imports.push({ from: node.source.value, names, kind: "re-export" });
    }
    for (const each of node.specifiers) {
      add(nameOf(each.exported));
      if (!node.source && source.own.has(nameOf(each.local)))
        source.faults.push(`exports the signal ${nameOf(each.local)}, which anybody could write`);
      const found = !node.source && locals.get(nameOf(each.local));
      if (found) found.entry.kind = "re-export";
    }
    if (node.declaration) exportsOfDeclaration(node.declaration, source, locals);
  }
}

function exportsOfDeclaration(declaration, source, locals) {
  if (declaration.type !== "VariableDeclaration") {
    source.exports.add(declaration.id.name);
    return;
  }
  for (const { id, init } of declaration.declarations) {
    for (const name of bound(id)) source.exports.add(name);
    // An import under another name counts as exported too.
    const root = init && rootOf(init);
    if (root && locals.has(root) && ["Identifier", "MemberExpression"].includes(init.type))
      locals.get(root).entry.kind = "re-export";
    const isSeen = Boolean(id.typeAnnotation);
    if (init && !isSeen && (holdsSignal(init) || source.own.has(rootOf(init))))
      source.faults.push(`exports the signal ${bound(id)[0]}, which anybody could write`);
  }
}

/** True if an expression makes a signal, or a group of signals. */
function holdsSignal(node) {
  if (node.type === "ObjectExpression")
    return node.properties.some(({ value }) => value && holdsSignal(value));
  return node.type === "CallExpression" && SIGNALS.has(nameOf(node.callee));
}

/** Returns the names that a pattern binds. */
function bound(pattern) {
  if (pattern.type === "Identifier") return [pattern.name];
  const inner = pattern.properties ?? pattern.elements ?? [];
  return inner.flatMap((each) => (each ? bound(each.value ?? each.argument ?? each) : []));
}

/** Returns the first name of `a.b.c`. */
function rootOf(node) {
  if (WRAPPERS.has(node.type)) return rootOf(node.expression);
  if (node.type === "MemberExpression") return rootOf(node.object);
  return node.type === "Identifier" ? node.name : undefined;
}

function visit(node, parent, source, locals) {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, parent, source, locals);
    return;
  }
  if (!node || typeof node.type !== "string" || node.type === "ImportDeclaration") return;
  if (node.type === "TSImportType") importOfType(node, source);
  if (node.type === "ImportExpression") dynamicImport(node, source);
  if (node.type === "AssignmentExpression") writes(node.left, source, locals);
  if (node.type === "UpdateExpression") writes(node.argument, source, locals);
  if (node.type === "Identifier" || node.type === "JSXIdentifier") {
    uses(node, parent, source, locals);
    visit(node.typeAnnotation, node, source, locals);
    return;
  }
  if (node.type === "MemberExpression") memberOf(node, source);
  if (node.type === "VariableDeclarator" && node.id.type === "ObjectPattern") taken(node, source);
  if (node.type === "JSXAttribute") source.members.add(nameOf(node.name));
  for (const [key, child] of Object.entries(node)) {
    if (isName(node, key)) continue;
    if (child && typeof child === "object") visit(child, node, source, locals);
  }
}

const memberName = ({ property, computed }) =>
  computed && property.type !== "Literal" ? "" : nameOf(property);

/** True if a child is a name that refers to nothing: a key, a member, an attribute. */
const isName = (node, key) =>
  (key === "property" && !node.computed && node.type === "MemberExpression") ||
  (key === "key" && !node.computed && !node.shorthand) ||
  (key === "name" && node.type === "JSXAttribute") ||
  key === "exported" ||
  key === "label";

/** Records the use of a name: of an import, or of a global. */
function uses(node, parent, source, locals) {
  const found = locals.get(node.name);
  if (found?.name === "*") {
    const member = parent.type === "MemberExpression" && memberName(parent);
    const other = parent.property ?? (parent.type === "TSQualifiedName" && parent.right);
    found.entry.names.push({ name: member || nameOf(other) || "*", isType: true });
  }
  // Names of types are no use of a global.
  if (parent?.type.startsWith("TS") && !WRAPPERS.has(parent.type)) return;
  source.globals.add(node.name);
  const isWhole = parent?.type !== "MemberExpression" && !WRAPPERS.has(parent?.type);
  if (isWhole) source.globals.add(`${node.name}.`);
}

/** Records the use of a member: of a global, or of any object. */
function memberOf(node, source) {
  const name = memberName(node);
  source.members.add(name);
  let { object } = node;
  while (WRAPPERS.has(object.type)) object = object.expression;
  if (object.type !== "Identifier") return;
  source.globals.add(WINDOWS.has(object.name) ? name : `${object.name}.${name}`);
}

/** Records members that a pattern takes: `const { fetch: ask } = window`. */
function taken({ id, init }, source) {
  if (init?.type !== "Identifier") return;
  for (const { key } of id.properties) {
    const name = nameOf(key);
    source.globals.add(WINDOWS.has(init.name) ? name : `${init.name}.${name}`);
  }
}

function dynamicImport(node, source) {
  if (node.source.type === "Literal")
    source.imports.push({ from: node.source.value, names: [{ name: "*" }], kind: "dynamic" });
  else source.faults.push("imports something whose name only a run tells");
}

function importOfType(node, source) {
  const literal = node.source ?? node.argument?.literal ?? node.argument;
  source.imports.push({
    from: literal.value,
    names: [{ name: nameOf(node.qualifier) ?? "*", isType: true }],
    kind: "type",
  });
}

/** Adds a fault for a write to something that belongs to an imported file. */
function writes(target, source, locals) {
  if (target.type === "ArrayPattern" || target.type === "ObjectPattern") {
    for (const each of target.elements ?? target.properties)
      if (each) writes(each.value ?? each.argument ?? each, source, locals);
    return;
  }
  const inner = WRAPPERS.has(target.type) ? target.expression : target;
  const root = inner.type === "MemberExpression" && rootOf(inner);
  if (root && locals.has(root))
    source.faults.push(`writes ${root} of ${locals.get(root).entry.from}`);
}
