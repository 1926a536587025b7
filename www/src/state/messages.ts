// Messages of the page: a problem and a notice above everything, and texts for screen readers.
import { signal } from "@preact/signals";
import type { Problem } from "schedscope";
import type { Seen } from "./seen";

const own = {
  problem: signal<(Problem & { skippable?: boolean }) | undefined>(undefined),
  /** Sentences about something that the page did not do. */
  notice: signal<string | undefined>(undefined),
  /** Text of the live region. */
  spoken: signal(""),
};
export const { notice, problem, spoken }: Seen<typeof own> = own;

export function tell(found: Problem & { skippable?: boolean }): void {
  own.problem.value = found;
}

export function dismiss(): void {
  own.problem.value = undefined;
}

/** Shows sentences until the reader dismisses them. */
export function notify(words: string): void {
  own.notice.value = words;
  say(words);
}

/** Shows sentences after those that the reader has not dismissed yet. */
export function notifyToo(words: string): void {
  notify([notice.value, words].filter(Boolean).join(" "));
}

/** Takes a sentence back, and leaves the others. */
export function takeBack(words: string): void {
  own.notice.value = notice.value?.replace(words, "").trim() || undefined;
}

export function endNotice(): void {
  own.notice.value = undefined;
}

export function say(words: string): void {
  own.spoken.value = words;
}
