// An open card: stored results or the reader's own, the printed figures beside them, and charts.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import { asProblem } from "../format/problem";
import { count } from "../format/words";
import { type Choice, type Found, metricName } from "../plans/kinds";
import * as plans from "../plans/plans";
import { pick, Saturations } from "../plans/points";
import { place, RunPanel } from "../plans/run";
import { specOf } from "../plans/spec";
import * as s from "../state";
import { DataTable } from "../ui/table";
import { loadStored } from "./load";
import { type Card, compare, type Row } from "./printed";
import { outcomeOf, type Stored, verify } from "./stored";

/** A card with its results: the reader's own once all cells have run here, else the stored ones. */
export function OpenCard({ card }: { card: Card }) {
  const stored = useSignal<Stored | undefined>(undefined);
  useEffect(() => {
    let isOpen = true;
    loadStored(card.id)
      .then((found) => isOpen && (stored.value = found))
      .catch((error) => s.tell(asProblem(error)));
    return () => (isOpen = false);
  }, [card]);
  const ofSite = useMemo(() => stored.value && outcomeOf(stored.value), [stored.value]);
  const isShown = plans.facts.value?.plan.name === card.plan.name;
  const own = isShown ? plans.outcome.value : undefined;
  const isOwn = own !== undefined && own.all > 0 && own.results.size === own.all;
  const found = isOwn ? own : (ofSite ?? own);
  return (
    <>
      <Origin card={card} stored={stored.value} isShown={isShown} isOwn={isOwn} />
      {found && found.points.length > 0 && (
        <>
          {card.printed.length > 0 && <Comparison card={card} found={found} />}
          {card.charts.map((chart, at) => (
            <CardChart key={at} chart={chart} found={found} />
          ))}
          {card.plan.loads && <Saturations found={found} />}
        </>
      )}
      {card.findings.length > 0 && (
        <>
          <h4>Findings</h4>
          <ul>
            {card.findings.map((finding) => (
              <li key={finding}>{finding}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** The origin of the figures, and the means to make them again here. */
function Origin({
  card,
  stored,
  isShown,
  isOwn,
}: {
  card: Card;
  stored: Stored | undefined;
  isShown: boolean;
  isOwn: boolean;
}) {
  const runs = (cells: number) => `${count(cells)} ${cells === 1 ? "run" : "runs"}`;
  return (
    <>
      <p class="origin">
        {isOwn
          ? "The figures below are those of the runs in this browser."
          : stored
            ? `The figures below come with the site: ${runs(stored.cells.length)} of Schedscope ${stored.version}.`
            : "The stored results are loading."}
      </p>
      {stored && isShown && <Verified stored={stored} />}
      <details class="here">
        <summary>Run it here, and compare the schedules</summary>
        <Here card={card} isShown={isShown} />
      </details>
    </>
  );
}

/** The plan of the card, to be run here. */
function Here({ card, isShown }: { card: Card; isShown: boolean }) {
  const problem = plans.problem.value;
  if (problem && !isShown)
    return (
      <p class="notice bad" role="alert">
        <b>{problem.what}</b> {problem.next}
      </p>
    );
  if (!isShown && plans.state.value !== "idle")
    return (
      <div class="notice">
        <p>Another plan is running.</p>
        <button
          type="button"
          class="small"
          onClick={() => {
            plans.cancel();
            void plans.showCard(card.plan);
          }}
        >
          Stop that plan
        </button>
      </div>
    );
  if (!isShown)
    return (
      <button type="button" class="small" onClick={() => void plans.showCard(card.plan)}>
        Show this card's plan
      </button>
    );
  return (
    <>
      <RunPanel />
      <button type="button" class="small" onClick={() => s.goTo("sweep")}>
        Edit the plan
      </button>
    </>
  );
}

/** The most differing runs that are listed. */
const LISTED = 10;

/** Says which of the runs here have the schedules of the stored ones, to the last second. */
function Verified({ stored }: { stored: Stored }) {
  const { equal, different } = verify(stored, plans.results.value);
  const ran = equal.length + different.length;
  if (ran === 0) return null;
  if (different.length === 0)
    return (
      <p class="notice good" role="status">
        {ran === 1 && stored.cells.length === 1
          ? "The schedule made here is equal to the stored one, job by job."
          : ran === stored.cells.length
            ? `All ${count(ran)} schedules made here are equal to the stored ones, job by job.`
            : `The ${count(ran)} schedules made here so far are equal to the stored ones, job by job.`}
      </p>
    );
  return (
    <div class="notice bad" role="alert">
      <p>
        <b>
          {count(different.length)} of {count(ran)} schedules made here differ from the stored ones.
        </b>{" "}
        The stored ones are of Schedscope {stored.version}, engine {stored.engine}. Another build of
        the engine, or an edited plan, can be the reason.
      </p>
      <ul>
        {different.slice(0, LISTED).map((key) => (
          <li key={key}>{place(key)}</li>
        ))}
      </ul>
    </div>
  );
}

function Comparison({ card, found }: { card: Card; found: Found }) {
  const names = Object.keys(card.printed[0]!.at);
  return (
    <DataTable
      label={`Printed figures and ours: ${card.title}`}
      rows={compare(card.printed, found)}
      columns={[
        ...names.map((name) => ({ name, value: ({ printed }: Row) => printed.at[name] })),
        {
          name: "Figure",
          value: ({ printed }) =>
            `${metricName(printed.figure)}${printed.from ? `, against ${Object.values(printed.from).join(", ")}` : ""}`,
        },
        { name: "Printed", value: ({ printed }) => printed.value, show: ({ theirs }) => theirs },
        { name: "Ours", value: ({ value }) => value, show: ({ ours }) => ours },
        { name: "Difference", value: ({ off }) => off, show: ({ difference }) => difference },
        { name: "Why", class: "words", value: ({ why }) => why },
        {
          name: "Run",
          show: ({ key }) =>
            key && (
              <button type="button" class="small" onClick={() => plans.openCell(key)}>
                Open
              </button>
            ),
        },
      ]}
    />
  );
}

function CardChart({ chart, found }: { chart: Card["charts"][number]; found: Found }) {
  const choice: Choice = {
    kind: "curve",
    metric: "wait.mean",
    x: "policy",
    y: "",
    at: {},
    grouping: "size",
    jobX: "submitted",
    logX: false,
    logY: false,
    ...chart,
  };
  const spec = useMemo(() => specOf(found, choice), [chart, found, s.theme.value]);
  if (typeof spec === "string") return <p class="quiet">{spec}</p>;
  return (
    <>
      <Chart spec={spec} onPick={pick} pickable="Open in the timeline" />
      {chart.note && <p class="quiet">{chart.note}</p>}
    </>
  );
}
