// A component whose code loads when it is first shown.
import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { pending } from "../engine/rest";

type Load<Props> = () => Promise<ComponentType<Props>>;

/** The components that have loaded, by the functions that load them. */
const loaded = new WeakMap<object, unknown>();

/** Loads a component that will be shown soon. It is then drawn at once. */
export async function prepare<Props>(load: Load<Props>): Promise<ComponentType<Props>> {
  const component = await load();
  loaded.set(load, component);
  return component;
}

export function Lazy<Props extends object>({
  load,
  given,
  fail,
  until = <p class="quiet">Loading…</p>,
}: {
  /** A function that is always the same loads once, however often the component is shown. */
  load: Load<Props>;
  /** The properties of the component. */
  given: Props;
  /** Receives the reason why the code did not load. */
  fail: (error: unknown) => void;
  /** Content until then. */
  until?: ComponentChildren;
}) {
  const found = useSignal(loaded.get(load) as ComponentType<Props> | undefined);
  useEffect(() => {
    if (!found.value)
      pending(prepare(load))
        .then((component) => (found.value = component))
        .catch(fail);
  }, []);
  const Found = found.value;
  return Found ? <Found {...given} /> : until;
}
