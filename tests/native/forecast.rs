//! Tests of forecasts: intervals that can be computed by hand, starts that equal those of a run, and
//! no knowledge of the future.

use super::support::{check, folder, real_trace, refused, root, schedscope};
use super::twins::{Overruns, random_jobs};
use schedscope::experiment::{Run, Scenario, WhatIf};
use schedscope::forecast::{
    Calibration, CalibrationResult, ForecastResult, ForecastSettings, InstantSource, LaterArrivals,
    QueueForecast, RatioLevel, RunTimes,
};
use schedscope::import::{BadLines, read, read_queue};
use schedscope::problem::Problem;
use schedscope::trace::Trace;
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

fn trace(text: &str) -> Trace {
    read("log.swf", text.as_bytes(), BadLines::Stop).unwrap()
}

/// A line of SWF: number, submission, wait, run time, processors, limit, user.
fn line(text: &mut String, job: [i64; 7]) {
    let [number, submit, wait, run_time, processors, limit, user] = job;
    writeln!(
        text,
        "{number} {submit} {wait} {run_time} {processors} -1 -1 {processors} {limit} -1 1 {user} 1 1 1 \
            1 -1 -1"
    )
    .unwrap();
}

fn at(seconds: i64) -> ForecastSettings {
    ForecastSettings {
        at: Some(seconds as f64),
        arrivals: LaterArrivals::None,
        ..ForecastSettings::default()
    }
}

fn forecast(
    scenario: &Scenario,
    queue: &Trace,
    log: Option<&Trace>,
    settings: &ForecastSettings,
) -> Result<ForecastResult, Problem> {
    let mut forecast = QueueForecast::new(scenario, queue, log, settings)?;
    while !forecast.advance(1000)?.done {}
    Ok(forecast.result())
}

fn refusal(scenario: &Scenario, queue: &Trace, settings: &ForecastSettings) -> String {
    let problem = forecast(scenario, queue, None, settings).expect_err("it is refused");
    assert!(!problem.why.is_empty() && !problem.next.is_empty());
    problem.what
}

/// Forty jobs of user 1 that ran for 0.2, 0.4, ... 1 of their limits in turn, so that each five that
/// ended one after the other have these five shares. Then job 41 of user 1 takes the whole machine at
/// 10000 s, with a limit of 1000 s, and job 42 waits for it.
fn shares() -> String {
    let mut text = String::from("; MaxProcs: 4\n");
    for at in 0..40 {
        line(
            &mut text,
            [at + 1, at * 100, 0, 20 + at % 5 * 20, 1, 100, 1],
        );
    }
    line(&mut text, [41, 10_000, 0, 777, 4, 1000, 1]);
    line(&mut text, [42, 10_010, 767, 5, 4, 1000, 2]);
    text
}

#[test]
fn intervals_by_hand() {
    let log = trace(&shares());
    let settings = |seconds| ForecastSettings {
        samples: 2000,
        ..at(seconds)
    };
    let starts = |seconds| {
        let found = forecast(&Scenario::new("fcfs"), &log, None, &settings(seconds)).unwrap();
        assert_eq!((found.running, found.jobs.len()), (1, 1));
        assert_eq!((found.jobs[0].number, found.jobs[0].not_started), (42, 0.0));
        found.jobs[0].starts.map(|start| start.unwrap() - 10_000.0)
    };
    // At 10 s each of the five shares is as likely.
    assert_eq!(starts(10_010), [200.0, 400.0, 600.0, 800.0, 1000.0]);
    // At 500 s job 41 has outlived two of them.
    assert_eq!(starts(10_500), [600.0, 600.0, 800.0, 1000.0, 1000.0]);
}

#[test]
fn the_horizon_ends_a_sample() {
    let log = trace(&shares());
    let settings = ForecastSettings {
        samples: 2000,
        horizon: 500.0,
        ..at(10_010)
    };
    let found = forecast(&Scenario::new("fcfs"), &log, None, &settings).unwrap();
    let starts = found.jobs[0].starts;
    assert_eq!(starts, [Some(10_200.0), Some(10_400.0), None, None, None]);
    assert!((0.5..0.7).contains(&found.jobs[0].not_started));
}

/// The run of a trace as a log: with its starts.
fn recorded(run: &Run) -> Trace {
    let mut text = String::new();
    run.swf(|line| text.push_str(line));
    trace(&text)
}

fn complete(scenario: &Scenario, trace: &Arc<Trace>) -> Run {
    let mut run = scenario.resolve().unwrap().run(Arc::clone(trace)).unwrap();
    while !run.advance(1_000_000).done {}
    run.check_complete().unwrap();
    run
}

/// If every job runs until its limit, the forecast is the schedule of the policy, which begins anew at
/// the instant as a what-if lets it.
#[test]
fn jobs_that_run_until_their_limits_start_as_in_a_run() {
    let mut compared = 0;
    for id in [
        "fcfs",
        "easy",
        "conservative",
        "selective",
        "lookahead",
        "maui",
        "priority",
    ] {
        for seed in 0..40 {
            let (processors, jobs) = random_jobs(seed, Overruns::Never);
            let mut text = format!("; MaxProcs: {processors}\n");
            for (number, job) in (1..).zip(&jobs) {
                let (limit, size) = (job.estimate, i64::from(job.processors));
                line(
                    &mut text,
                    [number, job.submit, -1, limit, size, limit, job.user.into()],
                );
            }
            let log = Arc::new(trace(&text));
            let scenario = Scenario::new(id);
            let last = jobs.iter().map(|job| job.submit).max().unwrap();
            let what_if = Some(Box::new(WhatIf {
                at: last as f64,
                policy: Some(id.into()),
                ..WhatIf::default()
            }));
            let anew = Scenario {
                what_if,
                ..scenario.clone()
            };
            let (before, after) = (complete(&scenario, &log), complete(&anew, &log));
            let settings = ForecastSettings {
                run_times: RunTimes::Limit,
                samples: 2,
                ..at(last)
            };
            let Ok(found) = forecast(&scenario, &recorded(&before), None, &settings) else {
                let starts = &before.schedule().starts;
                assert!(
                    starts.iter().all(|start| start.whole_seconds() <= last),
                    "{id} {seed}"
                );
                continue;
            };
            for job in &found.jobs {
                let schedule = after.schedule();
                let place = schedule.workload.requests.iter();
                let place = place
                    .clone()
                    .position(|request| request.number == job.number);
                let start = schedule.starts[place.unwrap()].seconds();
                assert_eq!(
                    job.starts,
                    [Some(start); 5],
                    "{id} {seed} job {}",
                    job.number
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

/// Three weeks of jobs on a busy machine, with the starts of EASY.
fn busy() -> Trace {
    let mut stream = schedscope::random::Stream::new(5, "busy");
    let mut text = String::from("; MaxProcs: 16\n");
    let mut submit = 0;
    for number in 1..=1500 {
        submit += stream.below(2200) as i64;
        let limit = 60 * (1 + stream.below(240) as i64);
        let run_time = 1 + stream.below(limit as u64) as i64;
        let (size, user) = (1 + stream.below(8) as i64, stream.below(12) as i64);
        line(&mut text, [number, submit, -1, run_time, size, limit, user]);
    }
    recorded(&complete(&Scenario::new("easy"), &Arc::new(trace(&text))))
}

/// An instant at which a job waits for long.
fn queued(log: &Trace) -> i64 {
    let late = log
        .records
        .iter()
        .filter(|record| (1_250_000..1_450_000).contains(&record.submit));
    let longest = late.max_by_key(|record| record.wait).unwrap();
    longest.submit + longest.wait / 2
}

fn resampled(seconds: i64) -> ForecastSettings {
    ForecastSettings {
        samples: 40,
        arrivals: LaterArrivals::Resampled,
        ..at(seconds)
    }
}

#[test]
fn nothing_after_the_instant_changes_the_forecast() {
    let log = busy();
    let now = queued(&log);
    let mut other = log.clone();
    other.records = log
        .records
        .iter()
        .filter(|record| record.submit <= now)
        .map(|record| {
            let mut changed = *record;
            let start = record.submit + record.wait;
            if start > now {
                changed.wait += 12_345;
                changed.run_time = 7;
            } else if start + record.run_time > now {
                changed.run_time = now - start + 1;
                changed.status = 5;
            }
            changed
        })
        .collect();
    let of = |log| forecast(&Scenario::new("easy"), log, None, &resampled(now)).unwrap();
    let found = of(&log);
    assert!(found.jobs.len() > 3 && found.running > 1, "{found:?}");
    assert_eq!(found.arrival_block, Some(604_800.0));
    assert_eq!(found, of(&other));
}

#[test]
fn slices_do_not_change_the_forecast() {
    let log = busy();
    let of = |budget| {
        let settings = resampled(queued(&log));
        let mut forecast =
            QueueForecast::new(&Scenario::new("easy"), &log, None, &settings).unwrap();
        while !forecast.advance(budget).unwrap().done {}
        forecast.result()
    };
    let whole = of(u64::MAX);
    assert_eq!(of(1), whole);
    assert_eq!(of(97), whole);
}

/// A log beside the queue gives the same forecast as one file with both.
#[test]
fn the_log_can_be_another_file() {
    let mut log = busy();
    log.header.push("; UnixStartTime: 1000000".into());
    let now = queued(&log);
    let is_there = |record: &&schedscope::trace::Record| {
        let start = record.submit + record.wait;
        record.submit <= now && start + record.run_time > now
    };
    let queue = Trace {
        records: log.records.iter().filter(is_there).copied().collect(),
        ..log.clone()
    };
    // The zero of the log is a day earlier, and its users have names.
    let mut past = log.clone();
    past.header = vec!["; UnixStartTime: 913600".into()];
    past.records = log.records.clone().shifted(-86_400);
    let settings = resampled(now);
    let one = forecast(&Scenario::new("easy"), &log, None, &settings).unwrap();
    let two = forecast(&Scenario::new("easy"), &queue, Some(&past), &settings).unwrap();
    assert_eq!(one.ended, two.ended);
    let starts = |found: &ForecastResult| -> Vec<_> {
        found
            .jobs
            .iter()
            .map(|job| (job.number, job.level, job.starts))
            .collect()
    };
    assert_eq!(starts(&one), starts(&two));
}

fn queue(name: &str) -> Trace {
    let text = fs::read(root().join("tests/queues").join(name)).unwrap();
    read_queue(name, &text, BadLines::Stop).unwrap()
}

fn two_nodes() -> Scenario {
    let text = fs::read_to_string(root().join("tests/queues/two-nodes.conf")).unwrap();
    Scenario {
        machine: "nodes".into(),
        ..Scenario::new("fcfs").with("cluster", text.as_str())
    }
}

/// Job 1 runs on n2 until 1714990200, job 2 on n1 until 1714986600. Job 3 needs both nodes, and the two
/// tasks of job 4 come after it. Job 5 is held.
#[test]
fn squeue_tells_who_runs_and_waits() {
    for (name, source, instant) in [
        ("plain.json", InstantSource::Latest, 1_714_984_200),
        ("wrapped.json", InstantSource::Written, 1_714_984_260),
    ] {
        let queue = queue(name);
        let settings = ForecastSettings {
            at: None,
            samples: 3,
            ..at(0)
        };
        let found = forecast(&two_nodes(), &queue, None, &settings).unwrap();
        let zero = found.unix_start.unwrap();
        assert_eq!(found.at_source, source, "{name}");
        assert_eq!(found.at as i64 + zero, instant, "{name}");
        assert_eq!((found.running, found.elsewhere), (2, 0), "{name}");
        assert_eq!(found.left_out.len(), 1, "{name}");
        assert_eq!(
            (&*found.left_out[0].id, &found.left_out[0].jobs),
            ("held", &vec![5])
        );
        let jobs: Vec<_> = found
            .jobs
            .iter()
            .map(|job| {
                let start = job.starts[2].unwrap() as i64 + zero;
                (job.number, &*job.user, job.level, start)
            })
            .collect();
        let expected = [
            (3, "bob", RatioLevel::Limit, 1_714_990_200),
            (4, "cleo", RatioLevel::Limit, 1_714_993_800),
            (4, "cleo", RatioLevel::Limit, 1_714_993_800),
        ];
        assert_eq!(jobs, expected, "{name}");
        // Under Slurm the small jobs go first, on n1, where they end before both nodes are free.
        let slurm = Scenario {
            policy: "slurm".into(),
            ..two_nodes().with("memory", "none")
        };
        let found = forecast(&slurm, &queue, None, &settings).unwrap();
        let starts: Vec<i64> = found
            .jobs
            .iter()
            .map(|job| job.starts[2].unwrap() as i64 + zero)
            .collect();
        assert!(
            (1_714_990_200..1_714_990_400).contains(&starts[0]),
            "{name} {starts:?}"
        );
        assert!(
            starts[1..].iter().all(|start| *start < 1_714_987_000),
            "{name} {starts:?}"
        );
    }
}

/// Job 1 of the file names node n2. If the machine has other nodes, it starts wherever it fits. A job
/// without room is left out.
#[test]
fn running_jobs_need_room() {
    let settings = ForecastSettings {
        at: None,
        samples: 1,
        ..at(0)
    };
    let on = |cluster: &str| {
        let scenario = two_nodes().with("cluster", cluster);
        forecast(&scenario, &queue("plain.json"), None, &settings).unwrap()
    };
    let three = on("NodeName=n[3-5] CPUs=4; PartitionName=batch Nodes=ALL Default=YES");
    assert_eq!((three.running, three.elsewhere), (2, 0));
    // n1 has room for half of job 2 only.
    let other =
        on("NodeName=n1 CPUs=2; NodeName=n[2-4] CPUs=4; PartitionName=batch Nodes=ALL Default=YES");
    assert_eq!((other.running, other.elsewhere), (2, 1));
    let one = on("NodeName=n1 CPUs=4; PartitionName=batch Nodes=ALL Default=YES");
    let rules: Vec<_> = one
        .left_out
        .iter()
        .map(|rule| (&*rule.id, &*rule.jobs))
        .collect();
    assert_eq!(
        rules,
        [("held", &[5][..]), ("refused", &[3]), ("no_room", &[2])]
    );
    assert_eq!(one.jobs.len(), 2);
    assert_eq!(one.report[0].id, "too_wide");
}

/// The instant of a file is any text: one that is none is not known.
#[test]
fn instants_can_be_anything() {
    for instant in [
        "",
        "soon",
        "-9223372036854775808",
        "9223372036854775807",
        "99999999999999",
    ] {
        let mut queue = queue("plain.json");
        queue.header.retain(|line| !line.contains("QueueInstant"));
        queue.header.push(format!("; QueueInstant: {instant}"));
        let settings = ForecastSettings { at: None, ..at(0) };
        let said = refusal(&two_nodes(), &queue, &settings);
        assert!(
            said.contains("does not tell the instant"),
            "{instant} {said}"
        );
    }
}

/// A job that waits without a largest number of nodes may have any: `node_count` is only a guess.
#[test]
fn a_waiting_job_without_a_largest_number_of_nodes_gets_any() {
    let text = fs::read_to_string(root().join("tests/queues/wrapped.json")).unwrap();
    let of = |most: &str| {
        // Job 3 wants all eight cores of the two nodes.
        let two = "\"node_count\": {\"set\": true, \"infinite\": false, \"number\": 2}";
        let one = format!("{}{most}", two.replace(": 2}", ": 1}"));
        let asked = text.replace("cpu=8,mem=16G,node=2", "cpu=8,mem=16G,node=1");
        let queue = asked.replacen(two, &one, 1);
        assert_ne!(queue, asked);
        let queue = read_queue("queue.json", queue.as_bytes(), BadLines::Stop).unwrap();
        let settings = ForecastSettings {
            at: None,
            samples: 3,
            ..at(0)
        };
        let found = forecast(&two_nodes(), &queue, None, &settings).unwrap();
        let mut jobs = found.jobs.iter().map(|job| job.number);
        (jobs.any(|number| number == 3), found.left_out.len())
    };
    assert_eq!(of(", \"max_nodes\": 0"), (true, 1));
    let wrapped = ", \"max_nodes\": {\"set\": true, \"infinite\": false, \"number\": 0}";
    assert_eq!(of(wrapped), (true, 1));
    assert_eq!(of(", \"max_nodes\": 1"), (false, 2));
}

/// It cannot start before that time, which the forecast does not know.
#[test]
fn a_job_that_waits_for_its_time_of_begin_takes_no_part() {
    let text = fs::read_to_string(root().join("tests/queues/wrapped.json")).unwrap();
    let text = text.replace("\"Priority\"", "\"BeginTime\"");
    let queue = read_queue("queue.json", text.as_bytes(), BadLines::Stop).unwrap();
    let settings = ForecastSettings {
        at: None,
        samples: 3,
        ..at(0)
    };
    let found = forecast(&two_nodes(), &queue, None, &settings).unwrap();
    let left_out = &found.left_out[0];
    // Two tasks of job 4, and job 5, which its user holds.
    assert_eq!((&*left_out.id, &left_out.jobs), ("held", &vec![4, 4, 5]));
}

/// The usage of `sshare` is that of the file's own instant. Job 3 is bob's, of the account physics; job 4 is
/// cleo's. Without a backfill scheduler the first in line starts first.
#[test]
fn usage_of_the_instant_orders_its_queue() {
    let queue = queue("wrapped.json");
    let told = 1_714_984_260 - queue.unix_start().unwrap();
    let is_bob_first = |physics: u64, biology: u64, at: Option<f64>, usage: &str| {
        // The first priorities stay, because the usage does not count only later.
        let flags = if at.is_none() {
            "INCR_ONLY"
        } else {
            "MAX_TRES"
        };
        let accounts = format!(
            "add cluster c\nadd account physics,biology\nadd user ann,bob account=physics\n\
                add user cleo account=biology\nAccount|User|RawUsage\n physics||{physics}\n  \
                physics|bob|{physics}\n biology||{biology}\n  biology|cleo|{biology}\n"
        );
        let scenario = Scenario {
            policy: "slurm".into(),
            ..two_nodes()
        };
        let scenario = scenario
            .with("memory", "none")
            .with("usage", usage)
            .with("accounts", accounts.as_str())
            .with(
                "conf",
                &*format!(
                    "SchedulerType=sched/builtin;PriorityType=priority/multifactor;\
                        PriorityWeightFairshare=100000;PriorityFlags={flags};\
                        AccountingStorageType=accounting_storage/slurmdbd"
                ),
            );
        let settings = ForecastSettings {
            at,
            samples: 1,
            ..self::at(0)
        };
        let found = forecast(&scenario, &queue, None, &settings).unwrap();
        let start = |number: i64| {
            let job = found.jobs.iter().find(|job| job.number == number);
            job.unwrap().starts[2].unwrap()
        };
        start(3) < start(4)
    };
    assert!(!is_bob_first(1_000_000_000, 10, None, "forecast"));
    assert!(is_bob_first(10, 1_000_000_000, None, "forecast"));
    // At another instant it is that of nobody: only the running jobs of physics count.
    let at = Some(told as f64);
    assert!(!is_bob_first(10, 1_000_000_000, at, "forecast"));
    assert!(is_bob_first(10, 1_000_000_000, at, "start"));
}

/// A job that has waited for three days goes before a larger one that came just now: also right after the instant.
#[test]
fn age_until_the_instant_orders_its_queue() {
    let mut text = String::from("; MaxProcs: 4\n");
    line(&mut text, [1, 0, 0, 302_460, 4, 302_460, 1]);
    line(&mut text, [2, 10, 302_450, 600, 2, 600, 2]);
    line(&mut text, [3, 302_300, 760, 600, 4, 600, 3]);
    let starts = |weight: u32, flags: &str| {
        let scenario = Scenario::new("slurm").with(
            "conf",
            &*format!(
                "PriorityType=priority/multifactor;PriorityWeightAge={weight};PriorityFlags={flags};\
                    PriorityWeightJobSize=1000;PriorityMaxAge=7-0;\
                    AccountingStorageType=accounting_storage/slurmdbd"
            ),
        );
        let settings = ForecastSettings {
            samples: 1,
            ..at(302_400)
        };
        let found = forecast(&scenario, &trace(&text), None, &settings).unwrap();
        let start = |number: i64| {
            let job = found.jobs.iter().find(|job| job.number == number);
            job.unwrap().starts[2].unwrap()
        };
        (start(2), start(3))
    };
    for flags in ["MAX_TRES", "ACCRUE_ALWAYS", "INCR_ONLY"] {
        let (old, new) = starts(100_000, flags);
        assert!(old < new, "{flags}: {old} {new}");
    }
    let (old, new) = starts(100, "MAX_TRES");
    assert!(new < old, "{new} {old}");
}

/// A plain reader leaves the queue out, as it always did.
#[test]
fn other_commands_do_not_see_the_queue() {
    let text = fs::read(root().join("tests/queues/wrapped.json")).unwrap();
    let log = read("wrapped.json", &text, BadLines::Stop).unwrap();
    assert_eq!((log.records.len(), log.report.of("still_waiting")), (2, 4));
    assert!(log.column("queue_state").is_none());
    assert_eq!(queue("wrapped.json").records.len(), 6);
    assert_eq!(queue("wrapped.json").report.of("still_waiting"), 0);
}

#[test]
fn what_cannot_be_forecast_is_refused() {
    let log = trace(&shares());
    let fcfs = Scenario::new("fcfs");
    let said = |scenario: &Scenario, settings: &ForecastSettings| refusal(scenario, &log, settings);
    let plain = at(10_010);
    let without = ForecastSettings {
        at: None,
        ..plain.clone()
    };
    assert!(said(&fcfs, &without).contains("does not tell the instant"));
    assert!(said(&fcfs, &at(20_000)).contains("No job waits"));
    assert!(said(&fcfs, &at(-5)).contains("No job waits"));
    let with = |key: &str, value: &str| said(&fcfs.clone().with(key, value), &plain);
    assert!(with("estimates", "actual").contains("estimates"));
    assert!(with("overrun", "swap").contains("swap"));
    assert!(with("resample", "weeks").contains("resample"));
    let jobs = fcfs.clone().with("jobs", 3.0);
    assert!(said(&jobs, &plain).contains("`jobs`"));
    for machine in ["gang", "bsp", "smt"] {
        let scenario = Scenario {
            machine: machine.into(),
            ..fcfs.clone()
        };
        assert!(said(&scenario, &plain).contains(machine));
    }
    assert!(said(&Scenario::new("recorded"), &plain).contains("recorded"));
    let what_if = Scenario {
        what_if: Some(Box::new(WhatIf::default())),
        ..fcfs.clone()
    };
    assert!(said(&what_if, &plain).contains("what-if"));
    for (samples, horizon) in [
        (0, 10.0),
        (10_001, 10.0),
        (1, 0.0),
        (1, f64::NAN),
        (1, 1e12),
    ] {
        let settings = ForecastSettings {
            samples,
            horizon,
            ..plain.clone()
        };
        assert!(said(&fcfs, &settings).contains("cannot be"));
    }
    let late = ForecastSettings {
        at: Some(1e9),
        ..plain.clone()
    };
    assert!(refusal(&two_nodes(), &queue("plain.json"), &late).contains("ends before"));
    let problem = forecast(&two_nodes(), &queue("plain.json"), Some(&log), &without).unwrap_err();
    assert!(problem.what.contains("date of its zero"));
    let calibration = |log: &Trace, count| {
        let log = Arc::new(log.clone());
        Calibration::new(&fcfs, log, &plain, count)
            .err()
            .unwrap()
            .what
    };
    assert!(calibration(&log, 1001).contains("too large"));
    let empty = trace("1 0 0 5 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n");
    assert!(calibration(&empty, 5).contains("no moment"));
}

fn calibration(
    scenario: &Scenario,
    log: &Arc<Trace>,
    samples: u32,
    count: usize,
) -> CalibrationResult {
    let settings = ForecastSettings {
        samples,
        ..ForecastSettings::default()
    };
    let mut calibration = Calibration::new(scenario, Arc::clone(log), &settings, count).unwrap();
    while !calibration.advance(10_000).unwrap().done {}
    calibration.result()
}

/// Two moments: job 42 waits at 4000 s, and `crowd` jobs at 8000 s.
fn crowd(crowd: i64) -> String {
    let mut text = String::from("; MaxProcs: 4\n");
    for at in 0..40 {
        line(&mut text, [at + 1, at * 90, 0, 20, 1, 100, 1]);
    }
    line(&mut text, [41, 3_900, 0, 200, 4, 1000, 1]);
    line(&mut text, [42, 3_950, 150, 5, 4, 1000, 2]);
    line(&mut text, [43, 7_900, 0, 200, 4, 1000, 1]);
    for at in 0..crowd {
        line(&mut text, [44 + at, 7_950, 150 + at, 1, 4, 1000, 2]);
    }
    line(&mut text, [44 + crowd, 10_000, 1000, 1, 4, 1000, 2]);
    text
}

#[test]
fn a_crowded_moment_is_left_out_and_counted() {
    // At most 20,000,000 starts are kept: those of 2000 jobs in 10,000 samples.
    let log = Arc::new(trace(&crowd(2001)));
    let fcfs = Scenario::new("fcfs");
    let settings = ForecastSettings {
        samples: 10_000,
        arrivals: LaterArrivals::None,
        ..ForecastSettings::default()
    };
    let mut all = Calibration::new(&fcfs, Arc::clone(&log), &settings, 2).unwrap();
    while !all.advance(10_000).unwrap().done {}
    let found = all.result();
    assert_eq!(
        (found.crowded, found.moments.len(), found.coverage.jobs),
        (1, 1, 1)
    );
    assert_eq!(found.moments[0].at as i64, 4_000);
    // Without a crowd nothing is left out, and nothing is told.
    let calm = calibration(&fcfs, &Arc::new(trace(&crowd(3))), 10, 2);
    assert_eq!((calm.crowded, calm.moments.len()), (0, 2));
    // With nothing left to compare, the limit is told.
    let mut none = Calibration::new(&fcfs, log, &settings, 1).unwrap();
    let last = loop {
        match none.advance(10_000) {
            Ok(progress) if progress.done => panic!("{:?}", none.result()),
            Ok(_) => {}
            Err(problem) => break problem,
        }
    };
    assert!(last.what.contains("20010000 starts"), "{last}");
    assert_eq!(none.result().crowded, 1);
    let home = folder("crowded");
    let path = file(&home, "log.swf", &crowd(2001));
    let command = |samples: &'static str| {
        check(&schedscope(&[
            &"expect",
            &path,
            &"--policy",
            &"fcfs",
            &"--arrivals",
            &"none",
            &"--calibrate",
            &"2",
            &"--samples",
            &samples,
        ]))
    };
    let told = "1 crowded moment left out: more jobs run, wait or arrive";
    assert!(command("10000").contains(told));
    assert!(!command("5").contains("crowded"));
}

/// The starts are those of a real controller (tests/forecast). EASY is not its policy, and holds fewer.
#[test]
fn intervals_hold_the_starts_of_a_real_slurm() {
    let [log, conf] =
        ["sacct.txt", "slurm.conf"].map(|name| root().join("tests/forecast").join(name));
    let held = |policy: &'static str| {
        let text = check(&schedscope(&[
            &"expect",
            &log,
            &"--slurm-conf",
            &conf,
            &"--policy",
            &policy,
            &"--calibrate",
            &"10",
            &"--samples",
            &"50",
            &"--format",
            &"json",
        ]));
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        let coverage = &found["calibration"]["coverage"];
        let [jobs, half, most] =
            ["jobs", "inside_50", "inside_90"].map(|key| coverage[key].as_f64().unwrap());
        assert_eq!(jobs, 424.0);
        [half / jobs, most / jobs]
    };
    let [half, most] = held("slurm");
    assert!((0.4..0.6).contains(&half), "{half}");
    assert!((0.85..0.95).contains(&most), "{most}");
    assert!(held("easy")[1] < most - 0.1);
}

/// The instant of a log of Slurm is its end, at which none of its jobs waits.
#[test]
fn a_log_of_ended_jobs_is_calibrated_without_a_forecast() {
    let home = folder("ended");
    let mut log = String::from("JobID|Submit|Start|End|State|NCPUS|Timelimit\n");
    for job in 0..40 {
        let at = |minute: i32| format!("2024-05-06T{:02}:{:02}:00", 8 + minute / 60, minute % 60);
        let (submit, start, end) = (at(job), at(4 * job), at(4 * job + 4));
        writeln!(log, "{job}|{submit}|{start}|{end}|COMPLETED|1|00:06:00").unwrap();
    }
    let path = file(&home, "log.txt", &log);
    let with = |more: &[&'static str]| {
        let given: [&dyn AsRef<OsStr>; 8] = [
            &"expect",
            &path,
            &"--policy",
            &"fcfs",
            &"--procs",
            &"1",
            &"--samples",
            &"9",
        ];
        let more = more.iter().map(|word| word as &dyn AsRef<OsStr>);
        schedscope(&given.into_iter().chain(more).collect::<Vec<_>>())
    };
    let found = check(&with(&["--calibrate", "4"]));
    assert!(
        found.contains("Calibration: fcfs on flat at 4 past moments"),
        "{found}"
    );
    assert!(!found.contains("Forecast"), "{found}");
    assert!(refused(&with(&[])).contains("No job waits"));
    assert!(refused(&with(&["--calibrate", "4", "--at", "20000"])).contains("ends before"));
}

/// The log follows the policy, and its jobs the model of the forecast. So the intervals hold as often as
/// they say, but for the chance of 30 moments.
#[test]
fn intervals_hold_where_the_log_follows_the_policy() {
    let found = calibration(&Scenario::new("easy"), &Arc::new(busy()), 100, 30);
    let share = |inside: u64| inside as f64 / found.coverage.jobs as f64;
    assert!(found.coverage.jobs > 100, "{found:?}");
    assert!(share(found.coverage.inside_90) > 0.8, "{found:?}");
    assert!(
        (0.35..0.75).contains(&share(found.coverage.inside_50)),
        "{found:?}"
    );
    let of_classes: u64 = found.classes.iter().map(|class| class.coverage.jobs).sum();
    let of_moments: u64 = found
        .moments
        .iter()
        .map(|moment| moment.coverage.jobs)
        .sum();
    assert_eq!(
        (of_classes, of_moments),
        (found.coverage.jobs, found.coverage.jobs)
    );
    let one = &found.coverage;
    assert_eq!(one.jobs, one.inside_90 + one.before_90 + one.after_90);
}

/// The figures of docs/forecast.md.
#[test]
fn a_real_log_gives_the_documented_figures() {
    let Some(log) = real_trace("KTH-SP2-1996-2.swf.gz") else {
        return;
    };
    let found = calibration(&Scenario::new("easy"), &log, 200, 100);
    let docs = fs::read_to_string(root().join("docs/forecast.md")).unwrap();
    let share = |inside: u64| {
        format!(
            "{:.1} %",
            100.0 * inside as f64 / found.coverage.jobs as f64
        )
    };
    let row = format!(
        "| KTH-SP2 | as recorded | `easy` | {} | {} | {} |",
        found.coverage.jobs,
        share(found.coverage.inside_50),
        share(found.coverage.inside_90)
    );
    assert!(
        docs.contains(&row),
        "docs/forecast.md must have this row:\n{row}"
    );
}

fn file(home: &std::path::Path, name: &str, text: &str) -> PathBuf {
    let path = home.join(name);
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn the_terminal_tells_forecasts() {
    let home = folder("forecast");
    let log = file(&home, "log.swf", &shares());
    let queue = root().join("tests/queues/wrapped.json");
    let cluster = root().join("tests/queues/two-nodes.conf");
    let table = check(&schedscope(&[
        &"expect",
        &queue,
        &"--cluster",
        &cluster,
        &"--set",
        &"memory=none",
        &"--samples",
        &"5",
    ]));
    assert!(
        table.contains("2024-05-06 08:31 UTC (the file's last_update)"),
        "{table}"
    );
    assert!(
        table.contains("slurm on nodes with 8 processors: 2 running, 3 waiting"),
        "{table}"
    );
    assert!(table.contains("somebody holds it"), "{table}");
    let base: [&dyn AsRef<std::ffi::OsStr>; 6] = [
        &"expect",
        &log,
        &"--policy",
        &"fcfs",
        &"--arrivals",
        &"none",
    ];
    let with = |more: &[&'static str]| {
        let mut all = base.to_vec();
        let more: Vec<&dyn AsRef<std::ffi::OsStr>> = more.iter().map(|one| one as _).collect();
        all.extend(more);
        schedscope(&all)
    };
    let csv = check(&with(&[
        "--at",
        "10500",
        "--samples",
        "2000",
        "--format",
        "csv",
    ]));
    let rows: Vec<&str> = csv.lines().collect();
    assert!(
        rows[1].starts_with("42,,2,1,4,1000,10010,10500,10600,10600,10800,11000,11000,0,"),
        "{csv}"
    );
    let json = check(&with(&["--at=10010", "--format", "json", "--samples", "9"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["forecast"]["jobs"][0]["number"], 42);
    assert!(json.get("calibration").is_none());
    let both = check(&with(&["--calibrate", "2", "--samples", "9"]));
    assert!(
        both.contains("Calibration: fcfs on flat at 1 past moment"),
        "{both}"
    );
    assert!(refused(&with(&[])).contains("--at"));
    assert!(refused(&with(&["--at", "soon"])).contains("is no instant"));
    assert!(refused(&with(&["--at", "2024-05-06T08:00"])).contains("date of its zero"));
    assert!(refused(&with(&["--at", "10010", "--samples", "0"])).contains("cannot be 0"));
    assert!(refused(&with(&["--at", "10010", "--set", "depth=2"])).contains("depth"));
    let instants = ["--at", "2024-05-06T08:31", "--at", "@1714984260"];
    for instant in instants.chunks(2) {
        let same = check(&schedscope(&[
            &"expect",
            &queue,
            &"--cluster",
            &cluster,
            &"--set",
            &"memory=none",
            &"--samples",
            &"5",
            &instant[0],
            &instant[1],
        ]));
        assert!(same.contains("2024-05-06 08:31 UTC (as given)"), "{same}");
    }
}

/// A queue of jobs that all wait at 100 s.
fn waiting(jobs: i64) -> Trace {
    let mut text = String::from("; MaxProcs: 4\n");
    line(&mut text, [1, 0, 1000, 5, 4, 10, 1]);
    let one = trace(&text);
    let record = *one.records.get(0);
    let of = |number: i64| schedscope::trace::Record { number, ..record };
    Trace {
        records: (1..=jobs).map(of).collect(),
        ..one
    }
}

#[test]
fn a_queue_beyond_the_limit_is_refused() {
    // With so many samples, a queue that is not refused has too many starts.
    let settings = ForecastSettings {
        samples: 10_000,
        ..at(100)
    };
    let said = |jobs| refusal(&Scenario::new("fcfs"), &waiting(jobs), &settings);
    let fits = said(100_000);
    assert!(fits.contains("1000000000 starts"), "{fits}");
    let more = said(100_001);
    assert!(more.contains("100001 jobs"), "{more}");
}

/// The log has one day, with a job every half minute, and each later day has its jobs again.
#[test]
fn a_sample_with_too_many_arrivals_is_refused() {
    let mut text = String::from("; MaxProcs: 4\n");
    for job in 0..2880 {
        line(&mut text, [job + 1, 30 * job, 0, 1, 1, 10, 1]);
    }
    line(&mut text, [2881, 86_390, 1000, 5, 1, 10, 2]);
    let log = trace(&text);
    let fcfs = Scenario::new("fcfs");
    let settings = |days: f64| ForecastSettings {
        samples: 1,
        horizon: 86_400.0 * days,
        arrivals: LaterArrivals::Resampled,
        ..at(86_400)
    };
    // 348 days have more than a million jobs, and the draw goes no further.
    let said = refusal(&fcfs, &log, &settings(366.0));
    assert!(said.contains("1002240 arrivals"), "{said}");
    // The first start ends a sample.
    let found = forecast(&fcfs, &log, None, &settings(10.0)).unwrap();
    assert_eq!(found.arrival_block, Some(86_400.0));
    assert_eq!(found.jobs[0].starts, [Some(86_400.0); 5]);
}
