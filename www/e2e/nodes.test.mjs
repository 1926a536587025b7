// A cluster of nodes on the page: described in the form or read from a file, run, and looked at.
import { after, before, test } from "node:test";
import {
  assert,
  done,
  drop,
  findings,
  finished,
  showView,
  stage,
  still,
  temporary,
  trace,
  until,
} from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const CSV = `name,count,cores,memory,gpus,partition
c,6,8,16G,0,batch
g,2,8,32G,2,"batch,gpu"
`;

/** Opens a small trace on nodes that a file describes, and runs it. */
async function onNodes(options) {
  const opened = await s.open(options);
  const { page } = opened;
  await done(page, 2);
  const file = temporary("small.swf", trace(300));
  await page.locator('input[type="file"]').first().setInputFiles(file);
  await finished(page, "small.swf");
  await page.getByLabel("Model", { exact: true }).selectOption("nodes");
  await page
    .getByLabel("slurm.conf, topology.conf, or a list of nodes in JSON or CSV")
    .setInputFiles(temporary("nodes.csv", CSV));
  await until(() => page.getByLabel("Cluster", { exact: true }).inputValue());
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
  return opened;
}

test("a list of nodes becomes a cluster, and the Machine tab shows what its nodes give", async () => {
  const { page, said } = await onNodes();
  assert.equal(
    await page.getByLabel("Cluster", { exact: true }).inputValue(),
    `NodeName=c[1-6] CPUs=8 RealMemory=16384
NodeName=g[1-2] CPUs=8 RealMemory=32768 Gres=gpu:2
PartitionName=batch Nodes=c[1-6],g[1-2]
PartitionName=gpu Nodes=g[1-2]`,
  );
  await page.getByRole("tab", { name: "Machine" }).click();
  await page.locator("[data-nodes]").waitFor();
  assert.match(await page.locator("[data-nodes]").innerText(), /of 8 nodes.*Cores \d+ %.*in use/s);
  // A cursor tells what a node gives, and Enter selects its jobs one after the other.
  const picture = page.getByRole("application", { name: /^Cluster: 8 nodes/ });
  await picture.press("ArrowRight");
  await until(
    () => page.locator(".hover").innerText(),
    (text) => /^c1: \d+ cores? of 8 cores/.test(text),
  );
  await picture.press("ArrowRight");
  await until(
    () => page.locator(".hover").innerText(),
    (text) => text.startsWith("c2: "),
  );
  await picture.press("ArrowLeft");
  await picture.press("Enter");
  await page.locator(".job[data-job]").waitFor();
  // The strips of resources belong to the run below.
  await page.locator(".strip-name", { hasText: /^Memory/ }).waitFor();
  await page.getByText("The jobs as a table").first().click();
  await page.getByRole("columnheader", { name: "Nodes" }).waitFor();
  assert.deepEqual(said, []);
  await page.context().close();
});

test("a link opens the cluster again, with the whole engine", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await page.getByLabel("Model", { exact: true }).selectOption("nodes");
  const cluster = page.getByLabel("Cluster", { exact: true });
  await cluster.fill("NodeName=n[1-16] CPUs=8");
  await cluster.blur();
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
  await still(page);
  const link = page.url();
  // The digest of a schedule has 16 letters and digits.
  const digest = (on) =>
    on
      .getByText(/^[0-9a-f]{16}$/)
      .first()
      .innerText();
  const shown = await digest(page);
  await page.context().close();
  const again = await s.open();
  await again.page.goto(link);
  await again.page.reload();
  await done(again.page, 2);
  assert.equal(
    await again.page.getByLabel("Cluster", { exact: true }).inputValue(),
    "NodeName=n[1-16] CPUs=8",
  );
  assert.equal(await digest(again.page), shown);
  assert.deepEqual(again.said, []);
  await again.page.context().close();
});

test("a description that cannot be read is told, and loses nothing", async () => {
  const { page } = await onNodes();
  const cluster = page.getByLabel("Cluster", { exact: true });
  await cluster.fill("NodeName=n[1-");
  await cluster.blur();
  await page.getByText("is not a list of hosts").first().waitFor();
  assert.equal(await cluster.inputValue(), "NodeName=n[1-");
  await cluster.fill("NodeName=n[1-4] CPUs=16");
  await cluster.blur();
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
  await page.context().close();
});

const CONF = `ClusterName=small
NodeName=DEFAULT RealMemory=16384
NodeName=c[1-6] CPUs=8
NodeName=g[1-2] Procs=8 Gres=gpu:2 # the last ones
PartitionName=batch Nodes=ALL Default=YES
ReservationName=repair Nodes=c6 StartTime=0 Duration=1-0
`;

test("a slurm.conf beside a log makes the machine, and a form changes its kinds of nodes", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([
      temporary("slurm.conf", CONF),
      temporary("small.swf", trace(300)),
      temporary("other.swf", trace(20)),
    ]);
  await page.getByText("other.swf was not taken", { exact: false }).first().waitFor();
  await until(
    () => page.getByLabel("Model", { exact: true }).inputValue(),
    (id) => id === "nodes",
  );
  const cluster = page.getByLabel("Cluster", { exact: true });
  await until(
    () => cluster.inputValue(),
    (text) => text.includes("ReservationName=repair"),
  );
  await done(page, 2);
  // The rows of the timeline have the names of their nodes.
  await until(
    () => page.locator(".lane .rows").first().innerText(),
    (text) => text === "nodes c1 to g2",
  );
  await page.getByText("Kinds of nodes and partitions").click();
  const kind = page.getByRole("group", { name: "c[1-6]" });
  assert.equal(await kind.getByLabel("Memory, GB").getAttribute("placeholder"), "default");
  await kind.getByLabel("Cores").fill("16");
  await kind.getByLabel("Cores").press("Tab");
  await until(
    () => cluster.inputValue(),
    (text) => text.includes("NodeName=c[1-6] CPUs=16"),
  );
  await page.getByRole("button", { name: "+ Kind of nodes" }).click();
  await until(
    () => cluster.inputValue(),
    (text) => text.includes("NodeName=n[1-16] CPUs=32"),
  );
  // A line with a comment is left alone.
  assert.match(await cluster.inputValue(), /NodeName=g\[1-2\] Procs=8 Gres=gpu:2 # the last ones/);
  await page.getByRole("button", { name: "Remove the nodes n[1-16]" }).click();
  await until(
    () => cluster.inputValue(),
    (text) => !text.includes("n[1-16]"),
  );
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
  assert.deepEqual(said, []);
  await page.context().close();
});

test("a slurm.conf is read although another trace is opened meanwhile", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  let [ask, release] = [];
  const isAsked = new Promise((resolve) => (ask = resolve));
  const isReleased = new Promise((resolve) => (release = resolve));
  // The engine that reads it comes late.
  await page.route(/schedscope_whole_bg/, async (route) => {
    ask();
    await isReleased;
    await route.continue();
  });
  await drop(page, "slurm.conf", CONF);
  await isAsked;
  await drop(page, "other.swf", trace(40));
  await finished(page, "other.swf");
  release();
  await until(
    () => page.getByLabel("Model", { exact: true }).inputValue(),
    (id) => id === "nodes",
  );
  await still(page);
  assert.equal(await page.locator(".banner").count(), 0);
  assert.deepEqual(said, []);
});

test("a slurm.conf makes the policy Slurm, tells its keywords, and shows what changed", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const conf = `ClusterName=small
ControlMachine=head
SchedulerParameters=bf_interval=10,bf_window=2880
PriorityType=priority/multifactor
PriorityWeightJobSize=1000
RoutePlugin=route/topology
NodeName=c[1-16] CPUs=8
PartitionName=batch Nodes=ALL Default=YES
`;
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([temporary("slurm.conf", conf), temporary("small.swf", trace(300))]);
  await done(page, 3);
  const policy = (letter) => page.getByLabel(`Policy of run ${letter}`);
  assert.equal(await policy("C").inputValue(), "slurm");
  const lane = page.getByRole("group", { name: "Run C" });
  await lane.getByRole("button", { name: "List keywords" }).click();
  await lane.getByText("1 not modelled").waitFor();
  const words = async (effect) =>
    await lane.locator("details", { hasText: effect }).locator("li").allInnerTexts();
  assert.deepEqual(await words("not modelled"), ["RoutePlugin=route/topology"]);
  await lane.getByText(/^\d+ used$/).click();
  assert.ok((await words("used")).includes("bf_window=2880"));
  // Lines that no setting holds are listed too.
  await lane.getByText("2 of slurm.conf left out of the settings, without effect here").click();
  assert.deepEqual(await words("left out of the settings"), [
    "ClusterName=small line 1",
    "ControlMachine=head line 2",
  ]);
  // The same policy with other lines: the run shows the difference.
  await policy("A").selectOption("slurm");
  await lane.getByText("Changes from run A:").waitFor();
  const changes = await lane.locator(".conf-changes li").allInnerTexts();
  assert.ok(
    changes.some((text) => text.endsWith("+ bf_window=2880")),
    String(changes),
  );
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 3);
  // Settings that are left out stand beside the results.
  await page.getByText("Not modelled or left out: run C").click();
  await page.getByText("Keywords of slurm.conf that are not modelled").waitFor();
  // The editor completes what is modelled, and marks lines that differ from run A.
  await lane.getByRole("button", { name: "Edit slurm.conf…" }).click();
  const dialog = page.getByRole("dialog", { name: "slurm.conf of run C" });
  const text = dialog.getByRole("textbox", { name: "slurm.conf of run C" });
  await text.press("Control+End");
  await page.keyboard.type("\nSchedulerParameters=bf_max_job_t");
  await dialog.getByRole("option", { name: /bf_max_job_test/ }).waitFor();
  // For the first moments, the list leaves keys to the text.
  await page.waitForTimeout(200);
  await page.keyboard.press("Enter");
  await page.keyboard.type("7");
  // Words that a value can be complete too, in a list one after the other.
  await page.keyboard.type("\nPriorityFlags=MAX_TRES,no_f");
  await dialog.getByRole("option", { name: "NO_FAIR_TREE" }).waitFor();
  await page.waitForTimeout(200);
  await page.keyboard.press("Enter");
  await page.keyboard.type("\nSchedulerType=");
  await dialog.getByRole("option", { name: "sched/backfill" }).getByText("default").waitFor();
  await page.keyboard.press("Escape");
  for (let typed = "\nSchedulerType=".length; typed > 0; typed -= 1)
    await page.keyboard.press("Backspace");
  await findings(page, "slurm.conf");
  assert.ok((await dialog.locator(".cm-changedLine, .cm-insertedLine").count()) > 0);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await lane.getByText("+ bf_max_job_test=7").waitFor();
  await lane.getByText("+ PriorityFlags=MAX_TRES,NO_FAIR_TREE").waitFor();
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 3);
  assert.deepEqual(said, []);
  await page.context().close();
});

test("a topology.conf comes with a slurm.conf or after it, and tells what it lacks", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const input = page.locator('input[type="file"]').first();
  const topology = "# Two leaves\nSwitchName=a Nodes=c[1-8]\nSwitchName=b Nodes=c[9-16]\n";
  await input.setInputFiles(temporary("topology.conf", topology));
  await page.getByText("topology.conf has the switches of a cluster").waitFor();
  const conf = `TopologyPlugin=topology/tree
NodeName=c[1-16] CPUs=8
PartitionName=batch Nodes=ALL Default=YES
`;
  await input.setInputFiles([
    temporary("topology.conf", topology),
    temporary("small.swf", trace(300)),
    temporary("slurm.conf", conf),
  ]);
  await done(page, 3);
  const cluster = page.getByLabel("Cluster", { exact: true });
  assert.match(await cluster.inputValue(), /SwitchName=a Nodes=c\[1-8\]/);
  const lane = page.getByRole("group", { name: "Run C" });
  await lane.getByRole("button", { name: "List keywords" }).click();
  await lane.getByText("0 not modelled").waitFor();
  await lane.getByText(/^\d+ used$/).click();
  const used = lane.locator("details", { hasText: "used" }).locator("li");
  assert.ok((await used.allInnerTexts()).includes("SwitchName=b"));
  // Other switches take their place. Nodes that none of them reaches are told.
  await input.setInputFiles(temporary("topology.conf", "SwitchName=only Nodes=c[1-15],x1\n"));
  await until(
    () => cluster.inputValue(),
    (text) => text.includes("SwitchName=only") && !text.includes("SwitchName=a"),
  );
  await done(page, 3);
  await page.getByText("Not modelled or left out: run C").click();
  await page.getByText("Nodes that no switch reaches, so that no job gets them: 1.").waitFor();
  assert.deepEqual(said, []);
  await page.context().close();
});

const accountsOf = (share) => `# To edit this file start with a cluster line
Cluster - 'c':Fairshare=1:QOS='normal'
Parent - 'root'
Account - 'one':Description='one':Fairshare=${share}
Parent - 'one'
User - 'u1':DefaultAccount='one':Fairshare=1
`;

test("accounts come with a slurm.conf or after it, and a further run begins with both", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const input = page.locator('input[type="file"]').first();
  await input.setInputFiles(temporary("slurm.conf", "ClusterName=x\nInclude nodes.conf\n"));
  await page.getByText("It includes nodes.conf, which is not beside it on the page.").waitFor();
  await input.setInputFiles(temporary("accounts.txt", accountsOf(5)));
  await page.getByText("There is no run under Slurm to which accounts.txt could belong.").waitFor();
  await input.setInputFiles([
    temporary("accounts.txt", accountsOf(5)),
    temporary("bad.swf", "1 2 3\n"),
    temporary("qos.txt", "Name|Priority|MaxTRESPU\nnormal|0|\n"),
  ]);
  await page
    .locator(".banner")
    .getByText("accounts.txt and qos.txt were not taken, because bad.swf was not opened.")
    .waitFor();
  // In this order a dialog gives them.
  await input.setInputFiles([
    temporary("accounts.txt", accountsOf(5)),
    temporary("log.swf", trace(300)),
    temporary("qos.txt", "Name|Priority|MaxTRESPU\nnormal|0|\nhigh|10|cpu=40\n"),
    temporary("slurm.conf", `${CONF}SchedulerParameters=bf_window=2880\n`),
  ]);
  await finished(page, "log.swf", 3);
  const lane = (letter) => page.getByRole("group", { name: `Run ${letter}` });
  const accounts = (letter) => lane(letter).getByLabel("Accounts", { exact: true }).inputValue();
  assert.equal(
    await accounts("C"),
    `${accountsOf(5)}\nName|Priority|MaxTRESPU\nnormal|0|\nhigh|10|cpu=40\n`,
  );
  assert.equal(await page.locator(".banner").count(), 0);
  await page.getByRole("button", { name: "+ Slurm", exact: true }).click();
  await lane("D").getByText("The same lines as run C.").waitFor();
  assert.equal(await accounts("D"), await accounts("C"));
  await done(page, 4);
  // Every run under Slurm has accounts, so others make a further run.
  await input.setInputFiles(temporary("accounts.txt", accountsOf(7)));
  await lane("E").getByText("The same lines as run C, with other accounts.").waitFor();
  assert.equal(await accounts("E"), accountsOf(7));
  await done(page, 5);
  // Usage goes to all runs that have accounts, instead of the usage before.
  const usage = (raw) => `Account|User|RawUsage\none||${raw}\n one|u1|${raw}\n`;
  for (const raw of [500, 7]) {
    await input.setInputFiles(temporary("sshare.txt", usage(raw)));
    await until(
      () => accounts("E"),
      (text) => text === `${accountsOf(7)}${usage(raw)}`,
    );
    await done(page, 5);
  }
  assert.equal(
    await accounts("D"),
    `${accountsOf(5)}\nName|Priority|MaxTRESPU\nnormal|0|\nhigh|10|cpu=40\n${usage(7)}`,
  );
  await lane("E").getByText("The same lines as run C, with other accounts.").waitFor();
  const other = CONF.replace("c[1-6]", "c[1-7]");
  await input.setInputFiles(temporary("new.conf", `${other}Include more.conf\n`));
  await page
    .locator(".banner")
    .getByText(
      "The nodes and partitions of all runs are those of new.conf now. new.conf includes more.conf, whose lines are missing here: write them into it.",
    )
    .waitFor();
  assert.deepEqual(said, []);
  await page.context().close();
});

test("jobs that a limit keeps for ever are told, and the figures are those of the others", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  // Job 2 asks for more processors than its account may have.
  const line = (job, size) =>
    `${job} ${job * 60} -1 600 ${size} -1 -1 ${size} 900 -1 1 1 1 -1 1 -1 -1 -1`;
  const log = `; MaxProcs: 64\n${[4, 32, 4, 4].map((size, at) => line(at + 1, size)).join("\n")}\n`;
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([
      temporary("log.swf", log),
      temporary(
        "slurm.conf",
        `NodeName=c[1-8] CPUs=8
PartitionName=batch Nodes=ALL Default=YES
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageEnforce=limits
`,
      ),
      temporary(
        "accounts.txt",
        "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - '1':GrpTRES=cpu=16\nParent - '1'\nUser - '1':DefaultAccount='1'\n",
      ),
    ]);
  await finished(page, "log.swf", 3);
  await page.getByText("Not modelled or left out: run C").click();
  await page
    .getByText(
      "Slurm never starts 1 of 4 jobs: 1 with the reason AssocGrpCpuLimit (the first is job 2). They stay pending, and the job metrics leave them out.",
    )
    .waitFor();
  await page.getByLabel("Job number").fill("2");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page
    .locator(".why[data-run=C]")
    .getByText(/It never starts. Up to the end of the run it waits 12 min: .*AssocGrpCpuLimit/)
    .waitFor();
  assert.match(
    await page.locator(".sentence").first().innerText(),
    /^On the jobs that start, .* Slurm \(slurm.conf, accounts\): .* s\. Under Slurm \(slurm.conf, accounts\) 1 of 4 jobs never starts, and the job metrics leave it out\.$/,
  );
  await page
    .getByText("Job metrics count 3 of 4 jobs in C. They leave out jobs that never start.")
    .waitFor();
  await showView(page, "Compare");
  await page.getByLabel("Second run").selectOption({ label: "C Slurm" });
  await page.getByText("Jobs that never start in one of the two runs are not compared.").waitFor();
  assert.deepEqual(said, []);
  await page.context().close();
});

test("a second slurm.conf makes a run with nodes and partitions of its own", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const input = page.locator('input[type="file"]').first();
  const conf = `NodeName=c[1-8] CPUs=8
PartitionName=batch Nodes=ALL Default=YES
SchedulerParameters=bf_window=2880
`;
  await input.setInputFiles([
    temporary("slurm.conf", conf),
    temporary("log.swf", trace(300, { gap: 200 })),
  ]);
  await finished(page, "log.swf", 3);
  const cluster = await page.getByLabel("Cluster", { exact: true }).inputValue();
  await input.setInputFiles(temporary("plan.conf", conf.replace("Nodes=ALL", "Nodes=c[1-7]")));
  const lane = page.getByRole("group", { name: "Run D" });
  await lane.getByText("Changes from run C:").waitFor();
  assert.deepEqual(await lane.locator(".conf-changes code").allInnerTexts(), [
    "- PartitionName=batch Nodes=ALL Default=YES",
    "+ PartitionName=batch Nodes=c[1-7] Default=YES",
  ]);
  await done(page, 4);
  await still(page);
  assert.equal(await page.getByLabel("Cluster", { exact: true }).first().inputValue(), cluster);
  assert.match(
    await lane.getByLabel("Cluster", { exact: true }).inputValue(),
    /Nodes=c\[1-7\] Default=YES/,
  );
  assert.match(await page.locator(".lane-title").nth(3).innerText(), /PartitionName=batch/);
  assert.equal(await page.getByText("Same schedule as C").count(), 0);
  // Accounts that come with it are those of its run.
  await input.setInputFiles([
    temporary("other.conf", conf.replace("Nodes=ALL", "Nodes=c[2-8]")),
    temporary("accounts.txt", accountsOf(3)),
  ]);
  const last = page.getByRole("group", { name: "Run E" });
  // The accounts come after the cluster, with which the run may be done before.
  await until(
    () => last.getByLabel("Accounts", { exact: true }).inputValue(),
    (text) => text === accountsOf(3),
  );
  await done(page, 5);
  assert.match(
    await last.getByLabel("Cluster", { exact: true }).inputValue(),
    /Nodes=c\[2-8\] Default=YES/,
  );
  // Such a line has no effect in the settings of the policy, and says so.
  await lane.getByText("Parameters (changed)").click();
  const text = lane.getByLabel("slurm.conf", { exact: true });
  await text.fill("PartitionName=x Nodes=c1");
  await text.blur();
  await lane.getByText("Lines of slurm.conf that describe nodes").waitFor();
  // With another log, all runs get the cluster of its slurm.conf.
  await input.setInputFiles(temporary("new.swf", trace(200, { gap: 200 })));
  await finished(page, "new.swf", 5);
  await input.setInputFiles(temporary("new.conf", conf.replace(/1-8/g, "1-9")));
  await page
    .locator(".banner")
    .getByText("The nodes and partitions of all runs are those of new.conf now.")
    .waitFor();
  assert.match(await page.getByLabel("Cluster", { exact: true }).first().inputValue(), /c\[1-9\]/);
  assert.deepEqual(said, []);
  await page.context().close();
});

test("figures keep the names of the settings that gave them, and no report mixes them with others", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const title = page.locator(".lane-title");
  const before = await title.nth(1).innerText();
  await page.getByLabel("Policy of run B").selectOption({ label: "Conservative" });
  await page
    .locator(".sentence")
    .getByText(
      "Settings or code have changed since run B ran. “Run what changed” brings the result.",
    )
    .waitFor();
  assert.equal(await title.nth(1).innerText(), `${before}, before changes`);
  await page.getByRole("button", { name: "Report", exact: true }).first().click();
  await page
    .getByText("There is no report, because settings or code have changed since B ran.")
    .waitFor();
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
  await until(
    () => title.nth(1).innerText(),
    (text) => text === "Conservative",
  );
  assert.deepEqual(said, []);
  await page.context().close();
});

test("a slurm.conf waits with a link for its trace", async () => {
  const { page } = await s.open();
  await done(page, 2);
  const small = temporary("small.swf", trace(300));
  await page.locator('input[type="file"]').first().setInputFiles(small);
  await finished(page, "small.swf");
  await still(page);
  const link = page.url();
  await page.context().close();
  const again = await s.open();
  await again.page.goto(link);
  await again.page.reload();
  await again.page.getByText("This link needs the trace small.swf").waitFor();
  const input = again.page.getByLabel("Trace file", { exact: true });
  await input.setInputFiles(temporary("slurm.conf", CONF));
  await again.page.getByText("slurm.conf is kept until the trace is there.").waitFor();
  await input.setInputFiles(small);
  await until(
    () => again.page.getByLabel("Cluster", { exact: true }).inputValue(),
    (text) => text.includes("ReservationName=repair"),
  );
  await done(again.page, 2);
  assert.deepEqual(again.said, []);
  await again.page.context().close();
});

test("a log that cannot be read keeps its problem, and the cluster beside it is not taken", async () => {
  const { page } = await s.open();
  await done(page, 2);
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([temporary("slurm.conf", CONF), temporary("bad.swf", "1 2 x\n")]);
  await page.getByText("Not a number").first().waitFor();
  await page
    .getByText("slurm.conf was not taken, because bad.swf was not opened.")
    .first()
    .waitFor();
  assert.equal(await page.getByLabel("Model", { exact: true }).inputValue(), "flat");
  await page.context().close();
});

test("the causes of all waits are added up by class", async () => {
  const { page, said } = await onNodes();
  // On so few nodes, jobs wait.
  const cluster = page.getByLabel("Cluster", { exact: true });
  await cluster.fill("NodeName=n[1-4] CPUs=16");
  await cluster.blur();
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
  await page.getByRole("tab", { name: "Compare" }).click();
  const panel = page.getByRole("region", { name: "Why jobs waited" });
  await panel.getByRole("button", { name: "Add up the causes" }).click();
  const table = panel.getByRole("table");
  await table.waitFor({ timeout: 30_000 });
  // The button keeps the focus, and the end is announced.
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Add up the causes");
  assert.equal(
    await page.locator("[role=status].unseen").last().textContent(),
    "The causes of run A are added up.",
  );
  assert.match(await table.innerText(), /too few processors free|short of (memory|cores)/);
  // A table for another run is asked for anew.
  await panel.getByLabel("Run").selectOption("1");
  await panel.getByText("The run is repeated").waitFor();
  assert.deepEqual(said, []);
  await page.context().close();
});

/** Jobs with GPUs: the first two have both nodes with GPUs, the third one waits for them. */
const WITH_GPUS = `; Note: written by Schedscope 0
; MaxProcs: 24
; Field 19: Nodes (column nodes, numbers)
; Field 20: GPUs (column gpus, numbers)
1 0 -1 6000 8 -1 -1 8 6000 -1 1 1 1 -1 -1 -1 -1 -1 2 4
2 0 -1 3000 2 -1 -1 2 3000 -1 1 2 1 -1 -1 -1 -1 -1 1 1
3 60 -1 3000 2 -1 -1 2 3000 -1 1 1 1 -1 -1 -1 -1 -1 1 3
4 60 -1 9000 8 -1 -1 8 9000 -1 1 3 1 -1 -1 -1 -1 -1 1 0
`;

test("timelines have a row for each GPU, and a table tells who holds them", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const conf = "NodeName=c1 CPUs=8\nNodeName=g[1-2] CPUs=8 Gres=gpu:3\n";
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([temporary("slurm.conf", conf), temporary("gpus.swf", WITH_GPUS)]);
  await finished(page, "gpus.swf");
  await page.getByLabel("Lanes").selectOption("gpus");
  await still(page);
  const timeline = page.getByRole("application", { name: /^Timeline of run A, 6 GPUs/ });
  const told = page.locator("[role=status]");
  const toTop = async () => {
    for (let row = 0; row < 6; row += 1) await timeline.press("ArrowUp");
  };
  await timeline.focus();
  await toTop();
  for (let step = 0; step < 45; step += 1) await timeline.press("ArrowLeft");
  await until(
    async () => (await told.allInnerTexts()).join(" "),
    (text) => /GPU 0 of g1: job 1, user 1/.test(text),
  );
  await timeline.press("ArrowDown");
  await timeline.press("ArrowDown");
  await until(
    async () => (await told.allInnerTexts()).join(" "),
    (text) => /GPU 2 of g1: job 2, user 2/.test(text),
  );
  await findings(page, "rows of GPUs");
  await page.getByRole("tab", { name: "Machine" }).click();
  await page.getByText("Who holds what").click();
  const table = page.getByRole("region", { name: "Who holds what, by user" });
  // Job 1 has 4 of 6 GPUs for 6,000 s, and job 3 has 3 for 3,000 s, of 15,000 s under FCFS.
  await until(
    () => table.getByRole("row", { name: /^user 1/ }).innerText(),
    (text) => /\t36\.7 %$/.test(text.trim()),
  );
  await findings(page, "who holds what");
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.getByLabel("Model", { exact: true }).selectOption("flat");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 2);
  await page.getByRole("application", { name: /^Timeline of run A, 24 processors/ }).waitFor();
  assert.equal(await page.getByLabel("Lanes").count(), 0);
  assert.deepEqual(said, []);
});
