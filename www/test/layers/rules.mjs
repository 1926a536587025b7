// Checks sources against the plan, and names every fault.
import { dirname, join } from "node:path/posix";
import { read } from "./source.mjs";
import { BUNDLED, DATA, GLOBALS, LIBRARIES, MEMBERS, PARTS, WHOLE } from "./table.mjs";

/**
 * Returns everything that breaks a rule in these files: paths below src/, with their texts. `users`
 * are exports that tests use.
 */
export function faults(texts, users = []) {
  const house = new House(texts);
  return house.faults(users);
}

/**
 * Returns the arrows between parts, each with the number of files of one part that import the
 * other.
 */
export function arrows(texts) {
  const house = new House(texts);
  const found = new Map();
  for (const { from, to } of house.edges()) {
    const [one, other] = [partOf(from)?.path, partOf(to)?.path];
    if (one === other) continue;
    const key = `${one} -> ${other}`;
    found.set(key, (found.get(key) ?? new Set()).add(from));
  }
  return [...found].map(([key, files]) => `${key} (${files.size})`).sort();
}

/** Returns the part of a file: the one with the longest path that matches. */
function partOf(path) {
  if (!parts.has(path)) {
    const has = PARTS.filter((part) => isBelow(path, [part.path]));
    parts.set(path, has.sort((one, other) => other.path.length - one.path.length)[0]);
  }
  return parts.get(path);
}
const parts = new Map();

const folderOf = (path) => (dirname(path) === "." ? path : dirname(path));
const isBelow = (path, places) =>
  places.some((place) => (place.endsWith("/") ? path.startsWith(place) : path === place));

class House {
  constructor(texts) {
    this.sources = [...texts].map(([path, text]) => read(path, text));
    this.paths = new Set(this.sources.map(({ path }) => path));
  }

  /** Returns the file that a name means in another file; undefined if it is not a source. */
  target(path, from) {
    const base = join(dirname(path), from);
    return [`${base}.ts`, `${base}.tsx`, join(base, "index.ts")].find((each) =>
      this.paths.has(each),
    );
  }

  /** Returns the imports between files. */
  edges() {
    return this.sources.flatMap(({ path, imports }) =>
      imports.flatMap((entry) => {
        const to = entry.from.startsWith(".") && this.target(path, entry.from);
        return to ? [{ from: path, to, entry }] : [];
      }),
    );
  }

  faults(users) {
    const found = new Set();
    for (const source of this.sources) {
      for (const fault of source.faults) found.add(`${source.path} ${fault}`);
      if (!partOf(source.path)) found.add(`${source.path} belongs to no part of the plan`);
      this.checkImports(source, found);
      checkGlobals(source, found);
    }
    const edges = this.edges();
    const names = (of) => edges.map(({ from, to }) => [of(from), of(to)]);
    for (const cycle of cycles(names(folderOf))) found.add(`folders import each other: ${cycle}`);
    for (const cycle of cycles(names((path) => path)))
      found.add(`files import each other: ${cycle}`);
    this.checkUnused(edges, users, found);
    return [...found].sort();
  }

  checkImports({ path, imports }, found) {
    const part = partOf(path);
    for (const { from, names, kind } of imports) {
      if (!from.startsWith(".")) {
        checkLibrary(path, from, names, found);
        continue;
      }
      if (from.endsWith(".json")) {
        if (!DATA[path]?.test(from)) found.add(`${path} imports ${from}, which is not its data`);
        continue;
      }
      const to = this.target(path, from);
      const other = to && partOf(to);
      if (!to) found.add(`${path} imports ${from}, which is no file of src/`);
      if (!part || !other || part === other) continue;
      if (!part.imports.includes(other.path))
        found.add(`${path} imports ${to}: ${part.path} may not import ${other.path}`);
      if (other.open && !other.open.includes(to.slice(other.path.length)))
        found.add(`${path} imports ${to}, which is private to ${other.path}`);
      if (kind === "re-export") found.add(`${path} hands on ${to} of another part`);
    }
  }

  /** Returns allowances of the plan that nobody needs, and exports that nobody imports. */
  checkUnused(edges, users, found) {
    for (const part of PARTS) {
      if (![...this.paths].some((path) => partOf(path) === part))
        found.add(`nothing is in ${part.path}`);
      const from = edges.filter((edge) => partOf(edge.from) === part);
      for (const wanted of part.imports)
        if (!from.some(({ to }) => partOf(to)?.path === wanted))
          found.add(`${part.path} need not import ${wanted}`);
      const open = new Set(
        edges
          .filter(({ from, to }) => partOf(from) !== part && partOf(to) === part)
          .map(({ to }) => to),
      );
      for (const file of part.open ?? [])
        if (!open.has(part.path + file)) found.add(`${part.path}${file} need not be open`);
    }
    const wanted = new Set(users);
    const takes = (to, name) => {
      wanted.add(`${to} ${name}`);
      const { imports } = this.sources.find(({ path }) => path === to);
      for (const { from, kind, names } of imports)
        if (kind === "re-export" && names.some((each) => each.name === "*" || each.name === name)) {
          const next = this.target(to, from);
          if (next && !wanted.has(`${next} ${name}`)) takes(next, name);
        }
    };
    for (const { to, entry } of edges) {
      if (entry.kind === "re-export") continue;
      const isNamespace = entry.kind === "import" && entry.names[0]?.name === "*";
      const members = isNamespace ? entry.names.slice(1) : entry.names;
      for (const { name } of members) takes(to, name);
    }
    for (const { path, exports } of this.sources)
      for (const name of exports)
        if (
          !BUNDLED.includes(path) &&
          name !== "*" &&
          !wanted.has(`${path} ${name}`) &&
          !wanted.has(`${path} *`)
        )
          found.add(`${path} exports ${name}, which nobody imports`);
  }
}

function checkLibrary(path, from, names, found) {
  const name = Object.keys(LIBRARIES).find((each) => from === each || from.startsWith(`${each}/`));
  const isType = names.length > 0 && names.every((each) => each.isType);
  if (!name) found.add(`${path} uses the library ${from}, which is not in the plan`);
  // Every part may use the types of the engine's answers. Only the worker may use the engine.
  else if (!(name === "schedscope" && isType) && !isBelow(path, LIBRARIES[name]))
    found.add(`${path} uses the library ${name}`);
}

function checkGlobals({ path, globals, members }, found) {
  for (const [name, places] of Object.entries(GLOBALS))
    if (globals.has(name) && !isBelow(path, places)) found.add(`${path} uses ${name}`);
  for (const name of MEMBERS) if (members.has(name)) found.add(`${path} uses ${name}`);
  for (const name of globals) {
    const [object, member] = name.split(".");
    if (member !== undefined && WHOLE.includes(object) && !(name in GLOBALS))
      found.add(`${path} uses ${name.replace(/\.$/, "")}, of which the plan says nothing`);
  }
}

/** Returns the groups of at least two that lead to one another. */
function cycles(edges) {
  const next = new Map();
  for (const [from, to] of edges)
    if (from !== to) next.set(from, (next.get(from) ?? new Set()).add(to));
  const reached = new Map(
    [...next.keys()].map((from) => {
      const [seen, left] = [new Set(), [from]];
      for (let at = left.pop(); at !== undefined; at = left.pop())
        for (const to of next.get(at) ?? [])
          if (!seen.has(to)) {
            seen.add(to);
            left.push(to);
          }
      return [from, seen];
    }),
  );
  const groups = new Set();
  for (const [from, seen] of reached) {
    const group = [...seen].filter((to) => reached.get(to)?.has(from)).sort();
    if (group.length > 1) groups.add(group.join(", "));
  }
  return groups;
}
