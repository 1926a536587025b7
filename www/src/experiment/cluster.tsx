// Reads the description of a cluster from a file into the form.
import { useRef } from "preact/hooks";
import type { Settings } from "schedscope";
import { Stopped } from "../engine/workers";
import { asProblem } from "../format/problem";
import { count } from "../format/words";
import * as lab from "../lab";
import * as s from "../state";
import { Kinds } from "./kinds";
import { noteLeft } from "./leftlines";
import { hasSwitchesOnly, withSwitches } from "./switches";

/** Bytes of a file that are read at most. The engine refuses more. */
const MOST = 4 << 20;

/** A small cluster, to begin with. */
const EXAMPLE = `# Two kinds of nodes, and a partition of each
NodeName=c[1-24] CPUs=32 RealMemory=131072
NodeName=g[1-4] CPUs=32 RealMemory=262144 Gres=gpu:4 Weight=10
PartitionName=batch Nodes=ALL Default=YES
PartitionName=gpu Nodes=g[1-4]`;

function put(text: string): void {
  const { cluster: _, ...rest } = s.shared.value;
  void lab.setShared(text.trim() === "" ? rest : { ...rest, cluster: text });
}

/** Number of descriptions that were asked for. Only the last one counts. */
let asked = 0;

/** SHA-256 of the trace for which a file gave the cluster of all runs. */
let describedFor: string | undefined;

const traceNow = (): string | undefined => s.workload.value?.provenance.sha256;

/** Leaves out a cluster of a run's own. */
const withoutCluster = ({ cluster: _, ...rest }: Settings): Settings => rest;

/**
 * Takes a file that describes a cluster: the machine becomes one with nodes, and all runs run. A
 * second slurm.conf for the same trace makes a run with nodes and partitions of its own. Returns the
 * runs that it has made; `undefined` if it cannot be taken.
 */
export async function takeCluster(
  file: File,
  comesWithTrace = false,
): Promise<number[] | undefined> {
  // A file that cannot be read changes nothing.
  const found = await read(file);
  if (found === undefined) return undefined;
  const { lines, conf, own } = found;
  const { cluster: before } = s.shared.value;
  // A slurm.conf that says how Slurm schedules is also a policy.
  const slurms = s.setups.value.filter(({ policy }) => policy === "slurm");
  const first = slurms[0]?.settings;
  const isOther = typeof before === "string" && before !== lines && !found.isOfSwitches;
  const isOfTrace = describedFor !== undefined && describedFor === traceNow() && !comesWithTrace;
  if (isOther && isOfTrace && first && conf !== "" && s.machine.value === "nodes") {
    tellIncluded(file, found);
    const isKnown = ({ settings }: s.Setup) => settings.cluster === lines && settings.conf === conf;
    if (slurms.some(isKnown)) return [];
    const made = addSlurm(found, file, { ...first, conf, cluster: lines });
    s.say(`A further run has the cluster and the policy Slurm of ${file.name}.`);
    return made;
  }
  if (!found.isOfSwitches) describedFor = traceNow();
  if (s.machine.value === "nodes") put(lines);
  else {
    s.shareSettings({ ...s.shared.value, cluster: lines });
    await lab.setMachine("nodes");
    // Another file came meanwhile.
    if (own !== asked) return undefined;
  }
  // Clusters of runs belong to the trace before.
  if (comesWithTrace)
    for (const { id, settings } of s.setups.value)
      if (settings.cluster !== undefined) lab.setLane(id, { settings: withoutCluster(settings) });
  // Lines that the reader has changed stay, for the comparison.
  const isNew = !slurms.some(
    ({ settings }) =>
      (settings.conf ?? "") === conf && (comesWithTrace || settings.cluster === undefined),
  );
  const made =
    conf !== "" && isNew ? addSlurm(found, file, { ...withoutCluster(first ?? {}), conf }) : [];
  s.say(
    found.isOfSwitches
      ? `The switches are those of ${file.name}.`
      : conf === ""
        ? `The cluster is that of ${file.name}.`
        : `The cluster and the policy Slurm are those of ${file.name}.`,
  );
  if (isOther) s.notifyToo(`The nodes and partitions of all runs are those of ${file.name} now.`);
  tellIncluded(file, found);
  lab.runAll();
  return made;
}

/** Adds a run under the Slurm of a file, and returns it. */
function addSlurm({ text, lines, conf }: ClusterText, file: File, settings: Settings): number[] {
  lab.addLane("slurm", { settings });
  const made = s.lanes.value.slice(-1).map(({ id }) => id);
  noteLeft([file.name, text], `${lines}\n${conf}`, made).catch((error) => {
    if (!(error instanceof Stopped)) s.tell(asProblem(error));
  });
  return made;
}

/** The content of a file about a cluster. */
interface ClusterText {
  text: string;
  lines: string;
  conf: string;
  /** True for a topology.conf, whose switches were added to the cluster. */
  isOfSwitches: boolean;
  /** The name of a file that it includes. */
  included: string | undefined;
  own: number;
}

/** Tells what a file includes. */
function tellIncluded({ name }: File, { included }: ClusterText): void {
  if (included)
    s.notifyToo(`${name} includes ${included}, whose lines are missing here: write them into it.`);
}

const includedIn = (text: string): string | undefined =>
  /^[ \t]*include[ \t]+(\S+)/im.exec(text)?.[1];

/** Reads the description of a cluster; `undefined` if it cannot be read, or came too late. */
async function read(file: File): Promise<ClusterText | undefined> {
  const [own, before] = [++asked, s.shared.value.cluster];
  try {
    if (file.size > MOST)
      throw {
        what: `${file.name} has ${count(file.size)} bytes.`,
        why: `A list of nodes has at most ${count(MOST)}.`,
        next: "Leave out what does not describe nodes or partitions.",
      };
    const text = await file.text();
    const included = includedIn(text);
    if (included && !/^[ \t]*nodename[ \t]*=/im.test(text))
      throw {
        what: `${file.name} describes no nodes.`,
        why: `It includes ${included}, which is not beside it on the page.`,
        next: `Write the lines of ${included} into ${file.name}.`,
      };
    const isOfSwitches = hasSwitchesOnly(text);
    if (isOfSwitches && typeof before !== "string")
      throw {
        what: `${file.name} has the switches of a cluster that is not described yet.`,
        why: "Switches connect nodes, and slurm.conf describes these.",
        next: "Give slurm.conf together with it, or before it.",
      };
    await lab.holdInWhole();
    const lines = isOfSwitches
      ? withSwitches(String(before), text)
      : await lab.askReader((engine) => engine.clusterDescription(text));
    const isConf = /^[ \t]*(nodename|partitionname)[ \t]*=/im.test(text);
    const conf = isConf ? await lab.askReader((engine) => engine.slurmLines(text)) : "";
    return own === asked && s.shared.value.cluster === before
      ? { text, lines, conf, isOfSwitches, included, own }
      : undefined;
  } catch (error) {
    if (own === asked && !(error instanceof Stopped)) s.tell(asProblem(error));
    return undefined;
  }
}

export function ClusterFile() {
  const input = useRef<HTMLInputElement>(null);
  if (s.machine.value !== "nodes") return null;
  const { cluster } = s.shared.value;
  return (
    <>
      <div class="buttons">
        <button type="button" onClick={() => input.current?.click()}>
          Nodes from a file…
        </button>
        {s.shared.value.cluster === undefined && (
          <button type="button" onClick={() => put(EXAMPLE)}>
            An example
          </button>
        )}
        <input
          ref={input}
          type="file"
          hidden
          aria-label="slurm.conf, topology.conf, or a list of nodes in JSON or CSV"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            event.currentTarget.value = "";
            if (file) void read(file).then((found) => found && put(found.lines));
          }}
        />
      </div>
      <Kinds text={typeof cluster === "string" ? cluster : ""} onText={put} />
    </>
  );
}
