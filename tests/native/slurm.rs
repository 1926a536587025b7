//! Slurm's scheduler against recordings of a real slurmctld 22.05.8.
//!
//! Each folder of `tests/slurm/` is a recording: the configuration, the workload, and the log's passes,
//! starts, ends and lists of nodes.

mod accounts;
mod clock;
mod driver;
mod micro;
mod policy;
mod preempt;
mod preempting;
mod reserving;
mod shortcuts;
mod slicing;
mod suspending;
mod switches;

use super::support::{root, skipped};
use driver::{Mode, Recording, run};
use schedscope::slurm::{KeywordEffect, SlurmConf};
use std::path::{Path, PathBuf};

/// The shares of jobs that a run has as recorded, and its mean wait.
struct Score {
    jobs: usize,
    within_second: f64,
    within_interval: f64,
    same_nodes: f64,
    same_scheduler: f64,
    /// The mean wait, relative to the recorded one, minus 1.
    wait: f64,
}

fn score(recording: &Recording, mode: Mode, extra: i64) -> Score {
    let starts = run(recording, mode, extra).starts;
    let interval = interval(&recording.conf);
    let (mut second, mut near, mut same, mut by) = (0, 0, 0, 0);
    let (mut ours, mut theirs) = (0.0, 0.0);
    for (key, life) in &recording.life {
        let recorded = life.started as f64 / 1e6;
        let submitted = recording.submitted(key.0);
        let Some(start) = starts.get(key) else {
            continue;
        };
        ours += start.at - submitted;
        theirs += recorded - submitted;
        let away = (start.at - recorded).abs();
        second += usize::from(away <= 1.0);
        near += usize::from(away <= interval + 0.01);
        let nodes = life.nodes.as_deref().unwrap_or_default();
        let nodes: Vec<String> = recording
            .conf
            .nodes_of(nodes)
            .unwrap()
            .iter()
            .map(|node| recording.conf.names[node].clone())
            .collect();
        same += usize::from(nodes == start.nodes);
        by += usize::from(life.is_backfilled == start.is_backfilled);
    }
    let jobs = recording.life.len();
    let share = |count: usize| count as f64 / jobs as f64 * 100.0;
    Score {
        jobs,
        within_second: share(second),
        within_interval: share(near),
        same_nodes: share(same),
        same_scheduler: share(by),
        wait: ours / theirs - 1.0,
    }
}

fn interval(conf: &SlurmConf) -> f64 {
    let fact = conf.facts.iter().find(|fact| fact.keyword == "bf_interval");
    fact.map_or(30.0, |fact| fact.value.parse().unwrap())
}

/// The recordings below `tests/slurm/` without accounts.
fn golden() -> Vec<(String, Recording)> {
    let mut all = recorded();
    all.retain(|(_, recording)| recording.accounts.is_empty());
    all
}

/// The recordings below `tests/slurm/` with accounts.
fn with_accounts() -> Vec<(String, Recording)> {
    let mut all = recorded();
    all.retain(|(_, recording)| !recording.accounts.is_empty());
    assert!(all.len() >= 10);
    all
}

fn recorded() -> Vec<(String, Recording)> {
    let folder = root().join("tests/slurm");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() >= 25);
    let read = |name: String| {
        let folder = folder.join(&name);
        let recording = Recording::read(&|what| match what {
            "conf" => folder.join("slurm.conf"),
            "accounts" => folder.join("accounts.txt"),
            what => folder.join(format!("{what}.csv")),
        });
        (name, recording)
    };
    names.into_iter().map(read).collect()
}

/// The recordings that the project's other parts share, if they are there.
fn shared() -> Vec<(String, Recording)> {
    let folder: PathBuf = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/samples/slurm");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        skipped(&format!("{} is absent", folder.display()));
        return Vec::new();
    };
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.strip_suffix(".passes.csv").map(str::to_owned)
    };
    let mut names: Vec<String> = entries.filter_map(name).collect();
    names.sort();
    let read = |name: String| (name.clone(), read_shared(&folder, &name));
    names.into_iter().map(read).collect()
}

fn read_shared(folder: &Path, name: &str) -> Recording {
    Recording::read(&|what| {
        folder.join(match what {
            "conf" => format!("{name}.conf"),
            "jobs" => format!("{name}.csv"),
            "nodes" => format!("{name}.out.csv"),
            what => format!("{name}.{what}.csv"),
        })
    })
}

/// Prints the scores of all recordings in a mode, and returns those that a rule refuses.
fn check(recordings: &[(String, Recording)], mode: Mode, is_good: impl Fn(&str, &Score) -> bool) {
    let mut bad = Vec::new();
    for (name, recording) in recordings {
        let score = score(recording, mode, extra(name));
        println!(
            "{name:24} {mode:?}: {:3} jobs, {:5.1} % within 1 s, {:5.1} % within an interval, {:5.1} % of \
             node lists, mean wait {:+.1} %",
            score.jobs,
            score.within_second,
            score.within_interval,
            score.same_nodes,
            score.wait * 100.0
        );
        if !is_good(name, &score) {
            bad.push(name.as_str());
        }
    }
    assert!(bad.is_empty(), "{mode:?}: {}", bad.join(" "));
}

fn is_good_driven(_: &str, score: &Score) -> bool {
    score.within_second >= 99.0 && score.same_nodes >= 97.0 && score.same_scheduler >= 99.0
}

/// Runs whose jobs took longer to launch and report than the 26 ms of all runs: a race of an end with
/// a pass goes the other way. With the milliseconds named here, all their starts are as recorded.
const LONGER: &[(&str, i64)] = &[
    ("acct-everything", 42),
    ("acct-mixed", 34),
    ("gpu-types-memory", 39),
    ("gpu-wide-cores", 40),
    ("one-cpu-tres", 30),
    ("one-reserve-cores", 41),
];

/// Returns the microseconds that the jobs of a recording run longer than their own run times.
fn extra(name: &str) -> i64 {
    let longer = LONGER.iter().find(|(one, _)| *one == name);
    1000 * longer.map_or(26, |(_, milliseconds)| *milliseconds)
}

/// Runs whose free mode depends on which side of a whole second a tick falls, or on when the nodes
/// registered: neither is in a workload, and real Slurm differs from itself as much when it repeats
/// them. With the phase of the recorded controller, their mean waits are as recorded.
const PHASE_DEPENDS: &[&str] = &[
    // A repetition of real Slurm equals the free run.
    "depth-five",
    "everything",
    "f_linear10",
    "gpu-exclusive-cores",
    // Two repetitions of real Slurm waited 8 and 10 % longer, as the free run does.
    "gpu-wide-cores",
    "licences-begin-cores",
    "part-depth-linear",
    "one-reserve-cores",
    "resv-maint-parts-linear",
];

/// Runs with accounts of which the same is true. Here the ticks also decide how much usage counts in a
/// computation of priorities. Another fraction of a second between the controller's start and the workload
/// gives the recorded mean wait, or in those with a number a wait within so many percent.
const PHASE_DEPENDS_WITH_ACCOUNTS: &[(&str, f64)] = &[
    ("acct-assoc-limits-cores", 3.0),
    ("acct-fairtree-cores", 3.0),
    ("acct-mixed", 3.0),
    ("acct-qos-limits-cores", 3.0),
    ("acct-qos-priority", 3.0),
    ("acct-safe-mins-cores", 5.0),
];

/// Runs in which the side of a second on which a tick falls decides which jobs are preempted or whose turn it is,
/// and so all that follows. A real Slurm that repeats them differs from itself, too.
const VICTIMS_DEPEND: &[&str] = &[
    "acct-preempt-cores",
    "acct-preempt-linear",
    "acct-slice-cancel-cores",
    "acct-slice-cores",
    "preempt-arrays-cores",
    "preempt-backfill-linear",
    "preempt-cancel-cores",
    "preempt-grace-linear",
    "preempt-requeue-cores",
    "preempt-requeue-linear",
    "slice-cores",
    "slice-sockets-cores",
    "slice-tiers-cores",
    "suspend-cores",
    "suspend-mixed-cores",
];

/// True if the mean wait of a run in which the victims depend on luck is at least of the right size.
fn has_likely_wait(name: &str, score: &Score) -> bool {
    VICTIMS_DEPEND.contains(&name) && score.wait.abs() <= 0.25
}

fn is_good_with_passes(_: &str, score: &Score) -> bool {
    score.within_interval >= 95.0
}

fn has_good_wait(_: &str, score: &Score) -> bool {
    score.wait.abs() <= 0.03
}

/// A name of an exception must be needed.
fn is_good_free(name: &str, score: &Score) -> bool {
    let mut with_accounts = PHASE_DEPENDS_WITH_ACCOUNTS.iter().map(|(name, _)| *name);
    let is_named = PHASE_DEPENDS.contains(&name) || with_accounts.any(|one| one == name);
    is_named != has_good_wait(name, score) || has_likely_wait(name, score)
}

#[test]
fn recorded_passes_and_ends_give_the_recorded_starts() {
    check(&golden(), Mode::Driven, is_good_driven);
    check(&with_accounts(), Mode::Driven, is_good_driven);
    check(&shared(), Mode::Driven, is_good_driven);
}

/// Driven, every suspension begins and ends in the recorded second, and there are no others.
#[test]
fn suspensions_are_as_recorded() {
    let mut count = 0;
    for (name, recording) in recorded() {
        if recording.suspensions.is_empty() {
            continue;
        }
        let ours = run(&recording, Mode::Driven, extra(&name)).suspensions;
        let jobs: Vec<&u64> = ours.keys().collect();
        let recorded: Vec<&u64> = recording.suspensions.keys().collect();
        assert_eq!(jobs, recorded, "{name}");
        for (job, periods) in &recording.suspensions {
            let ours = &ours[job];
            assert_eq!(ours.len(), periods.len(), "{name}: job {job}");
            for ((from, to), ours) in periods.iter().zip(ours) {
                let (from, to) = (*from as f64 / 1e6, *to as f64 / 1e6);
                let is_near = (ours.0 - from).abs() <= 1.0 && (ours.1 - to).abs() <= 1.0;
                assert!(
                    is_near,
                    "{name}: job {job} {ours:?}, recorded {from} to {to}"
                );
                count += 1;
            }
        }
    }
    assert!(count >= 15, "{count}");
}

#[test]
fn recorded_passes_give_starts_within_an_interval() {
    check(&golden(), Mode::Passes, is_good_with_passes);
    check(&with_accounts(), Mode::Passes, is_good_with_passes);
    check(&shared(), Mode::Passes, is_good_with_passes);
}

#[test]
fn the_clock_gives_the_recorded_mean_wait() {
    check(&golden(), Mode::Free, is_good_free);
    check(&with_accounts(), Mode::Free, is_good_free);
    check(&shared(), Mode::Free, is_good_free);
}

#[test]
fn phases_explain_what_is_left() {
    // The ends of the first run differ too much: see `LONGER`. The clock's passes depend on them. The ticks
    // of the second run were longer: 1.0026 s instead of 1.0014 s.
    let excepted = ["one-reserve-cores", "gpu-wide-cores"];
    let is_good = |name: &str, score: &Score| {
        excepted.contains(&name) || has_good_wait(name, score) || has_likely_wait(name, score)
    };
    check(&golden(), Mode::Phase, is_good);
    check(&shared(), Mode::Phase, is_good);
}

/// Twelve fractions of a second between the start of the controller and the workload: the mean wait that
/// comes nearest must be as recorded.
#[test]
fn another_tick_gives_the_recorded_mean_wait_with_accounts() {
    for (name, recording) in with_accounts() {
        let named = PHASE_DEPENDS_WITH_ACCOUNTS
            .iter()
            .find(|(one, _)| *one == name);
        let Some((_, most)) = named else {
            continue;
        };
        let waits = (0..12).map(|twelfth| {
            let mode = Mode::Shifted(twelfth * 83_333);
            100.0 * score(&recording, mode, extra(&name)).wait
        });
        let waits: Vec<f64> = waits.collect();
        println!("{name:24} {waits:+.1?}");
        let nearest = waits.iter().map(|wait| wait.abs()).fold(100.0, f64::min);
        assert!(nearest <= *most, "{name}: {waits:+.1?}");
    }
}

#[test]
fn keywords_are_judged() {
    use KeywordEffect::{NotModelled, Used, WithoutEffect};
    let text = "SchedulerParameters=bf_interval=10,defer,bf_yield_sleep=5\nSelectType=select/cons_res\n\
                SlurmdPort=7000 # a comment\nGresTypes=gpu\nNodeName=n[1-2] CPUs=2 Gres=gpu:1 Port=1\n\
                PartitionName=p Nodes=ALL OverSubscribe=FORCE:2 Hidden=YES\n";
    let conf = SlurmConf::read(text).unwrap();
    let facts: Vec<(u64, &str, KeywordEffect)> = conf
        .facts
        .iter()
        .map(|fact| (fact.line, fact.keyword.as_str(), fact.effect))
        .collect();
    assert_eq!(
        facts,
        [
            (1, "SchedulerParameters", Used),
            (1, "bf_interval", Used),
            (1, "defer", WithoutEffect),
            (1, "bf_yield_sleep", NotModelled),
            (2, "SelectType", NotModelled),
            (3, "SlurmdPort", WithoutEffect),
            (4, "GresTypes", Used),
            (5, "NodeName", Used),
            (5, "CPUs", Used),
            (5, "Gres", Used),
            (5, "Port", WithoutEffect),
            (6, "PartitionName", Used),
            (6, "Nodes", Used),
            (6, "OverSubscribe", NotModelled),
            (6, "Hidden", WithoutEffect),
        ]
    );
}

#[test]
fn bad_configurations_are_refused() {
    for bad in [
        "",
        "NodeName=n1",
        "PartitionName=p Nodes=ALL",
        "NodeName=n[1-\nPartitionName=p Nodes=ALL",
        "NodeName=n1 CPUs=x\nPartitionName=p Nodes=ALL",
        "NodeName=n1\nPartitionName=p Nodes=n2",
        "NodeName=n1\nPartitionName=p Nodes=n1 MaxTime=x",
        "NodeName=n1\nPartitionName=p Nodes=n1\nSchedulerParameters=bf_interval=x",
        "NodeName=n[1-100000] CPUs=99999999\nPartitionName=p Nodes=ALL",
    ] {
        assert!(SlurmConf::read(bad).is_err(), "{bad}");
    }
}
