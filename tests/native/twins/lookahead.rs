//! Look-ahead (docs/policies/lookahead.md). The twin tries every subset.

use super::draw::{both, by_halves, workload};
use super::orders::{ARRIVAL, Order, in_order};
use super::queue::{Asked, Beliefs, ONCE, View, best_subset, play};
use super::words::{Case, Experiment, Overruns, Workload};
use std::rc::Rc;

#[derive(Copy, Clone, Debug)]
pub struct Rules {
    pub order: Order,
    /// True if the head that waits holds a reservation.
    pub reserves: bool,
    /// Number of jobs behind the head that are looked at. Without a reservation, the head is one of
    /// the jobs that count.
    pub limit: usize,
}

pub const LOOKAHEAD: Rules = Rules {
    order: ARRIVAL,
    reserves: true,
    limit: 50,
};

pub fn decide(view: &mut View<'_>, rules: Rules) {
    let head = if rules.reserves {
        view.start_heads(rules.order)
    } else {
        None
    };
    let mut seconds = view.seconds();
    if let Some(head) = head {
        let at = view.earliest(&seconds, head);
        view.take(&mut seconds, at, head);
    } else if rules.reserves {
        return;
    }
    let mut jobs: Vec<usize> = view
        .sorted(rules.order)
        .into_iter()
        .filter(|job| Some(*job) != head)
        .take(rules.limit)
        .collect();
    jobs.retain(|job| view.fits(&seconds, 0, *job));
    let set = best_subset(&jobs, |set| {
        let mut left = seconds.clone();
        set.iter().for_each(|job| view.take(&mut left, 0, *job));
        left.iter()
            .all(|free| *free >= 0)
            .then(|| set.iter().map(|job| view.size(*job)).sum())
    });
    set.into_iter().for_each(|job| view.pass(job, rules.order));
}

fn case(experiment: Experiment, workload: &Rc<Workload>, asked: Asked, rules: Rules) -> Case {
    Case::plays(experiment, workload, move |workload| {
        play(workload, asked, |view| decide(view, rules))
    })
}

pub fn subsets(seed: u64) -> Vec<Case> {
    let workload = workload(seed, Overruns::Sometimes);
    let mut all = Vec::new();
    for order in [
        ARRIVAL,
        Order("shortest"),
        Order("unicef"),
        Order("weights"),
    ] {
        for (word, reserves) in [("head", true), ("none", false)] {
            for limit in [1, 3, 12] {
                let experiment = in_order(Experiment::new("lookahead"), order)
                    .with("reserve", word)
                    .with("lookahead", limit as f64);
                let rules = Rules {
                    order,
                    reserves,
                    limit,
                };
                all.push(case(experiment, &workload, ONCE, rules));
            }
        }
    }
    all
}

pub fn known_run_times(seed: u64) -> Vec<Case> {
    let asked = Asked {
        beliefs: Beliefs::UntilStart,
        ..ONCE
    };
    let on = |workload: &Rc<Workload>| {
        let experiment = Experiment::new("lookahead").with("estimates", "actual_until_start");
        case(experiment, workload, asked, LOOKAHEAD)
    };
    both(seed).iter().map(on).collect()
}

/// Jobs that end within a second of each other.
pub fn halves_of_a_second(seed: u64) -> Vec<Case> {
    let experiment = Experiment::new("lookahead");
    vec![case(experiment, &by_halves(seed), ONCE, LOOKAHEAD)]
}
