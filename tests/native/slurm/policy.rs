//! The policy against a controller that a plain loop drives: submissions, ends and passes reach the
//! controller at the same times, with every pass run in full.

use super::super::support::{Overruns, random_jobs, schedule, workload_for};
use schedscope::experiment::Scenario;
use schedscope::import::{BadLines, read};
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

/// Returns the problem of a run on a cluster, if it has one.
fn problem_of(cluster: &str, conf: &str) -> Option<String> {
    let scenario = Scenario {
        machine: "nodes".into(),
        ..Scenario::new("slurm")
            .with("cluster", cluster)
            .with("conf", conf)
    };
    let log = "; MaxProcs: 8\n1 0 -1 100 4 -1 -1 4 9000000000 -1 1 1 1 1 1 1 -1 -1\n\
        2 1 -1 100 6 -1 -1 6 200 -1 1 1 1 1 1 1 -1 -1\n";
    let trace = std::sync::Arc::new(read("log", log.as_bytes(), BadLines::Stop).unwrap());
    let run = match scenario.resolve() {
        Ok(resolved) => resolved.run(trace),
        Err(problem) => return Some(problem.what),
    };
    let mut run = run.unwrap_or_else(|problem| panic!("{problem}"));
    while !run.advance(1000).done {}
    run.check_complete().err().map(|problem| problem.what)
}

#[test]
fn texts_that_slurm_and_the_machine_read_alike_run_and_others_are_told() {
    let two = "NodeName=a CPUs=4\nNodeName=b CPUs=4";
    assert_eq!(problem_of(two, ""), None);
    // A continuation in a comment is none.
    let commented = "NodeName=a CPUs=4\n# old \\\nNodeName=b CPUs=4";
    assert_eq!(problem_of(commented, ""), None);
    let joined = "NodeName=a \\\n CPUs=4; NodeName=b CPUs=4 # the last one";
    assert_eq!(problem_of(joined, "# bf_interval=3; nothing"), None);
    // Steps of a window over a limit of 285 years are not taken one by one.
    let steps = "SchedulerParameters=bf_window_linear=1,bf_interval=10";
    assert_eq!(problem_of(two, steps), None);
    let whole = problem_of(two, "SelectType=select/linear").unwrap();
    assert!(whole.contains("gives whole nodes"), "{whole}");
    let kept = problem_of("NodeName=a[1-2] CPUs=4 CoreSpecCount=1", "").unwrap();
    assert!(kept.contains("differently"), "{kept}");
    let number = problem_of(two, "SchedulerParameters=bf_interval=soon").unwrap();
    assert!(number.contains("bf_interval"), "{number}");
}
