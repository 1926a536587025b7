// Gives the runs under Slurm the accounts that sacctmgr and sshare have written into files.
import { LIMITS } from "../engine/limits";
import { Stopped } from "../engine/workers";
import { asProblem } from "../format/problem";
import { count, inList } from "../format/words";
import * as lab from "../lab";
import * as s from "../state";
import { isUsage, withoutUsage } from "./usage";

/**
 * Takes files with accounts and QOS of Slurm, which belong together. They go to the runs that came
 * with them and to those that have none. Usage alone goes to all runs that have accounts.
 */
export async function takeAccounts(
  files: readonly File[],
  cameWith: readonly number[],
): Promise<void> {
  const names = inList(files.map(({ name }) => name));
  const runs = () => s.setups.value.filter(({ policy }) => policy === "slurm");
  try {
    checkSize(
      names,
      files.reduce((sum, { size }) => sum + size, 0),
    );
    if (runs().length === 0)
      throw {
        what: `There is no run under Slurm to which ${names} could belong.`,
        why: "Accounts and QOS are settings of the policy Slurm.",
        next: "Drop slurm.conf together with the accounts, or before them.",
      };
    const accounts = (await Promise.all(files.map((file) => file.text()))).join("\n");
    await lab.holdInWhole();
    // The engine tells what cannot be read.
    await lab.askReader((engine) => engine.slurmKeywords("", accounts));
    const all = runs();
    if (isUsage(accounts)) {
      takeUsage(accounts, names);
      return;
    }
    const without = all.filter(
      ({ id, settings }) => cameWith.includes(id) || (settings.accounts ?? "") === "",
    );
    for (const { id, settings } of without)
      lab.setLane(id, { settings: { ...settings, accounts } });
    // Accounts that a run has already stay, for the comparison.
    const [first] = all;
    if (without.length === 0 && all.every(({ settings }) => settings.accounts !== accounts))
      lab.addLane("slurm", { settings: { ...first?.settings, accounts } });
    s.say(`The accounts are those of ${names}.`);
    lab.runAll();
  } catch (error) {
    if (!(error instanceof Stopped)) s.tell(asProblem(error));
  }
}

/** Throws if accounts have too many bytes. */
function checkSize(names: string, bytes: number): void {
  if (bytes > LIMITS.description_bytes)
    throw {
      what: `${names}: ${count(bytes)} bytes of accounts.`,
      why: `Accounts have at most ${count(LIMITS.description_bytes)} bytes.`,
      next: "Leave out the accounts that the log does not have.",
    };
}

/** Gives usage to the runs under Slurm that have accounts, instead of the usage that they had. */
function takeUsage(usage: string, names: string): void {
  const runs = s.setups.value.filter(({ policy, settings }) => {
    return policy === "slurm" && (settings.accounts ?? "") !== "";
  });
  if (runs.length === 0)
    throw {
      what: `There are no accounts to which the usage of ${names} could belong.`,
      why: "It belongs to the accounts and users of `sacctmgr dump`.",
      next: "Drop the file of `sacctmgr dump` together with the usage, or before it.",
    };
  const changed = runs.map(({ id, settings }) => {
    const accounts = `${withoutUsage(String(settings.accounts)).trimEnd()}\n${usage}`;
    return { id, settings: { ...settings, accounts } };
  });
  for (const { settings } of changed) checkSize(names, new Blob([settings.accounts]).size);
  for (const { id, settings } of changed) lab.setLane(id, { settings });
  s.say(`The usage is that of ${names}.`);
  lab.runAll();
}
