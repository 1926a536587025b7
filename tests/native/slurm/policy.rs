//! The policy against a controller that a plain loop drives: submissions, ends and passes reach the
//! controller at the same times, with every pass run in full.

use super::super::support::{Overruns, random_jobs, schedule, workload_for};
use schedscope::experiment::Scenario;
use schedscope::slurm::{AskedJob, ClockFigures, Controller, JobState, SlurmClock, SlurmConf};
use schedscope::time::{Span, Time};
use schedscope::workload::Workload;
use std::collections::BTreeSet;

/// Seconds from 1970 to the zero of a log without a date, and from the controller's start to the first
/// arrival.
const ZERO: i64 = 86_400;
const LEAD: i64 = 60;

/// Lines of slurm.conf, separated by `;`.
const CONFS: [&str; 5] = [
    "",
    "SchedulerType=sched/builtin;SchedulerParameters=batch_sched_delay=1",
    "SchedulerParameters=bf_interval=3,bf_resolution=1,sched_interval=7,batch_sched_delay=0",
    "PriorityType=priority/multifactor;PriorityWeightJobSize=1000;PriorityFavorSmall=YES;\
        SchedulerParameters=bf_interval=5,bf_max_job_test=4",
    "SchedulerParameters=bf_interval=2,bf_window=2,default_queue_depth=2,sched_min_interval=2500000",
];

/// Returns the starts of all jobs, in microseconds of the log.
fn driven(workload: &Workload, processors: u32, lines: &str) -> Vec<i64> {
    let text = format!(
        "NodeName=n[1-{processors}] CPUs=1\nPartitionName=all Nodes=ALL Default=YES\n\
            SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n{}\nOverTimeLimit=UNLIMITED\n",
        lines.replace(';', "\n")
    );
    let mut controller = Controller::new(SlurmConf::read(&text).unwrap());
    controller.run_all_passes();
    let zero = Span::from_seconds(ZERO);
    let first = workload.requests[0].submitted;
    let start = first + zero - Span::from_seconds(LEAD);
    let mut clock = SlurmClock::new(&controller, start, ClockFigures::default());
    // Events by time; ends come before submissions.
    let mut events: BTreeSet<(Time, u8, usize)> = workload
        .ids()
        .map(|job| (workload.request(job).submitted + zero, 1, job.index()))
        .collect();
    let mut starts = vec![0; workload.len()];
    let mut records = vec![0; workload.len()];
    loop {
        let outside = events.first().copied();
        let next = clock.next(&controller, false);
        let next = next.filter(|next| outside.is_none_or(|(at, ..)| *next < at));
        let now = if let Some(next) = next {
            clock.work(&mut controller, next);
            next
        } else if let Some(event) = outside {
            events.remove(&event);
            let (at, kind, job) = event;
            clock.skip_to(&mut controller, at);
            let second = clock.second(at);
            if kind == 0 {
                controller.finish(records[job], second, JobState::Completed);
                clock.ended(records[job], at);
            } else {
                let request = &workload.requests[job];
                let whole = (request.estimate.microseconds() + 59_999_999) / 60_000_000;
                let asked = AskedJob {
                    number: job as u64,
                    ntasks: Some(request.processors),
                    minutes: Some(whole.max(1)),
                    user: request.user.to_string(),
                    ..AskedJob::default()
                };
                records[job] = controller.submit(&asked, second).unwrap();
            }
            at
        } else {
            return starts;
        };
        for started in controller.take_started() {
            let job = started.number as usize;
            starts[job] = (now - zero).microseconds();
            events.insert((now + workload.programs[job].runtime, 0, job));
        }
    }
}

#[test]
fn the_policy_starts_what_its_controller_starts() {
    let mut waited = 0;
    for seed in 0..60 {
        let (processors, jobs) = random_jobs(seed, Overruns::Sometimes);
        for lines in CONFS {
            let scenario = Scenario {
                machine: "nodes".into(),
                ..Scenario::new("slurm").with("conf", lines)
            };
            let workload = workload_for(&scenario, processors, &jobs);
            let ours: Vec<i64> = schedule(&scenario, &workload)
                .starts
                .iter()
                .map(|start| start.microseconds())
                .collect();
            assert_eq!(
                ours,
                driven(&workload, processors, lines),
                "seed {seed}: {lines}"
            );
            waited += ours.iter().filter(|start| *start % 1_000_000 != 0).count();
        }
    }
    assert!(waited > 1000, "{waited}");
}
