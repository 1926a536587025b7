//! The recorded schedule, its fit, and the machine's size as the log has it. Twins work from the
//! table of records alone.

use super::support::root;
use schedscope::experiment::{Run, Scenario};
use schedscope::import::{BadLines, read};
use schedscope::metrics::fit;
use schedscope::random::Stream;
use schedscope::schedule::audit::{audit, overbooking};
use schedscope::trace::{SizeSource, Trace};
use std::fmt::Write;
use std::fs;
use std::sync::Arc;

/// A line of SWF.
fn line(text: &mut String, number: u64, submit: i64, wait: i64, run: i64, size: i64, limit: i64) {
    let user = number % 5;
    writeln!(
        text,
        "{number} {submit} {wait} {run} {size} -1 -1 {size} {limit} -1 1 {user} 1 1 1 1 -1 -1"
    )
    .unwrap();
}

/// A log whose jobs started at random, so that it overbooks its machine.
fn random_log(seed: u64, processors: u64) -> Arc<Trace> {
    let mut dice = Stream::new(seed, "recorded");
    let mut text = format!("; MaxProcs: {processors}\n");
    let mut submit = 0;
    for number in 1..=dice.below(60) + 1 {
        submit += dice.below(30) as i64;
        let wait = dice.below(60) as i64;
        let (run, limit) = (dice.below(50) as i64, dice.below(60) as i64 + 1);
        let size = dice.below(processors) as i64 + 1;
        line(&mut text, number, submit, wait, run, size, limit);
    }
    Arc::new(read("log", text.as_bytes(), BadLines::Stop).unwrap())
}

fn done(scenario: &Scenario, trace: &Arc<Trace>) -> Run {
    let mut run = scenario.resolve().unwrap().run(Arc::clone(trace)).unwrap();
    while !run.advance(7).done {}
    run.check_complete().unwrap();
    run
}

/// Every job starts and ends as recorded, also beyond its estimate. Jobs lie beside each other, on
/// as many processors as the busiest second needs.
#[test]
fn jobs_start_and_end_as_the_log_says() {
    let mut overbooked = 0;
    for seed in 0..200 {
        let trace = random_log(seed, 12);
        let run = done(&Scenario::new("recorded"), &trace);
        let schedule = run.schedule();
        let workload = &schedule.workload;
        assert_eq!(workload.len(), trace.records.len());
        let mut intervals = Vec::new();
        for job in workload.ids() {
            let record = trace.records.get(workload.sources[job.index()] as usize);
            let start = record.submit + record.wait;
            assert_eq!(schedule.starts[job.index()].whole_seconds(), start);
            let end = start + record.run_time;
            assert_eq!(schedule.ends[job.index()].whole_seconds(), end);
            intervals.push((start, end, i64::from(record.requested)));
        }
        // The busiest second. A job without length holds its processors at its start alone.
        let at = |second: i64| -> i64 {
            let holds = |(start, end, _): &&(i64, i64, i64)| {
                *start <= second && (second < *end || start == end && *start == second)
            };
            intervals.iter().filter(holds).map(|job| job.2).sum()
        };
        let busiest = intervals.iter().map(|job| at(job.0)).max().unwrap();
        assert_eq!(
            i64::from(workload.all_processors()),
            busiest.max(12),
            "{seed}"
        );
        let findings = audit(schedule, 10);
        assert_eq!(findings.len(), usize::from(busiest > 12), "{findings:?}");
        assert_eq!(overbooking(schedule).as_ref(), findings.first());
        overbooked += findings.len();
    }
    assert!((50..200).contains(&overbooked), "{overbooked}");
}

/// The figures of the fit, from the waits alone.
#[test]
fn the_fit_is_that_of_the_waits() {
    for seed in 0..60 {
        let trace = random_log(seed, 12);
        let run = done(&Scenario::new("easy"), &trace);
        let schedule = run.schedule();
        let pairs: Vec<(f64, f64)> = schedule
            .workload
            .ids()
            .map(|job| {
                let record = trace
                    .records
                    .get(schedule.workload.sources[job.index()] as usize);
                let start = schedule.starts[job.index()].seconds();
                (start - record.submit as f64, record.wait as f64)
            })
            .collect();
        let n = pairs.len() as f64;
        let mut errors: Vec<f64> = pairs.iter().map(|(a, b)| (a - b).abs()).collect();
        errors.sort_by(f64::total_cmp);
        let quantile = |q: f64| {
            let rank = q * (n - 1.0);
            let (low, high) = (errors[rank as usize], errors[rank.ceil() as usize]);
            low + (high - low) * rank.fract()
        };
        let rank = |value: f64, of: fn(&(f64, f64)) -> f64| {
            let below = pairs.iter().filter(|pair| of(pair) < value).count() as f64;
            let equal = pairs.iter().filter(|pair| of(pair) == value).count() as f64;
            below + f64::midpoint(equal, 1.0)
        };
        let ranks: Vec<(f64, f64)> = pairs
            .iter()
            .map(|pair| (rank(pair.0, |pair| pair.0), rank(pair.1, |pair| pair.1)))
            .collect();
        let mean = f64::midpoint(n, 1.0);
        let sum = |of: &dyn Fn(&(f64, f64)) -> f64| ranks.iter().map(of).sum::<f64>();
        let both = sum(&|(a, b)| (a - mean) * (b - mean));
        let (one, other) = (
            sum(&|(a, _)| (a - mean) * (a - mean)),
            sum(&|(_, b)| (b - mean) * (b - mean)),
        );
        let correlation = match (one == 0.0, other == 0.0) {
            (true, true) => 1.0,
            (false, false) => both / (one * other).sqrt(),
            _ => 0.0,
        };
        let within = |most: f64| errors.iter().filter(|error| **error <= most).count() as f64 / n;
        let figures = run.measures().figures;
        for (key, value) in [
            ("start_error.median", quantile(0.5)),
            ("start_error.p90", quantile(0.9)),
            ("start_error.jobs", n),
            ("start_within.minute", within(60.0)),
            ("start_within.ten_minutes", within(600.0)),
            ("start_within.hour", within(3600.0)),
            ("wait_rank.value", correlation),
            (
                "recorded_wait.mean",
                pairs.iter().map(|pair| pair.1).sum::<f64>() / n,
            ),
        ] {
            assert!(
                (figures[key] - value).abs() < 1e-9 * value.abs().max(1.0),
                "{seed} {key}: {} and {value}",
                figures[key]
            );
        }
        let card = fit(schedule, &run.scenario.settings).unwrap();
        for classes in card.classes.values() {
            let jobs: usize = classes.iter().map(|class| class.jobs).sum();
            assert_eq!(jobs, pairs.len());
        }
        assert_eq!(
            card.all.wait,
            pairs.iter().map(|pair| pair.0).sum::<f64>() / n
        );
    }
}

/// The recorded schedule fits itself.
#[test]
fn the_recorded_schedule_has_no_error() {
    let run = done(&Scenario::new("recorded"), &random_log(3, 12));
    let figures = run.measures().figures;
    assert_eq!(figures["start_error.p90"], 0.0);
    assert_eq!(figures["start_within.minute"], 1.0);
    assert_eq!(figures["wait_rank.value"], 1.0);
}

fn refused(scenario: &Scenario, trace: &Arc<Trace>) -> String {
    match scenario
        .resolve()
        .and_then(|resolved| resolved.run(Arc::clone(trace)))
    {
        Err(problem) => problem.what,
        Ok(_) => panic!("not refused"),
    }
}

#[test]
fn it_is_refused_where_there_is_none() {
    let log = random_log(1, 12);
    let recorded = Scenario::new("recorded");
    for (key, value) in [
        ("load", 0.9),
        ("arrival_factor", 1.1),
        ("runtime_factor", 2.0),
    ] {
        assert!(refused(&recorded.clone().with(key, value), &log).contains(key));
        // Starts of the log say nothing about jobs that arrive at other times.
        let run = done(&Scenario::new("easy").with(key, value), &log);
        assert!(!run.measures().figures.contains_key("start_error.median"));
    }
    let mut text = String::new();
    line(&mut text, 1, 0, -1, 10, 4, 10);
    let without = Arc::new(read("log", text.as_bytes(), BadLines::Stop).unwrap());
    assert_eq!(
        refused(&recorded, &without),
        "There is no recorded schedule."
    );
    let torus = Scenario {
        machine: "torus".into(),
        ..recorded
    };
    assert!(refused(&torus, &log).contains("cannot run on the machine"));
    let adaptive = Scenario::new("pbas").with("candidates", "easy+recorded");
    assert!(refused(&adaptive, &log).contains("cannot be a candidate"));
}

/// A job without a recorded start is counted and left out; the rest can be compared.
#[test]
fn jobs_without_starts_are_left_out_and_counted() {
    let mut text = "; MaxProcs: 8\n".to_owned();
    line(&mut text, 1, 0, 5, 10, 4, 5);
    line(&mut text, 2, 1, -1, 10, 4, 10);
    let log = Arc::new(read("log", text.as_bytes(), BadLines::Stop).unwrap());
    let run = done(&Scenario::new("recorded"), &log);
    let workload = &run.schedule().workload;
    assert_eq!(
        (workload.len(), workload.report.of("start_missing")),
        (1, 1)
    );
    // It ran beyond its estimate, and so it does here.
    assert_eq!(run.schedule().ends[0].whole_seconds(), 15);
}

/// Runs of the same jobs can be compared job by job, though a simulated run kills a job at its
/// estimate and the log did not.
#[test]
fn simulated_runs_are_comparable() {
    let log = random_log(5, 12);
    let identity = |policy: &str| {
        let run = done(&Scenario::new(policy), &log);
        run.schedule().workload.identity()
    };
    assert_eq!(identity("recorded"), identity("easy"));
}

/// Ties, start delays and slices of time change nothing.
#[test]
fn settings_of_simulated_runs_do_not_matter() {
    let log = random_log(9, 12);
    let plain = done(&Scenario::new("recorded"), &log);
    let set = Scenario::new("recorded")
        .with("ties", "per_event")
        .with("start_delay", 30.0)
        .with("overrun", "raise");
    assert_eq!(
        done(&set, &log).schedule().digest(),
        plain.schedule().digest()
    );
}

/// The machine's size is judged by what was recorded.
#[test]
fn a_size_that_contradicts_the_log_is_doubted() {
    // Ten processors for two days, on a machine of 8 by the header.
    let of = |header: &str, wait: i64| {
        let mut text = header.to_owned();
        for day in 0..3 {
            line(
                &mut text,
                2 * day + 1,
                86_400 * day as i64,
                wait,
                86_400,
                6,
                90_000,
            );
            line(
                &mut text,
                2 * day + 2,
                86_400 * day as i64,
                wait,
                86_400,
                4,
                90_000,
            );
        }
        let log = Arc::new(read("log", text.as_bytes(), BadLines::Stop).unwrap());
        let scenario = Scenario::new("fcfs");
        let workload = scenario.resolve().unwrap().workload(&log).unwrap();
        let size = workload.report.size.unwrap();
        let doubts: Vec<String> = size.doubts.iter().map(|doubt| doubt.id.clone()).collect();
        let sizes: Vec<u32> = size
            .proposals
            .iter()
            .map(|other| other.processors)
            .collect();
        (
            size.processors,
            size.source,
            doubts,
            size.contradicts,
            sizes,
        )
    };
    let (header, widest) = (SizeSource::MaxProcs, SizeSource::WidestJob);
    let words = |all: &[&str]| {
        all.iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of("; MaxProcs: 8\n", 0),
        (
            8,
            header,
            words(&["overbooked", "overload"]),
            true,
            vec![10]
        )
    );
    assert_eq!(
        of("; MaxProcs: 16\n", 0),
        (16, header, vec![], false, vec![])
    );
    // Without starts, the header's size stands, and a guessed one is doubted.
    assert_eq!(
        of("; MaxProcs: 8\n", -1),
        (8, header, vec![], false, vec![])
    );
    assert_eq!(
        of("", -1),
        (6, widest, words(&["no_size", "overload"]), true, vec![])
    );
    assert_eq!(
        of("", 0),
        (
            6,
            widest,
            words(&["no_size", "overbooked", "overload"]),
            true,
            vec![10]
        )
    );
}

/// A log that tells nodes has a second unit.
#[test]
fn jobs_can_be_counted_in_nodes() {
    let path = root().join("tests/logs/frontier.swf");
    let log = Arc::new(read("frontier", &fs::read(path).unwrap(), BadLines::Stop).unwrap());
    let scenario = Scenario::new("fcfs").with("sizes", "nodes");
    let workload = scenario.resolve().unwrap().workload(&log).unwrap();
    let nodes = log.column("nodes").unwrap();
    for (request, source) in workload.requests.iter().zip(&workload.sources) {
        assert_eq!(
            nodes.number(*source as usize),
            Some(request.processors.into())
        );
    }
}

/// A job that was held arrives when it became eligible, if the reader wants that; its recorded
/// start stays.
#[test]
fn jobs_can_arrive_when_they_become_eligible() {
    let path = root().join("tests/logs/sacct.txt");
    let log = Arc::new(read("sacct", &fs::read(path).unwrap(), BadLines::Stop).unwrap());
    let arrivals = |arrive: &str| {
        let scenario = Scenario::new("recorded").with("arrive", arrive);
        let workload = scenario.resolve().unwrap().workload(&log).unwrap();
        let of = |number: i64| {
            let job = workload
                .ids()
                .find(|job| workload.request(*job).number == number)
                .unwrap();
            let start = workload.recorded_start(job).unwrap().whole_seconds();
            (workload.request(job).submitted.whole_seconds(), start)
        };
        (of(105), of(107), workload.report.of("arrives_eligible"))
    };
    assert_eq!(arrivals("submission"), ((1800, 3600), (1860, 3600), 0));
    assert_eq!(arrivals("eligible"), ((3600, 3600), (1860, 3600), 3));
}
