//! Selective backfilling (docs/policies/selective.md).

use super::conservative::Plan;
use super::draw::workload;
use super::orders::{ARRIVAL, Order, in_order};
use super::queue::{ONCE, View, play};
use super::words::{Case, Experiment, Overruns};

/// A job that has waited for `threshold` of its expansion is given a reservation; without a
/// threshold that is the mean slowdown of the jobs in `slowdowns`.
fn decide(
    view: &mut View<'_>,
    plan: &mut Plan,
    order: Order,
    threshold: Option<f64>,
    slowdowns: &mut Vec<f64>,
) {
    for job in &view.ended {
        let response = (view.now - view.jobs[*job].submit).max(10) as f64;
        slowdowns.push((response / view.jobs[*job].runtime.max(10) as f64).max(1.0));
    }
    plan.refresh(view, order);
    let mean = if slowdowns.is_empty() {
        1.0
    } else {
        slowdowns.iter().sum::<f64>() / slowdowns.len() as f64
    };
    for job in view.sorted(order) {
        let estimate = view.jobs[job].estimate as f64;
        let due = (view.now - view.jobs[job].submit) as f64 + estimate
            >= threshold.unwrap_or(mean) * estimate;
        if due && !plan.planned.contains_key(&job) {
            plan.place(view, job);
        }
    }
    plan.start_due(view, order);
    for job in view.sorted(order) {
        if !plan.planned.contains_key(&job) && view.fits(&plan.seconds(view), 0, job) {
            view.pass(job, order);
        }
    }
    plan.wake(view);
}

pub fn thresholds(seed: u64) -> Vec<Case> {
    let workload = workload(seed, Overruns::Never);
    let orders = [
        ARRIVAL,
        Order("shortest"),
        Order("expansion"),
        Order("weights"),
    ];
    let of = |threshold: Option<f64>| {
        let experiment = Experiment::new("selective");
        let experiment = match threshold {
            Some(threshold) => experiment.with("expansion_threshold", threshold),
            None => experiment.with("threshold_rule", "adaptive"),
        };
        orders.map(|order| {
            let experiment = in_order(experiment.clone(), order);
            Case::plays(experiment, &workload, move |workload| {
                let (mut plan, mut slowdowns) = (Plan::default(), Vec::new());
                play(workload, ONCE, |view| {
                    decide(view, &mut plan, order, threshold, &mut slowdowns);
                })
            })
        })
    };
    [Some(1.0), Some(1.5), Some(3.0), None]
        .into_iter()
        .flat_map(of)
        .collect()
}
