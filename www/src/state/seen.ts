// The read-only view of a file's signals: everybody reads them, only the file itself writes them.
import type { ReadonlySignal, Signal } from "@preact/signals";

export type Seen<Own> = {
  readonly [Name in keyof Own]: Own[Name] extends Signal<infer Value>
    ? ReadonlySignal<Value>
    : never;
};
