// Finished cells and their plan, in this browser's storage.

import type { CellResult } from "schedscope";
import { tried } from "./database";

export const keepResults = (results: CellResult[]) =>
  tried(async (db) => {
    const change = db.transaction("results", "readwrite");
    await Promise.all([
      ...results.map((result) => change.store.put(result, result.key)),
      change.done,
    ]);
  });

/** Returns the stored results of these cells, by key. */
export async function storedResults(keys: string[]): Promise<Map<string, CellResult>> {
  const found = await tried((db) => {
    const all = db.transaction("results").store;
    return Promise.all(keys.map((key) => all.get(key)));
  });
  return new Map(
    keys.flatMap((key, at) => {
      const result = found?.[at];
      return result === undefined ? [] : [[key, result] as const];
    }),
  );
}

export const forgetResults = (keys: string[]) =>
  tried(async (db) => {
    const change = db.transaction("results", "readwrite");
    await Promise.all([...keys.map((key) => change.store.delete(key)), change.done]);
  });

export const countResults = async (): Promise<number> =>
  (await tried((db) => db.count("results"))) ?? 0;

/** The results by their keys, and the plan. */
interface Forgotten {
  results: [string, CellResult][];
  plan: string | undefined;
}

/** Deletes all results and the plan. Returns them. */
export const forgetAll = () =>
  tried(async (db): Promise<Forgotten> => {
    const change = db.transaction(["results", "session"], "readwrite");
    const [cells, session] = [change.objectStore("results"), change.objectStore("session")];
    const [keys, values, plan] = await Promise.all([
      cells.getAllKeys(),
      cells.getAll(),
      session.get("plan"),
    ]);
    await Promise.all([cells.clear(), session.clear(), change.done]);
    return { results: keys.map((key, at) => [key, values[at]!]), plan };
  });

/** Puts back what was deleted, except where something newer is stored. */
export const restoreAll = ({ results, plan }: Forgotten) =>
  tried(async (db) => {
    const change = db.transaction(["results", "session"], "readwrite");
    const [cells, session] = [change.objectStore("results"), change.objectStore("session")];
    const [keys, newer] = await Promise.all([cells.getAllKeys(), session.get("plan")]);
    const known = new Set(keys);
    await Promise.all([
      ...results.filter(([key]) => !known.has(key)).map(([key, value]) => cells.put(value, key)),
      ...(plan === undefined || newer !== undefined ? [] : [session.put(plan, "plan")]),
      change.done,
    ]);
  });

export const keepPlan = (text: string) => tried((db) => db.put("session", text, "plan"));

export const storedPlan = () => tried((db) => db.get("session", "plan"));
