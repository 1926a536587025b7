// The reader's own policies, in this browser's storage.
import { type StoredPolicy, tried } from "./database";

/** Keeps an own policy. One of the same file is replaced. */
export const keepPolicy = ({ file, code, script, sha256, policy }: StoredPolicy) =>
  tried((db) => db.put("policies", { file, code, script, sha256, policy }, file));

export const forgetPolicy = (file: string) => tried((db) => db.delete("policies", file));

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
