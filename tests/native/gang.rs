//! Tests of gang scheduling: an example that can be calculated in the head, a machine with one row
//! equals a flat machine, and rules for every run.

use super::support::{Job, Overruns, random_jobs, run, schedule, simulation, workload};
use schedscope::experiment::Scenario;
use schedscope::explain::StoryTeller;
use schedscope::job::JobId;
use schedscope::policy;
use schedscope::schedule::Recorder;
use schedscope::sim::{Event, Observer};
use schedscope::time::Time;
use schedscope::workload::model::generate;
use std::sync::Arc;

#[test]
fn two_jobs_in_two_rows_end_one_quantum_apart() {
    let job = Job {
        submit: 0,
        runtime: 10,
        estimate: 10,
        processors: 4,
        user: 1,
    };
    let gang = Scenario {
        machine: "gang".into(),
        ..Scenario::new("fcfs")
    }
    .with("slots", 2.0)
    .with("quantum", 1.0);
    let done = schedule(&gang, &workload(4, &[job, job]));
    assert_eq!(done.ends, [Time::from_seconds(19), Time::from_seconds(20)]);
    let costly = schedule(&gang.with("switch_cost", 0.5), &workload(4, &[job, job]));
    // The first slice needs no switch. Each further slice of 1 s has half a second for jobs: 1 + 18
    // x 0.5. The remaining job is alone at the end.
    assert_eq!(
        costly
            .ends
            .iter()
            .map(|end| end.microseconds())
            .collect::<Vec<_>>(),
        [37_000_000, 38_500_000]
    );
}

#[test]
fn one_slot_is_batch() {
    for spec in policy::ALL
        .iter()
        .filter(|spec| spec.runs_on(schedscope::machines::find("gang").unwrap().offer))
    {
        for seed in 0..200 {
            let (processors, jobs) = random_jobs(
                seed,
                if seed % 2 == 0 {
                    Overruns::Never
                } else {
                    Overruns::Sometimes
                },
            );
            let workload = workload(processors, &jobs);
            let gang = Scenario {
                machine: "gang".into(),
                ..Scenario::new(spec.id)
            }
            .with("slots", 1.0)
            .with("quantum", 3.0);
            let gang = if spec.id == "pbas" || spec.id == "wbas" {
                gang.with("candidates", "fcfs+easy")
            } else {
                gang
            };
            let mut flat = Scenario {
                machine: "flat".into(),
                ..gang.clone()
            };
            ["slots", "quantum"]
                .iter()
                .for_each(|key| drop(flat.settings.0.remove(*key)));
            assert_eq!(
                schedule(&gang, &workload).digest(),
                schedule(&flat, &workload).digest(),
                "{}, seed {seed}",
                spec.id
            );
        }
    }
}

#[test]
fn watching_changes_nothing_and_look_ahead_keeps_the_reservation() {
    for seed in 0..300 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let workload = workload(processors, &jobs);
        for policy in ["lookahead", "easy", "priority", "fcfs"] {
            let gang = Scenario {
                machine: "gang".into(),
                ..Scenario::new(policy)
            }
            .with("slots", 3.0)
            .with("quantum", 2.0);
            let plain = schedule(&gang, &workload);
            let mut watched = (
                Recorder::new(Arc::clone(&workload)).in_slots(3, false),
                StoryTeller::new(Arc::clone(&workload)),
            );
            simulation(&gang, &workload).run(&mut watched);
            assert_eq!(plain.digest(), watched.0.schedule().digest());
        }
    }
}

#[test]
fn more_slots_wait_less_and_years_of_rotations_are_no_work() {
    let settings = schedscope::param::Settings::default()
        .with("jobs", 3000.0)
        .with("seed", 4.0);
    let trace = Arc::new(generate("lublin", &settings).unwrap());
    let wait = |slots: f64| {
        let gang = Scenario {
            machine: "gang".into(),
            ..Scenario::new("easy")
        }
        .with("slots", slots)
        .with("quantum", 0.001);
        run(&gang.with("load", 0.8), &trace).measures().figures["wait.mean"]
    };
    let waits = [1.0, 2.0, 5.0].map(wait);
    assert!(
        waits[0] > 1.5 * waits[1] && waits[1] > waits[2],
        "{waits:?}"
    );
}

/// Checks that jobs which end at one instant are reported in the order of their starts.
#[derive(Default)]
struct Ends {
    started: Vec<JobId>,
    last: Option<(Time, usize)>,
    together: u32,
}

impl Observer for Ends {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        match *event {
            Event::Started(job, ..) => self.started.push(job),
            Event::Finished(job) => {
                let place = self.started.iter().position(|other| *other == job).unwrap();
                if let Some((_, before)) = self.last.filter(|(instant, _)| *instant == at) {
                    assert!(before < place, "{job:?} at {at:?}");
                    self.together += 1;
                }
                self.last = Some((at, place));
            }
            _ => {}
        }
    }
}

/// With alternative scheduling, jobs of several rows can end at one instant.
#[test]
fn jobs_that_end_together_are_told_in_the_order_of_their_starts() {
    let mut together = 0;
    for seed in 0..400 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let gang = Scenario {
            machine: "gang".into(),
            ..Scenario::new("priority")
        }
        .with("slots", 4.0)
        .with("quantum", 1.0)
        .with("alternate", "on")
        .with("order", "smallest");
        let mut ends = Ends::default();
        simulation(&gang, &workload(processors, &jobs)).run(&mut ends);
        together += ends.together;
    }
    assert!(together > 100, "{together} ends are too few for a test");
}
