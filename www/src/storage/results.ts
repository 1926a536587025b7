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

/** Deletes all results and the plan. */
export const forgetAll = () =>
  tried((db) => Promise.all([db.clear("results"), db.clear("session")]));

export const keepPlan = (text: string) => tried((db) => db.put("session", text, "plan"));

export const storedPlan = () => tried((db) => db.get("session", "plan"));
