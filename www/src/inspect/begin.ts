// Begins to step through a run. The code that tells the steps loads on the first click.
import { fail } from "../lab";
import type * as s from "../state";

export const canStep = (lane: s.Lane): boolean => lane.state === "done" && lane.hand !== undefined;

export const stepThrough = (lane: s.Lane): Promise<void> =>
  import("./story").then(({ begin }) => begin(lane.id)).catch(fail);
