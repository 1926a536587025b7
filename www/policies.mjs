// The gallery of own policies, and the types of a policy with their descriptions, for the editor.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parse } from "@babel/parser";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(root, "examples", "policies");

/** The policies of the gallery, the simplest first. Others follow by their names. */
const ORDER = [
  "fcfs",
  "easy",
  "shortest",
  "conservative",
  "wfp3",
  "fair-share",
  "random",
  "easy-by-hand",
];

/** Returns the policies of the gallery: file, name, summary and code. */
export async function gallery() {
  const names = readdirSync(folder).filter((name) => name.endsWith(".js"));
  const place = (name) =>
    (ORDER.indexOf(name.slice(0, -3)) + ORDER.length + 1) % (ORDER.length + 1);
  names.sort((one, other) => place(one) - place(other) || one.localeCompare(other));
  return Promise.all(
    names.map(async (file) => {
      const path = join(folder, file);
      const { default: policy } = await import(pathToFileURL(path).href);
      return {
        file,
        id: policy.id,
        name: policy.name,
        summary: policy.summary,
        code: readFileSync(path, "utf8"),
      };
    }),
  );
}

/**
 * Returns the types of pkg/policy.d.ts, by name: the description, the type that they extend, and
 * their members with types as text.
 */
export function types() {
  const text = readFileSync(join(root, "pkg", "policy.d.ts"), "utf8");
  const { program } = parse(text, {
    sourceType: "module",
    plugins: [["typescript", { dts: true }]],
  });
  const of = (node) => text.slice(node.start, node.end);
  const doc = (node) =>
    (node.leadingComments?.at(-1)?.value ?? "")
      .replace(/^\*+/, "")
      .replaceAll(/\n\s*\* ?/g, " ")
      .trim();
  const found = {};
  for (const node of program.body) {
    const { declaration } = node;
    if (declaration?.type !== "TSInterfaceDeclaration") continue;
    const members = declaration.body.body.flatMap((member) => {
      if (!member.key) return [];
      const isMethod = member.type === "TSMethodSignature";
      const result = isMethod
        ? (member.typeAnnotation ?? member.returnType)
        : member.typeAnnotation;
      return [
        {
          name: of(member.key),
          // Without `readonly`, which all of them are, and the last semicolon.
          signature: of(member)
            .replace(/^readonly /, "")
            .replace(/;$/, ""),
          type: result ? of(result).replace(/^:\s*/, "") : "",
          isMethod,
          doc: doc(member),
        },
      ];
    });
    found[declaration.id.name] = {
      doc: doc(node),
      parent: declaration.extends?.map(of).join(", ") ?? "",
      // The first of several forms of a method is enough.
      members: members.filter(
        ({ name }, at) => members.findIndex((each) => each.name === name) === at,
      ),
    };
  }
  return found;
}
