//! Priority queues with limits against starvation (docs/policies/priority.md).

use super::draw::workload;
use super::orders::{ORDERS, Order, in_order};
use super::queue::{ONCE, View, play};
use super::words::{Case, Experiment, Overruns};

/// The rule that keeps jobs from starving.
#[derive(Copy, Clone, Debug)]
pub enum Limit {
    None,
    /// No job may pass a job that has waited for this many seconds or longer.
    Wait(i64),
    Passes(u32),
}

pub fn decide(view: &mut View<'_>, order: Order, limit: Limit) {
    if let Limit::Wait(limit) = limit {
        for job in view.waiting.clone() {
            if view.now - view.jobs[job].submit < limit {
                break;
            }
            if view.size(job) > view.free() {
                return;
            }
            view.pass(job, order);
        }
    }
    let mut ahead: Vec<usize> = Vec::new();
    for job in view.sorted(order) {
        if let Limit::Passes(limit) = limit
            && ahead.iter().any(|other| view.passes[*other] >= limit)
        {
            return;
        }
        if view.size(job) <= view.free() {
            view.pass(job, order);
        } else {
            ahead.push(job);
        }
    }
}

pub fn orders_and_limits(seed: u64) -> Vec<Case> {
    let workload = workload(seed, Overruns::Sometimes);
    let of = |order: &Order| {
        let order = *order;
        let ordered = || in_order(Experiment::new("priority"), order);
        let waiting = |seconds: i64| {
            let hours = seconds as f64 / 3600.0;
            (ordered().with("wait_limit", hours), Limit::Wait(seconds))
        };
        let passing = |passes: u32| {
            let experiment = ordered()
                .with("starvation", "passes")
                .with("pass_limit", f64::from(passes));
            (experiment, Limit::Passes(passes))
        };
        [
            (ordered().with("starvation", "none"), Limit::None),
            waiting(9),
            waiting(36),
            passing(0),
            passing(3),
        ]
        .map(|(experiment, limit)| {
            Case::plays(experiment, &workload, move |workload| {
                play(workload, ONCE, |view| decide(view, order, limit))
            })
        })
    };
    ORDERS.iter().flat_map(of).collect()
}
