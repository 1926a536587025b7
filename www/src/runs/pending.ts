// Jobs that a finished run leaves waiting for ever, by a rule of its policy. The engine tells the rule beside the
// result.
import type * as s from "../state";

/** Returns the number of jobs that never start in a finished run. Its job metrics leave them out. */
export const neverStarted = ({ result }: s.Lane): number => result?.pending ?? 0;
