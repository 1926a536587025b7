// Verdicts on what a paper concludes, and their counts.

/** Verdicts on a paper's conclusion, from the best on. */
export const VERDICTS = ["reproduced", "in part", "not reproduced", "not tested"] as const;

export type Verdict = (typeof VERDICTS)[number];

interface Judged {
  verdict: Verdict;
}

export const countOf = (claims: Judged[], verdict: Verdict): number =>
  claims.filter((claim) => claim.verdict === verdict).length;

/** Returns the counts of verdicts in words: "6 reproduced, 3 in part". */
export const countsInWords = (claims: Judged[]): string =>
  VERDICTS.flatMap((verdict) => {
    const count = countOf(claims, verdict);
    return count > 0 ? [`${count} ${verdict}`] : [];
  }).join(", ");
