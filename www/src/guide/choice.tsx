// The list of scenarios.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { fail } from "../lab";
import { write } from "../link/format";
import { SCENARIOS } from "./scenarios";

/** The scenarios as links. */
export function Scenarios() {
  const fragments = useSignal<string[]>([]);
  useEffect(
    () =>
      void Promise.all(SCENARIOS.map(({ state }) => write(state)))
        .then((found) => (fragments.value = found))
        .catch(fail),
    [],
  );
  return (
    <>
      <h3>Scenarios</h3>
      <ul class="scenarios">
        {SCENARIOS.map(({ id, title, words }, at) => (
          <li key={id}>
            <a href={`#${fragments.value[at] ?? ""}`}>{title}</a>
            <span>{words}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
