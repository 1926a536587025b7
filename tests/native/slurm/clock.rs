//! The instants of main passes: a controller that starts, and options that turn passes off.

use schedscope::slurm::{AskedJob, ClockFigures, Controller, SlurmClock, SlurmConf};
use schedscope::time::{Span, Time};

/// The start of the controllers.
const START: Time = Time::from_seconds(86_400);

fn controller(options: &str) -> Controller {
    let text = format!(
        "NodeName=n1 CPUs=4\nPartitionName=p Nodes=ALL Default=YES\nSelectType=select/cons_tres\n\
         SelectTypeParameters=CR_Core\n\
         SchedulerParameters={options}\n"
    );
    Controller::new(SlurmConf::read(&text).unwrap_or_else(|problem| panic!("{problem}")))
}

/// Submits a job at whole seconds after the start of a controller, and returns the whole seconds at which
/// the jobs start.
fn starts(options: &str, is_new: bool, submissions: &[i64]) -> Vec<i64> {
    let mut slurm = controller(options);
    let figures = ClockFigures::default();
    let mut clock = if is_new {
        SlurmClock::of_new_controller(&slurm, START, figures)
    } else {
        SlurmClock::new(&slurm, START, figures)
    };
    let mut starts = Vec::new();
    let mut submissions = submissions.iter().enumerate().peekable();
    loop {
        let submission = submissions.peek().copied();
        let outside = submission.map(|(_, second)| START + Span::from_seconds(*second));
        let next = clock.next(&slurm, outside.is_some());
        let at = match (next, outside) {
            (Some(next), outside) if outside.is_none_or(|at| next < at) => {
                clock.work(&mut slurm, next);
                next
            }
            (_, Some(at)) => {
                clock.skip_to(&mut slurm, at);
                let number = submissions.next().map_or(0, |(number, _)| number as u64);
                let job = AskedJob {
                    number,
                    ntasks: Some(1),
                    minutes: Some(1000),
                    ..AskedJob::default()
                };
                slurm.submit(&job, clock.second(at)).unwrap();
                at
            }
            _ => return starts,
        };
        let after = (at - START).microseconds().div_euclid(1_000_000);
        starts.extend(slurm.take_started().iter().map(|_| after));
    }
}

#[test]
fn a_new_controller_reads_its_options_in_its_first_main_pass() {
    // The defaults of 3 and 60 s count until the first pass.
    let options = "batch_sched_delay=8,sched_interval=600,bf_interval=300";
    assert_eq!(starts(options, true, &[1, 5]), [3, 11]);
    assert_eq!(starts(options, false, &[1, 5]), [8, 8]);
    // An interval below the delay has no effect before.
    let options = "sched_interval=1,bf_interval=300";
    assert_eq!(starts(options, true, &[1, 5]), [3, 5]);
    assert_eq!(starts(options, false, &[1, 5]), [2, 5]);
}

#[test]
fn an_interval_of_minus_one_turns_the_main_scheduler_off() {
    let options = "sched_interval=-1,bf_interval=20";
    for is_new in [false, true] {
        assert_eq!(starts(options, is_new, &[1, 5]), [21, 21], "{is_new}");
    }
    let mut slurm = controller("sched_interval=-1");
    let job = AskedJob {
        ntasks: Some(1),
        minutes: Some(1),
        ..AskedJob::default()
    };
    slurm.submit(&job, 86_400).unwrap();
    slurm.main_pass(86_410, true);
    assert!(slurm.take_started().is_empty());
    slurm.backfill_pass(86_411);
    assert_eq!(slurm.take_started().len(), 1);
}

#[test]
fn negative_options_have_their_defaults() {
    let negative = "sched_interval=-2,batch_sched_delay=-2,default_queue_depth=-2,sched_min_interval=-2,\
                    partition_job_depth=-2,sched_max_job_start=-2,bf_interval=300";
    for submissions in [[1, 5], [10, 61], [59, 60]] {
        assert_eq!(
            starts(negative, false, &submissions),
            starts("bf_interval=300", false, &submissions)
        );
    }
}
