// Icons of Lucide, drawn in the colour of the text. They are never the only name of a control.
import type { IconNode } from "lucide";
import { h } from "preact";

export function Icon({ of }: { of: IconNode }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {of.map(([tag, attributes]) => h(tag, { ...attributes }))}
    </svg>
  );
}
