//! Rules for schedulers on the torus.

use super::boxes::random_wraps;
use super::support::{Overruns, random_jobs, schedule, simulation, workload};
use schedscope::experiment::Scenario;
use schedscope::explain::StoryTeller;
use schedscope::random::Stream;
use schedscope::schedule::Recorder;
use std::collections::BTreeMap;
use std::sync::Arc;

/// If every job has one node, geometry makes no difference.
#[test]
fn jobs_of_one_node_run_as_on_the_flat_machine() {
    for policy in ["fcfs", "easy", "priority"] {
        for seed in 0..200 {
            let (_, mut jobs) = random_jobs(seed, Overruns::Sometimes);
            jobs.iter_mut().for_each(|job| job.processors = 1);
            let workload = workload(6, &jobs);
            let torus = Scenario {
                machine: "torus".into(),
                ..Scenario::new(policy)
            };
            let torus = torus
                .with("x", 1.0)
                .with("y", 2.0)
                .with("z", 3.0)
                .with("start_delay", 0.0);
            let (flat, torus) = (
                schedule(&Scenario::new(policy), &workload),
                schedule(&torus, &workload),
            );
            assert_eq!(flat.starts, torus.starts, "{policy}, seed {seed}");
        }
    }
}

/// While run times keep to estimates, no job starts after its first reported reservation under
/// EASY, whatever arrives behind it. The jobs are small and wide, short and long, on tori and
/// meshes where geometry is tight.
#[test]
fn no_backfilled_job_delays_the_reservation() {
    let mut promises = 0;
    for seed in 0..600 {
        let mut stream = Stream::new(seed, "adversary");
        let edges: [u32; 3] =
            [[4, 4, 1], [3, 3, 3], [2, 3, 4], [7, 1, 3]][stream.below(4) as usize];
        let wraps = random_wraps(&mut stream).map(|wraps| if wraps { "torus" } else { "mesh" });
        let nodes = edges.iter().product::<u32>();
        let (_, mut jobs) = random_jobs(seed, Overruns::Never);
        for job in &mut jobs {
            // The heads need many nodes, and many smaller jobs can start before them.
            let most = if stream.below(4) == 0 { nodes } else { 3 };
            job.processors = 1 + stream.below(u64::from(most)) as u32;
        }
        let mut scenario = Scenario {
            machine: "torus".into(),
            ..Scenario::new("easy")
        }
        .with("depth", [1.0, 3.0][stream.below(2) as usize]);
        for (axis, key) in ["x", "y", "z"].into_iter().enumerate() {
            scenario = scenario
                .with(key, f64::from(edges[axis]))
                .with(&format!("wrap_{key}"), wraps[axis]);
        }
        let workload = workload(nodes, &jobs);
        let mut watched = (
            Recorder::new(Arc::clone(&workload)),
            StoryTeller::new(Arc::clone(&workload)),
        );
        simulation(&scenario, &workload).run(&mut watched);
        let schedule = watched.0.into_schedule();
        let mut first = BTreeMap::new();
        let story = watched.1.into_story();
        for outline in story.steps.iter().filter_map(|step| step.reserved.first()) {
            first
                .entry(outline.reservation.job)
                .or_insert(outline.reservation.start);
        }
        promises += first.len();
        assert!(
            first
                .iter()
                .all(|(job, promised)| schedule.first_held_from(*job) <= *promised),
            "seed {seed}, {scenario:?}"
        );
    }
    assert!(promises > 1500, "{promises}");
}
