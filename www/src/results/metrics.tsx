// The results below the timelines: the ranking in a line, or the table, which loads when it opens.
import { ChevronDown, ChevronUp } from "lucide";
import { counted } from "../format/words";
import * as lab from "../lab";
import { nameOf } from "../runs/name";
import { inWords as figureInWords, gapInWords, gapOf, ranked } from "../runs/ranking";
import { doubted } from "../runs/size";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { Lazy } from "../ui/lazy";
import { Mark } from "../ui/mark";
import { Separator } from "../ui/separator";
import { Words } from "../ui/words";

const TABLE = () => import("./table").then(({ FigureTable }) => FigureTable);
const TOOLS = () => import("./table").then(({ Tools }) => Tools);

export function MetricsTable() {
  const isOpen = s.layout.value.open.results;
  return (
    <section class={`metrics ${isOpen ? "open" : ""}`} aria-label="Metrics" id="panel-results">
      <div class="bar">
        <h2>
          <button
            type="button"
            class="bare"
            aria-expanded={isOpen}
            onClick={() => lab.unfold("results", !isOpen)}
          >
            <Icon of={isOpen ? ChevronDown : ChevronUp} /> Results
          </button>
        </h2>
        {!doubted.value && <RankBy />}
        {isOpen ? <Lazy load={TOOLS} given={{}} fail={lab.fail} until={null} /> : <Ranking />}
      </div>
      {isOpen && (
        <>
          <Lazy load={TABLE} given={{}} fail={lab.fail} />
          <Edge />
        </>
      )}
      <LeftOut />
    </section>
  );
}

/** The settings that the policies of the runs leave out, and the jobs that they never start. */
function LeftOut() {
  const runs = s.lanes.value
    .map((lane, index) => ({ lane, index }))
    .filter(({ lane }) => lane.state === "done" && lane.notModelled.length > 0);
  if (runs.length === 0) return null;
  return (
    <details class="left-out">
      <summary>
        Not modelled or left out: {runs.length === 1 ? "run" : "runs"}{" "}
        {runs.map(({ index }) => s.letter(index)).join(", ")}
      </summary>
      <ul>
        {runs.flatMap(({ lane, index }) =>
          lane.notModelled.map((text) => (
            <li key={`${lane.id} ${text}`}>
              <Mark index={index} /> {s.letter(index)} <Words of={text} />
            </li>
          )),
        )}
      </ul>
    </details>
  );
}

/** The runs in their order, in a line: the table in short, while it is folded. */
function Ranking() {
  const runs = ranked();
  if (runs.length === 0 || doubted.value) return null;
  return (
    <p class="ranking">
      {runs.map(({ lane, index, value }) => (
        <span key={lane.id}>
          <Mark index={index} /> {s.letter(index)} {nameOf(lane)} <b>{figureInWords(value)}</b>
          <Gap lane={lane} />
        </span>
      ))}
    </p>
  );
}

/** The difference of a run from the one that it is compared with. */
function Gap({ lane }: { lane: s.Lane }) {
  const gap = gapOf(lane);
  if (!gap) return null;
  return (
    <small
      class="quiet"
      title={`Difference over ${counted(gap.jobs, "job")}, job by job; 95 % interval by batch means`}
    >
      {" "}
      {gap.mean < 0 ? "−" : "+"}
      {gapInWords(gap)}
    </small>
  );
}

/** Choice of the figure that ranks the runs. */
function RankBy() {
  return (
    <label class="inline">
      Rank by
      <select
        value={s.rankedBy.value.key}
        onChange={(event) => s.rankBy(event.currentTarget.value)}
      >
        {s.RANKINGS.map(({ key, phrase }) => (
          <option key={key} value={key}>
            {phrase}
          </option>
        ))}
      </select>
    </label>
  );
}

function Edge() {
  const { name, least, usual, most } = s.PANELS.results;
  return (
    <Separator
      name={name.toLowerCase()}
      controls="panel-results"
      grows="ArrowUp"
      size={s.layout.value.sizes.results}
      least={least}
      usual={usual}
      most={most}
      resize={(size) => lab.resizePanel("results", size)}
    />
  );
}
