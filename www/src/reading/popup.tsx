// A button that opens a list from the lower edge of the window. Escape, a tap elsewhere, and a
// choice close the list.
import { useSignal } from "@preact/signals";
import type { IconNode } from "lucide";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "../ui/icon";

export function Popup({
  name,
  title,
  class: kind,
  opens = {},
  opener,
  children,
}: {
  /** Name of the button. */
  name: string;
  /** Title of the list. */
  title: string;
  /** Class of the button. */
  class: string;
  /** Further attributes of the button. */
  opens?: { "data-what-if"?: number };
  /** Content of the button. */
  opener: ComponentChildren;
  children: ComponentChildren;
}) {
  const id = useId();
  const isOpen = useSignal(false);
  return (
    <>
      <button
        type="button"
        class={kind}
        aria-label={name}
        title={name}
        popovertarget={id}
        {...opens}
      >
        {opener}
      </button>
      <section
        class="popup"
        id={id}
        popover="auto"
        aria-label={title}
        onToggle={(event) => {
          // Folds inside the list also toggle.
          if (event.target === event.currentTarget) isOpen.value = event.newState === "open";
        }}
      >
        {isOpen.value && (
          <>
            <h2>{title}</h2>
            {children}
          </>
        )}
      </section>
    </>
  );
}

/** An entry of the list. Choosing it closes the list. */
export function Item({
  icon,
  name,
  isCurrent = false,
  isOff = false,
  act,
}: {
  icon: IconNode;
  name: string;
  isCurrent?: boolean;
  isOff?: boolean;
  act: () => void;
}) {
  return (
    <button
      type="button"
      class="bare popup-item"
      disabled={isOff}
      {...(isCurrent ? { "aria-current": "page" as const } : {})}
      onClick={(event) => {
        event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
        act();
      }}
    >
      <Icon of={icon} /> {name}
    </button>
  );
}
