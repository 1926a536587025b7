// The Papers tab: what each paper concludes, and the cards that reproduce its tables and figures. A
// card is a data file.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { asProblem } from "../format/problem";
import * as plans from "../plans/plans";
import * as s from "../state";
import { OpenCard } from "./card";
import { Claims, type Paper, Shows, VerdictBar } from "./claims";
import { loadAll } from "./load";
import type { Card } from "./printed";
import { countsInWords } from "./verdicts";

/** Returns a paper's authors. */
const authorsOf = ({ paper }: Paper): string => {
  const [authors = ""] = paper.split(":");
  return `${authors[0]?.toUpperCase()}${authors.slice(1)}`;
};

/** Returns a paper's title, with its place and year. */
const titleOf = ({ paper }: Paper): string => {
  const title = paper.slice(paper.indexOf(":") + 2);
  return `${title[0]?.toUpperCase()}${title.slice(1)}`;
};

/** Opens a card, or closes it. Its plan is shown unless another plan runs. */
function choose(card: Card | undefined): void {
  s.openCard(card?.id);
  for (const [name, text] of Object.entries(card?.traces ?? {}))
    plans.offer(new File([text], name));
  if (card && plans.state.value === "idle") void plans.showCard(card.plan);
}

export default function Papers() {
  const all = useSignal<{ cards: Card[]; papers: Paper[] } | undefined>(undefined);
  const wanted = useSignal<string | undefined>(undefined);
  useEffect(() => {
    void plans.begin();
    loadAll()
      .then((found) => {
        all.value = found;
        // Opens the card that a link names.
        choose(found.cards.find(({ id }) => id === s.card.value));
      })
      .catch((error) => s.tell(asProblem(error)));
  }, []);
  if (!all.value) return <p class="quiet">The cards are loading.</p>;
  const { cards, papers } = all.value;
  const open = cards.find(({ id }) => id === s.card.value);
  const paper =
    papers.find((each) => each.name === wanted.value) ??
    papers.find((each) => each.paper === open?.paper) ??
    papers[0]!;
  const own = cards.filter((card) => card.paper === paper.paper);
  const claims = papers.flatMap((each) => each.claims);
  const go = (card: Card) => {
    choose(card);
    // The card is drawn with the next frame.
    requestAnimationFrame(() =>
      document.getElementById(`card-${card.id}`)?.scrollIntoView({ block: "start" }),
    );
  };
  return (
    <div class="papers">
      <p class="quiet">
        Five papers draw {claims.length} conclusions: {countsInWords(claims)}. Each card sets a
        paper's figures beside those of our runs, with every difference and its reason.
      </p>
      <div class="papers-columns">
        <nav aria-label="Papers">
          {papers.map((each) => (
            <button
              type="button"
              key={each.name}
              aria-current={each === paper}
              onClick={() => {
                wanted.value = each.name;
                choose(undefined);
              }}
            >
              <b>{authorsOf(each)}</b>
              <VerdictBar claims={each.claims} />
              <small>{countsInWords(each.claims)}</small>
            </button>
          ))}
        </nav>
        <section class="panel" aria-label={paper.paper}>
          <h2>{authorsOf(paper)}</h2>
          <p class="quiet">{titleOf(paper)}</p>
          <Claims paper={paper} cards={own} onOpen={go} />
          <Shows paper={paper} cards={own} onOpen={go} />
          {own.map((card) => (
            <article key={card.id} id={`card-${card.id}`} class="card">
              <div class="bar">
                <h3>
                  <small>{card.shows}</small> {card.title}
                </h3>
                <span class="spring" />
                <button
                  type="button"
                  aria-expanded={card === open}
                  aria-label={`${card === open ? "Close" : "Open"} the card of ${card.shows}`}
                  onClick={() => choose(card === open ? undefined : card)}
                >
                  {card === open ? "Close" : "Open"}
                </button>
              </div>
              <p>{card.text}</p>
              {card === open && <OpenCard card={card} />}
            </article>
          ))}
        </section>
      </div>
    </div>
  );
}
