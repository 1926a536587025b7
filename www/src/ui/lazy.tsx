// A component whose code loads when it is first shown.
import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";

export function Lazy<Props extends object>({
  load,
  given,
  fail,
  until = <p class="quiet">Loading…</p>,
}: {
  load: () => Promise<ComponentType<Props>>;
  /** The properties of the component. */
  given: Props;
  /** Receives the reason why the code did not load. */
  fail: (error: unknown) => void;
  /** Content until then. */
  until?: ComponentChildren;
}) {
  const found = useSignal<ComponentType<Props> | undefined>(undefined);
  useEffect(
    () =>
      void load()
        .then((component) => (found.value = component))
        .catch(fail),
    [],
  );
  const Found = found.value;
  return Found ? <Found {...given} /> : until;
}
