//! Figures that were calculated by hand for a handful of jobs, where a twin could share the
//! mistake.

use super::support::{Job, job, schedule, workload};
use schedscope::experiment::Scenario;
use schedscope::metrics::{measure, per_job};
use schedscope::param::Settings;
use schedscope::schedule::Schedule;

fn fcfs(processors: u32, jobs: &[Job]) -> Schedule {
    schedule(&Scenario::new("fcfs"), &workload(processors, jobs))
}

/// Shares of ten jobs that are 1.1, 1.6 and 2.5 jobs are rounded to the nearest number of jobs,
/// halves up, at both ends.
#[test]
fn warm_up_and_cool_down_are_rounded_to_whole_jobs() {
    let schedule = fcfs(1, &[job(0, 1, 1); 10]);
    for (warm_up, cool_down, first, end) in [
        (0.0, 0.0, 0, 10),
        (0.0, 0.11, 0, 9),
        (0.0, 0.16, 0, 8),
        (0.0, 0.25, 0, 7),
        (0.11, 0.0, 1, 10),
        (0.16, 0.0, 2, 10),
        (0.25, 0.0, 3, 10),
        (0.25, 0.16, 3, 8),
        (0.0, 0.04, 0, 10),
        (0.9, 0.9, 9, 9),
    ] {
        let settings = Settings::default()
            .with("warm_up", warm_up)
            .with("cool_down", cool_down);
        let counted: Vec<u32> = per_job(&schedule, &settings)
            .iter()
            .map(|sample| sample.job.0)
            .collect();
        assert_eq!(
            counted,
            (first..end).collect::<Vec<_>>(),
            "warm-up {warm_up}, cool-down {cool_down}"
        );
        assert_eq!(
            measure(&schedule, &settings).figures["jobs.value"],
            f64::from(end - first)
        );
    }
}

/// The queue counts at the end of an instant. A job that starts at its arrival never waited. If one
/// job starts while another arrives, the queue stays as long as before.
#[test]
fn the_longest_queue_is_the_longest_that_lasted() {
    let figures = |jobs: &[Job]| measure(&fcfs(1, jobs), &Settings::default()).figures;
    let busy = figures(&[
        job(0, 10, 1),
        job(5, 10, 1),
        job(5, 10, 1),
        job(5, 10, 1),
        job(10, 10, 1),
    ]);
    assert_eq!(busy["queue.max"], 3.0);
    // The queue has 3 jobs for 5 s, 3 for 10 s, and 2, 1 and 0 for 10 s each, over 50 s.
    assert_eq!(busy["queue.mean"], 75.0 / 50.0);
    let idle = figures(&[job(0, 10, 1), job(10, 10, 1), job(20, 10, 1)]);
    assert_eq!((idle["queue.max"], idle["queue.mean"]), (0.0, 0.0));
    // The longest queue can be at the very beginning, or just before the last jobs start.
    assert_eq!(figures(&[job(0, 10, 1); 4])["queue.max"], 3.0);
    assert_eq!(
        figures(&[job(0, 100, 1), job(99, 1, 1), job(99, 1, 1)])["queue.max"],
        2.0
    );
}

/// Three of four processors are busy for 10 s. A job that needs all four waits from 2 s on and runs
/// for 5 s. A job that needs one waits behind it.
#[test]
fn free_processors_are_unused_only_as_far_as_nobody_waits_for_them() {
    let figures = measure(
        &fcfs(4, &[job(0, 10, 3), job(2, 5, 4), job(4, 5, 1)]),
        &Settings::default(),
    )
    .figures;
    // 17 of the 4 x 20 processor-seconds are unused: one processor for 2 s, and three for the last
    // 5 s.
    assert_eq!(figures["unused.value"], 17.0 / 80.0);
    assert_eq!(figures["utilisation.value"], 55.0 / 80.0);
    // One processor is lost from 2 to 10 s.
    assert!((figures["lost.value"] - 8.0 / 80.0).abs() < 1e-12);
}
