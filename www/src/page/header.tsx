// The header: the trace, the search, and the main actions.
import { Search } from "../commands/search";
import { count, duration, share } from "../format/words";
import { chooseTheme } from "../lab";
import { Share } from "../link/share";
import { sourceName } from "../runs/origin";
import * as s from "../state";

export function Header({ choose }: { choose: () => void }) {
  const facts = s.workload.value;
  const other = s.theme.value === "dark" ? "light" : "dark";
  return (
    <header>
      <h1>Schedscope</h1>
      {facts && (
        <p class="chip">
          <b>{sourceName(facts.provenance.name)}</b> {count(facts.jobs)} jobs ·{" "}
          {duration(facts.last - facts.first)} · {count(facts.processors)} processors{" "}
          {!s.lesson.value && ` · load ${share(facts.offered_load)}`}
        </p>
      )}
      <Search open={choose} />
      <span class="spring" />
      <button
        type="button"
        onClick={s.wantTour}
        disabled={s.lesson.value !== undefined}
        aria-expanded={s.tourWanted.value !== undefined}
      >
        Teach me
      </button>
      <button type="button" class="primary" onClick={choose}>
        Open a trace…
      </button>
      <Share />
      <a href="docs/index.html">Docs</a>
      <button type="button" onClick={() => chooseTheme(other)} aria-label={`Use ${other} colours`}>
        {other === "light" ? "Light" : "Dark"}
      </button>
    </header>
  );
}
