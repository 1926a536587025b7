// What a file of this folder shows of its signals: everybody reads them, only the file itself
// writes them.
import type { ReadonlySignal, Signal } from "@preact/signals";

export type Seen<Own> = {
  readonly [Name in keyof Own]: Own[Name] extends Signal<infer Value>
    ? ReadonlySignal<Value>
    : never;
};
