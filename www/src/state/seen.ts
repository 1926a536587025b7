// Read-only types for the signals that a file shares with others.
import type { ReadonlySignal, Signal } from "@preact/signals";

export type Seen<Own> = {
  readonly [Name in keyof Own]: Own[Name] extends Signal<infer Value>
    ? ReadonlySignal<Value>
    : never;
};
