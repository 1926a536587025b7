// The bar of places below.
import {
  BookOpen,
  ChartGantt,
  GitCompareArrows,
  GraduationCap,
  type IconNode,
  ListOrdered,
} from "lucide";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { go, type Place, place } from "./place";

const PLACES: Record<Place, { name: string; icon: IconNode }> = {
  time: { name: "Time", icon: ChartGantt },
  queue: { name: "Queue", icon: ListOrdered },
  results: { name: "Results", icon: GitCompareArrows },
  papers: { name: "Papers", icon: BookOpen },
  learn: { name: "Learn", icon: GraduationCap },
};

export function Nav() {
  return (
    <nav class="reading-nav" aria-label="Places">
      {(Object.keys(PLACES) as Place[]).map((to) => {
        const { name, icon } = PLACES[to];
        return (
          <button
            type="button"
            key={to}
            // A tour has no queue beside its own pictures.
            disabled={to === "queue" && s.lesson.value !== undefined}
            {...(place.value === to ? { "aria-current": "page" as const } : {})}
            onClick={() => go(to)}
          >
            <Icon of={icon} />
            {name}
          </button>
        );
      })}
    </nav>
  );
}
