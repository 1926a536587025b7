// The user and the wait of a job, for cards on pictures that know only its number.
import { duration } from "../format/words";
import * as s from "../state";
import { useLatest } from "./latest";

/** Returns the user and the wait of a job in words; nothing until its run has told them. */
export function useWho(lane: s.Lane, job: number | undefined): string {
  const [found] =
    useLatest(lane, [job, lane.drawn], () =>
      job === undefined ? undefined : (engine) => engine.jobs(job, 1),
    ) ?? [];
  if (found === undefined || found.job !== job || s.isPredicting.value) return "";
  const { user, wait } = found;
  return `${user >= 0 ? `User ${user}, waited` : "Waited"} ${duration(wait)}`;
}
