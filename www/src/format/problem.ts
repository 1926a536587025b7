// Turns any thrown value into a problem: what, why, what next.
import type { Problem } from "schedscope";

/** Returns any thrown value as a problem. */
export function asProblem(error: unknown): Problem {
  if (
    typeof error === "object" &&
    error !== null &&
    "what" in error &&
    "why" in error &&
    "next" in error
  )
    return error as Problem;
  const text = error instanceof Error ? error.message : String(error);
  const name = error instanceof Error ? error.name : "";
  const isMemory = name === "RangeError" || /memory|allocation/i.test(text);
  if (isMemory)
    return {
      what: "The browser has too little memory for this.",
      why: `It said: ${text}.`,
      next: "Close other tabs, choose a window of jobs, or use the command line.",
    };
  const isReading = name === "NotReadableError" || name === "NotFoundError";
  if (isReading)
    return {
      what: "The file can no longer be read.",
      why: "It was changed, moved or deleted since it was opened.",
      next: "Open it again.",
    };
  const isPanic = /unreachable|RuntimeError/.test(`${name} ${text}`);
  return {
    what: isPanic ? "The simulator failed in this worker." : `Something failed: ${text}.`,
    why: isPanic
      ? "This is a defect; the browser's console names the place in the source."
      : "This should not happen.",
    next: "The worker was stopped; other runs are untouched. Run it again, and please report it with the trace's name and the settings.",
  };
}
