// Failures of actions, told to the reader.
import { asProblem } from "../format/problem";
import * as s from "../state";

/** Tells any thrown value as a problem. */
export const fail = (error: unknown): void => s.tell(asProblem(error));
