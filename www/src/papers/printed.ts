// Sets a paper's printed figures beside ours: the point of a plan's results that each is compared
// with, and the difference.

import type { Plan } from "schedscope";
import { figure } from "../format/words";
import { type Choice, SATURATION } from "../plans/kinds";

/** A printed figure, and the point of ours to compare it with. */
interface Printed {
  at: Record<string, string | number>;
  figure: string;
  value: number;
  /**
   * If the paper prints a change: the point that it starts from, named by the parameters that
   * differ.
   */
  from?: Record<string, string | number>;
  /** Reason why our figure may differ. */
  reason?: string;
}

/** A table or figure of a paper, as its data file describes it. */
export interface Card {
  id: string;
  paper: string;
  shows: string;
  title: string;
  text: string;
  plan: Plan;
  /** Traces of the plan that the card has with it: text by name. */
  traces?: Record<string, string>;
  printed: Printed[];
  charts: (Partial<Choice> & { note?: string })[];
  /** The paper's conclusion, and whether our runs support it. */
  findings: string[];
}

/** The facts about a point of a plan. */
interface Known {
  axes: Record<string, string | number>;
  cells: string[];
  figures: Record<string, Mean>;
}

interface Mean {
  mean: number;
  ci95?: number | null;
}

/** The saturation of a policy in a sweep of loads. */
interface Saturated {
  axes: Record<string, string | number>;
  crossing?: Mean;
}

export interface Row {
  printed: Printed;
  /** Texts of the two figures; a dash if ours is missing. */
  theirs: string;
  ours: string;
  difference: string;
  /** Reason of the difference, if they differ. A reason that several rows share is given once. */
  why: string;
  /**
   * Our figure, and the difference: a share of the printed figure, or for shares the difference in
   * points.
   */
  value: number | undefined;
  off: number | undefined;
  /** A run that our figure comes from. */
  key: string | undefined;
}

/** Differences up to this share need no explanation. */
const SMALL = 0.02;

const percent = (value: number, isChange: boolean): string =>
  `${isChange && value > 0 ? "+" : ""}${(100 * value).toFixed(1)} %`;

export function compare(
  printed: Printed[],
  { points, saturations }: { points: Known[]; saturations: Saturated[] },
): Row[] {
  const sweeps: Known[] = saturations.flatMap(({ axes, crossing }) =>
    crossing ? [{ axes, cells: [], figures: { [SATURATION]: crossing } }] : [],
  );
  const find = (at: Printed["at"], figure: string) =>
    (figure === SATURATION ? sweeps : points).find((point) =>
      Object.entries(at).every(([name, value]) => point.axes[name] === value),
    );
  let said = "";
  return printed.map((each) => {
    const point = find(each.at, each.figure);
    const base = each.from && find({ ...each.at, ...each.from }, each.figure);
    const [value, of] = [point?.figures[each.figure]?.mean, base?.figures[each.figure]?.mean];
    const ours = each.from ? (value !== undefined && of ? value / of - 1 : undefined) : value;
    // Changes, and shares of the machine, differ by points. A coefficient is not a share.
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
    const ci95 = each.from ? undefined : point?.figures[each.figure]?.ci95;
    const width = ci95 ? ` ± ${isShare ? (100 * ci95).toFixed(1) : figure(ci95)}` : "";
    const reason = off !== undefined && Math.abs(off) > SMALL ? (each.reason ?? "") : "";
    const why = reason !== "" && reason === said ? "as above" : reason;
    if (reason !== "") said = reason;
    return {
      printed: each,
      theirs: isShare || isCoefficient ? shown(each.value) : each.value.toLocaleString("en"),
      ours: ours === undefined ? "–" : `${shown(ours)}${width}`,
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
