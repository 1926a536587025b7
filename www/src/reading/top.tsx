// The bar above: the trace, the search, a link to share, and the menu of everything else.
import { ChevronDown, Search as Glass } from "lucide";
import { Search } from "../commands/search";
import { duration } from "../format/words";
import { Share } from "../link/share";
import { sourceName } from "../runs/origin";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { More } from "./more";
import { showSetup } from "./place";
import { RunLights } from "./runs";

export function Top({ choose }: { choose: () => void }) {
  return (
    <header class="reading-top">
      <h1>
        <img src="icon.svg" alt="" width="24" height="24" />
        <span class="unseen">Schedscope</span>
      </h1>
      <Trace />
      {/* The field looks like its icon until it has the focus. */}
      <div class="reading-search">
        <Icon of={Glass} />
        <Search open={choose} />
      </div>
      <Share />
      <More choose={choose} />
      <RunLights />
    </header>
  );
}

/** The open trace. It opens its part of the set-up. */
function Trace() {
  const facts = s.workload.value;
  if (!facts) return <span class="spring" />;
  return (
    <div class="chip">
      <button
        type="button"
        class="bare"
        title="Trace: show its settings"
        disabled={s.lesson.value !== undefined}
        onClick={showSetup}
      >
        <b>{sourceName(facts.provenance.name)}</b>
        <span class="quiet">{duration(facts.last - facts.first)}</span>
        <Icon of={ChevronDown} />
      </button>
    </div>
  );
}
