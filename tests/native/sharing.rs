//! Shared files: a run with them gives the schedule of a run with the files of the site, and they hold no
//! name of the site.

use super::support::{check, folder, refused, root, schedscope};
use schedscope::cluster::description;
use schedscope::experiment::{Run, Scenario};
use schedscope::files::{TraceKind, write_trace_as};
use schedscope::import::{BadLines, read};
use schedscope::problem::Problem;
use schedscope::sharing::{SharedFiles, SiteFiles, shared};
use schedscope::time::Time;
use schedscope::trace::{Column, ColumnValues, Record, Trace, Words};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::sync::Arc;

/// A generator of numbers (xorshift).
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % most
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// The files of a site.
struct Site {
    log: Trace,
    conf: String,
    accounts: String,
}

impl Site {
    fn shared(&self) -> SharedFiles {
        shared(&SiteFiles {
            log: &self.log,
            conf: &self.conf,
            accounts: &self.accounts,
            keeps_date: false,
        })
        .unwrap_or_else(|problem| panic!("{problem}"))
    }

    /// Returns the site that a reader of the shared files has.
    fn without_names(&self) -> Self {
        let files = self.shared();
        Self {
            log: read("shared", log_text(&files).as_bytes(), BadLines::Stop).unwrap(),
            conf: files.conf,
            accounts: files.accounts,
        }
    }

    fn run(&self, policy: &str) -> Result<Run, Problem> {
        let scenario = Scenario {
            machine: "nodes".into(),
            ..Scenario::new(policy)
        };
        let mut scenario = scenario
            .with("cluster", description(&self.conf)?.as_str())
            .with("arrive", "eligible");
        if policy == "slurm" {
            scenario = scenario
                .with("conf", self.conf.as_str())
                .with("accounts", self.accounts.as_str())
                .with("usage", "start");
        }
        let mut run = scenario.resolve()?.run(Arc::new(self.log.clone()))?;
        while !run.advance(100_000).done {}
        Ok(run)
    }
}

fn log_text(files: &SharedFiles) -> String {
    let mut text = String::new();
    write_trace_as(&files.log, TraceKind::SwfExtended, |piece| {
        text.push_str(piece);
    });
    text
}

/// Returns when and where each job ran, counted from the first submission, and the rules of the import.
fn outcome(run: &Run) -> (Vec<String>, Vec<String>) {
    let schedule = run.schedule();
    let first = schedule.workload.requests[0].submitted;
    let since = |time: Time| (time - first).microseconds();
    let mut jobs = Vec::new();
    for start in &schedule.order {
        let job = start.job;
        let placement = schedule.at(start.placed);
        jobs.push(format!(
            "{} at {}: {} to {}, {:?} on {:?}",
            job.0,
            since(schedule.workload.request(job).submitted),
            since(schedule.starts[job.index()]),
            since(schedule.ends[job.index()]),
            schedule.outcome(job),
            placement.ranges,
        ));
    }
    for (place, lost) in &schedule.lost {
        jobs.push(format!(
            "{place}: {} lost at {}",
            lost.job.0,
            since(lost.end)
        ));
    }
    let rules = schedule.workload.report.rules.iter();
    let rules = rules.filter(|rule| rule.id.starts_with("nodes_"));
    let rules = rules.map(|rule| format!("{} {}", rule.id, rule.count));
    (jobs, rules.collect())
}

/// Fails if the two sites differ in a schedule. Returns false if the site cannot be run.
fn is_same(one: &Site, other: &Site, policy: &str, what: &str) -> bool {
    match (one.run(policy), other.run(policy)) {
        (Ok(one), Ok(other)) => {
            // Some jobs never start: partitions do not allow their accounts.
            let end = |run: &Run| {
                let problem = run.check_complete().err()?;
                let numbers = problem.what.split(" (the first is job ");
                // Shared files have other numbers of jobs.
                let words = numbers.map(|part| part.split_once(')').map_or(part, |(_, rest)| rest));
                Some(words.collect::<String>())
            };
            let ends = (end(&one), end(&other));
            assert_eq!(ends.0, ends.1, "{what}");
            let (one, other) = (outcome(&one), outcome(&other));
            assert_eq!(one.1, other.1, "{what}");
            assert_eq!(one.0.len(), other.0.len(), "{what}");
            let pairs = one.0.iter().zip(&other.0).enumerate();
            for (place, (one, other)) in pairs {
                assert_eq!(one, other, "{what}: start {place}");
            }
            true
        }
        (Err(_), Err(_)) => false,
        (one, other) => {
            let problem = |run: Result<Run, Problem>| run.err().map(|one| one.to_string());
            panic!("{what}: {:?} and {:?}", problem(one), problem(other))
        }
    }
}

const USERS: [&str; 6] = ["ann", "Bob", "carla", "d.koch", "root", "ANN"];
const ACCOUNTS: [&str; 5] = ["physics", "Chemistry", "root", "guests", ""];
const QOS: [&str; 5] = ["normal", "gold", "Silver", "scavenger", ""];

/// Returns a log, a slurm.conf and accounts that use everything that the policy reads.
fn drawn(seed: u64) -> Site {
    let mut dice = Dice::new(seed);
    let conf = drawn_conf(&mut dice);
    let accounts = if seed.is_multiple_of(5) {
        String::new()
    } else {
        drawn_accounts(&mut dice)
    };
    let jobs = 60;
    // Some logs begin on a Saturday before midnight, UTC, so that resets of usage matter.
    let zero = 1_710_020_000 + dice.below(30_000) as i64;
    let mut text = "JobID|User|Group|Account|Partition|QOS|State|Submit|Eligible|Start|End|\
        TimelimitRaw|NNodes|AllocCPUS|ReqMem|ReqTRES|NodeList|JobName\n"
        .to_owned();
    let mut submit = zero;
    let (mut features, mut licences) = (Vec::new(), Vec::new());
    for job in 0..jobs {
        submit += dice.below(180) as i64;
        let start = submit + dice.below(100) as i64;
        let end = start + 1 + dice.below(900) as i64;
        let nodes = 1 + dice.below(2);
        let gpus = if dice.below(4) == 0 { nodes } else { 0 };
        let tres = if gpus > 0 {
            format!("gres/gpu={gpus}")
        } else {
            String::new()
        };
        let account = dice.pick(&ACCOUNTS);
        let partition = match dice.below(5) {
            _ if gpus > 0 => "gpu_short",
            0 => "batch,gpu_short",
            1 => "Fast",
            2 => "unknown_queue",
            _ => "batch",
        };
        let _ = writeln!(
            text,
            "{}|{}|{account}|{account}|{partition}|{}|COMPLETED|{submit}|{}|{start}|{end}|{}|{nodes}|{}|{}M|\
                {tres}|node[08-09]|simulate_{job}",
            4000 + job * 3,
            dice.pick(&USERS),
            dice.pick(&QOS),
            submit + dice.below(3) as i64 * 20,
            1 + dice.below(20),
            nodes * (1 + dice.below(3)),
            100 + dice.below(900),
        );
        features.push(dice.pick(&["", "", "", "IB", "ib&skylake", "[ib|a100]", "cascade"]));
        licences.push(dice.pick(&["", "", "matlab:1", "matlab:2,fluent@srv", "(null)"]));
    }
    let mut log = read("site", text.as_bytes(), BadLines::Stop).unwrap();
    log.columns.push(column("features", &features));
    log.columns.push(column("licenses", &licences));
    Site {
        log,
        conf,
        accounts,
    }
}

fn column(id: &str, cells: &[&str]) -> Column {
    let mut words = Words::default();
    let number = |cell: &&str| {
        if cell.is_empty() {
            0
        } else {
            words.number(cell)
        }
    };
    let numbers = cells.iter().map(number).collect();
    Column {
        id: id.into(),
        name: id.into(),
        values: ColumnValues::Words { words, numbers },
    }
}

fn drawn_conf(dice: &mut Dice) -> String {
    let linear = dice.below(4) == 0;
    let mut text = "# The cluster Hollyhock of the institute\nClusterName=hollyhock\n\
        SlurmctldHost=ctl1.hollyhock.example(10.1.2.3)\nProlog=/opt/hollyhock/prolog\n\
        AccountingStorageTRES=gres/gpu,license/matlab GresTypes=gpu,fpga\n\
        AuthInfo=socket=/run/hollyhock.sock,cred_expire=30\n"
        .to_owned();
    let mut lines: Vec<String> = vec![
        if linear {
            "SelectType=select/linear".into()
        } else {
            "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory".into()
        },
        format!(
            "SchedulerParameters=bf_interval={},bf_resolution={},bf_max_job_user={},bf_licenses",
            dice.pick(&["3", "30", "7"]),
            dice.pick(&["1", "7", "60", "77", "600", "3599"]),
            dice.pick(&["0", "0", "3"]),
        ),
        "Licenses=fluent@srv:1,Matlab:3".into(),
    ];
    if dice.below(2) == 0 {
        lines.push(format!(
            "AccountingStorageType=accounting_storage/slurmdbd\n\
                AccountingStorageEnforce={}\nPriorityType=priority/multifactor\nPriorityCalcPeriod=1\n\
                PriorityDecayHalfLife=1-0 PriorityWeightAge=300 PriorityMaxAge=0-1\n\
                PriorityWeightFairshare=5000\nPriorityWeightQOS=2000\nPriorityWeightJobSize=100\n\
                PriorityWeightTRES=CPU=10,Mem=1,GRES/gpu=50,license/matlab=3\n\
                PriorityUsageResetPeriod={}",
            dice.pick(&["associations", "limits,qos", "safe"]),
            dice.pick(&["NONE", "DAILY", "WEEKLY"]),
        ));
    }
    match dice.below(4) {
        0 => lines.push("PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE".into()),
        1 => lines.push("PreemptType=preempt/qos\nPreemptMode=CANCEL\nKillWait=5".into()),
        _ => {}
    }
    text.push_str(&lines.join("\n"));
    // Slurm's order of nodes is not that of the lines.
    let _ = writeln!(
        text,
        "\nNodeName=DEFAULT RealMemory=4000 State=UNKNOWN\n\
            NodeName=node[10,08-09] CPUs=4 Feature=skylake,ib Weight={} NodeAddr=10.1.1.[8-10]\n\
            NodeName=gpu-b[1-2],gpu-a1 CPUs=4 Gres=gpu:a100:2(S:0),fpga:1 Feature=IB,a100 \\\n  \
                Weight={} Reason=\"bad fan\"\n\
            NodeName=node7 CPUs=8 Sockets=2 CoresPerSocket=4 RealMemory=8000\n\
            PartitionName=DEFAULT MaxTime=1-0 State=UP AllowGroups=staff\n\
            PartitionName=batch Nodes=node[08-10],node7 Default=YES PriorityTier={} DenyAccounts=guests\n\
            PartitionName=gpu_short Nodes=gpu-a1,gpu-b[1-2] PriorityTier=2 MaxTime=UNLIMITED\n\
            PartitionName=fast Nodes=ALL PriorityTier=3 AllowQos=normal,gold QOS=part_limit \
                TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=2.0 OverSubscribe={}",
        1 + dice.below(2),
        1 + dice.below(2),
        1 + dice.below(2),
        dice.pick(&["NO", "EXCLUSIVE", "FORCE:4"]),
    );
    if dice.below(3) == 0 {
        let flags = dice.pick(&["MAINT", "MAINT,ALL_NODES"]);
        let _ = writeln!(
            text,
            "ReservationName=maintenance_week Nodes=node08 StartTime=2024-03-09T20:00:00 \
                Duration=05:00:00 Users=ann Accounts=(null) Flags={flags}"
        );
    }
    text
}

fn drawn_accounts(dice: &mut Dice) -> String {
    let mut text = format!(
        "Name|Priority|GraceTime|Preempt|Flags|MaxJobsPU|MaxTRESPU|Description|UsageFactor\n\
            normal|10|00:00:00|scavenger||||the usual one|1.000000\n\
            gold|80|00:00:00|scavenger,silver|NoDecay|{}|cpu=20,gres/gpu:a100=8|for payers|2.000000\n\
            silver|40|00:00:00||DenyOnLimit,OverPartQOS||gres/gpu=4,license/matlab=1||1.000000\n\
            scavenger|0|00:00:30||NoReserve||||0.000000\n\
            part_limit|0|00:00:00||||cpu=24||1.000000\n",
        dice.pick(&["", "2", "5"]),
    );
    if dice.below(2) == 0 {
        text.push_str(
            "# dump of Hollyhock\nCluster - 'hollyhock':Fairshare=1:QOS='normal'\nParent - 'root'\n\
                User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1\n\
                Account - 'physics':Description='phys dept':Organization='uni':Fairshare=60:\
                GrpTRES='cpu=12,gres/gpu=3':QOS='normal,gold'\n\
                Account - 'chemistry':Fairshare=40:GrpJobs=5:QOS='+scavenger,silver'\n\
                Parent - 'physics'\n\
                User - 'ann':Coordinator='physics':DefaultAccount='physics':Fairshare=3\n\
                User - 'bob':DefaultAccount='physics':Partition='fast':Fairshare=parent\n\
                Parent - 'chemistry'\nUser - 'ann':Fairshare=1:MaxJobs=2\n\
                User - 'carla':DefaultAccount='chemistry':Fairshare=2:DefaultQOS='silver'\n",
        );
    } else {
        text.push_str(
            "sacctmgr -i add cluster hollyhock\n\
                add account physics,chemistry fairshare=30 Description=\"two departments\" grpjobs=6\n\
                add account guests parent=chemistry fairshare=parent\n\
                add user ann,bob account=physics fairshare=2 defaultaccount=physics qos=normal,gold\n\
                add user carla,ann account=chemistry partitions=batch,fast\n\
                modify user where name=ann account=chemistry set maxjobs=3\n\
                modify user ann where coordinator=yes set maxjobs=1\n\
                modify user carla set qos+=scavenger\nmodify qos silver set priority=50 flags+=NoReserve\n\
                add qos unused priority=99\nremove qos unused\nlist users\n",
        );
    }
    if dice.below(2) == 0 {
        text.push_str("Account|User|RawShares|Partition|RawUsage|GrpTRESRaw|FairShare\n");
        for (account, user) in [
            ("physics", ""),
            ("physics", "ann"),
            ("physics", "bob"),
            ("chemistry", ""),
            ("chemistry", "ann"),
            ("chemistry", "carla"),
        ] {
            let (usage, cpus) = (dice.below(2_000_000), dice.below(40));
            let _ = writeln!(
                text,
                " {account}|{user}|1||{usage}|cpu={cpus},mem=5,energy=18446744073709551614,\
                    fs/disk=0,gres/gpu={cpus}|0.5"
            );
        }
    }
    text
}

#[test]
fn shared_files_give_the_schedule_of_the_originals() {
    let mut runs = 0;
    for seed in 0..60 {
        let site = drawn(seed);
        let what = format!("seed {seed}");
        let other = site.without_names();
        if is_same(&site, &other, "slurm", &what) {
            runs += 1;
        } else {
            println!("{what}: {}", site.run("slurm").err().unwrap());
        }
        is_same(&site, &other, "easy", &what);
        if seed % 4 == 0 {
            // Files that are shared again are as good as the first ones.
            is_same(&site, &other.without_names(), "slurm", &what);
        }
    }
    assert!(runs >= 50, "{runs}");
}

/// Draws a word that no file has by chance, and keeps it.
fn secret(dice: &mut Dice, secrets: &mut BTreeSet<String>) -> String {
    let letters = b"bcdfghjklmnpqrstvwxz";
    let draw = |_| char::from(letters[dice.below(letters.len() as u64) as usize]);
    let word: String = (0..7).map(draw).collect();
    secrets.insert(word.clone());
    word
}

/// Replaces each `*` of a text by another word, which no shared file may hold, and each `?` by a word of a
/// few.
fn filled(text: &str, dice: &mut Dice, secrets: &mut BTreeSet<String>, few: &[String]) -> String {
    let mut filled = String::new();
    for char in text.chars() {
        match char {
            '*' => filled.push_str(&secret(dice, secrets)),
            '?' => filled.push_str(&few[dice.below(few.len() as u64) as usize]),
            _ => filled.push(char),
        }
    }
    filled
}

const VALUES: [&str; 14] = [
    "*",
    "/etc/*/*.conf",
    "\"* *\"",
    "*,*",
    "cr_core,*",
    "*=5,cpu=*",
    "gres/*:*=3,license/*=1,*/*=2",
    "*:4,*@*:3",
    "gpu:*:2(*),*",
    "12",
    "12*",
    "* # *",
    "bf_interval=*,*=3,bf_continue,*",
    "*; *=*",
];

const LINES: [&str; 13] = [
    "AuthInfo=socket=/run/*,cred_expire=9*,cred_expire=9",
    "# *: * \\",
    "*",
    "*=*",
    "NodeSet=* Feature=* Nodes=*",
    "SlurmctldHost=*(10.0.0.1)",
    "Epilog=/usr/*/* Prolog=*",
    "Include /etc/*/*",
    "FrontendName=* FrontendAddr=*",
    "DownNodes=node1 Reason=* State=* *=*",
    "NodeName=DEFAULT Comment=* State=* Gres=*:2,gpu:*:1",
    "PartitionName=DEFAULT AllowGroups=* Alternate=* *=* QOS=*",
    "ReservationName=* Nodes=node2 StartTime=5 Duration=1 Users=*,? Accounts=* Flags=*,MAINT *=*",
];

const ACCOUNT_LINES: [&str; 13] = [
    "# *",
    "Cluster - '*':Fairshare=1:QOS='*,normal':*='*'",
    "Parent - 'root'",
    "Account - '?':Description='* *':Organization='*':Fairshare=4:GrpTRES='cpu=4,gres/*:*=2,*/*=3'",
    "User - '?':Coordinator='*':DefaultAccount='*':Partition='*':DefaultQOS='*':QOS='+*,-*'",
    "Name|*|Descr|Preempt|MaxTRESPU|Flags|PreemptMode\n*|*|* *|*|gres/*=3|*,NoDecay|*\n?|*||||*|",
    "Account|User|*|Partition|RawUsage|GrpTRESRaw|RawUsage|User\n\
        *|?|*|*|5|cpu=3,*/*=4,gres/*:*=2|*|*\n ?||||0|",
    "sacctmgr -i add cluster *",
    "add account ? Description=\"* *\" Organization=* cluster=* *=*",
    "add qos * priority=3 flags=* preempt=* description=* maxtrespu=*=3,cpu=2",
    "modify user * where *=* set maxjobs=3",
    "modify user ? where account=* cluster=* set qos=* defaultqos=* *=*",
    "show *",
];

#[test]
fn no_word_of_a_site_is_in_shared_files() {
    let mut count = 0;
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let mut secrets = BTreeSet::new();
        let few: Vec<String> = (0..6).map(|_| secret(&mut dice, &mut secrets)).collect();
        let mut fill = |text: &str, dice: &mut Dice| filled(text, dice, &mut secrets, &few);
        let mut conf = fill(
            "NodeName=node[1-3],*[01-12]*,? CPUs=4 Feature=*,? Gres=gpu:*:2,*:1 Reason=\"* *\" NodeAddr=*\n\
                PartitionName=? Nodes=ALL AllowAccounts=*,? DenyQos=* QOS=* *=* Default=YES\n\
                Licenses=*:2,*@*,?:1\n",
            &mut dice,
        );
        for _ in 0..30 {
            let line = if dice.below(2) == 0 {
                dice.pick(&LINES).to_owned()
            } else {
                let known = &schedscope::slurm::GENERAL;
                let keyword = known[dice.below(known.len() as u64) as usize].name;
                format!("{keyword}={}", dice.pick(&VALUES))
            };
            conf.push_str(&fill(&line, &mut dice));
            conf.push('\n');
        }
        let mut accounts = String::new();
        for _ in 0..12 {
            accounts.push_str(&fill(dice.pick(&ACCOUNT_LINES), &mut dice));
            accounts.push('\n');
        }
        let mut log =
            "JobID|User|Group|Account|Partition|QOS|State|Submit|Start|End|TimelimitRaw|NNodes|\
            AllocCPUS|NodeList|Reason|JobName\n"
                .to_owned();
        for job in 1..20 {
            let cells = fill("?|*|?|?,*|*|CANCELLED by *|", &mut dice);
            let _ = write!(log, "{job}|{cells}{job}|{job}0|{job}00|5|1|1|");
            log.push_str(&fill("*[1-3]|*|* *\n", &mut dice));
        }
        let name = fill("*", &mut dice);
        let mut log = read(&name, log.as_bytes(), BadLines::Stop).unwrap();
        log.header.push(fill("; *: * *", &mut dice));
        log.header.push(fill("; Queue: 1 *", &mut dice));
        for id in ["features", "licenses", "dependency", "comment"] {
            let cells: Vec<String> = ["*&*", "*:excl:2x3:*", "[*|*]*4", "*:2;*", "?"]
                .map(|cell| fill(cell, &mut dice))
                .into();
            let cells: Vec<&str> = cells.iter().cycle().take(19).map(String::as_str).collect();
            log.columns.push(Column {
                name: fill("*", &mut dice),
                ..column(id, &cells)
            });
        }
        let files = shared(&SiteFiles {
            log: &log,
            conf: &conf,
            accounts: &accounts,
            keeps_date: seed % 2 == 0,
        });
        let Ok(files) = files else {
            continue;
        };
        count += 1;
        for text in [log_text(&files), files.conf.clone(), files.accounts.clone()] {
            let lower = text.to_lowercase();
            for word in &secrets {
                assert!(
                    !lower.contains(word),
                    "seed {seed}: {word} in\n{text}\nof\n{conf}\n{accounts}"
                );
            }
        }
    }
    assert!(count > 100, "{count}");
}

/// Switches keep their tree and the nodes of the cluster.
#[test]
fn switches_are_numbered() {
    let log = read(
        "log",
        b"1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n",
        BadLines::Stop,
    );
    let conf = "TopologyPlugin=topology/tree\nTopologyParam=TopoOptional\nNodeName=hall[7-9] CPUs=1\n\
        PartitionName=p Nodes=ALL\nSwitchName=root Switches=rack[1-2],far LinkSpeed=10\n\
        SwitchName=rack1 Nodes=hall[7-8],login\nSwitchName=rack2 Nodes=hall9 Secret=x\n\
        SwitchName=far Nodes=elsewhere\n";
    let files = shared(&SiteFiles {
        log: &log.unwrap(),
        conf,
        accounts: "",
        keeps_date: false,
    });
    let files = files.unwrap();
    assert_eq!(
        files.conf,
        "TopologyPlugin=topology/tree\nTopologyParam=TopoOptional\nNodeName=n[1-3] CPUs=1\n\
            PartitionName=p1 Nodes=ALL\nSwitchName=s1 Switches=s2,s3,s4 LinkSpeed=10\n\
            SwitchName=s2 Nodes=n[1-2]\nSwitchName=s3 Nodes=n3\nSwitchName=s4 Nodes=unknown\n"
    );
}

/// Texts of others neither stop the program nor keep it busy.
#[test]
fn hostile_texts_are_refused_or_shared() {
    let log = read(
        "log",
        b"1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n",
        BadLines::Stop,
    )
    .unwrap();
    let of = |conf: &str, accounts: &str| {
        let keeps_date = false;
        shared(&SiteFiles {
            log: &log,
            conf,
            accounts,
            keeps_date,
        })
    };
    let node = "NodeName=n[1-100000] CPUs=1\n";
    let lists = format!(
        "{node}{}",
        "PartitionName=DEFAULT Nodes=n[1-100000]\n".repeat(20_000)
    );
    let problem = of(&lists, "").err().unwrap();
    assert!(problem.what.contains("lists of nodes"), "{problem}");
    assert!(of("no nodes", "").is_err());
    assert!(of("[{\"nodename=\": 1}]", "").is_err());
    assert!(of(node, "what is this").is_err());
    let pieces = [
        "NodeName=",
        "n[1-9]",
        "n[1-",
        "]",
        "=",
        ",",
        ":",
        "|",
        "\n",
        " ",
        "#",
        "\\\n",
        ";",
        "'",
        "\"",
        "PartitionName=",
        "Nodes=ALL",
        "Gres=gpu:",
        "(",
        "ReservationName=r",
        "StartTime=-5",
        "Duration=1",
        "StartTime=2199-12-31T23:59:59",
        "Cluster - ",
        "User - 'a'",
        "Account - 'b':",
        "Parent - 'b'",
        "add qos a",
        "modify user ",
        "where ",
        "set ",
        "QOS=+a",
        "Name",
        "Preempt=-1",
        "\u{0}",
        "ä",
        "SchedulerParameters=bf_resolution=",
        "3601",
        "99999999999999999999",
    ];
    let mut dice = Dice::new(7);
    let mut count = 0;
    for _ in 0..3000 {
        let mut text = |start: &str| {
            let mut text = start.to_owned();
            for _ in 0..dice.below(25) {
                text.push_str(dice.pick(&pieces));
            }
            text
        };
        let (conf, accounts) = (text("NodeName=n[1-9]\n"), text(""));
        count += usize::from(of(&conf, "").is_ok());
        count += usize::from(of("NodeName=n1", &accounts).is_ok());
    }
    assert!(count > 300, "{count}");
}

#[test]
fn dates_keep_their_place_in_weeks_and_slots() {
    let site = drawn(1);
    let start = |conf: &str, keeps_date: bool| {
        let files = shared(&SiteFiles {
            log: &site.log,
            conf,
            accounts: "",
            keeps_date,
        });
        let files = files.unwrap_or_else(|problem| panic!("{problem}"));
        (files.log.unix_start().unwrap(), files.resets_differ)
    };
    let old = site.log.unix_start().unwrap();
    let (week, node) = (7 * 86_400, "NodeName=n1\n");
    let (plain, _) = start(node, false);
    assert_eq!((plain - old) % week, 0);
    assert!((946_771_200..946_771_200 + week).contains(&plain));
    let (odd, _) = start(
        &format!("{node}SchedulerParameters=bf_resolution=77"),
        false,
    );
    assert_eq!((odd - old) % week, 0);
    assert_eq!((odd - old) % 77, 0);
    assert_eq!(start(node, true), (old, false));
    let monthly = format!("{node}PriorityUsageResetPeriod=MONTHLY");
    assert!(start(&monthly, false).1);
    assert!(!start(&monthly, true).1);
}

/// A job that was stopped and went on has a record for each part, under one number.
#[test]
fn records_of_a_job_keep_one_number() {
    let log = "40 0 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n\
        7 5 -1 10 1 -1 -1 1 10 -1 2 8 9 1 2 1 40 -1\n\
        7 9 -1 20 1 -1 -1 1 10 -1 1 8 9 1 2 1 -1 -1\n\
        8 9 -1 20 1 -1 -1 1 10 -1 1 8 9 1 2 1 7 5\n";
    let files = shared(&SiteFiles {
        log: &read("log", log.as_bytes(), BadLines::Stop).unwrap(),
        conf: "NodeName=n1",
        accounts: "add account 9\nadd user 8 account=9",
        keeps_date: false,
    });
    let files = files.unwrap_or_else(|problem| panic!("{problem}"));
    let of_record = |record: &Record| (record.number, record.preceding, record.user, record.group);
    let records: Vec<_> = files.log.records.iter().map(of_record).collect();
    assert_eq!(
        records,
        [(1, -1, 1, 1), (2, 1, 2, 2), (2, -1, 2, 2), (3, 2, 2, 2)]
    );
    // Users without names have those of their numbers.
    assert_eq!(files.accounts, "add account a2\nadd user u2 account=a2\n");
    assert_eq!(files.log.names.users.get(2), Some("u2"));
}

#[test]
fn the_program_writes_three_files_and_says_how_to_run_them() {
    let home = folder("sharing");
    let path = |name: &str| home.join(name);
    fs::write(
        path("slurm.conf"),
        "SlurmUser=hollyhock\nNodeName=node[1-3,04] CPUs=4\n",
    )
    .unwrap();
    fs::write(path("qos.txt"), "Name|Priority\ngold|5\n").unwrap();
    fs::write(
        path("dump.txt"),
        "Account - 'physics':Description='dept'\nParent - 'physics'\nUser - 'ann'\n",
    )
    .unwrap();
    let log = "JobID|User|Group|Account|Partition|State|Submit|Eligible|Start|End|TimelimitRaw|NNodes|\
        AllocCPUS|NodeList\n7|ann|physics|physics|batch|COMPLETED|1710020000|1710020000|1710020010|1710020100|5|1|2|node[2-3,04]\n\
        8|ann|physics|physics|batch|COMPLETED|1710020000|1710020000|1710020010|1710020100|5|1|2|old1\n";
    fs::write(path("sacct.txt"), log).unwrap();
    let share = |out: &str, more: &[&str]| {
        let (log, conf, out) = (path("sacct.txt"), path("slurm.conf"), path(out));
        let (qos, dump) = (path("qos.txt"), path("dump.txt"));
        let mut arguments: Vec<&dyn AsRef<std::ffi::OsStr>> = vec![
            &"share",
            &log,
            &out,
            &"--slurm-conf",
            &conf,
            &"--accounts",
            &qos,
            &"--accounts",
            &dump,
        ];
        arguments.extend(more.iter().map(|one| one as &dyn AsRef<std::ffi::OsStr>));
        schedscope(&arguments)
    };
    let output = share("out", &[]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = check(&output);
    assert!(told.contains("left out of slurm.conf: SlurmUser"), "{told}");
    assert!(told.contains("left out of accounts: Description"), "{told}");
    let text = |name: &str| fs::read_to_string(path("out").join(name)).unwrap();
    assert_eq!(text("slurm.conf"), "NodeName=n[2-4,1] CPUs=4\n");
    assert_eq!(
        text("accounts.txt"),
        "Name|Priority|\nq1|5|\nAccount - 'a1'\nParent - 'a1'\nUser - 'u1'\n"
    );
    assert!(text("log.swf").contains("; Note: user 1 u1\n; Note: group 1 a1"));
    let job = "1 0 10 90 2 -1 -1 -1 300 -1 1 1 1 -1 1 1 -1 -1 0 1 COMPLETED a1 n[3-4,1]\n";
    assert!(text("log.swf").contains(job), "{}", text("log.swf"));
    assert!(
        told.contains("left out of the log: list of nodes"),
        "{told}"
    );
    // The line that is printed runs.
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_schedscope"))
        .parent()
        .unwrap();
    let run = format!("PATH='{}':$PATH; {line}", program.display());
    let ran = check(
        &std::process::Command::new("sh")
            .args(["-c", &run])
            .output()
            .unwrap(),
    );
    assert!(ran.contains("log.swf"), "{ran}");
    // Files stand for the parameters that they set.
    let out = home.join("out");
    let files = |policy: &str, options: [String; 4]| {
        let mut command: Vec<String> =
            vec!["run".into(), out.join("log.swf").display().to_string()];
        command.extend(["--policy".into(), policy.into()]);
        command.extend(options);
        schedscope(&command.iter().map(|word| word as _).collect::<Vec<_>>())
    };
    let [conf, accounts] =
        ["slurm.conf", "accounts.txt"].map(|name| out.join(name).display().to_string());
    let by_file = |policy| {
        let options = ["--slurm-conf", &conf, "--accounts", &accounts].map(str::to_owned);
        files(policy, options)
    };
    let by_setting = files(
        "slurm",
        [
            "--cluster".into(),
            conf.clone(),
            "--set".into(),
            format!("accounts={}", text("accounts.txt")),
        ],
    );
    let digest = |told: &str| {
        let line = told.lines().find(|line| line.contains("digest"));
        line.unwrap().to_owned()
    };
    assert_eq!(
        digest(&check(&by_file("slurm"))),
        digest(&check(&by_setting))
    );
    assert!(refused(&by_file("easy")).contains("`--accounts` changes nothing here"));
    // Files that are there are kept, and inputs always.
    assert!(refused(&share("out", &[])).contains("already exists"));
    check(&share("out", &["--force"]));
    let said = refused(&share(".", &["--force"]));
    assert!(said.contains("An input is never replaced"), "{said}");
    assert_eq!(fs::read_to_string(path("sacct.txt")).unwrap(), log);
    fs::remove_dir_all(home).unwrap();
}

/// The configurations and accounts of recordings, with jobs of the recorded workloads.
#[test]
fn shared_recordings_give_the_schedule_of_the_originals() {
    let mut runs = 0;
    let mut folders: Vec<_> = fs::read_dir(root().join("tests/slurm"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    for folder in folders {
        let conf = fs::read_to_string(folder.join("slurm.conf")).unwrap();
        let accounts = fs::read_to_string(folder.join("accounts.txt")).unwrap_or_default();
        let site = Site {
            log: recorded_log(&folder.join("jobs.csv")),
            conf,
            accounts,
        };
        let what = folder.display().to_string();
        runs += usize::from(is_same(&site, &site.without_names(), "slurm", &what));
    }
    assert!(runs >= 60, "{runs}");
}

/// Returns the jobs of a recorded workload as a log.
fn recorded_log(path: &std::path::Path) -> Trace {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let heads = reader.headers().unwrap().clone();
    let mut text =
        "JobID|User|Group|Partition|QOS|State|Submit|Start|End|TimelimitRaw|NNodes|AllocCPUS\n"
            .to_owned();
    for (job, row) in reader.records().enumerate() {
        let row = row.unwrap();
        let cell = |name: &str| {
            let at = heads.iter().position(|head| head == name);
            at.and_then(|at| row.get(at)).unwrap_or_default()
        };
        let seconds = |name: &str| cell(name).parse::<f64>().unwrap_or(1.0) as i64;
        let submit = 1_795_735_485 + seconds("submit");
        let nodes = cell("nodes").split('-').next().unwrap_or_default();
        let nodes: i64 = nodes.parse().unwrap_or(1);
        let _ = writeln!(
            text,
            "{}|{}|{}|{}|{}|COMPLETED|{submit}|{submit}|{}|{}|{nodes}|{nodes}",
            job + 1,
            cell("user"),
            cell("account"),
            cell("partition"),
            cell("qos"),
            submit + seconds("seconds").max(1),
            cell("minutes").parse::<i64>().unwrap_or(5),
        );
    }
    read("recorded", text.as_bytes(), BadLines::Stop).unwrap()
}
