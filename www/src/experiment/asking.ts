// The run that a what-if will fork. The form loads when it opens.
import { signal } from "@preact/signals";
import * as s from "../state";

const own = {
  /** The run that the what-if will fork, and the instant of the fork, while the form is open. */
  asking: signal<{ lane: number; at: number } | undefined>(undefined),
};
export const { asking }: s.Seen<typeof own> = own;

export const isAsked = (lane: s.Lane): boolean => asking.value?.lane === lane.id;

/**
 * Opens the form at the instant of the machine's pictures, at the begin of the area, or in the
 * middle of the window.
 */
export function ask(lane: s.Lane): void {
  const { from, to } = s.view.value;
  const area = s.area.value;
  own.asking.value = {
    lane: lane.id,
    at: Math.round(s.instant.value ?? area?.from ?? (from + to) / 2),
  };
}

/** Moves the fork to another instant. */
export function forkAt(at: number): void {
  if (asking.value) own.asking.value = { ...asking.value, at };
}

/** Closes the form and returns the focus to the button that opened it. */
export function close(): void {
  const id = asking.value?.lane;
  own.asking.value = undefined;
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-what-if="${id}"]`)?.focus(),
  );
}
