// The help of a field: a line, and all of it over what follows while the reader is at the field.
// Nothing moves, so that a click elsewhere hits what it is aimed at.
import type { ComponentChildren } from "preact";

export function Help({ id, children }: { id?: string; children: ComponentChildren }) {
  return (
    <small class="help" {...(id === undefined ? {} : { id })}>
      <span>{children}</span>
    </small>
  );
}
