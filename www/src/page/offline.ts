// Working without the network: the service worker is registered, and a newer version of the page is
// offered.
import { signal } from "@preact/signals";
import { scriptUrl } from "../security/trusted";
import type { Seen } from "../state";

const own = {
  /** True if the page works without the network from now on. */
  isReady: signal(false),
  /** A newer version that waits for the reader's consent. */
  update: signal<ServiceWorker | undefined>(undefined),
  /** True if another tab has changed to a newer version. */
  isOutdated: signal(false),
};
export const { isReady, update, isOutdated }: Seen<typeof own> = own;

let isWanted = false;

/** Registers the service worker after the more urgent work of the page. */
export function register(): void {
  const serviceWorker = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (!serviceWorker) return;
  const isControlled = serviceWorker.controller !== null;
  serviceWorker.addEventListener("controllerchange", () => {
    if (isWanted) return location.reload();
    // The first service worker takes over a page of its own version.
    if (isControlled) own.isOutdated.value = true;
  });
  const start = async () => {
    const registration = await serviceWorker.register(
      scriptUrl(new URL("sw.js", document.baseURI)),
      { updateViaCache: "none" },
    );
    const look = (found: ServiceWorker | null) => {
      if (!found) return;
      const changed = () => {
        if (found.state === "installed" && serviceWorker.controller) own.update.value = found;
        if (found.state === "activated") own.isReady.value = true;
        if (found.state === "redundant" && update.value === found) own.update.value = undefined;
      };
      found.addEventListener("statechange", changed);
      changed();
    };
    look(registration.waiting);
    look(registration.installing);
    registration.addEventListener("updatefound", () => look(registration.installing));
    if (registration.active?.state === "activated") own.isReady.value = true;
    await serviceWorker.ready;
  };
  // Without a service worker, which private windows may refuse, the page needs the network.
  const begin = () => void start().catch(() => {});
  if ("requestIdleCallback" in window) requestIdleCallback(begin, { timeout: 5000 });
  else setTimeout(begin, 2000);
}

/** Changes to the newer version. */
export function takeUpdate(): void {
  isWanted = true;
  update.value?.postMessage("use");
}

/** Withdraws the offer of the newer version. */
export function putOffUpdate(): void {
  own.update.value = undefined;
}
