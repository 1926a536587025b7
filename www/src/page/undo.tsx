// The offer to bring back what was removed last.
import { X } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { isTyping } from "../ui/typing";

export function Undo() {
  const removal = s.removal.value;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!removal) return undefined;
    // The button that removed it is often gone as well, and the focus with it.
    if (document.activeElement === document.body) button.current?.focus({ preventScroll: true });
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || isTyping(event))
        return;
      event.preventDefault();
      s.undoRemoval();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [removal]);
  if (!removal) return null;
  return (
    <div class="undo" role="group" aria-label="What was removed">
      <span>{removal.words}</span>
      <button ref={button} type="button" class="small" title="Ctrl + Z" onClick={s.undoRemoval}>
        Undo
      </button>
      <button
        type="button"
        class="bare icon-only small"
        aria-label="Dismiss"
        onClick={s.endRemoval}
      >
        <Icon of={X} />
      </button>
    </div>
  );
}
