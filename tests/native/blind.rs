//! A policy cannot see true run times.
//!
//! By construction, a turn offers no way to them. By experiment, the tests change the run times of
//! all jobs that have not ended at some instant, so that these jobs still run beyond the instant.
//! Every start up to the instant must stay the same. The last test lets a policy see run times, and
//! shows that the experiment detects it.

use super::support::{
    Job, Overruns, random_jobs, scenarios, schedule, starts, workload, workload_for,
};
use schedscope::experiment::Scenario;
use schedscope::random::Stream;
use schedscope::schedule::{Recorder, Schedule};
use schedscope::sim::Policy;
use schedscope::sim::{Simulation, Ties, Turn};
use std::sync::Arc;

/// Returns the starts up to `instant` of a schedule of these jobs.
fn starts_until(schedule: &Schedule, instant: i64) -> Vec<i64> {
    starts(schedule)
        .into_iter()
        .map(|start| if start <= instant { start } else { i64::MAX })
        .collect()
}

/// Returns the jobs with other run times for all jobs that have not ended by `instant`.
fn other_future(jobs: &[Job], schedule: &Schedule, instant: i64, stream: &mut Stream) -> Vec<Job> {
    let change = |(index, job): (usize, &Job)| {
        let start = schedule.starts[index].whole_seconds();
        let ran = if start <= instant { instant - start } else { 0 };
        if schedule.ends[index].whole_seconds() <= instant {
            return *job;
        }
        // The new run time ends after the instant, and within the estimate.
        let least = (ran + 1).min(job.runtime);
        Job {
            runtime: least + stream.below((job.estimate - least).max(0) as u64 + 1) as i64,
            ..*job
        }
    };
    jobs.iter().enumerate().map(change).collect()
}

/// Returns true if a change of the future changes the past.
fn leaks(run: impl Fn(u32, &[Job]) -> Schedule) -> bool {
    (0..400).any(|seed| {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let mut stream = Stream::new(seed, "other futures");
        let schedule = run(processors, &jobs);
        let last = schedule.span().1.whole_seconds();
        (0..5).any(|_| {
            let instant = stream.below(last.max(1) as u64 + 1) as i64;
            let other = run(
                processors,
                &other_future(&jobs, &schedule, instant, &mut stream),
            );
            starts_until(&schedule, instant) != starts_until(&other, instant)
        })
    })
}

#[test]
fn no_policy_sees_run_times() {
    // PBAS learns of ends of jobs on the machines in its background. There a job can end earlier
    // than on the real machine. A policy can also believe the run time of a waiting job.
    let is_told = |scenario: &Scenario| {
        scenario.settings.0.get("estimates") == Some(&"actual_until_start".into())
    };
    for scenario in scenarios()
        .into_iter()
        .filter(|scenario| scenario.policy != "pbas" && !is_told(scenario))
    {
        assert!(
            !leaks(|processors, jobs| schedule(
                &scenario,
                &workload_for(&scenario, processors, jobs)
            )),
            "{scenario:?} sees run times"
        );
    }
}

/// A policy that has the run times, against the rules. It starts the job with the shortest true run
/// time first.
struct Peeking(Vec<i64>);

impl Policy for Peeking {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        let mut waiting: Vec<_> = turn.queue().iter().map(|entry| entry.job).collect();
        waiting.sort_by_key(|job| self.0[job.index()]);
        for job in waiting {
            turn.start(job);
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(Self(self.0.clone()))
    }
}

#[test]
fn a_policy_that_peeks_is_caught() {
    assert!(leaks(|processors, jobs| {
        let workload = workload(processors, jobs);
        let peeking = Peeking(jobs.iter().map(|job| job.runtime).collect());
        let flat = schedscope::machines::find("flat").unwrap();
        let machine = (flat.build)(
            &workload,
            &schedscope::param::Settings::default(),
            schedscope::machine::Placements::Recorded,
        );
        let mut recorder = Recorder::new(Arc::clone(&workload));
        Simulation::new(workload, machine, Box::new(peeking), Ties::Together).run(&mut recorder);
        recorder.into_schedule()
    }));
}
