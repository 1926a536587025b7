// Writes a chapter's jobs as the text of a trace.
import type { Stage } from "./format";

/**
 * Returns a trace. Its jobs have numbers from 1 in the order of the list. Each has a user of its
 * own, and so a colour of its own.
 */
export function swf({ processors, jobs }: Pick<Stage, "processors" | "jobs">): string {
  const lines = jobs.map(
    ({ arrives, processors, runs, claims = runs, program = -1 }, at) =>
      `${at + 1} ${arrives} -1 ${runs} ${processors} -1 -1 ${processors} ${claims} -1 1 ${at + 1} 1 ${program} -1 -1 -1 -1`,
  );
  return `; MaxProcs: ${processors}\n${lines.join("\n")}\n`;
}
