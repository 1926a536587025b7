// The bar above the timelines: the result in a sentence, and the controls of the view.
import {
  ChevronLeft,
  ChevronRight,
  FoldVertical,
  type IconNode,
  Keyboard,
  Pause,
  Play,
  Rows3,
  SquareDashedMousePointer,
  Undo2,
  UnfoldVertical,
  ZoomIn,
  ZoomOut,
} from "lucide";
import type { ComponentChildren } from "preact";
import { fail, showStrip } from "../lab";
import { Sentence } from "../results/sentence";
import * as s from "../state";
import { ColourBy, LanesBy } from "../timeline/legend";
import * as navigate from "../timeline/navigate";
import { isPlaying, play } from "../timeline/play";
import { Icon } from "../ui/icon";
import { Lazy } from "../ui/lazy";
import { Menu } from "../ui/menu";

const KEYS = () => import("./keys").then(({ Keys }) => Keys);

/** The bar of the timelines. Its children stand between the sentence and the controls. */
export function ViewBar({ children }: { children?: ComponentChildren }) {
  return (
    <div class="viewbar">
      {!s.isPredicting.value && <Sentence />}
      {children}
      <div class="viewbar-tools">
        <ColourBy />
        <LanesBy />
        <div class="group" role="group" aria-label="Zoom">
          <Tool name="Earlier (A)" icon={ChevronLeft} act={() => navigate.panBy(-0.25, 0)} />
          <Tool name="Zoom out (S)" icon={ZoomOut} act={() => navigate.zoomBy(1 / 1.6, "time")} />
          <Tool name="Zoom in (W)" icon={ZoomIn} act={() => navigate.zoomBy(1.6, "time")} />
          <Tool name="Later (D)" icon={ChevronRight} act={() => navigate.panBy(0.25, 0)} />
          <Tool
            name="Fewer processors"
            title="Fewer processors (Alt + wheel)"
            icon={UnfoldVertical}
            act={() => navigate.zoomBy(1.6, "rows")}
          />
          <Tool
            name="More processors"
            title="More processors (Alt + wheel)"
            icon={FoldVertical}
            act={() => navigate.zoomBy(1 / 1.6, "rows")}
          />
          <button type="button" class="bare" title="Show all (0)" onClick={navigate.showAll}>
            All
          </button>
          <Tool
            name="Back"
            title="Back (Backspace)"
            icon={Undo2}
            isOff={s.zooms.value.length === 0}
            act={navigate.back}
          />
        </div>
        <div class="group" role="group" aria-label="Tools">
          <Tool
            name={isPlaying.value ? "Pause" : "Play"}
            title="Move an instant through the window (Space)"
            icon={isPlaying.value ? Pause : Play}
            isPressed={isPlaying.value}
            act={play}
          />
          <Tool
            name="Select"
            title="Drag to select an area for statistics (Shift + drag)"
            icon={SquareDashedMousePointer}
            isPressed={s.isSelecting.value}
            act={() => s.toggleSelecting()}
          />
          <StripMenu />
          <KeyMenu />
        </div>
      </div>
    </div>
  );
}

function Tool({
  name,
  title = name,
  icon,
  isOff = false,
  isPressed,
  act,
}: {
  name: string;
  title?: string;
  icon: IconNode;
  isOff?: boolean;
  isPressed?: boolean;
  act: () => void;
}) {
  return (
    <button
      type="button"
      class="bare icon-only"
      aria-label={name}
      title={title}
      disabled={isOff}
      {...(isPressed === undefined ? {} : { "aria-pressed": isPressed })}
      onClick={act}
    >
      <Icon of={icon} />
    </button>
  );
}

/** Choice of the strips along the timelines. */
function StripMenu() {
  const { strips } = s.layout.value;
  return (
    <Menu name="Strips" title="Strips along the timelines" face={<Icon of={Rows3} />}>
      {(Object.keys(s.STRIPS) as s.StripKind[]).map((kind) => (
        <label key={kind}>
          <input
            type="checkbox"
            checked={strips[kind]}
            onChange={(event) => showStrip(kind, event.currentTarget.checked)}
          />{" "}
          {s.STRIPS[kind]}
        </label>
      ))}
      {s.lanes.value.length > 1 && (
        <label>
          <input
            type="checkbox"
            checked={s.isVersus.value}
            onChange={(event) => s.drawVersus(event.currentTarget.checked)}
          />{" "}
          Difference
        </label>
      )}
    </Menu>
  );
}

function KeyMenu() {
  return (
    <Menu name="Keys" title="Mouse and keys" face={<Icon of={Keyboard} />} class="end">
      <Lazy load={KEYS} given={{}} fail={fail} />
    </Menu>
  );
}
