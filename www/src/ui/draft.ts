// Text that is being typed.
import { useSignal } from "@preact/signals";

/**
 * Holds a line of text until it is complete. The draft survives a new drawing of the form, which
 * happens whenever a run progresses.
 */
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
