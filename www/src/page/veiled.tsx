// The words in the place of a view that would give away the answer to a question.
import * as s from "../state";

/** True if the reader predicts in another view, and this one would give the answer away. */
export const isVeiled = (): boolean =>
  s.isPredicting.value &&
  s.SET_UP.has(s.tab.value) &&
  s.tab.value !== (s.veil.value?.tab ?? "timeline");

export function Veiled() {
  return (
    <p>
      Hidden until you answer the question.{" "}
      <button type="button" class="link" onClick={() => s.goTo(s.veil.value?.tab ?? "timeline")}>
        Go back to it
      </button>
      .
    </p>
  );
}
