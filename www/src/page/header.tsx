// The top bar: the experiment as chips, the search, and the main actions.
import {
  Bookmark,
  CircleQuestionMark,
  Download,
  FolderOpen,
  Moon,
  PanelBottom,
  PanelLeft,
  PanelRight,
  Sun,
} from "lucide";
import { Search } from "../commands/search";
import { chooseTheme, fail, unfold } from "../lab";
import { Share } from "../link/share";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { Lazy } from "../ui/lazy";
import { Menu } from "../ui/menu";
import { Chips } from "./chips";

const EXPORTS = () => import("./export").then(({ Exports }) => Exports);

export function Header({ choose }: { choose: () => void }) {
  const other = s.theme.value === "dark" ? "light" : "dark";
  return (
    <header class="top">
      <h1>
        <img src="icon.svg" alt="" width="24" height="24" /> Schedscope
      </h1>
      <Chips />
      <span class="spring" />
      <Search open={choose} />
      <button type="button" class="primary" onClick={choose}>
        <Icon of={FolderOpen} /> <span class="label">Open a trace…</span>
      </button>
      <Share />
      {!s.isPredicting.value && (
        <Menu
          name="Export"
          title="Save pictures, tables, runs, the trace"
          face={
            <>
              <Icon of={Download} /> <span class="label">Export</span>
            </>
          }
          class="share-link"
        >
          <Lazy load={EXPORTS} given={{}} fail={fail} />
        </Menu>
      )}
      {!s.lesson.value && (
        <Menu
          name="Sessions"
          title="Keep this state, and open kept ones"
          face={<Icon of={Bookmark} />}
        >
          <Lazy
            load={() => import("../guide/sessions").then((module) => module.default)}
            given={{}}
            fail={fail}
          />
        </Menu>
      )}
      <Panels />
      <a class="button bare icon-only" href="docs/index.html" aria-label="Docs" title="Docs">
        <Icon of={CircleQuestionMark} />
      </a>
      <button
        type="button"
        class="bare icon-only"
        onClick={() => chooseTheme(other)}
        aria-label={`Use ${other} colours`}
        title={`Use ${other} colours`}
      >
        <Icon of={other === "light" ? Sun : Moon} />
      </button>
    </header>
  );
}

const FACES = { setup: PanelLeft, results: PanelBottom, dock: PanelRight } as const;

/** The buttons that fold the panels of the visible view. */
function Panels() {
  const tab = s.tab.value;
  const shown = (Object.keys(FACES) as s.Panel[]).filter((panel) => s.hasPanel(panel, tab));
  if (shown.length === 0) return null;
  return (
    <div class="panel-buttons" role="group" aria-label="Panels">
      {shown.map((panel) => {
        const { name } = s.PANELS[panel];
        const isOpen = s.layout.value.open[panel];
        return (
          <button
            type="button"
            key={panel}
            class="bare icon-only"
            aria-label={name}
            aria-pressed={isOpen}
            title={isOpen ? `Fold ${name.toLowerCase()}` : `Show ${name.toLowerCase()}`}
            onClick={() => unfold(panel, !isOpen)}
          >
            <Icon of={FACES[panel]} />
          </button>
        );
      })}
    </div>
  );
}
