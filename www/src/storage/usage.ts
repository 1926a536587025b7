// The use of this browser's storage, and its limit.
import { countResults, storedPlan } from "./results";
import { type Kept, keptTraces } from "./traces";

export interface Usage {
  results: number;
  hasPlan: boolean;
  traces: Kept[];
  /** Versions of the page that work without the network. */
  programs: number;
  /** Bytes of all of it, and the most that the browser allows. */
  usage: number | undefined;
  quota: number | undefined;
}

export async function usage(): Promise<Usage> {
  const storage = navigator.storage as StorageManager | undefined;
  const estimate = await storage?.estimate?.().catch(() => undefined);
  const names = typeof caches === "undefined" ? [] : await caches.keys().catch(() => []);
  return {
    results: await countResults(),
    hasPlan: (await storedPlan()) !== undefined,
    traces: await keptTraces().catch(() => []),
    programs: names.filter((name) => name.startsWith("schedscope ")).length,
    usage: estimate?.usage,
    quota: estimate?.quota,
  };
}
