// The menu of everything that has no place of its own in the bars.
import {
  Bookmark,
  CircleQuestionMark,
  Download,
  Ellipsis,
  FolderOpen,
  Moon,
  SlidersHorizontal,
  Sun,
} from "lucide";
import { chooseTheme, fail } from "../lab";
import { Footer } from "../page/footer";
import { ICONS } from "../page/tabs";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { Lazy } from "../ui/lazy";
import { page, showSetup, showView } from "./place";
import { Item, Popup } from "./popup";

/** The views that have no place in the bar below. */
const VIEWS = [
  "torus",
  "sharing",
  "compare",
  "forecast",
  "sweep",
  "workload",
  "policy",
] as const satisfies s.Tab[];

const EXPORTS = () => import("../page/export").then(({ Exports }) => Exports);

const SESSIONS = () => import("../guide/sessions").then((module) => module.default);

export function More({ choose }: { choose: () => void }) {
  const other = s.theme.value === "dark" ? "light" : "dark";
  const isLesson = s.lesson.value !== undefined;
  return (
    <Popup name="More" title="More" class="bare icon-only" opener={<Icon of={Ellipsis} />}>
      <div class="popup-items">
        <Item
          icon={SlidersHorizontal}
          name="Set-up"
          isCurrent={page.value === "setup"}
          isOff={isLesson}
          act={showSetup}
        />
        {VIEWS.map((tab) => (
          <Item
            key={tab}
            icon={ICONS[tab]}
            name={s.NAMES[tab]}
            isCurrent={page.value === tab}
            act={() => showView(tab)}
          />
        ))}
        <Item icon={FolderOpen} name="Open a trace…" act={choose} />
        <Item
          icon={other === "light" ? Sun : Moon}
          name={`Use ${other} colours`}
          act={() => chooseTheme(other)}
        />
        <a class="popup-item" href="docs/index.html">
          <Icon of={CircleQuestionMark} /> Docs
        </a>
      </div>
      {!s.isPredicting.value && (
        <details>
          <summary>
            <Icon of={Download} /> Export
          </summary>
          <Lazy load={EXPORTS} given={{}} fail={fail} />
        </details>
      )}
      {!isLesson && (
        <details>
          <summary>
            <Icon of={Bookmark} /> Sessions
          </summary>
          <Lazy load={SESSIONS} given={{}} fail={fail} />
        </details>
      )}
      <Footer />
    </Popup>
  );
}
