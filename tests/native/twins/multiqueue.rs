//! Multiple queues (docs/policies/multiqueue.md).

use super::draw::workload;
use super::orders::{ARRIVAL, Order, in_order};
use super::queue::{ONCE, View, play};
use super::words::{Case, Experiment, Overruns};

/// The longest estimates of the first three queues, in seconds.
const LIMITS: [i64; 3] = [3, 8, 20];
const SHARES: [&str; 4] = [
    "queue_1_share",
    "queue_2_share",
    "queue_3_share",
    "queue_4_share",
];

fn queue_of(view: &View<'_>, job: usize) -> usize {
    LIMITS
        .iter()
        .position(|limit| view.jobs[job].estimate <= *limit)
        .unwrap_or(3)
}

/// Starts a job if it fits.
fn try_now(view: &mut View<'_>, seconds: &mut [i64], job: usize, order: Order) -> bool {
    let starts = view.fits(seconds, 0, job);
    if starts {
        view.take(seconds, 0, job);
        view.pass(job, order);
    }
    starts
}

/// `shares` are each queue's own processors; `held`, the jobs with reservations, lasts from instant
/// to instant.
fn decide(view: &mut View<'_>, order: Order, shares: [i64; 4], held: &mut Vec<usize>) {
    let mut seconds = view.seconds();
    held.retain(|job| view.start[*job].is_none());
    for job in held.clone() {
        if try_now(view, &mut seconds, job, order) {
            held.retain(|other| *other != job);
        } else {
            let at = view.earliest(&seconds, job);
            view.take(&mut seconds, at, job);
        }
    }
    let lines: [Vec<usize>; 4] = std::array::from_fn(|queue| {
        view.sorted(order)
            .into_iter()
            .filter(|job| queue_of(view, *job) == queue && !held.contains(job))
            .collect()
    });
    let holds: [bool; 4] =
        std::array::from_fn(|queue| held.iter().any(|job| queue_of(view, *job) == queue));
    let mut next = [0; 4];
    for queue in (0..4).filter(|queue| !holds[*queue]) {
        let used = |view: &View<'_>| -> i64 {
            view.running
                .iter()
                .filter(|(job, _)| queue_of(view, *job) == queue)
                .map(|(job, _)| view.size(*job))
                .sum()
        };
        while let Some(&job) = lines[queue].get(next[queue])
            && used(view) + view.size(job) <= shares[queue]
            && try_now(view, &mut seconds, job, order)
        {
            next[queue] += 1;
        }
    }
    for queue in (0..4).filter(|queue| !holds[*queue]) {
        while let Some(&job) = lines[queue].get(next[queue])
            && try_now(view, &mut seconds, job, order)
        {
            next[queue] += 1;
        }
        if let Some(&job) = lines[queue].get(next[queue]) {
            let at = view.earliest(&seconds, job);
            view.take(&mut seconds, at, job);
            held.push(job);
            next[queue] += 1;
        }
    }
    for queue in 0..4 {
        for &job in &lines[queue][next[queue]..] {
            try_now(view, &mut seconds, job, order);
        }
    }
}

/// Whole processors by parts; what is left goes to the first queues.
fn shares(parts: [i64; 4], capacity: i64) -> [i64; 4] {
    let mut shares = parts.map(|part| capacity * part / parts.iter().sum::<i64>());
    let left = capacity - shares.iter().sum::<i64>();
    (0..left).for_each(|at| shares[at as usize % 4] += 1);
    shares
}

pub fn shares_and_reservations(seed: u64) -> Vec<Case> {
    let workload = workload(seed, Overruns::Never);
    let base = || {
        Experiment::new("multiqueue")
            .with("queue_1_limit", LIMITS[0] as f64)
            .with("queue_2_limit", LIMITS[1] as f64)
            .with("queue_3_limit", LIMITS[2] as f64)
            .with("shares", "given")
    };
    let of = |order: Order| {
        [[1, 1, 1, 1], [1, 0, 2, 5]].map(|parts| {
            let experiment = SHARES
                .iter()
                .zip(parts)
                .fold(in_order(base(), order), |experiment, (key, part)| {
                    experiment.with(key, part as f64)
                });
            Case::plays(experiment, &workload, move |workload| {
                let mut held = Vec::new();
                play(workload, ONCE, |view| {
                    let shares = shares(parts, view.capacity);
                    decide(view, order, shares, &mut held);
                })
            })
        })
    };
    [Order("shortest"), ARRIVAL, Order("weights")]
        .into_iter()
        .flat_map(of)
        .collect()
}
