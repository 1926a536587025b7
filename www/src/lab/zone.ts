// The zone of logs whose times have none: it is asked once, and remembered.
import type { WorkloadFacts } from "schedscope";
import type { Source } from "../engine/protocol";
import { chosenZone, keepZone } from "../storage/choices";

const ALONE = /^zone=([^,]+)$/;

/** Returns a mapping that only gives the zone. */
export const zoneAlone = (zone: string): string => `zone=${zone}`;

/** Remembers a zone. */
export function rememberZone(zone: string): void {
  keepZone(zone);
}

/** True if the browser knows a zone; one that was stored may be of another version. */
function isKnown(zone: string): boolean {
  try {
    Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** Returns what a file is read with if the reader has given a zone before. */
export function inChosenZone(): { columns?: string } {
  const zone = chosenZone();
  return zone === undefined || !isKnown(zone) ? {} : { columns: zoneAlone(zone) };
}

/** Returns the zone that a source gives, unless a table's columns come with it. */
export const givenZone = (source: Source | undefined): string | undefined =>
  source?.kind === "file" ? source.columns?.match(ALONE)?.[1] : undefined;

/** Drops the zone from a log whose times have their own, so that links do not carry it. */
export function withoutIdleZone(source: Source, { report }: WorkloadFacts): Source {
  const isUsed = report.rules.some((rule) => rule.id === "times_in_given_zone");
  if (isUsed || source.kind !== "file" || givenZone(source) === undefined) return source;
  const { columns: _, ...rest } = source;
  return rest;
}
