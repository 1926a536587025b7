// A week of a small cluster as `sacct -P` prints it, for readers who have no log of their own. The
// jobs are drawn, and started by a simple scheduler: the same file each time.

/** 2024-05-06, a Monday, at midnight UTC. */
const MONDAY = 1_714_953_600;

const DAY = 86_400;

/** The cluster: processors by partition. */
export const PARTITIONS = { batch: 512, gpu: 64 } as const;

type Partition = keyof typeof PARTITIONS;

interface Job {
  id: number;
  user: string;
  account: string;
  partition: Partition;
  qos: "normal" | "high";
  submit: number;
  processors: number;
  limit: number;
  runtime: number;
  state: string;
  name: string;
  start: number;
}

const USERS = ["ada", "ben", "chen", "dora", "emil", "fatou", "goran", "hana", "ivan", "june"];
const ACCOUNTS = ["physics", "chemistry", "biology"];
const NAMES = ["relax", "fold", "train", "mesh", "post", "sweep"];

/** Returns a source of numbers below n, the same at each call of the file. */
function dice(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    // The generator of Park and Miller.
    state = (state * 48_271) % 2_147_483_647;
    return state % n;
  };
}

/** Draws the jobs in order of submission: more by day than at night, and fewer at the weekend. */
function drawn(): Job[] {
  const below = dice(20_240_506);
  const jobs: Job[] = [];
  for (let at = 0; at < 7 * DAY; ) {
    const hour = (at % DAY) / 3600;
    const isBusy = hour >= 8 && hour < 19 && at < 5 * DAY;
    at += 20 + below(isBusy ? 700 : 2600);
    if (at >= 7 * DAY) break;
    const user = below(USERS.length);
    const partition: Partition = below(4) === 0 ? "gpu" : "batch";
    const processors = partition === "gpu" ? 8 * (1 + below(4)) : 2 ** (2 + below(7));
    const runtime = [60, 600, 1500, 4800][below(4)]! * (1 + below(4));
    const limit = 3600 * Math.ceil((runtime * (1 + below(4))) / 3600);
    const isLate = below(20) === 0;
    jobs.push({
      id: 4100 + jobs.length,
      user: USERS[user]!,
      account: ACCOUNTS[user % ACCOUNTS.length]!,
      partition,
      qos: below(8) === 0 ? "high" : "normal",
      submit: at,
      processors,
      limit,
      runtime: isLate ? limit : runtime,
      state: isLate ? "TIMEOUT" : below(12) === 0 ? "FAILED" : "COMPLETED",
      name: NAMES[below(NAMES.length)]!,
      start: Number.NaN,
    });
  }
  return jobs;
}

/** Starts the jobs of a partition, once a minute: high QOS first, then in order, each job that fits. */
function start(jobs: Job[], capacity: number): void {
  let running: Job[] = [];
  const waiting: Job[] = [];
  const left = [...jobs];
  for (let now = 0; left.length > 0 || waiting.length > 0; now += 60) {
    while (left[0] && left[0].submit <= now) waiting.push(left.shift()!);
    running = running.filter((job) => job.start + job.runtime > now);
    let free = capacity - running.reduce((sum, job) => sum + job.processors, 0);
    const order = [...waiting].sort(
      (a, b) => Number(b.qos === "high") - Number(a.qos === "high") || a.id - b.id,
    );
    for (const job of order) {
      if (job.processors > free) continue;
      job.start = now;
      free -= job.processors;
      running.push(job);
      waiting.splice(waiting.indexOf(job), 1);
    }
  }
}

/** Returns the file. */
export function week(): string {
  const jobs = drawn();
  for (const [partition, capacity] of Object.entries(PARTITIONS))
    start(
      jobs.filter((job) => job.partition === partition),
      capacity,
    );
  const head =
    "JobID|User|Account|Partition|QOS|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|NNodes|AllocCPUS|AllocTRES|JobName";
  const rows = jobs.map((job) => {
    const [submit, begin] = [MONDAY + job.submit, MONDAY + job.start];
    const nodes = Math.ceil(job.processors / 32);
    const gpus = job.partition === "gpu" ? `,gres/gpu=${job.processors / 8}` : "";
    return [
      job.id,
      job.user,
      job.account,
      job.partition,
      job.qos,
      job.state,
      submit,
      submit,
      begin,
      begin + job.runtime,
      job.runtime,
      job.limit / 60,
      nodes,
      job.processors,
      `cpu=${job.processors},node=${nodes}${gpus}`,
      job.name,
    ].join("|");
  });
  return `${[head, ...rows].join("\n")}\n`;
}
