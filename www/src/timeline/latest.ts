// Asks a run's worker one question at a time. Only the latest question counts.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ask } from "../engine/workers";
import type * as s from "../state";

/** Asks a run's worker one question at a time. Only the latest question counts. */
export function useLatest<T>(
  lane: s.Lane,
  wish: unknown[],
  work: () => ((engine: NonNullable<s.Lane["hand"]>["engine"]) => Promise<T>) | undefined,
): T | undefined {
  const answer = useSignal<T | undefined>(undefined);
  const state = useRef({ isBusy: false, isWanted: false, latest: work, hand: lane.hand });
  state.current.latest = work;
  state.current.hand = lane.hand;
  useEffect(() => {
    let isOver = false;
    const pump = async () => {
      const now = state.current;
      if (now.isBusy) return void (now.isWanted = true);
      now.isBusy = true;
      do {
        now.isWanted = false;
        const asked = now.latest();
        // An answer about a run that has disappeared is dropped.
        answer.value =
          now.hand && asked ? await ask(now.hand, asked).catch(() => answer.value) : undefined;
      } while (now.isWanted && !isOver);
      now.isBusy = false;
    };
    void pump();
    return () => void (isOver = !lane.hand);
  }, [lane.hand, ...wish]);
  return answer.value;
}
