// A chapter's jobs as the text of a trace.

export interface Line {
  /** Seconds. */
  arrives: number;
  processors: number;
  /** Seconds. */
  runs: number;
  /** Seconds that its user claims; as long as it runs unless said. */
  claims?: number;
  /** Its program in the library of programs. */
  program?: number;
}

/** Jobs are numbered from 1, in order of arrival; each has a user, and so a colour, of its own. */
export function swf(processors: number, jobs: Line[]): string {
  const lines = jobs.map(
    ({ arrives, processors, runs, claims = runs, program = -1 }, at) =>
      `${at + 1} ${arrives} -1 ${runs} ${processors} -1 -1 ${processors} ${claims} -1 1 ${at + 1} 1 ${program} -1 -1 -1 -1`,
  );
  return `; MaxProcs: ${processors}\n${lines.join("\n")}\n`;
}
