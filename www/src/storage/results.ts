// The content of this browser's storage: finished cells and their plan. Without storage (private
// windows may refuse it) the page works as well, and forgets on reloading.

import { type ReadonlySignal, signal } from "@preact/signals";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { CellResult } from "schedscope";

const kept = signal(true);
/** True if this browser stores data. */
export const keeps: ReadonlySignal<boolean> = kept;

interface Schema extends DBSchema {
  /**
   * Results by cell key. A stored result may be of another version, or damaged; the engine checks
   * it.
   */
  results: { key: string; value: CellResult };
  /** The plan as text, under "plan". */
  session: { key: string; value: string };
}

let database: Promise<IDBPDatabase<Schema> | undefined> | undefined;

function open(): Promise<IDBPDatabase<Schema> | undefined> {
  database ??= openDB<Schema>("schedscope", 2, {
    async upgrade(db, version, _wanted, change) {
      if (version < 1) {
        db.createObjectStore("results");
        db.createObjectStore("session");
        return;
      }
      // Layout 1 had the program's version in the key. Results of another version were never found,
      // and nobody learned of them.
      for (
        let cursor = await change.objectStore("results").openCursor();
        cursor;
        cursor = await cursor.continue()
      ) {
        const [key, rest] = cursor.key.split("@");
        if (key === undefined || rest === undefined) continue;
        const { value } = cursor;
        await cursor.delete();
        await change.objectStore("results").put(value, key);
      }
    },
    // Another tab with a newer page wants to change the layout: this tab closes to let it.
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
  }).catch(() => undefined);
  return database;
}

async function tried<T>(work: (db: IDBPDatabase<Schema>) => Promise<T>): Promise<T | undefined> {
  try {
    const db = await open();
    if (!db) kept.value = false;
    return db && (await work(db));
  } catch {
    kept.value = false;
    return undefined;
  }
}

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
