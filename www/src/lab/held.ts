// Runs of own policies that wait for the reader, because code of one may have ended the page. It loads
// with the first such run.
import type { Problem } from "schedscope";
import type { PolicyCode } from "../engine/protocol";
import { noteOwnRunning, wasOwnRunning } from "../storage/choices";

/** True until the reader runs own policies, if the page ended while some ran. */
let isHeld = wasOwnRunning();

/** Number of runs of own policies. */
let running = 0;

/** Lets own policies run by themselves again. */
export function letOwnRun(): void {
  isHeld = false;
}

/**
 * Notes that a run uses own policies, until the returned function is called. Throws a problem if such
 * runs wait for the reader: code that takes all memory ends the page, and would do so again.
 */
export function ownBegins(own: PolicyCode[]): () => void {
  if (isHeld)
    throw {
      what: `The code of ${own.map(({ file }) => file).join(", ")} has not run again by itself.`,
      why: "The page ended while own policies ran. Perhaps one of them takes all memory.",
      next: "Look at the code in the tab Policy, and choose \u201cRun\u201d there.",
    } satisfies Problem;
  running += 1;
  noteOwnRunning(true);
  return () => {
    running -= 1;
    if (running === 0) noteOwnRunning(false);
  };
}

// A page that is left on purpose ends its runs in good order.
addEventListener("pagehide", () => running > 0 && noteOwnRunning(false));
