// Banners above the tabs that most readers never see: code of others, and newer versions of the page.
import * as s from "../state";
import * as offline from "./offline";

/** Code of another, which came with a link or a plan and waits for the reader's word. */
export function Stranger() {
  const stranger = s.own.value.find(({ foreign }) => foreign !== undefined);
  if (!stranger || s.tab.value === "policy") return null;
  const read = () => {
    s.showFile(stranger.file);
    s.showPage(undefined);
    s.goTo("policy");
  };
  return (
    <section class="banner" aria-label="Code of another author">
      <p>
        A policy here, <code>{stranger.foreign}</code>, is the code of another author. It has not
        run, and runs only when you say so.
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={read}>
          Read the code
        </button>
      </div>
    </section>
  );
}

/** A newer version is offered, never forced. */
export function Update() {
  const { update, isOutdated } = offline;
  if (isOutdated.value)
    return (
      <section class="banner" aria-label="Version">
        <p>
          Another tab has changed to a newer version of the page. This tab keeps its version until
          you reload it.
        </p>
      </section>
    );
  if (!update.value) return null;
  return (
    <section class="banner" aria-label="Version">
      <p>
        A newer version of the page is ready. The address keeps your view
        {s.source.value?.kind === "file" &&
          "; the page will ask for the trace's file again, unless this browser keeps it"}
        .
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={offline.takeUpdate}>
          Use new version
        </button>
        <button type="button" onClick={offline.putOffUpdate}>
          Later
        </button>
      </div>
    </section>
  );
}
