// Writes a chapter's jobs as the text of a trace.

export interface Line {
  /** Submission, in seconds. */
  arrives: number;
  processors: number;
  /** Run time, in seconds. */
  runs: number;
  /** Estimate, in seconds; equal to the run time by default. */
  claims?: number;
  /** Number of its program in the library of programs. */
  program?: number;
}

/**
 * Returns a trace. Its jobs have numbers from 1 in order of arrival. Each has a user of its own,
 * and so a colour of its own.
 */
export function swf(processors: number, jobs: Line[]): string {
  const lines = jobs.map(
    ({ arrives, processors, runs, claims = runs, program = -1 }, at) =>
      `${at + 1} ${arrives} -1 ${runs} ${processors} -1 -1 ${processors} ${claims} -1 1 ${at + 1} 1 ${program} -1 -1 -1 -1`,
  );
  return `; MaxProcs: ${processors}\n${lines.join("\n")}\n`;
}
