//! Accounts: how they are read, fair shares, limits, and what recordings with slurmdbd say of priorities
//! and reasons.

use super::driver::{Mode, rows, run};
use super::{golden, with_accounts};
use crate::support::{root, skipped};
use schedscope::slurm::{
    AskedJob, Controller, JobState, KeywordEffect, NodesAsked, SlurmAccounts, SlurmConf, WaitReason,
};
use std::collections::BTreeMap;

const DATABASE: &str = "AccountingStorageType=accounting_storage/slurmdbd\n\
                        PriorityType=priority/multifactor\nPriorityDecayHalfLife=0\n";

fn controller(conf: &str, accounts: &str) -> Controller {
    let conf = format!(
        "{conf}NodeName=n[1-8] CPUs=4 RealMemory=1000\nPartitionName=main Nodes=ALL Default=YES\n"
    );
    let conf = SlurmConf::read(&conf).unwrap();
    let accounts = SlurmAccounts::read(accounts).unwrap_or_else(|problem| panic!("{problem}"));
    Controller::with_accounts(conf, accounts)
}

/// A job of one node and a minute.
fn job(number: u64, user: &str) -> AskedJob {
    AskedJob {
        number,
        user: user.to_owned(),
        minutes: Some(1),
        ..AskedJob::default()
    }
}

#[test]
fn priorities_are_as_recorded() {
    for (name, recording) in with_accounts() {
        let path = root()
            .join("tests/slurm")
            .join(&name)
            .join("priorities.csv");
        if !path.exists() {
            assert!(name.starts_with("acct-slice"), "{name}");
            continue;
        }
        let run = run(&recording, Mode::Driven, 26_000);
        let mut recorded: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
        for row in rows(&path) {
            let list = recorded.entry(row["job"].parse().unwrap()).or_default();
            list.push(row["priority"].parse().unwrap());
        }
        let (mut all, mut good) = (0, 0);
        for (job, theirs) in &recorded {
            let ours = run.priorities.get(job).cloned().unwrap_or_default();
            all += theirs.len();
            let equal = theirs.iter().zip(&ours);
            good += equal.filter(|(theirs, ours)| **theirs == ours.1).count();
        }
        println!("{name:24} {good} of {all} priorities");
        // With the classic rule a look at the shares fixes the factor of a user: the recorded controller
        // was looked at every 2 s.
        let is_looked_at = name == "acct-classic-cores";
        assert!(
            good == all || is_looked_at && good * 100 >= all * 93,
            "{name}"
        );
    }
}

#[test]
fn reasons_are_as_recorded() {
    for (name, recording) in with_accounts() {
        let run = run(&recording, Mode::Driven, 26_000);
        let (mut all, mut good) = (0, 0);
        for (at, job, theirs) in &recording.reasons {
            // A job that just started, or was just submitted, may be on either side of a look.
            let Some(ours) = run.reasons.get(&(*at, *job)) else {
                continue;
            };
            // Slurm explains one kind of Resources in its own words.
            let is_explained = theirs.starts_with("Nodes required") && *ours == "Resources";
            all += 1;
            good += usize::from(ours == theirs || is_explained);
        }
        println!("{name:24} {good} of {all} reasons");
        assert!(good * 100 >= all * 97, "{name}: {good} of {all}");
    }
}

/// The example of Slurm's page on Fair Tree: the order is by the levels of accounts, then of users.
#[test]
fn fair_tree_ranks_accounts_before_users() {
    let accounts = "Name|Priority|MaxJobsPU\nnormal|0|\n\
                    Cluster - 'c':Fairshare=1\nParent - 'root'\n\
                    User - 'root':Fairshare=1\n\
                    Account - 'a':Fairshare=40\nAccount - 'b':Fairshare=60\n\
                    Parent - 'a'\nUser - 'u1':DefaultAccount='a':Fairshare=10\n\
                    User - 'u2':DefaultAccount='a':Fairshare=20\n\
                    Parent - 'b'\nUser - 'u3':DefaultAccount='b':Fairshare=1\n\
                    User - 'u4':DefaultAccount='b':Fairshare=parent\n";
    let mut controller = controller(
        &format!("{DATABASE}PriorityWeightFairshare=1000\n"),
        accounts,
    );
    controller.update_priorities(1000);
    let mut record = |number, user| controller.submit(&job(number, user), 1000).unwrap();
    let records: Vec<usize> = ["u1", "u2", "u3"]
        .iter()
        .enumerate()
        .map(|(number, user)| record(number as u64, user))
        .collect();
    controller.main_pass(1000, true);
    // u1 uses 100 CPU seconds, u2 100, u3 20: account a has used 200 of 220, b 20 of 220.
    for (record, end) in records.iter().zip([1025, 1025, 1005]) {
        controller.finish(*record, end, JobState::Completed);
    }
    assert!(controller.take_started().len() == 3);
    // Usage counts at ends only if limits are enforced: so nobody has used anything here.
    controller.update_priorities(1300);
    let factor = |controller: &mut Controller, user: &str| {
        let record = controller.submit(&job(9, user), 1300).unwrap();
        controller.priority_parts(record, 1300).fair_share
    };
    assert_eq!(factor(&mut controller, "u1"), 1000.0);

    let mut controller = self::controller(
        &format!("{DATABASE}PriorityWeightFairshare=1000\nAccountingStorageEnforce=limits\n"),
        accounts,
    );
    controller.update_priorities(1000);
    let mut records = Vec::new();
    for (number, user) in (1..).zip(["u1", "u2", "u3"]) {
        records.push(controller.submit(&job(number, user), 1000).unwrap());
    }
    controller.main_pass(1000, true);
    for (record, end) in records.iter().zip([1025, 1025, 1005]) {
        controller.finish(*record, end, JobState::Completed);
    }
    controller.update_priorities(1300);
    // Levels: root's user infinite (unused), b (60/101)/(20/220), a (40/101)/(200/220).
    // In b: u4 (parent) infinite, u3 1/1. In a: u2 (2/3)/(1/2), u1 (1/3)/(1/2).
    // Five users: root 5/5, u4 4/5, u3 3/5, u2 2/5, u1 1/5.
    let factors: Vec<f64> = ["root", "u4", "u3", "u2", "u1"]
        .iter()
        .map(|user| factor(&mut controller, user))
        .collect();
    assert_eq!(factors, [1000.0, 800.0, 600.0, 400.0, 200.0]);
}

#[test]
fn classic_shares_follow_the_formula() {
    let accounts = "add cluster c\nadd account a Fairshare=3\nadd account b Fairshare=1\n\
                    add user u1 Account=a Fairshare=1\nadd user u2 Account=a Fairshare=3\n\
                    add user u3 Account=b\n";
    let conf = format!(
        "{DATABASE}PriorityWeightFairshare=100000\nPriorityFlags=NO_FAIR_TREE\n\
         FairShareDampeningFactor=2\nAccountingStorageEnforce=limits\n"
    );
    let mut controller = controller(&conf, accounts);
    controller.update_priorities(1000);
    let mut records = Vec::new();
    for (number, user) in (1..).zip(["u1", "u3"]) {
        records.push(controller.submit(&job(number, user), 1000).unwrap());
    }
    controller.main_pass(1000, true);
    for (record, end) in records.iter().zip([1030, 1010]) {
        controller.finish(*record, end, JobState::Completed);
    }
    controller.update_priorities(1300);
    // u1 used 3/4 of all, so account a did. Effective: a 3/4, u1 3/4 + (3/4 - 3/4) * 1/4,
    // u2 0 + (3/4 - 0) * 3/4. Shares: a 3/5 (root's user has 1), u1 3/5 * 1/4, u2 3/5 * 3/4.
    let expected = |effective: f64, shares: f64| 100_000.0 * libm::exp2(-effective / shares / 2.0);
    for (user, effective, shares) in [
        ("u1", 0.75, 3.0 / 20.0),
        ("u2", 9.0 / 16.0, 9.0 / 20.0),
        ("u3", 0.25, 1.0 / 5.0),
    ] {
        let record = controller.submit(&job(9, user), 1300).unwrap();
        let fair = controller.priority_parts(record, 1300).fair_share;
        assert!((fair - expected(effective, shares)).abs() < 1e-6, "{user}");
        assert_eq!(controller.record(record).priority, fair as i64);
    }
}

#[test]
fn usage_decays_by_slurms_factor() {
    let accounts = "add cluster c\nadd account a GrpTRESMins=cpu=1\nadd user u Account=a\n";
    let conf = "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageEnforce=limits\n\
                PriorityType=priority/multifactor\nPriorityDecayHalfLife=1\n";
    let mut controller = controller(conf, accounts);
    controller.update_priorities(1000);
    let first = controller.submit(&job(1, "u"), 1000).unwrap();
    controller.main_pass(1000, true);
    // 4 CPUs (select/linear) for 30 s: 120 x (1 - 0.693/60)^30 = 84.7 CPU seconds, more than 60.
    controller.finish(first, 1030, JobState::Completed);
    controller.clean(first, 1030);
    let second = controller.submit(&job(2, "u"), 1030).unwrap();
    controller.main_pass(1031, true);
    assert_eq!(
        controller.record(second).reason.as_str(),
        "AssocGrpCPUMinutesLimit"
    );
    // After 30 s more it is 84.7 x (1 - 0.693/60)^60 = 42.2: the job starts.
    controller.update_priorities(1060);
    controller.main_pass(1061, true);
    assert_eq!(controller.record(second).state, JobState::Running);
}

/// The tree of two accounts with two users in each.
const TREE: &str = "add cluster c\nadd account a Fairshare=40\nadd account b Fairshare=60\n\
                    add user u1 Account=a Fairshare=10\nadd user u2 Account=a Fairshare=20\n\
                    add user u3 Account=b\nadd user u4 Account=b Fairshare=parent\n";

/// The usage of the example of Fair Tree above, with the spaces that `sshare` puts in front of accounts.
const USAGE: &str = "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n\
                     root|||0.000000|220||1.000000\n root|root|1|0.009901|0|0.000000|1.000000\n \
                     a||40|0.396040|200|0.909091|\n  a|u1|10|0.333333|100|0.500000|0.200000\n  \
                     a|u2|20|0.666667|100|0.500000|0.400000\n b||60|0.594059|20|0.090909|\n  \
                     b|u3|1|1.000000|20|1.000000|0.600000\n  b|u4|parent|1.0|0|0.0|0.800000\n";

fn fair_shares(controller: &mut Controller, now: i64) -> Vec<f64> {
    let mut factor = |user: &str| {
        let record = controller.submit(&job(9, user), now).unwrap();
        controller.priority_parts(record, now).fair_share
    };
    ["root", "u4", "u3", "u2", "u1"].map(&mut factor).into()
}

#[test]
fn usage_of_sshare_gives_its_fair_shares() {
    let conf = format!("{DATABASE}PriorityWeightFairshare=1000\n");
    // Its rows can come first, and accounts without rows have the sums of their users.
    let is_user = |line: &&str| !line.split('|').nth(1).unwrap().is_empty();
    let users: Vec<&str> = USAGE.lines().filter(is_user).collect();
    let users = users.join("\n");
    for (accounts, rows) in [
        (format!("{TREE}{USAGE}"), 8),
        (format!("{USAGE}{TREE}"), 8),
        (format!("{TREE}{users}\n"), 5),
    ] {
        assert_eq!(SlurmAccounts::read(&accounts).unwrap().usage_rows(), rows);
        let mut controller = controller(&conf, &accounts);
        // Nobody has asked for it yet.
        controller.update_priorities(1000);
        assert_eq!(fair_shares(&mut controller, 1000), [1000.0; 5]);
        controller.take_usage(1010);
        let shares = [1000.0, 800.0, 600.0, 400.0, 200.0];
        assert_eq!(fair_shares(&mut controller, 1010), shares, "{accounts}");
        controller.update_priorities(1300);
        assert_eq!(fair_shares(&mut controller, 1300), shares, "{accounts}");
    }
}

/// The first priorities of a forecast know the usage, also where they can only rise.
#[test]
fn usage_of_sshare_counts_before_the_next_computation() {
    for flag in ["MAX_TRES", "NO_FAIR_TREE", "DEPTH_OBLIVIOUS"] {
        let conf = format!("{DATABASE}PriorityWeightFairshare=1000000\nPriorityFlags={flag}\n");
        let mut controller = controller(&conf, &format!("{TREE}{USAGE}"));
        controller.update_priorities(1000);
        controller.take_usage(1010);
        let before = fair_shares(&mut controller, 1010);
        assert!(before[2] > before[3], "{flag}: {before:?}");
        // Nothing decays, and nobody runs.
        controller.update_priorities(1300);
        assert_eq!(fair_shares(&mut controller, 1300), before, "{flag}");
    }
}

#[test]
fn usage_of_sshare_counts_for_limits_and_once_for_running_jobs() {
    let conf = format!("{DATABASE}AccountingStorageEnforce=safe\n");
    let of = |used: &str| {
        let accounts = format!(
            "add cluster c\nadd account a GrpTRESMins=cpu=40\nadd user u Account=a\n\
                Account|User|GrpTRESRaw\na||{used}\na|u|{used}\n"
        );
        let mut controller = controller(&conf, &accounts);
        controller.update_priorities(1000);
        // It has run for four minutes on one node of 4 CPUs, of at most five minutes.
        let running = AskedJob {
            minutes: Some(5),
            ..job(1, "u")
        };
        let running = controller.submit(&running, 760).unwrap();
        controller.take_usage(1000);
        controller.adopt(running, &[(0, 4)], 760);
        let next = controller.submit(&job(2, "u"), 1000).unwrap();
        controller.main_pass(1000, true);
        controller.record(next).reason.as_str()
    };
    // The minute that is left to the running job and the minute of the next one take 8 of 40.
    assert_eq!(of("cpu=32,mem=99999999,node=8,fs/disk=0"), "None");
    assert_eq!(of("cpu=33"), "AssocGrpCPUMinutesLimit");
    assert_eq!(of("mem=10"), "None");
}

#[test]
fn rows_of_usage_without_effect_are_told() {
    use KeywordEffect::{NotModelled, Used, WithoutEffect};
    let accounts = format!(
        "{TREE}{USAGE}c||1|0.1|5|0.1|\nc|u9|1|0.1|7|0.1|0.1\nc|u8|1|0.1|0|0.1|0.1\n\
            Account|User|GrpTRESRaw|GrpTRESRaw\na|u1||\nb|u3|cpu=3|cpu=x\nb|u3|cpu=4|\n"
    );
    let read = SlurmAccounts::read(&accounts).unwrap();
    let facts = read.facts.iter().filter(|fact| fact.line > 7);
    let facts: Vec<_> = facts
        .map(|fact| (fact.line, &*fact.keyword, fact.effect))
        .collect();
    assert_eq!(
        facts,
        [
            (8, "Account", Used),
            (8, "User", Used),
            (8, "RawShares", WithoutEffect),
            (8, "NormShares", WithoutEffect),
            (8, "RawUsage", Used),
            (8, "EffectvUsage", WithoutEffect),
            (8, "FairShare", WithoutEffect),
            (17, "RawUsage of c", NotModelled),
            (18, "RawUsage of u9", NotModelled),
            (20, "Account", Used),
            (20, "User", Used),
            (20, "GrpTRESRaw", Used),
            (20, "GrpTRESRaw", WithoutEffect),
            (22, "GrpTRESRaw of u3", NotModelled),
        ]
    );
    assert_eq!(read.usage_rows(), 8);
    for bad in [
        "Account|RawUsage\na|5\n",
        "Account|User|RawUsage\na||-5\n",
        "Account|User|RawUsage\na||1.5\n",
        "Account|User|GrpTRESRaw\na||cpu\n",
        "Account|User|GrpTRESRaw\na||cpu=-1\n",
    ] {
        assert!(SlurmAccounts::read(bad).is_err(), "{bad}");
    }
}

/// A job of which the controller hears late can use only what is left of its limit.
#[test]
fn a_job_that_has_run_before_uses_only_the_rest_of_its_limit() {
    let accounts = "add cluster c\nadd account a GrpTRESRunMins=cpu=40\nadd user u Account=a\n";
    let conf = format!("{DATABASE}AccountingStorageEnforce=limits\n");
    let mut controller = controller(&conf, accounts);
    controller.update_priorities(1000);
    let asked = |number, minutes| AskedJob {
        minutes: Some(minutes),
        ..job(number, "u")
    };
    let running = controller.submit(&asked(1, 9), 520).unwrap();
    controller.adopt(running, &[(0, 4)], 520);
    // One minute is left to the running job: 4 CPUs for nine minutes more are 40.
    let long = controller.submit(&asked(2, 9), 1000).unwrap();
    controller.main_pass(1000, true);
    assert_eq!(controller.record(long).state, JobState::Running);
    let late = controller.submit(&asked(3, 1), 1000).unwrap();
    controller.main_pass(1003, true);
    let reason = controller.record(late).reason.as_str();
    assert_eq!(reason, "AssocGrpCPURunMinutesLimit");
    // After both ends nothing is left in use.
    controller.finish(running, 1060, JobState::Completed);
    controller.finish(long, 1060, JobState::Completed);
    controller.clean(running, 1060);
    controller.clean(long, 1060);
    let last = controller.submit(&asked(4, 9), 1060).unwrap();
    controller.main_pass(1061, true);
    assert_eq!(controller.record(last).state, JobState::Running);
}

#[test]
fn jobs_end_when_their_account_has_used_its_minutes() {
    let accounts = "add cluster c\nadd account a GrpTRESMins=cpu=8\nadd user u Account=a\n";
    for (enforce, ends) in [("limits", true), ("safe", false)] {
        let conf = format!("{DATABASE}AccountingStorageEnforce={enforce}\n");
        let mut controller = controller(&conf, accounts);
        controller.update_priorities(1000);
        let asked = AskedJob {
            minutes: Some(2),
            ..job(1, "u")
        };
        let record = controller.submit(&asked, 1000).unwrap();
        controller.main_pass(1000, true);
        assert_eq!(controller.record(record).state, JobState::Running);
        // 4 CPUs for 119 s are less than 8 minutes; those of 120 s are as many.
        controller.update_priorities(1119);
        assert!(controller.end_overdue(1119).is_empty());
        controller.update_priorities(1120);
        // The time limit is not reached in this second.
        assert_eq!(controller.end_overdue(1119).len(), usize::from(ends));
    }
}

/// A job that finds no nodes counts with those that it would have if nothing ran.
#[test]
fn limits_of_a_busy_job_count_the_nodes_that_it_would_get() {
    let accounts = "add cluster c\nadd account a GrpTRES=node=8\nadd user u Account=a\n";
    for select in ["select/linear", "select/cons_tres"] {
        let conf = format!("{DATABASE}AccountingStorageEnforce=limits\nSelectType={select}\n");
        let mut controller = controller(&conf, accounts);
        let tasks = |number, ntasks| AskedJob {
            ntasks: Some(ntasks),
            ..job(number, "u")
        };
        controller.submit(&tasks(1, 28), 1000).unwrap();
        controller.main_pass(1001, true);
        assert_eq!(controller.take_started().len(), 1, "seven nodes");
        // One more node would do, but the job needs two.
        let busy = controller.submit(&tasks(2, 8), 1002).unwrap();
        controller.main_pass(1002, true);
        assert_eq!(
            controller.record(busy).reason,
            WaitReason::Limit("AssocGrpNodeLimit"),
            "{select}"
        );
    }
}

#[test]
fn limits_stop_jobs_in_slurms_words() {
    let limits = [
        ("modify account a set GrpTRES=cpu=4", "AssocGrpCpuLimit"),
        ("modify account a set GrpTRES=node=1", "AssocGrpNodeLimit"),
        ("modify account a set GrpJobs=1", "AssocGrpJobsLimit"),
        ("modify user u set MaxJobs=1", "AssocMaxJobsLimit"),
        (
            "modify account a set GrpTRESRunMins=cpu=7",
            "AssocGrpCPURunMinutesLimit",
        ),
        ("modify qos normal set GrpTRES=cpu=7", "QOSGrpCpuLimit"),
        ("modify qos normal set GrpJobs=1", "QOSGrpJobsLimit"),
        (
            "modify qos normal set MaxJobsPerUser=1",
            "QOSMaxJobsPerUserLimit",
        ),
        ("modify qos normal set MaxJobsPA=1", "MaxJobsPerAccount"),
        (
            "modify qos normal set MaxTRESPU=cpu=4",
            "QOSMaxCpuPerUserLimit",
        ),
        (
            "modify qos normal set MaxTRESPA=node=1",
            "MaxNodePerAccount",
        ),
    ];
    for (line, word) in limits {
        let accounts = format!("add cluster c\nadd account a\nadd user u Account=a\n{line}\n");
        let conf = format!("{DATABASE}AccountingStorageEnforce=limits,qos\n");
        let mut controller = controller(&conf, &accounts);
        controller.submit(&job(1, "u"), 1000).unwrap();
        let second = controller.submit(&job(2, "u"), 1000).unwrap();
        controller.main_pass(1001, true);
        assert_eq!(controller.take_started().len(), 1, "{line}");
        assert_eq!(
            controller.record(second).reason,
            WaitReason::Limit(word),
            "{line}"
        );
        controller.backfill_pass(1002);
        assert!(controller.take_started().is_empty(), "{line}");
        assert_eq!(
            controller.record(second).planned,
            0,
            "no reservation: {line}"
        );
        controller.finish(0, 1003, JobState::Completed);
        controller.clean(0, 1003);
        controller.main_pass(1004, true);
        assert_eq!(controller.record(second).state, JobState::Running, "{line}");
    }
}

#[test]
fn limits_refuse_jobs_at_submission() {
    let refusals = [
        (
            "modify account a set MaxSubmitJobs=1",
            "AssocMaxSubmitJobLimit",
        ),
        (
            "modify account a set GrpSubmitJobs=1",
            "AssocGrpSubmitJobsLimit",
        ),
        (
            "modify qos normal set MaxSubmitJobsPU=1",
            "QOSMaxSubmitJobPerUserLimit",
        ),
        (
            "modify qos normal set GrpSubmitJobs=1",
            "QOSGrpSubmitJobsLimit",
        ),
    ];
    let conf = format!("{DATABASE}AccountingStorageEnforce=limits,qos\n");
    for (line, word) in refusals {
        let accounts = format!("add cluster c\nadd account a\nadd user u Account=a\n{line}\n");
        let mut controller = controller(&conf, &accounts);
        let first = controller.submit(&job(1, "u"), 1000).unwrap();
        let problem = controller.submit(&job(2, "u"), 1000).unwrap_err();
        assert!(problem.what.contains(word), "{problem}");
        controller.main_pass(1001, true);
        controller.finish(first, 1002, JobState::Completed);
        assert!(controller.submit(&job(2, "u"), 1003).is_ok(), "{line}");
    }
    // Other limits let the job wait, unless the QOS denies.
    let base = "add cluster c\nadd account a MaxWall=5\nadd user u Account=a\n";
    let long = AskedJob {
        minutes: Some(10),
        nodes: Some(NodesAsked { least: 2, most: 2 }),
        ..job(1, "u")
    };
    let mut waits = controller(&conf, base);
    let record = waits.submit(&long, 1000).unwrap();
    waits.main_pass(1001, true);
    let word = "AssocMaxWallDurationPerJobLimit";
    assert_eq!(waits.record(record).reason.as_str(), word);
    let denies = format!("{base}modify qos normal set Flags=DenyOnLimit\n");
    let problem = controller(&conf, &denies).submit(&long, 1000).unwrap_err();
    assert!(problem.what.contains(word), "{problem}");
    // A job without a time limit takes that of its association.
    let unlimited = AskedJob {
        minutes: None,
        ..job(1, "u")
    };
    let record = waits.submit(&unlimited, 1000).unwrap();
    assert_eq!(waits.record(record).limit, Some(5));
    // Only users with an association may submit, and only with their QOS.
    for (user, account, qos) in [("x", "", ""), ("u", "b", ""), ("u", "a", "other")] {
        let asked = AskedJob {
            account: account.to_owned(),
            qos: qos.to_owned(),
            ..job(1, user)
        };
        assert!(
            waits.submit(&asked, 1000).is_err(),
            "{user} {account} {qos}"
        );
    }
}

#[test]
fn a_limit_of_a_qos_hides_that_of_an_association() {
    let accounts = "add cluster c\nadd account a GrpTRES=cpu=4\nadd user u Account=a\n\
                    modify qos normal set GrpTRES=cpu=8\n";
    let conf = format!("{DATABASE}AccountingStorageEnforce=limits\n");
    let mut controller = controller(&conf, accounts);
    for number in 1..=3 {
        controller.submit(&job(number, "u"), 1000).unwrap();
    }
    controller.main_pass(1001, true);
    assert_eq!(controller.take_started().len(), 2);
    assert_eq!(controller.record(2).reason.as_str(), "QOSGrpCpuLimit");
}

#[test]
fn partitions_take_only_their_accounts() {
    let accounts = "add cluster c\nadd account a,b\nadd user u Account=a\nadd user v Account=b\n";
    for (option, starts) in [
        ("AllowAccounts=A", 1),
        ("DenyAccounts=a,b", 0),
        ("AllowQos=normal", 2),
        ("DenyQos=normal", 0),
        ("AllowAccounts=ALL DenyQos=other", 2),
    ] {
        let conf =
            format!("{DATABASE}NodeName=n[1-8]\nPartitionName=p Nodes=ALL Default=YES {option}\n");
        let conf = SlurmConf::read(&conf).unwrap();
        let accounts = SlurmAccounts::read(accounts).unwrap();
        let mut controller = Controller::with_accounts(conf, accounts);
        controller.submit(&job(1, "u"), 1000).unwrap();
        let second = controller.submit(&job(2, "v"), 1000).unwrap();
        controller.main_pass(1001, true);
        assert_eq!(controller.take_started().len(), starts, "{option}");
        let reason = controller.record(second).reason;
        let is_shut_out = matches!(
            reason,
            WaitReason::AccountNotAllowed | WaitReason::QosNotAllowed
        );
        assert_eq!(is_shut_out, starts < 2, "{option}: {reason:?}");
    }
}

/// Three levels of accounts.
#[test]
fn depth_oblivious_shares_follow_the_formula() {
    let accounts = "add cluster c\nadd account a Fairshare=1\nadd account b Parent=a Fairshare=2\n\
                    add account d Parent=a Fairshare=2\nadd user u Account=b\nadd user v Account=d\n";
    let conf = format!(
        "{DATABASE}PriorityWeightFairshare=100000\nPriorityFlags=DEPTH_OBLIVIOUS\n\
         AccountingStorageEnforce=limits\n"
    );
    let mut controller = controller(&conf, accounts);
    controller.update_priorities(1000);
    let mut records = Vec::new();
    for (number, user) in (1..).zip(["u", "v"]) {
        records.push(controller.submit(&job(number, user), 1000).unwrap());
    }
    controller.main_pass(1000, true);
    for (record, end) in records.iter().zip([1030, 1010]) {
        controller.finish(*record, end, JobState::Completed);
    }
    controller.update_priorities(1300);
    // An account is computed with what its later siblings used at the computation before.
    controller.update_priorities(1300);
    // Account a: all usage, half of the shares (root's user has the rest), so R = 1 / (1/2) = 2.
    // Account b: 3/4 of the usage and 1/4 of the shares; its ratio among siblings is (3/4 / 1/4) / 2 = 3/2,
    // and with R > 1 and a ratio > 1 the exponent is 1: R = 2 x 3/2 = 3. User u is alone: R = 3.
    // Account d: 1/4 of the usage and of the shares: the ratio is 1/2, below 1, so the exponent is
    // 1 / (1 + (5 ln 2)^2), and R = 2 x 0.5^k. User v is alone: its ratio is R of d's usage, 1.
    let log = 5.0 * libm::log(2.0);
    let exponent = 1.0 / (1.0 + log * log);
    for (user, ratio) in [("u", 3.0), ("v", 2.0 * libm::pow(0.5, exponent))] {
        let record = controller.submit(&job(9, user), 1300).unwrap();
        let fair = controller.priority_parts(record, 1300).fair_share;
        let expected = 100_000.0 * libm::exp2(-ratio);
        assert!(
            (fair - expected).abs() < 1e-6 * expected,
            "{user}: {fair} {expected}"
        );
    }
}

/// `add user` with two different accounts makes both associations, and jobs go to the default one.
#[test]
fn a_default_account_is_one_of_the_accounts_of_a_user() {
    let accounts = "add cluster c\nadd account a,b,d\nadd user u DefaultAccount=a Account=b\n";
    let conf = format!("{DATABASE}AccountingStorageEnforce=associations\n");
    let mut controller = controller(&conf, accounts);
    let mut submit = |account: &str| {
        let asked = AskedJob {
            account: account.into(),
            ..job(1, "u")
        };
        controller.submit(&asked, 1000).is_ok()
    };
    assert_eq!(
        ["", "a", "b", "d"].map(&mut submit),
        [true, true, true, false]
    );
}

#[test]
fn files_of_accounts_are_read() {
    use KeywordEffect::{NotModelled, Used, WithoutEffect};
    let text = "# a comment\nCluster - 'c':Fairshare=1:QOS='normal'\nParent - 'root'\n\
                Account - 'a':Description='x:y':GrpTRES=cpu=4,gres/fpga=1\nParent - 'a'\n\
                User - 'u':DefaultAccount='a':MaxJobsAccrue=3\n";
    let accounts = SlurmAccounts::read(text).unwrap();
    let facts: Vec<(u64, &str, KeywordEffect)> = accounts
        .facts
        .iter()
        .map(|fact| (fact.line, fact.keyword.as_str(), fact.effect))
        .collect();
    assert_eq!(
        facts,
        [
            (2, "Fairshare", Used),
            (2, "QOS", Used),
            (4, "Description", WithoutEffect),
            (4, "GrpTRES", NotModelled),
            (6, "DefaultAccount", Used),
            (6, "MaxJobsAccrue", NotModelled),
        ]
    );
    let text = "add cluster c QOS=fast\nadd account a\nadd user u Account=a\n";
    assert_eq!(SlurmAccounts::read(text).unwrap().undefined_qos(), ["fast"]);
    assert!(
        SlurmAccounts::read("Name|Priority\nnormal|1\n")
            .unwrap()
            .is_empty()
    );
    for bad in [
        "what is this",
        "normal|1",
        "Parent - 'nobody'",
        "User - 'u':Fairshare=x",
        "User - 'u':Fairshare",
        "Account - ''",
        "add user u Account=nobody",
        "add qos q GrpTRES=cpu",
        "add qos q MaxWall=soon",
        "Name|Priority\nnormal|high\n",
    ] {
        assert!(SlurmAccounts::read(bad).is_err(), "{bad}");
    }
    // No text panics.
    let words = [
        "add", "user", "'", "|", "Name", "-", ":", "=", "qos", "set", "u", "\n", "é", " ",
    ];
    for seed in 0..2000_usize {
        let pick = |at: usize| words[(seed * 7919 + at * at * 31 + at * seed) % words.len()];
        let text: String = (0..12).map(pick).collect();
        let _ = SlurmAccounts::read(&text);
    }
    let mut lines = vec!["add account a0".to_owned()];
    lines.extend((0..200).map(|at| format!("add account a{} Parent=a{at}", at + 1)));
    let deep = lines.join("\n");
    assert!(SlurmAccounts::read(&deep).is_err());
}

#[test]
fn accounts_of_a_real_cluster_are_read() {
    let name = "../shared/samples/ub-medium-sacctmgr.script";
    let path = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name);
    let Ok(text) = std::fs::read_to_string(path) else {
        return skipped(&format!("{name} is absent"));
    };
    let accounts = SlurmAccounts::read(&text).unwrap();
    assert!(accounts.undefined_qos().is_empty());
    assert!(!accounts.is_empty());
}

#[test]
fn controllers_without_accounts_have_no_limits() {
    for (_, recording) in golden().into_iter().take(1) {
        assert!(recording.accounts.is_empty());
    }
    let conf =
        format!("{DATABASE}AccountingStorageEnforce=all\nNodeName=n1\nPartitionName=p Nodes=n1\n");
    let mut controller = Controller::new(SlurmConf::read(&conf).unwrap());
    assert!(controller.submit(&job(1, "anybody"), 1000).is_ok());
    controller.main_pass(1001, true);
    assert_eq!(controller.take_started().len(), 1);
}
