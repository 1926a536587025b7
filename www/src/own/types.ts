// The types of a policy, as pkg/policy.d.ts has them.
import { type Member, types } from "own-policies";

/** Returns the name of a type without what does not matter for its members. */
export const bare = (type: string): string =>
  type
    .split("|")
    .map((part) => part.trim())
    .filter((part) => part !== "undefined")
    .join("|");

/** Returns the type of the members of a list or of what can be iterated. */
export function memberOf(type: string): string {
  const name = bare(type);
  const [, inside] = /^(\w+)\[\]$/.exec(name) ?? /Iterable<(\w+)>/.exec(name) ?? [];
  return inside ?? (types[name] ? memberOf(types[name].parent || "none") : "");
}

/** Returns the members of a type, its parents' among them. */
export function membersOf(type: string): Member[] {
  const described = types[bare(type)];
  if (!described) return [];
  const parents = described.parent.split(",").flatMap((parent) => membersOf(parent.trim()));
  return [...described.members, ...parents];
}

export const memberNamed = (type: string, name: string): Member | undefined =>
  membersOf(type).find((member) => member.name === name);

/** True if a type has members that this file knows. */
export const isKnown = (type: string): boolean => types[bare(type)] !== undefined;
