//! The fair start time against its definition, which is computed for each job from scratch.

use super::support::{Job, Overruns, random_jobs, schedule, small, workload, workload_for};
use schedscope::experiment::Scenario;
use schedscope::metrics::measure;
use schedscope::param::Settings;
use schedscope::schedule::Schedule;

/// Computes the fair start second by second. Jobs that run at the arrival hold their processors;
/// the waiting jobs, and then this job, start in order.
fn fair_start(schedule: &Schedule, job: usize) -> i64 {
    let workload = &schedule.workload;
    let (start, end) = (
        |j: usize| schedule.starts[j].whole_seconds(),
        |j: usize| schedule.ends[j].whole_seconds(),
    );
    let size = |j: usize| i64::from(workload.requests[j].processors);
    let now = workload.requests[job].submitted.whole_seconds();
    let mut held: Vec<(i64, i64, i64)> = (0..job)
        .filter(|&j| start(j) < now && end(j) > now)
        .map(|j| (start(j), end(j), size(j)))
        .collect();
    let mut at = now;
    for waiting in (0..=job).filter(|&j| start(j) >= now) {
        let used = |held: &[(i64, i64, i64)], at: i64| {
            held.iter()
                .filter(|(from, to, _)| *from <= at && at < *to)
                .map(|(_, _, n)| n)
                .sum::<i64>()
        };
        while used(&held, at) + size(waiting) > i64::from(workload.processors) {
            at += 1;
        }
        held.push((
            at,
            at + workload.programs[waiting].runtime.whole_seconds(),
            size(waiting),
        ));
    }
    at
}

#[test]
fn misses_are_those_of_the_definition() {
    for seed in 0..300 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        // A job with a run time of 0 both takes and frees processors at one instant. The definition
        // leaves their order open.
        let jobs: Vec<_> = jobs.into_iter().filter(|job| job.runtime > 0).collect();
        if jobs.is_empty() {
            continue;
        }
        // On a torus, the head of the queue is late if enough nodes are free but they contain no
        // box of its size.
        let torus = small(Scenario {
            machine: "torus".into(),
            ..Scenario::new("fcfs")
        })
        .with("start_delay", 0.0);
        let greedy = Scenario::new("easy")
            .with("depth", 0.0)
            .with("scan", "shortest");
        for scenario in [Scenario::new("fcfs"), Scenario::new("easy"), greedy, torus] {
            let schedule = schedule(&scenario, &workload_for(&scenario, processors, &jobs));
            let misses: Vec<f64> = (0..jobs.len())
                .map(|job| {
                    (schedule.starts[job].whole_seconds() - fair_start(&schedule, job)).max(0)
                        as f64
                })
                .collect();
            let figures = measure(&schedule, &Settings::default()).figures;
            assert_eq!(figures["unfairness.jobs"], jobs.len() as f64);
            assert_eq!(
                figures["unfairness.max"],
                misses.iter().copied().fold(0.0, f64::max),
                "seed {seed}, {scenario:?}"
            );
            let mean = misses.iter().sum::<f64>() / jobs.len() as f64;
            assert!(
                (figures["unfairness.mean"] - mean).abs() < 1e-9,
                "seed {seed}, {scenario:?}"
            );
        }
    }
}

/// Computes the fair start by the definition again, job by job. The next job of the queue starts
/// when enough of the jobs before it have ended.
fn fair_start_by_ends(schedule: &Schedule, job: usize) -> f64 {
    let workload = &schedule.workload;
    let (start, end) = (
        |j: usize| schedule.starts[j].seconds(),
        |j: usize| schedule.ends[j].seconds(),
    );
    let mut at = workload.requests[job].submitted.seconds();
    let (runs, waits): (Vec<usize>, Vec<usize>) = (0..=job)
        .filter(|&j| end(j) > at)
        .partition(|&j| start(j) < at);
    let mut held: Vec<(f64, u32)> = runs
        .iter()
        .map(|&j| (end(j), workload.requests[j].processors))
        .collect();
    for waiting in waits {
        let size = workload.requests[waiting].processors;
        loop {
            let free = workload.processors - held.iter().map(|(_, n)| n).sum::<u32>();
            if free >= size {
                break;
            }
            let first = held
                .iter()
                .map(|(end, _)| *end)
                .fold(f64::INFINITY, f64::min);
            held.retain(|(end, _)| *end > first);
            at = at.max(first);
        }
        held.push((at + workload.programs[waiting].runtime.seconds(), size));
    }
    at
}

/// If thousands of jobs wait, only every second or fewer jobs are examined. All jobs are placed
/// nevertheless.
#[test]
fn samples_are_every_so_many_th_job() {
    let job = |index: i64| Job {
        submit: index / 8,
        runtime: 5 + index * 7 % 90,
        estimate: 100,
        processors: 1 + (index * 5 % 8) as u32,
        user: 0,
    };
    let jobs: Vec<Job> = (0..3600).map(job).collect();
    for scenario in [
        Scenario::new("easy"),
        Scenario::new("priority")
            .with("order", "shortest")
            .with("starvation", "none"),
    ] {
        let schedule = schedule(&scenario, &workload(8, &jobs));
        let figures = measure(&schedule, &Settings::default()).figures;
        let every = (jobs.len() as f64 / figures["unfairness.jobs"]).round() as usize;
        assert!(every > 1, "all jobs are examined");
        let examined: Vec<usize> = (0..jobs.len()).step_by(every).collect();
        assert_eq!(figures["unfairness.jobs"], examined.len() as f64);
        let misses: Vec<f64> = examined
            .iter()
            .map(|&job| {
                (schedule.starts[job].seconds() - fair_start_by_ends(&schedule, job)).max(0.0)
            })
            .collect();
        let mean = misses.iter().sum::<f64>() / misses.len() as f64;
        assert!(
            (figures["unfairness.mean"] - mean).abs() < 1e-9 * mean.max(1.0),
            "{} is not {mean}, {scenario:?}",
            figures["unfairness.mean"]
        );
        assert_eq!(
            figures["unfairness.max"],
            misses.iter().copied().fold(0.0, f64::max)
        );
        let share = misses.iter().filter(|miss| **miss > 0.0).count() as f64 / misses.len() as f64;
        assert_eq!(figures["unfairness.share"], share);
    }
}

/// The number of placements for a job is the number of jobs that have arrived by then and not
/// ended, the job included. All jobs are examined if these numbers add up to at most 2,500,000, or
/// to at most 60 for each job if that is more.
#[test]
fn all_are_examined_up_to_a_limit() {
    let examined = |jobs: &[Job]| {
        measure(
            &schedule(&Scenario::new("fcfs"), &workload(1, jobs)),
            &Settings::default(),
        )
        .figures["unfairness.jobs"]
    };
    let job = |submit: i64| Job {
        submit,
        runtime: 1,
        estimate: 1,
        processors: 1,
        user: 0,
    };
    // All jobs arrive at one instant: 1 + 2 + ... + 2,235 = 2,498,730, and one more job makes it
    // 2,500,966.
    let at_once = |count: usize| examined(&vec![job(0); count]);
    assert_eq!((at_once(2235), at_once(2236)), (2235.0, 1118.0));
    // Jobs arrive at 460 instants, 108 at each, with 5,886 placements: 2,707,560 in all. The limit
    // is 60 x 49,680 = 2,980,800.
    let groups: Vec<Job> = (0..49_680).map(|index| job(index / 108 * 1000)).collect();
    assert_eq!(examined(&groups), 49_680.0);
    // Twice as many jobs at an instant, and half as many jobs: the limit is 2,500,000.
    let groups: Vec<Job> = (0..24_840).map(|index| job(index / 216 * 1000)).collect();
    assert_eq!(examined(&groups), 12_420.0);
}
