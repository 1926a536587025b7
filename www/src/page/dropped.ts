// Chooses among files that come together, and says in words which of them the page does not take.
import { inList } from "../format/words";

/** A file, or something with the name of one. */
interface Named {
  readonly name: string;
}

/** Files that come together. */
interface Sorted<One extends Named> {
  /** The slurm.conf to take. Without one, the topology.conf. */
  conf: One | undefined;
  /** The topology.conf that belongs to the slurm.conf. */
  switches: One | undefined;
  /** The other file to take: a trace, a plan, a policy. */
  other: One | undefined;
  /** Further files of the form of a slurm.conf. */
  confs: One[];
  /** Further files of other forms. */
  others: One[];
}

/** Takes the first slurm.conf with the first topology.conf, and the first other file. */
export function sorted<One extends Named>(files: readonly One[]): Sorted<One> {
  const isConf = ({ name }: Named) => name.toLowerCase().endsWith(".conf");
  const isSwitches = ({ name }: Named) => name.toLowerCase().startsWith("topology");
  const all = files.filter(isConf);
  const conf = all.find((file) => !isSwitches(file)) ?? all[0];
  const switches = all.find((file) => isSwitches(file) && file !== conf);
  const confs = all.filter((file) => file !== conf && file !== switches);
  const [other, ...others] = files.filter((file) => !isConf(file));
  return { conf, switches, other, confs, others };
}

/** The result of taking a file: a trace that is open now, a file of another kind, or neither. */
export type Came = "nothing" | "trace" | "other" | "failed";

/** Returns a sentence about files that are not taken, if there are some. */
export function because(files: readonly Named[], why: string): string[] {
  if (files.length === 0) return [];
  const names = inList(files.map(({ name }) => name));
  return [`${names} ${files.length === 1 ? "was" : "were"} not taken, because ${why}.`];
}

/** Returns sentences about the files that are too many. */
export function notTaken({ conf, other, confs, others }: Sorted<Named>): string[] {
  return [
    ...because(others, `the page takes one trace, plan or policy at a time, here ${other?.name}`),
    ...because(confs, `a cluster has one slurm.conf, here ${conf?.name}`),
  ];
}

/** Returns the sentence about a slurm.conf that came with a file which is no trace, or not open. */
export const withoutTrace = (conf: Named, other: Named, came: Came): string =>
  came === "failed"
    ? `${conf.name} was not taken, because ${other.name} was not opened.`
    : `${conf.name} was not taken, because it belongs to a trace, and ${other.name} is none.`;
