// The footer: the content of this browser's storage, and the page's version.
import { useSignal } from "@preact/signals";
import { count } from "../format/words";
import { fail } from "../lab";
import * as s from "../state";
import { Lazy } from "../ui/lazy";
import * as offline from "./offline";

/** Returns the memory of the page itself, without its workers, if the browser reports it. */
function memory(): string {
  const { memory } = performance as { memory?: { usedJSHeapSize: number } };
  return memory ? `page ${count(Math.round(memory.usedJSHeapSize / 1e6))} MB` : "";
}

export function Footer() {
  const isStorageOpen = useSignal(false);
  return (
    <footer>
      <details>
        <summary>Your trace stays in this browser</summary>
        <p class="above-bar">
          The page's content security policy allows the page and its workers to contact only the
          host that they came from, and they send nothing there. To check, open the network panel of
          the developer tools and drop a trace: nothing is sent. The page also works offline.
        </p>
      </details>
      <details onToggle={(event) => (isStorageOpen.value = event.currentTarget.open)}>
        <summary>Stored in this browser</summary>
        {isStorageOpen.value && (
          <div class="above-bar">
            <Lazy
              load={() => import("./storage").then((module) => module.default)}
              given={{}}
              fail={fail}
            />
          </div>
        )}
      </details>
      <span class="spring" />
      <span class="quiet">
        {offline.isReady.value && "works without the network · "}
        {memory() && `${memory()} · `}Schedscope {s.catalog.value?.version} ·{" "}
        <a href="THIRD-PARTY.txt">Third-party notices</a>
      </span>
    </footer>
  );
}
