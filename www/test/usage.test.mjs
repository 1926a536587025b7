// The usage of sshare within a text of accounts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hasUsage, isUsage, withoutUsage } from "../src/experiment/usage.ts";
import { isAccounts } from "../src/page/accounts.ts";

const DUMP = "Cluster - 'c'\nParent - 'root'\nAccount - 'a'\n";
const QOS = "Name|Priority\nnormal|1\n";
const USAGE =
  "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n" +
  "root|||0.000000|300||1.000000\n a||1|0.500000|300|1.000000|\n";
const MINUTES = "User|Account|GrpTRESRaw\n|a|cpu=3\n";

test("usage is told from accounts and QOS, and leaves them as they are", async () => {
  assert.deepEqual([DUMP, QOS, USAGE, MINUTES].map(hasUsage), [false, false, true, true]);
  assert.deepEqual([DUMP, QOS, USAGE, MINUTES].map(isUsage), [false, false, true, true]);
  assert.equal(isUsage(`# taken at noon\r\n\r\n${USAGE}${MINUTES}`), true);
  // A banner of many comment lines takes no time.
  const banner = `${"#".repeat(4000)}\r\n`.repeat(100);
  assert.equal(isUsage(`${banner}${DUMP}${USAGE}`), false);
  assert.equal(isUsage(`${USAGE}${QOS}`), false);
  assert.equal(isUsage(`${DUMP}${USAGE}`), false);
  assert.equal(withoutUsage(`${USAGE}${DUMP}${MINUTES}${QOS}`), `${DUMP}${QOS}`);
  assert.equal(withoutUsage(`${DUMP}${QOS}`), `${DUMP}${QOS}`);
  const of = (name, text) => isAccounts(new File([text], name));
  assert.equal(await of("sshare.txt", USAGE), true);
  assert.equal(await of("minutes.txt", MINUTES), true);
  assert.equal(await of("sacct.txt", "JobID|User|Account|State\n1|u|a|COMPLETED\n"), false);
});
