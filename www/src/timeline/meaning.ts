// The number of jobs that an entry of the legend stands for.
import type { Legend, LegendEntry, WorkloadFacts, WorkloadProfile } from "schedscope";
import { count, counted } from "../format/words";
import * as lab from "../lab";
import * as s from "../state";

/** The last workload that was asked about. */
let last: { facts: WorkloadFacts; profile: Promise<WorkloadProfile> } | undefined;

function profileOf(facts: WorkloadFacts): Promise<WorkloadProfile> {
  if (last?.facts !== facts)
    last = { facts, profile: lab.askReader((engine) => engine.workloadProfile(lab.plain())) };
  return last.profile;
}

/** Returns the jobs of an entry in words; nothing where the page does not know their number. */
export async function jobsOf({ entries }: Legend, entry: LegendEntry): Promise<string> {
  const facts = s.workload.value;
  if (!facts || s.colouring.value !== "user") return "";
  const { users } = await profileOf(facts);
  const known = (label: string) =>
    users.find(({ name, user }) => (user < 0 ? "unknown" : name) === label)?.jobs;
  const rest = entries.filter(({ label }) => known(label) === undefined);
  const left = facts.jobs - entries.reduce((sum, { label }) => sum + (known(label) ?? 0), 0);
  // All users that are not listed share one entry.
  const jobs = known(entry.label) ?? (rest.length === 1 ? left : undefined);
  return jobs === undefined ? "" : `${count(jobs)} of ${counted(facts.jobs, "job")}`;
}
