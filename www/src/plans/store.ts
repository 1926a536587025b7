// What is kept in this browser: finished cells and the plan they belong to. Without storage (private windows may refuse
// it) the page works as well, and forgets on reloading.
import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import { signal } from "@preact/signals";
import type { CellResult } from "schedscope";

/** Whether this browser keeps anything. */
export const keeps = signal(true);

interface Schema extends DBSchema {
  /** Results by cell key and program version. */
  results: { key: string; value: CellResult };
  /** The plan as text, under "plan". */
  session: { key: string; value: string };
}

let database: Promise<IDBPDatabase<Schema> | undefined> | undefined;
function open(): Promise<IDBPDatabase<Schema> | undefined> {
  database ??= openDB<Schema>("schedscope", 1, {
    upgrade(db) {
      db.createObjectStore("results");
      db.createObjectStore("session");
    },
    // Another tab with a newer page wants to change the layout: this one must not stand in its way.
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
  }).catch(() => undefined);
  return database;
}

async function tried<T>(work: (db: IDBPDatabase<Schema>) => Promise<T>): Promise<T | undefined> {
  try {
    const db = await open();
    if (!db) keeps.value = false;
    return db && (await work(db));
  } catch {
    keeps.value = false;
    return undefined;
  }
}

const place = (key: string, version: string) => `${key}@${version}`;

export const keepResults = (results: CellResult[]) =>
  tried(async (db) => {
    const change = db.transaction("results", "readwrite");
    await Promise.all([...results.map((result) => change.store.put(result, place(result.key, result.version))), change.done]);
  });

/** The stored results of these cells. */
export async function storedResults(keys: string[], version: string): Promise<CellResult[]> {
  const found = await tried((db) => {
    const all = db.transaction("results").store;
    return Promise.all(keys.map((key) => all.get(place(key, version))));
  });
  return (found ?? []).filter((result) => result !== undefined);
}

export const forgetResults = (keys: string[], version: string) =>
  tried(async (db) => {
    const change = db.transaction("results", "readwrite");
    await Promise.all([...keys.map((key) => change.store.delete(place(key, version))), change.done]);
  });

export const countResults = async (): Promise<number> => (await tried((db) => db.count("results"))) ?? 0;

/** Deletes all results and the plan. */
export const forgetAll = () => tried((db) => Promise.all([db.clear("results"), db.clear("session")]));

export const keepPlan = (text: string) => tried((db) => db.put("session", text, "plan"));
export const storedPlan = () => tried((db) => db.get("session", "plan"));
