// The reader's own policies, in this browser's storage.
import { type StoredPolicy, tried } from "./database";

/**
 * Keeps an own policy in place of one of the same file with the code `known`. Returns false, with
 * nothing changed, if other code is there.
 */
export async function keepPolicy(
  { file, code, script, sha256, policy, alias }: StoredPolicy,
  known: StoredPolicy["code"] | undefined,
): Promise<boolean> {
  const isKept = await tried(async (db) => {
    const change = db.transaction("policies", "readwrite");
    const before = await change.store.get(file);
    const isOurs =
      before === undefined || [code, known].some((each) => String(each) === String(before.code));
    if (isOurs) await change.store.put({ file, code, script, sha256, policy, alias }, file);
    await change.done;
    return isOurs;
  });
  // A browser that stores nothing has no code of another tab.
  return isKept ?? true;
}

/** Deletes an own policy. Returns false, with nothing changed, if other code than `known` is there. */
export async function forgetIfKnown(
  file: string,
  ...known: (StoredPolicy["code"] | undefined)[]
): Promise<boolean> {
  const isGone = await tried(async (db) => {
    const change = db.transaction("policies", "readwrite");
    const before = await change.store.get(file);
    const isOurs =
      before === undefined || known.some((each) => String(each) === String(before.code));
    if (isOurs) await change.store.delete(file);
    await change.done;
    return isOurs;
  });
  return isGone ?? true;
}

const isCode = (found: unknown): boolean =>
  typeof found === "string" || found instanceof Uint8Array;

const isStored = (found: unknown): found is StoredPolicy => {
  const { file, code, script, sha256, policy } = (found ?? {}) as Partial<StoredPolicy>;
  return (
    typeof file === "string" &&
    isCode(code) &&
    (script === undefined || isCode(script)) &&
    (sha256 === undefined || typeof sha256 === "string") &&
    (policy === undefined || (typeof policy.id === "string" && Array.isArray(policy.params)))
  );
};

/** Returns the kept policies. */
export const keptPolicies = async (): Promise<StoredPolicy[]> =>
  ((await tried((db) => db.getAll("policies"))) ?? []).filter(isStored);
