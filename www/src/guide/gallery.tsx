// The panel beside the first result: the page in a line, the ways in, scenarios, sessions.
import { addRecorded, fail, open } from "../lab";
import * as s from "../state";
import { Scenarios } from "./choice";
import { SessionList } from "./sessions";

export function Gallery({ close }: { close: () => void }) {
  const explore = () => {
    close();
    s.goTo("timeline");
  };
  const seeWeek = async () => {
    close();
    try {
      const { week } = await import("./week");
      const file = new File([week()], "a-clusters-week.txt", { lastModified: 0 });
      if (await open({ kind: "file", file, skipBadLines: false })) addRecorded();
    } catch (error) {
      fail(error);
    }
  };
  return (
    <section class="doors" aria-label="Where to begin">
      <p>
        <b>Simulate supercomputer schedulers on real job logs, in your browser.</b>
      </p>
      <button type="button" onClick={explore}>
        <b>Explore</b>
        <span>
          Explore these runs, or drop your own log anywhere on the page: SWF, sacct, PBS, LSF, Grid
          Engine or a table.
        </span>
      </button>
      <button type="button" onClick={() => void seeWeek()}>
        <b>See a cluster's week</b>
        <span>Open a small sacct log, and see how far EASY is from what the cluster did.</span>
      </button>
      <button type="button" onClick={s.wantTour}>
        <b>Teach me</b>
        <span>Learn backfilling, tori and time slots from the start: predict, then check.</span>
      </button>
      <button type="button" onClick={() => s.goTo("papers")}>
        <b>Reproduce a paper</b>
        <span>Run published experiments here, and compare the printed figures.</span>
      </button>
      <SessionList most={5} />
      <Scenarios />
    </section>
  );
}
