//! The fair start time against its definition, job by job and from scratch.

use super::support::{Overruns, random_jobs, schedule, workload};
use schedscope::experiment::Scenario;
use schedscope::metrics::measure;
use schedscope::param::Settings;
use schedscope::schedule::Schedule;

/// Second by second: all that run at the arrival hold their processors, all that wait and then the job start in order.
fn fair_start(schedule: &Schedule, job: usize) -> i64 {
    let workload = &schedule.workload;
    let (start, end) = (|j: usize| schedule.starts[j].whole_seconds(), |j: usize| schedule.ends[j].whole_seconds());
    let size = |j: usize| i64::from(workload.requests[j].processors);
    let now = workload.requests[job].submitted.whole_seconds();
    let mut held: Vec<(i64, i64, i64)> =
        (0..job).filter(|&j| start(j) < now && end(j) > now).map(|j| (start(j), end(j), size(j))).collect();
    let mut at = now;
    for waiting in (0..=job).filter(|&j| start(j) >= now) {
        let used =
            |held: &[(i64, i64, i64)], at: i64| held.iter().filter(|(from, to, _)| *from <= at && at < *to).map(|(_, _, n)| n).sum::<i64>();
        while used(&held, at) + size(waiting) > i64::from(workload.processors) {
            at += 1;
        }
        held.push((at, at + workload.programs[waiting].runtime.whole_seconds(), size(waiting)));
    }
    at
}

#[test]
fn misses_are_those_of_the_definition() {
    for seed in 0..300 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        // At one instant a job of no length both blocks and frees: the definition leaves open which comes first.
        let jobs: Vec<_> = jobs.into_iter().filter(|job| job.runtime > 0).collect();
        if jobs.is_empty() {
            continue;
        }
        for scenario in [Scenario::new("fcfs"), Scenario::new("easy"), Scenario::new("easy").with("depth", 0.0).with("scan", "shortest")] {
            let schedule = schedule(&scenario, &workload(processors, &jobs));
            let misses: Vec<f64> =
                (0..jobs.len()).map(|job| (schedule.starts[job].whole_seconds() - fair_start(&schedule, job)).max(0) as f64).collect();
            let figures = measure(&schedule, &Settings::default()).figures;
            assert_eq!(figures["unfairness.jobs"], jobs.len() as f64);
            assert_eq!(figures["unfairness.max"], misses.iter().copied().fold(0.0, f64::max), "seed {seed}, {scenario:?}");
            let mean = misses.iter().sum::<f64>() / jobs.len() as f64;
            assert!((figures["unfairness.mean"] - mean).abs() < 1e-9, "seed {seed}, {scenario:?}");
        }
    }
}
