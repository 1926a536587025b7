// The browser's database: results, the plan, sessions, own policies. Without storage (private windows may refuse
// it) the page works as well, and forgets on reloading.

import { type ReadonlySignal, signal } from "@preact/signals";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { CellResult, Choosable } from "schedscope";

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
  /** Sessions by their names: a session's state as a link's fragment. */
  sessions: { key: string; value: StoredSession };
  /** The reader's own policies by their files. */
  policies: { key: string; value: StoredPolicy };
}

/** An own policy as it is stored: its code, what runs, and the description that it gave. */
export interface StoredPolicy {
  file: string;
  code: string | Uint8Array<ArrayBuffer>;
  script: string | Uint8Array<ArrayBuffer> | undefined;
  sha256: string | undefined;
  alias: { of?: string; to: string } | undefined;
  policy: Choosable | undefined;
}

/** A session as it is stored. */
export interface StoredSession {
  name: string;
  /** The fragment of its link. */
  fragment: string;
  /** The name of its trace, for the list. */
  trace: string;
  /** Unix time at which it was kept, in milliseconds. */
  at: number;
}

let database: Promise<IDBPDatabase<Schema> | undefined> | undefined;

function open(): Promise<IDBPDatabase<Schema> | undefined> {
  database ??= openDB<Schema>("schedscope", 4, {
    async upgrade(db, version, _wanted, change) {
      if (version < 4) db.createObjectStore("policies");
      if (version < 3) db.createObjectStore("sessions");
      if (version < 1) {
        db.createObjectStore("results");
        db.createObjectStore("session");
        return;
      }
      if (version >= 2) return;
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

/** Does the work, and returns undefined if this browser stores nothing. */
export async function tried<T>(
  work: (db: IDBPDatabase<Schema>) => Promise<T>,
): Promise<T | undefined> {
  try {
    const db = await open();
    if (!db) kept.value = false;
    return db && (await work(db));
  } catch {
    kept.value = false;
    return undefined;
  }
}
