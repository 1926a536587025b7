// The rail of views. The code of some views loads on demand.

import { useSignal } from "@preact/signals";
import {
  BookOpen,
  Box,
  ChartGantt,
  ChartNoAxesColumn,
  ChartSpline,
  CodeXml,
  GitCompareArrows,
  GraduationCap,
  Hourglass,
  type IconNode,
  Layers,
} from "lucide";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { asProblem } from "../format/problem";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { loadSheet } from "../ui/sheet";

export const ICONS: Record<s.Tab, IconNode> = {
  timeline: ChartGantt,
  torus: Box,
  sharing: Layers,
  compare: GitCompareArrows,
  forecast: Hourglass,
  sweep: ChartSpline,
  workload: ChartNoAxesColumn,
  policy: CodeXml,
  papers: BookOpen,
};

export function Tabs() {
  const go = (event: KeyboardEvent, at: number) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const to = step
      ? (at + step + s.TABS.length) % s.TABS.length
      : { Home: 0, End: s.TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    s.showTab(s.TABS[to]!);
    document.getElementById(`tab-${s.TABS[to]}`)?.focus();
  };
  return (
    <nav class="rail" aria-label="Views">
      <div class="tabs" role="tablist" aria-label="Views" aria-orientation="vertical">
        {s.TABS.map((tab, at) => {
          const isShown = s.tab.value === tab;
          return (
            <button
              type="button"
              role="tab"
              key={tab}
              id={`tab-${tab}`}
              aria-selected={isShown}
              aria-controls="panel"
              tabIndex={isShown ? 0 : -1}
              onClick={() => s.showTab(tab)}
              onKeyDown={(event) => go(event, at)}
            >
              <Icon of={ICONS[tab]} />
              {s.NAMES[tab]}
            </button>
          );
        })}
      </div>
      <button
        type="button"
        class="rail-button"
        onClick={s.wantTour}
        disabled={s.lesson.value !== undefined}
        aria-expanded={s.tourWanted.value !== undefined}
      >
        <Icon of={GraduationCap} />
        Teach me
      </button>
    </nav>
  );
}

const LATER: Record<Exclude<s.Tab, "timeline">, () => Promise<{ default: ComponentType }>> = {
  torus: () => import("../machines/tab"),
  sharing: () => import("../sharing/sharing"),
  compare: () => import("../results/compare"),
  forecast: () => import("../forecast/forecast"),
  sweep: () => import("../plans/sweep"),
  workload: () => import("../workload/workload"),
  policy: () => import("../own/own").then(({ load }) => load()),
  papers: () => import("../papers/papers"),
};

const loaded = new Map<s.Tab, ComponentType>();

export function Later({ tab }: { tab: Exclude<s.Tab, "timeline"> }) {
  const arrived = useSignal(0);
  useEffect(() => {
    if (loaded.has(tab)) return;
    Promise.all([LATER[tab](), loadSheet("views.css")])
      .then(([module]) => {
        loaded.set(tab, module.default);
        arrived.value += 1;
      })
      .catch((error) =>
        s.tell({
          ...asProblem(error),
          next: "Check the connection, and choose the tab again.",
        }),
      );
  }, [tab]);
  void arrived.value;
  const Found = loaded.get(tab);
  return Found ? <Found /> : <p class="quiet">Loading…</p>;
}
