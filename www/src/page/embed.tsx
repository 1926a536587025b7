// The page inside another page: one view, its result, and the way to the whole page.
import { ExternalLink } from "lucide";
import "../explore/gaps";
import { Sentence } from "../results/sentence";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { awaited } from "./arrive";
import { ProblemBanner } from "./banners";
import { Later } from "./tabs";
import { Timelines } from "./timelines";

export function Embed() {
  const tab = s.tab.value;
  const missing = awaited.value;
  return (
    <>
      <div class="banners">
        {missing && (
          <p class="banner">
            This view needs the trace <b>{missing.name}</b>, which no link contains. Open the whole
            page, and choose your copy there.
          </p>
        )}
        <ProblemBanner />
      </div>
      <div class="embed-bar">
        <Sentence />
        {/* The other page opens the same link. */}
        <a href={`index.html${location.hash}`} target="_blank" rel="noopener">
          <Icon of={ExternalLink} /> Open in Schedscope
        </a>
      </div>
      <main class={`centre ${tab === "timeline" ? "pictures" : "page"}`} id="panel" tabIndex={-1}>
        {tab === "timeline" ? <Timelines /> : <Later tab={tab} />}
      </main>
      <div class="unseen" role="status" aria-live="polite">
        {s.spoken.value}
      </div>
    </>
  );
}
