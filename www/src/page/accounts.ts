// Tells accounts of Slurm, as sacctmgr and sshare write them, from other texts.
import { hasUsage } from "../experiment/usage";

/** Bytes at the begin of a file that tell accounts. */
const BEGIN = 65_536;

/** Names of files that are something else. */
const OTHER = /\.(conf|json|m?[jt]s|wasm|swf|csv|tsv|gz|zst|xz|bz2|zip|parquet)$/i;

/** A line of `sacctmgr dump`, or a command of sacctmgr. */
const LINE =
  /^(?:(?:cluster|parent|account|user)[ \t]+-[ \t]+\S|(?:add|create|modify)[ \t]+(?:account|user|qos|cluster)\b)/im;

/** The header of `sacctmgr show qos -P`. */
const QOS = /^name\|(?:[^\n]*\|)?(?:priority|flags|grp\w+|max\w+)\b/i;

/** True if a file has accounts, QOS or usage. */
export async function isAccounts(file: File): Promise<boolean> {
  if (OTHER.test(file.name)) return false;
  const begin = (await file.slice(0, BEGIN).text()).trimStart();
  return LINE.test(begin) || QOS.test(begin) || hasUsage(begin);
}
