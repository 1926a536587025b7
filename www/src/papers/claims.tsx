// The conclusions of a paper, each with a verdict, and the counts of verdicts.

import type { Card } from "./printed";
import { countOf, VERDICTS, type Verdict } from "./verdicts";

/** A conclusion of a paper, in short, and whether our runs show it. */
interface Claim {
  /** Section of the paper. */
  where: string;
  says: string;
  verdict: Verdict;
  /** The card that shows it. */
  card?: string;
  /** One sentence of reason. */
  why: string;
}

/** A paper's conclusions, and all of its tables and figures. */
export interface Paper {
  /** File name of its page in the documentation, without ending. */
  name: string;
  paper: string;
  claims: Claim[];
  /** Each table and figure has a card, or a reason for having none. */
  shows: { name: string; title: string; card?: string; why?: string }[];
}

/** A paper, its cards, and the action that opens one of them. */
interface About {
  paper: Paper;
  cards: Card[];
  onOpen: (card: Card) => void;
}

/** A mark for each verdict that needs no colour. */
const MARKS: Record<Verdict, string> = {
  reproduced: "✓",
  "in part": "◐",
  "not reproduced": "✗",
  "not tested": "–",
};

const classOf = (verdict: Verdict): string => verdict.replaceAll(" ", "-");

/** A bar with a part for each verdict. The text beside it has the counts. */
export function VerdictBar({ claims }: { claims: Claim[] }) {
  return (
    <span class="verdicts" aria-hidden="true">
      {VERDICTS.map((verdict) => {
        const count = countOf(claims, verdict);
        return (
          count > 0 && <i key={verdict} class={classOf(verdict)} style={{ flexGrow: count }} />
        );
      })}
    </span>
  );
}

/** The conclusions of a paper. Each opens its card. */
export function Claims({ paper, cards, onOpen }: About) {
  return (
    <ul class="claims" aria-label="Conclusions of the paper">
      {paper.claims.map((claim) => {
        const card = cards.find(({ id }) => id === claim.card);
        return (
          <li key={claim.says} class={classOf(claim.verdict)}>
            <span class="mark" aria-hidden="true">
              {MARKS[claim.verdict]}
            </span>
            <div>
              <p>
                {claim.says} <span class="quiet">Section {claim.where}</span>
              </p>
              <p class="quiet">
                <b>{`${claim.verdict[0]!.toUpperCase()}${claim.verdict.slice(1)}.`}</b> {claim.why}{" "}
                {card && (
                  <button type="button" class="link" onClick={() => onOpen(card)}>
                    {card.shows}
                  </button>
                )}
              </p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** All tables and figures of a paper: the card of each, or the reason why it has none. */
export function Shows({ paper, cards, onOpen }: About) {
  const carded = paper.shows.filter(({ card }) => card).length;
  return (
    <details>
      <summary>
        Tables and figures of the paper: {carded} with a card, {paper.shows.length - carded} without
      </summary>
      <ul>
        {paper.shows.map(({ name, title, card: id, why }) => {
          const card = cards.find((card) => card.id === id);
          return (
            <li key={name}>
              <b>{name}</b>, {title.toLowerCase()}:{" "}
              {card ? (
                <button type="button" class="link" onClick={() => onOpen(card)}>
                  {card.title}
                </button>
              ) : (
                why
              )}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
