// Describes what-if runs in words.
import type { WhatIf } from "schedscope";
import { count, counted, duration, instant } from "../format/words";
import * as s from "../state";

/** Returns the changes without their instant. */
export function changes({
  policy,
  settings = {},
  without_users: users = [],
  jobs = [],
  closed,
}: WhatIf): string {
  const name = policy === undefined ? undefined : (s.policyNamed(policy)?.name ?? policy);
  const parts = [
    name && `under ${name}`,
    Object.keys(settings).length > 0 &&
      Object.entries(settings)
        .map(([key, value]) => `${key}=${value}`)
        .join(", "),
    users.length > 0 && `without user${users.length === 1 ? "" : "s"} ${users.join(", ")}`,
    ...jobs.map(({ number, estimate, processors, submitted }) => {
      const asks = [
        estimate !== undefined && `an estimate of ${duration(estimate)}`,
        processors !== undefined && counted(processors, "processor"),
        submitted !== undefined &&
          `its submission at ${instant(submitted, s.workload.value?.provenance.unix_start)}`,
      ];
      return `job ${number} with ${asks.filter(Boolean).join(", ")}`;
    }),
    closed &&
      `processors ${count(closed.first)} to ${count(closed.first + closed.count - 1)} out of service for ${duration(closed.seconds)}`,
  ];
  return parts.filter(Boolean).join("; ") || "the policy restarted";
}

export const inWords = (whatIf: WhatIf): string =>
  `${changes(whatIf)} from ${instant(whatIf.at, s.workload.value?.provenance.unix_start)} on`;
