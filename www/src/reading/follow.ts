// Moves the sheet when something new is in it, and the picture to the job that it is about.
import { useEffect, useRef } from "preact/hooks";
import { unfold } from "../lab";
import * as s from "../state";
import { height, raise, setHeight, showJob } from "./place";

/** Pixels that stay between the selected job and the edges. */
const APART = 48;

export function useFollow(): void {
  const { value: selected } = s.selected;
  const { value: facts } = s.jobFacts;
  const stepping = s.stepping.value?.lane;
  const isTouring = s.tour.value !== undefined;
  const isOnPage = isTouring || s.isReadingAnswers.value || s.tourWanted.value !== undefined;
  // An exercise, the answers of a class and the list of tours are below the pages of panels.
  useEffect(() => {
    if (!isOnPage) return;
    unfold("setup", false);
    unfold("results", false);
  }, [isOnPage]);
  const before = useRef({ selected, isTouring });
  /** True if the sheet has risen for the job, and the picture has less room than before. */
  const hasRisen = useRef(false);
  useEffect(() => {
    if (selected !== undefined && !isTouring) {
      hasRisen.current = height.value === "peek";
      showJob();
    } else if (before.current.selected !== undefined && stepping === undefined && !isTouring)
      setHeight("peek");
    before.current.selected = selected;
  }, [selected]);
  useEffect(() => {
    if (stepping !== undefined) raise();
  }, [stepping]);
  useEffect(() => {
    if (isTouring) raise();
    else if (before.current.isTouring) setHeight("peek");
    before.current.isTouring = isTouring;
  }, [isTouring]);
  useEffect(() => {
    if (selected !== undefined && height.value === "half") reveal(hasRisen.current);
    hasRisen.current = false;
  }, [facts]);
}

/**
 * Scrolls to the selected job in the run where the reader selected it, else in the first run.
 * `isNew` is true if the pictures first move to the upper edge, so that more of them is in sight.
 */
function reveal(isNew: boolean): void {
  const { jobFacts: facts, hovered, view } = s;
  const has = (id: number | undefined) =>
    id !== undefined && facts.value.get(id)?.placement ? id : undefined;
  const lane = has(hovered.value) ?? s.lanes.value.find(({ id }) => has(id))?.id;
  const rows = lane === undefined ? undefined : facts.value.get(lane)?.placement?.ranges[0];
  const picture = document.querySelector(`.gantt [data-lane="${lane}"]`);
  const panel = document.getElementById("panel");
  const pictures = document.getElementById("timelines");
  if (!rows || !picture || !panel || !pictures) return;
  const edge = panel.getBoundingClientRect().top;
  // The sheet, which may still rise, takes half of what is between the bars.
  const low = edge + panel.parentElement!.clientHeight / 2 - APART;
  const begin = isNew ? pictures.getBoundingClientRect().top - edge : 0;
  const box = picture.getBoundingClientRect();
  const { top, bottom } = view.value;
  const y = box.top + ((rows[0] - top) / (bottom - top)) * box.height - begin;
  panel.scrollBy(0, begin + Math.max(0, y - low) + Math.min(0, y - edge - APART));
}
