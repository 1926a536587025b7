// The footer: the content of this browser's storage, and the page's version.
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { asProblem } from "../format/problem";
import { count } from "../format/words";
import * as s from "../state";
import * as offline from "./offline";

/** Returns the memory of the page itself, without its workers, if the browser reports it. */
function memory(): string {
  const { memory } = performance as { memory?: { usedJSHeapSize: number } };
  return memory ? `page ${count(Math.round(memory.usedJSHeapSize / 1e6))} MB` : "";
}

/** The list of the browser's storage. Its code loads on demand. */
function Storage() {
  const found = useSignal<ComponentType | undefined>(undefined);
  useEffect(
    () =>
      void import("./storage")
        .then((module) => (found.value = module.default))
        .catch((error) => s.tell(asProblem(error))),
    [],
  );
  const Found = found.value;
  return Found ? <Found /> : <p class="quiet">Loading…</p>;
}

export function Footer() {
  const isStorageOpen = useSignal(false);
  return (
    <footer>
      <details>
        <summary>Your trace stays in this browser</summary>
        <p>
          The page's content security policy lets it, and the workers it starts, talk to no other
          host than the one it came from, and it sends nothing there. To check: open the developer
          tools' network panel and drop a trace; nothing is sent. Or go offline once the page is
          there: it works the same.
        </p>
      </details>
      <details onToggle={(event) => (isStorageOpen.value = event.currentTarget.open)}>
        <summary>What this browser keeps</summary>
        {isStorageOpen.value && <Storage />}
      </details>
      <span class="quiet">
        {offline.isReady.value && "works without the network · "}
        {memory() && `${memory()} · `}Schedscope {s.catalog.value?.version} ·{" "}
        <a href="THIRD-PARTY.txt">Third-party notices</a>
      </span>
    </footer>
  );
}
