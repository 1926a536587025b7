// A button that opens a small panel below it. Escape, a click elsewhere and the focus elsewhere
// close the panel.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function Menu({
  name,
  title,
  face,
  class: kind = "",
  children,
}: {
  /** Name of the button and of the panel. */
  name: string;
  title?: string;
  /** Content of the button. */
  face: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}) {
  const isOpen = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = root.current;
    if (!isOpen.value || !element) return undefined;
    const close = () => (isOpen.value = false);
    const onDown = (event: PointerEvent) => {
      if (!element.contains(event.target as Node)) close();
    };
    // A choice closes the panel, by mouse or by key.
    const onClick = (event: MouseEvent) => {
      if ((event.target as Element).closest("[data-closes]")) close();
    };
    const onFocusOut = (event: FocusEvent) => {
      if (event.relatedTarget && !element.contains(event.relatedTarget as Node)) close();
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
      element.querySelector("button")?.focus();
    };
    document.addEventListener("pointerdown", onDown, true);
    element.addEventListener("click", onClick);
    element.addEventListener("focusout", onFocusOut);
    element.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("pointerdown", onDown, true);
      element.removeEventListener("click", onClick);
      element.removeEventListener("focusout", onFocusOut);
      element.removeEventListener("keydown", onKeyDown);
    };
  }, [isOpen.value]);
  return (
    <div class={`menu ${kind}`} ref={root}>
      <button
        type="button"
        class="bare"
        aria-label={name}
        title={title ?? name}
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {face}
      </button>
      {isOpen.value && (
        <div class="menu-panel" role="group" aria-label={name}>
          {children}
        </div>
      )}
    </div>
  );
}
