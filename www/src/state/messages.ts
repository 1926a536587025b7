// Messages of the page: a problem above everything, and texts for screen readers.
import { signal } from "@preact/signals";
import type { Problem } from "schedscope";
import type { Seen } from "./seen";

const own = {
  problem: signal<(Problem & { skippable?: boolean }) | undefined>(undefined),
  /** Text of the live region. */
  spoken: signal(""),
};
export const { problem, spoken }: Seen<typeof own> = own;

export function tell(found: Problem & { skippable?: boolean }): void {
  own.problem.value = found;
}

export function dismiss(): void {
  own.problem.value = undefined;
}

export function say(words: string): void {
  own.spoken.value = words;
}
