// The last removal, while it can be undone.
import { signal } from "@preact/signals";
import type { Seen } from "./seen";

/** A removal that the reader can undo. */
interface Removal {
  /** Sentence that says what was removed. */
  words: string;
  undo: () => void;
  /** Ends the removal for good. */
  end?: () => void;
}

/** Milliseconds for which a removal can be undone. */
const OFFERED = 20_000;

const own = { removal: signal<Removal | undefined>(undefined) };
export const { removal }: Seen<typeof own> = own;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Offers to undo a removal. An earlier one can no longer be undone. */
export function offerUndo(found: Removal): void {
  endRemoval();
  own.removal.value = found;
  timer = setTimeout(endRemoval, OFFERED);
}

/** Ends the last removal for good. */
export function endRemoval(): void {
  clearTimeout(timer);
  const { value: last } = removal;
  own.removal.value = undefined;
  last?.end?.();
}

/** Brings back what was removed last. */
export function undoRemoval(): void {
  clearTimeout(timer);
  const { value: last } = removal;
  own.removal.value = undefined;
  last?.undo();
}
