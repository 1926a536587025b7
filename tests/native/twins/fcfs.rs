//! FCFS: nobody passes anybody (docs/policies/fcfs.md).

use super::draw::both;
use super::orders::ARRIVAL;
use super::queue::{ONCE, View, play};
use super::words::{Case, Experiment};

pub fn decide(view: &mut View<'_>) {
    view.start_heads(ARRIVAL);
}

pub fn by_default(seed: u64) -> Vec<Case> {
    both(seed)
        .iter()
        .map(|workload| {
            Case::plays(Experiment::new("fcfs"), workload, |workload| {
                play(workload, ONCE, decide)
            })
        })
        .collect()
}
