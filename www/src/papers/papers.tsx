// The Papers tab: printed figures, the plan that reproduces them, and our figures beside the
// printed ones. A card is a data file.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Analysis } from "schedscope";
import { Chart } from "../charts/chart";
import { asProblem } from "../format/problem";
import { type Choice, metricName } from "../plans/kinds";
import * as plans from "../plans/plans";
import { pick, Saturations } from "../plans/points";
import { RunPanel } from "../plans/run";
import { specOf } from "../plans/spec";
import * as s from "../state";
import { DataTable } from "../ui/table";
import { type Card, compare, type Row } from "./printed";

declare const STAMP: string;

let loaded: Promise<Card[]> | undefined;

function load(): Promise<Card[]> {
  loaded ??= fetch(`papers.json?v=${STAMP}`).then((response) => {
    if (!response.ok) throw new Error(`the cards could not be loaded (${response.status})`);
    return response.json() as Promise<Card[]>;
  });
  loaded.catch(() => (loaded = undefined));
  return loaded;
}

export default function Papers() {
  const cards = useSignal<Card[]>([]);
  useEffect(() => {
    void plans.begin();
    load()
      .then((found) => {
        cards.value = found;
        // Opens the card that a link names.
        const card = found.find(({ id }) => id === s.card.value);
        if (card && plans.state.value === "idle") void plans.showCard(card.plan);
      })
      .catch((error) => s.tell(asProblem(error)));
  }, []);
  const papers = [...new Set(cards.value.map((card) => card.paper))];
  return (
    <div class="papers">
      <p class="quiet">
        Each card reproduces a published table or figure with runs made in this browser. Printed
        figures stand beside ours, with every difference.
      </p>
      {papers.map((paper) => (
        <section key={paper} class="panel" aria-label={paper}>
          <h2>{paper}</h2>
          {cards.value
            .filter((card) => card.paper === paper)
            .map((card) => (
              <article key={card.id} class="card">
                <div class="bar">
                  <h3>
                    <small>{card.shows}</small> {card.title}
                  </h3>
                  <span class="spring" />
                  <button
                    type="button"
                    aria-expanded={s.card.value === card.id}
                    onClick={() => {
                      s.openCard(s.card.value === card.id ? undefined : card.id);
                      if (s.card.value && plans.state.value === "idle")
                        void plans.showCard(card.plan);
                    }}
                  >
                    {s.card.value === card.id ? "Close" : "Reproduce"}
                  </button>
                </div>
                <p>{card.text}</p>
                {s.card.value === card.id && <OpenCard card={card} />}
              </article>
            ))}
        </section>
      ))}
    </div>
  );
}

function OpenCard({ card }: { card: Card }) {
  const facts = plans.facts.value;
  const analysis = plans.analysis.value;
  if (plans.problem.value)
    return (
      <p class="notice bad" role="alert">
        <b>{plans.problem.value.what}</b> {plans.problem.value.next}
      </p>
    );
  if (facts?.plan.name !== card.plan.name && plans.state.value !== "idle")
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
  if (facts?.plan.name !== card.plan.name)
    return (
      <p class="quiet">
        <button type="button" class="small" onClick={() => void plans.showCard(card.plan)}>
          Show this card's plan
        </button>
      </p>
    );
  return (
    <>
      <RunPanel />
      <div class="buttons">
        <button type="button" class="small" onClick={() => s.goTo("sweep")}>
          Edit the plan
        </button>
      </div>
      {analysis && analysis.points.length > 0 && card.printed.length > 0 && (
        <Comparison card={card} analysis={analysis} />
      )}
      {analysis &&
        analysis.points.length > 0 &&
        card.charts.map((chart, at) => <CardChart key={at} chart={chart} />)}
      {card.plan.loads && <Saturations />}
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

function Comparison({ card, analysis }: { card: Card; analysis: Analysis }) {
  const names = Object.keys(card.printed[0]!.at);
  return (
    <DataTable
      label={`Printed figures and ours: ${card.title}`}
      rows={compare(card.printed, analysis.points)}
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

function CardChart({ chart }: { chart: Card["charts"][number] }) {
  const choice: Choice = {
    kind: "curve",
    metric: "wait.mean",
    x: "policy",
    at: {},
    grouping: "size",
    jobX: "submitted",
    logX: false,
    logY: false,
    ...chart,
  };
  const spec = useMemo(() => specOf(choice), [chart, plans.analysis.value, s.theme.value]);
  if (typeof spec === "string") return <p class="quiet">{spec}</p>;
  return (
    <>
      <Chart spec={spec} onPick={pick} pickable="Open in the timeline" />
      {chart.note && <p class="quiet">{chart.note}</p>}
    </>
  );
}
