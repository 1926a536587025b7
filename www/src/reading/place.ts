// The place of the reader in the reading view: the page that is shown, and the height of the sheet.
import { batch, computed, signal } from "@preact/signals";
import * as lab from "../lab";
import * as s from "../state";

/** The heights of the sheet, from the lowest. */
export const HEIGHTS = ["peek", "half", "full"] as const;

export type Height = (typeof HEIGHTS)[number];

/** The places that the bar below names. */
export type Place = "time" | "queue" | "results" | "papers" | "learn";

const own = {
  /** Content of the sheet outside tours. */
  content: signal<"job" | "queue">("job"),
  isFull: signal(false),
};
export const { content }: s.Seen<typeof own> = own;

export const height = computed<Height>(() =>
  s.layout.value.open.dock ? (own.isFull.value ? "full" : "half") : "peek",
);

export function setHeight(wanted: Height): void {
  batch(() => {
    own.isFull.value = wanted === "full";
    lab.unfold("dock", wanted !== "peek");
  });
}

/** Raises the sheet if it is low, to show something new. */
export function raise(): void {
  if (height.value === "peek") setHeight("half");
}

/** The page that is shown: a view, or a panel that takes the place of a view. */
export const page = computed<s.Tab | "setup" | "results" | "tours">(() => {
  const { value: tab } = s.tab;
  const { open } = s.layout.value;
  if (open.setup && s.hasPanel("setup", tab)) return "setup";
  if (tab !== "timeline") return tab;
  if (open.results) return "results";
  return s.tourWanted.value && !s.lesson.value ? "tours" : tab;
});

/** True if the page has the sheet over it. */
export const hasSheet = computed(() => page.value === s.tab.value && s.SET_UP.has(s.tab.value));

/** The place that is shown; undefined for views that only the menu names. */
export const place = computed<Place | undefined>(() => {
  if (page.value === "results" || page.value === "papers") return page.value;
  if (page.value === "tours") return "learn";
  if (s.lesson.value && hasSheet.value && height.value !== "peek") return "learn";
  if (page.value !== "timeline") return undefined;
  return content.value === "queue" ? "queue" : "time";
});

/** Shows a view, without the panels that stand in its place. */
export function showView(tab: s.Tab): void {
  batch(() => {
    lab.unfold("setup", false);
    lab.unfold("results", false);
    own.content.value = "job";
    if (s.tourWanted.value) {
      // The list of tours is on the first tab, where asking for it again closes it.
      s.showTab("timeline");
      s.wantTour();
    }
    s.showTab(tab);
  });
}

/** Shows the set-up in the place of a view that has one. */
export function showSetup(): void {
  batch(() => {
    showView(s.SET_UP.has(s.tab.value) ? s.tab.value : "timeline");
    lab.unfold("setup", true);
  });
}

/** Goes to a place of the bar below. */
export function go(to: Place): void {
  batch(() => {
    const { value: veil } = s.veil;
    showView(to === "papers" ? "papers" : to === "learn" && veil ? veil.tab : "timeline");
    if (to === "time") setHeight("peek");
    if (to === "results") lab.unfold("results", true);
    if (to === "queue") showQueue();
    if (to !== "learn") return;
    if (s.lesson.value) raise();
    else s.wantTour();
  });
}

function showQueue(): void {
  own.content.value = "queue";
  raise();
}

/** Shows the selected job in the sheet. */
export function showJob(): void {
  own.content.value = "job";
  raise();
}
