// Working without the network: the service worker is registered, and a newer version of the page is offered.
import { signal } from "@preact/signals";
import { scriptUrl } from "../security/trusted";

/** Whether the page works without the network from now on. */
export const isReady = signal(false);

/** A newer version that waits until the reader wants it. */
export const update = signal<ServiceWorker | undefined>(undefined);

/** Whether another tab has changed to a newer version. */
export const isOutdated = signal(false);

let isWanted = false;

/** Registers the service worker, when the page has done what is more urgent. */
export function register(): void {
  if (!("serviceWorker" in navigator)) return;
  const { serviceWorker } = navigator;
  const isControlled = serviceWorker.controller !== null;
  serviceWorker.addEventListener("controllerchange", () => {
    if (isWanted) return location.reload();
    // The first one of all takes over a page that is of its own version.
    if (isControlled) isOutdated.value = true;
  });
  const start = async () => {
    const registration = await serviceWorker.register(
      scriptUrl(new URL("sw.js", document.baseURI)),
      { updateViaCache: "none" },
    );
    const look = (found: ServiceWorker | null) => {
      if (!found) return;
      const changed = () => {
        if (found.state === "installed" && serviceWorker.controller) update.value = found;
        if (found.state === "activated") isReady.value = true;
        if (found.state === "redundant" && update.value === found) update.value = undefined;
      };
      found.addEventListener("statechange", changed);
      changed();
    };
    look(registration.waiting);
    look(registration.installing);
    registration.addEventListener("updatefound", () => look(registration.installing));
    if (registration.active?.state === "activated") isReady.value = true;
    await serviceWorker.ready;
  };
  // Without it (private windows may refuse it) the page works with the network only.
  const begin = () => void start().catch(() => {});
  if ("requestIdleCallback" in window) requestIdleCallback(begin, { timeout: 5000 });
  else setTimeout(begin, 2000);
}

/** Changes to the newer version. */
export function takeUpdate(): void {
  isWanted = true;
  update.value?.postMessage("use");
}
