// Takes the files that the reader drops or chooses: a trace with its cluster, a plan, an exercise, a
// policy, a table of demands.
import * as lab from "../lab";
import * as s from "../state";
import { isAccounts } from "./accounts";
import * as link from "./arrive";
import { isDemands } from "./demands";
import { because, type Came, notTaken, sorted, withoutTrace } from "./dropped";
import { isLog, isQueue } from "./queue";

let documents: Promise<typeof import("./document")> | undefined;

/** Takes a document. One import for all: Chromium ends several imports of one part in any order. */
function takeLater(file: File): void {
  documents ??= import("./document");
  documents.catch(() => (documents = undefined));
  documents.then(({ takeDocument }) => takeDocument(file)).catch(lab.fail);
}

/** Counts the times that files came, and tells the last one of which a trace was opened. */
let [comings, last] = [0, 0];

/**
 * Takes a slurm.conf with its topology.conf and its accounts, a queue and one other file, and tells
 * which files are not taken.
 */
export async function takeAll(all: readonly File[]): Promise<void> {
  const coming = ++comings;
  s.endNotice();
  const kinds = await Promise.all(all.map(kindOf));
  const of = (kind: Kind) => all.filter((_, at) => kinds[at] === kind);
  const [accounts, [queue, ...queues], files] = [of("accounts"), of("queue"), of("other")];
  const found = sorted(files);
  const { other, switches } = found;
  const conf =
    found.conf && switches ? new File([found.conf, "\n", switches], found.conf.name) : found.conf;
  const isAwaited = link.awaited.value !== undefined;
  // The cluster of a link's trace waits for it.
  if (conf && isAwaited) link.holdCluster(conf);
  // Files without a trace belong to the one that is being opened, if there is one.
  const ofTrace = [...accounts, ...(queue ? [queue] : [])];
  const waiting = [...(conf && !isAwaited ? [conf] : []), ...ofTrace];
  const sentences = [
    ...notTaken(found),
    ...because(queues, `there is one queue, here ${queue?.name}`),
  ];
  if (!other && waiting.length > 0 && !(await lab.untilOpen(waiting))) {
    if (sentences.length > 0) s.notifyToo(sentences.join(" "));
    return;
  }
  const came = await take(other, coming);
  let made: number[] | undefined = [];
  if (conf && !isAwaited) {
    // A cluster is for the trace that comes with it. If that cannot be read, its problem stays.
    if (came === "nothing" || came === "trace")
      made = await (await import("../experiment/cluster")).takeCluster(conf, came === "trace");
    else sentences.push(withoutTrace(conf, other!, came));
  }
  // Accounts and a queue are for the trace that comes with them, or for the one that is open.
  const isOpen = came !== "failed" && !link.awaited.value;
  if (!isOpen) {
    const missing = came === "failed" ? other!.name : "the trace of the link";
    sentences.push(...because(ofTrace, `${missing} was not opened`));
  } else if (!made) sentences.push(...because(accounts, `${conf!.name} was not taken`));
  else if (accounts.length > 0)
    await (await import("../experiment/accounts")).takeAccounts(accounts, made);
  if (isOpen && queue) takeLater(queue);
  if (sentences.length > 0) s.notifyToo(sentences.join(" "));
}

type Kind = "accounts" | "queue" | "other";

async function kindOf(file: File): Promise<Kind> {
  if (await isAccounts(file)) return "accounts";
  return (await isQueue(file)) ? "queue" : "other";
}

async function take(file: File | undefined, coming: number): Promise<Came> {
  if (!file) return "nothing";
  const name = file.name.toLowerCase();
  if (name.endsWith(".json") && !(await isLog(file))) {
    takeLater(file);
    return "other";
  }
  if (/\.(m?[jt]s|wasm)$/.test(name)) {
    void import("../own/actions").then(({ open }) => open(file)).catch(lab.fail);
    return "other";
  }
  // A table of demands belongs to the open trace.
  if (s.source.value && name.endsWith(".csv") && (await isDemands(file))) {
    if (!(await lab.untilOpen([file]))) return "other";
    void lab.open({ ...s.source.value, demands: file }, () => ({
      ...s.shared.value,
      demands: "file",
    }));
    return "other";
  }
  // To read the begin of a file can take longer than to open one that came later.
  if (coming < last) return "failed";
  last = coming;
  if (link.awaited.value) {
    await link.give(file);
    return link.awaited.value ? "failed" : "trace";
  }
  // A trace of the reader's own replaces the runs of a plan.
  if (!(await lab.open({ kind: "file", file, skipBadLines: false }))) return "failed";
  s.dropAside();
  return "trace";
}
