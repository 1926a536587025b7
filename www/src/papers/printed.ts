// A paper's printed figures beside ours: which point of a plan's results each is compared with, and
// by how much they differ.

import type { Plan } from "schedscope";
import { figure } from "../format/words";
import type { Choice } from "../plans/kinds";

/** A printed figure, and which of our points it is compared with. */
interface Printed {
  at: Record<string, string | number>;
  figure: string;
  value: number;
  /** Where the paper prints a change: from which point, which is named by what differs. */
  from?: Record<string, string | number>;
  /** Why ours may differ. */
  reason?: string;
}

/** A table or figure of a paper, as a data file says it. */
export interface Card {
  id: string;
  paper: string;
  shows: string;
  title: string;
  text: string;
  plan: Plan;
  printed: Printed[];
  charts: (Partial<Choice> & { note?: string })[];
  /** What the paper concludes from it, and whether our runs say so too. */
  findings: string[];
}

/** What is known of a point of a plan. */
interface Known {
  axes: Record<string, string | number>;
  cells: string[];
  figures: Record<string, { mean: number }>;
}

export interface Row {
  printed: Printed;
  /** As they are shown; a dash where ours is not there. */
  theirs: string;
  ours: string;
  difference: string;
  /** Why they differ, where they do; told once, not on every row that has the same reason. */
  why: string;
  /** Our figure, and by how much it is off: a share of the printed one, or the difference of
   * shares. */
  value: number | undefined;
  off: number | undefined;
  /** A run that ours is from. */
  key: string | undefined;
}

/** What differs by no more than this share is not explained. */
const SMALL = 0.02;

const percent = (value: number, isChange: boolean): string =>
  `${isChange && value > 0 ? "+" : ""}${(100 * value).toFixed(1)} %`;

export function compare(printed: Printed[], points: Known[]): Row[] {
  const find = (at: Printed["at"]) =>
    points.find((point) => Object.entries(at).every(([name, value]) => point.axes[name] === value));
  let said = "";
  return printed.map((each) => {
    const point = find(each.at);
    const base = each.from && find({ ...each.at, ...each.from });
    const [value, of] = [point?.figures[each.figure]?.mean, base?.figures[each.figure]?.mean];
    const ours = each.from ? (value !== undefined && of ? value / of - 1 : undefined) : value;
    // Changes, and shares of the machine, differ by points; a coefficient is no share.
    const isCoefficient = each.figure.startsWith("correlation");
    const isShare =
      !isCoefficient &&
      (each.from !== undefined ||
        Math.abs(each.value) <= 1 ||
        each.figure.startsWith("monthly_gap"));
    const off =
      ours === undefined
        ? undefined
        : isShare || isCoefficient
          ? ours - each.value
          : ours / each.value - 1;
    const shown = (value: number) =>
      isShare
        ? percent(value, each.from !== undefined)
        : isCoefficient
          ? value.toFixed(2)
          : figure(value);
    const reason = off !== undefined && Math.abs(off) > SMALL ? (each.reason ?? "") : "";
    const why = reason !== "" && reason === said ? "as above" : reason;
    if (reason !== "") said = reason;
    return {
      printed: each,
      theirs: isShare || isCoefficient ? shown(each.value) : each.value.toLocaleString("en"),
      ours: ours === undefined ? "–" : shown(ours),
      difference:
        off === undefined
          ? "–"
          : `${off > 0 ? "+" : ""}${isCoefficient ? off.toFixed(2) : `${(100 * off).toFixed(1)} ${isShare ? "points" : "%"}`}`,
      why,
      value: ours,
      off,
      key: point?.cells[0],
    };
  });
}
