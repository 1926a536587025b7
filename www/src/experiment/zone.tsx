// Asks in which zone the times of a log are that tell none.
import type { Report } from "schedscope";
import * as lab from "../lab";
import * as s from "../state";

/** The zone in which this browser is. */
const OWN = Intl.DateTimeFormat().resolvedOptions().timeZone;

const RULES = { times_without_zone: false, times_in_given_zone: true };

/** Returns true if the log's times are in a given zone, false if they count as UTC. */
function isGiven({ rules }: Report): boolean | undefined {
  const met = rules.find((rule) => rule.id in RULES);
  return met && RULES[met.id as keyof typeof RULES];
}

/** The question, for logs that are no tables: these have it beside their columns. */
export function ZoneQuestion({ report }: { report: Report }) {
  const given = isGiven(report);
  if (s.source.value?.kind !== "file" || report.columns || given === undefined) return null;
  const zone = lab.givenZone(s.source.value) ?? "";
  const others = Intl.supportedValuesOf("timeZone").filter((name) => name !== OWN);
  const first = [OWN, "UTC"].filter((name, at, all) => name && all.indexOf(name) === at);
  return (
    <div class="field zone">
      <label for="trace-zone">
        {given ? "Zone of the log’s times" : "The log’s times tell no zone, and count as UTC"}
      </label>
      <select
        id="trace-zone"
        value={zone}
        onChange={({ currentTarget: { value } }) => {
          if (value) void lab.chooseZone(value);
        }}
      >
        {!zone && <option value="">Choose…</option>}
        {first.map((name) => (
          <option key={name} value={name}>
            {name === OWN ? `${name} (this browser)` : name}
          </option>
        ))}
        {zone && !first.includes(zone) && !others.includes(zone) && (
          <option value={zone}>{zone}</option>
        )}
        {others
          .filter((name) => name !== "UTC")
          .map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
      </select>
    </div>
  );
}
