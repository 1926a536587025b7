//! A run is the same in slices of any size, and a fork has the same future as its original.

use super::support::{Overruns, random_workload, scenarios, schedule, simulation};
use schedscope::schedule::Recorder;
use std::sync::Arc;

#[test]
fn slices_never_show() {
    for seed in 0..100 {
        for scenario in scenarios() {
            let workload = random_workload(&scenario, seed, Overruns::Sometimes);
            let whole = schedule(&scenario, &workload).digest();
            for budget in [1, 2, 7] {
                let mut recorder = Recorder::new(Arc::clone(&workload));
                let mut simulation = simulation(&scenario, &workload);
                while !simulation.advance(budget, &mut recorder).done {}
                assert_eq!(
                    recorder.schedule().digest(),
                    whole,
                    "seed {seed}, slices of {budget}, {scenario:?}"
                );
            }
        }
    }
}

#[test]
fn a_fork_at_mid_run_has_the_same_future_and_leaves_the_original_alone() {
    for seed in 0..100 {
        for scenario in scenarios() {
            let workload = random_workload(&scenario, seed, Overruns::Sometimes);
            let whole = schedule(&scenario, &workload).digest();
            let mut recorder = Recorder::new(Arc::clone(&workload));
            let mut original = simulation(&scenario, &workload);
            original.advance(workload.len() as u64, &mut recorder);
            let (mut fork, mut fork_recorder) = (original.fork(), recorder.clone());
            fork.run(&mut fork_recorder);
            assert_eq!(
                fork_recorder.schedule().digest(),
                whole,
                "fork, seed {seed}, {scenario:?}"
            );
            original.run(&mut recorder);
            assert_eq!(
                recorder.schedule().digest(),
                whole,
                "original, seed {seed}, {scenario:?}"
            );
        }
    }
}
