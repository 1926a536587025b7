// Text that is being typed.
import { useSignal } from "@preact/signals";

/** For a line of text that is taken over when it is complete. What is being typed outlives the
 * form's being drawn again, which happens whenever a run goes on. */
export function useDraft(value: string, onText: (text: string) => void) {
  const draft = useSignal<string | undefined>(undefined);
  return {
    value: draft.value ?? value,
    onInput: (event: { currentTarget: HTMLInputElement }) =>
      void (draft.value = event.currentTarget.value),
    onChange: (event: { currentTarget: HTMLInputElement }) => {
      draft.value = undefined;
      onText(event.currentTarget.value);
    },
  };
}
