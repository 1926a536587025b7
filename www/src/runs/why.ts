// The causes of a wait, by kind, in words.
import type { Reason, WaitFacts } from "schedscope";

export type CauseFacts = WaitFacts["causes"][number];

/** Phrases for the kinds of reasons. */
export const KINDS: Record<Reason["kind"], string> = {
  processors: "for free processors",
  partition: "for a free partition",
  nodes: "for suitable nodes",
  behind: "in line behind other jobs",
  reserved: "so as not to delay reservations",
  not_chosen: "while other jobs used the processors better",
  not_tried: "until the policy looked at it",
  start_delay: "for the start delay of the machine",
  recorded: "for a reason that the log does not give",
  slurm: "for reasons that Slurm names",
  lost: "for attempts that were preempted",
};

/** Returns the time of all causes, in seconds. */
export const sum = (causes: CauseFacts[]): number =>
  causes.reduce((sum, { total }) => sum + total, 0);

/** Returns the causes by the kind of their reasons, the greatest first, kinds and causes. */
export function grouped(
  causes: CauseFacts[],
): { kind: Reason["kind"]; total: number; causes: CauseFacts[] }[] {
  const kinds = new Map<Reason["kind"], CauseFacts[]>();
  for (const cause of causes)
    kinds.set(cause.reason.kind, [...(kinds.get(cause.reason.kind) ?? []), cause]);
  return [...kinds]
    .map(([kind, causes]) => ({
      kind,
      total: sum(causes),
      causes: causes.toSorted((a, b) => b.total - a.total),
    }))
    .sort((a, b) => b.total - a.total);
}

/** Returns the share of each kind of reason in a wait, in words. */
export function inWords(causes: CauseFacts[], wait: number): string {
  const sorted = grouped(causes);
  const [most] = sorted;
  // Lists of all causes have the shorter ones, too.
  const told = sorted.filter(({ total }) => total >= wait / 200);
  return told.length === 1 && most
    ? `${sorted.length === 1 ? "all" : "nearly all"} of it ${KINDS[most.kind]}`
    : told
        .map(({ kind, total }) => `${Math.round((100 * total) / wait)} % ${KINDS[kind]}`)
        .join(", ");
}
