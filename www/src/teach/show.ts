// Does what a chapter or an answer shows: an instant, a run step by step, a microscope, colours.
import { begin } from "../inspect/story";
import { wantLook } from "../sharing/microscope";
import * as s from "../state";
import type { Show } from "./format";
import { measured } from "./measures";
import type { Runs } from "./runs";

/** `ids` are those of the runs' lanes. */
export async function act(show: Show | undefined, runs: Runs, ids: number[]): Promise<void> {
  if (!show) return;
  const { instant, run, steps, predict, microscope, colours } = show;
  const id = (letter: string) => ids[runs.letters.indexOf(letter)];
  const shown = run === undefined ? undefined : id(run);
  if (shown !== undefined) s.showLane(shown);
  if (instant !== undefined) s.showInstant(await measured(runs, instant));
  if (colours !== undefined) s.colourBy(colours);
  if (microscope) wantLook(microscope.processor, microscope.seconds);
  const told = steps === undefined ? undefined : id(steps);
  if (told !== undefined) await begin(told, predict);
}
