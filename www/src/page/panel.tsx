// A panel beside the view: its edge, its head with the button that folds it, and its content.
import { X } from "lucide";
import type { ComponentChildren } from "preact";
import { resizePanel, unfold } from "../lab";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { Separator } from "../ui/separator";

export function Panel({
  panel,
  grows,
  isFixed = false,
  children,
}: {
  panel: s.Panel;
  /** True if the panel has something to say that must not be folded away. */
  isFixed?: boolean;
  /** The arrow key that makes the panel larger, on the side where its edge is. */
  grows: "ArrowLeft" | "ArrowRight";
  children: ComponentChildren;
}) {
  const { name, least, usual, most } = s.PANELS[panel];
  return (
    <div class={`pane ${panel}`} id={`panel-${panel}`}>
      <div class="pane-head">
        <span class="pane-name">{name}</span>
        {!isFixed && (
          <button
            type="button"
            class="bare icon-only small"
            aria-label={`Fold ${name.toLowerCase()}`}
            title={`Fold ${name.toLowerCase()}`}
            onClick={() => unfold(panel, false)}
          >
            <Icon of={X} />
          </button>
        )}
      </div>
      <div class="pane-body">{children}</div>
      <Separator
        name={name.toLowerCase()}
        controls={`panel-${panel}`}
        grows={grows}
        size={s.layout.value.sizes[panel]}
        least={least}
        usual={usual}
        most={most}
        resize={(size) => resizePanel(panel, size)}
      />
    </div>
  );
}
