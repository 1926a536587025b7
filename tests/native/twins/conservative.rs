//! Conservative backfilling (docs/policies/conservative.md), and reservations that last, which
//! selective backfilling has too.

use super::draw::{both, by_halves};
use super::orders::{ARRIVAL, ORDERS, Order, in_order};
use super::queue::{Asked, Beliefs, Correction, ONCE, View, play};
use super::words::{Case, Experiment, Workload};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Reservations that last: start by job.
#[derive(Clone, Default)]
pub struct Plan {
    pub planned: BTreeMap<usize, i64>,
    /// The first start that each job was ever promised.
    pub promised: BTreeMap<usize, i64>,
    /// Reservations are brought forward whenever a job ends.
    eager: bool,
    seen: usize,
    stale: bool,
}

impl Plan {
    fn eager() -> Self {
        Self {
            eager: true,
            ..Self::default()
        }
    }

    pub fn seconds(&self, view: &View<'_>) -> Vec<i64> {
        let mut seconds = view.seconds();
        for (job, at) in &self.planned {
            view.take(&mut seconds, at - view.now, *job);
        }
        seconds
    }

    pub fn place(&mut self, view: &View<'_>, job: usize) {
        let at = view.now + view.earliest(&self.seconds(view), job);
        self.planned.insert(job, at);
        self.promised.entry(job).or_insert(at);
    }

    pub fn refresh(&mut self, view: &View<'_>, order: Order) {
        let ended_early = view
            .ended
            .iter()
            .any(|job| view.start[*job].unwrap() + view.jobs[*job].estimate > view.now);
        let order: Vec<usize> = view
            .sorted(order)
            .into_iter()
            .filter(|job| self.planned.contains_key(job))
            .collect();
        if view.overdue() || std::mem::take(&mut self.stale) {
            self.planned.clear();
            order.into_iter().for_each(|job| self.place(view, job));
        } else if ended_early || self.eager && !view.ended.is_empty() {
            for job in order {
                self.planned.remove(&job);
                self.place(view, job);
            }
        }
    }

    pub fn start_due(&mut self, view: &mut View<'_>, order: Order) {
        let due: Vec<usize> = self
            .planned
            .iter()
            .filter(|(_, at)| **at <= view.now)
            .map(|(job, _)| *job)
            .collect();
        for job in due {
            self.planned.remove(&job);
            self.stale |=
                view.knows_until_start() && view.jobs[job].runtime != view.jobs[job].estimate;
            view.pass(job, order);
        }
    }

    /// Behind an overdue job nothing can start before something happens, and then all is planned
    /// anew.
    pub fn wake(&mut self, view: &mut View<'_>) {
        self.stale |= view.overdue();
        let after = if view.overdue() {
            view.now + view.second
        } else {
            view.now
        };
        view.wakes = self
            .planned
            .values()
            .copied()
            .filter(|at| *at > after)
            .collect();
    }
}

pub fn decide(view: &mut View<'_>, plan: &mut Plan, order: Order) {
    plan.refresh(view, order);
    for job in view.waiting.clone() {
        if job >= plan.seen {
            plan.place(view, job);
            plan.seen = job + 1;
        }
    }
    plan.start_due(view, order);
    plan.wake(view);
}

/// All reservations are made anew at every decision, once the heads that fit have started. A head
/// that starts takes its processors for the run time that is believed after its start; any other job
/// that starts takes them for the run time believed before its start.
fn decide_anew(view: &mut View<'_>) {
    let mut seconds = view.seconds();
    let mut others = view.waiting.clone().into_iter().peekable();
    while let Some(job) = others.next_if(|job| view.size(*job) <= view.free()) {
        view.start(job);
        view.take(&mut seconds, 0, job);
    }
    for job in others {
        let at = view.earliest(&seconds, job);
        view.take(&mut seconds, at, job);
        if at == 0 && view.size(job) <= view.free() {
            view.start(job);
        }
    }
}

fn case(
    experiment: Experiment,
    workload: &Rc<Workload>,
    asked: Asked,
    mut plan: Plan,
    order: Order,
) -> Case {
    Case::plays(experiment, workload, move |workload| {
        let schedule = play(workload, asked, |view| decide(view, &mut plan, order));
        // While run times keep to estimates nobody starts after their first reservation.
        let keeps = workload.jobs.iter().all(|job| job.runtime <= job.estimate);
        if keeps && asked.beliefs == Beliefs::Requested && order == ARRIVAL {
            let starts = schedule.starts.iter().enumerate();
            assert!(
                starts
                    .clone()
                    .all(|(job, start)| *start <= plan.promised[&job])
            );
        }
        schedule
    })
}

fn conservative() -> Experiment {
    Experiment::new("conservative")
}

pub fn orders(seed: u64) -> Vec<Case> {
    let workloads = both(seed);
    let of = |order: &Order| {
        let order = *order;
        let on = |workload: &Rc<Workload>| {
            let experiment = in_order(conservative(), order);
            case(experiment, workload, ONCE, Plan::default(), order)
        };
        workloads.each_ref().map(on)
    };
    ORDERS.iter().flat_map(of).collect()
}

pub fn compression_at_every_end(seed: u64) -> Vec<Case> {
    let on = |workload: &Rc<Workload>| {
        let experiment = conservative().with("compression", "every");
        case(experiment, workload, ONCE, Plan::eager(), ARRIVAL)
    };
    both(seed).iter().map(on).collect()
}

pub fn known_run_times(seed: u64) -> Vec<Case> {
    let asked = Asked {
        beliefs: Beliefs::UntilStart,
        ..ONCE
    };
    let on = |workload: &Rc<Workload>| {
        [("early", Plan::default()), ("every", Plan::eager())].map(|(word, plan)| {
            let experiment = conservative()
                .with("estimates", "actual_until_start")
                .with("compression", word);
            case(experiment, workload, asked, plan, ARRIVAL)
        })
    };
    both(seed).iter().flat_map(on).collect()
}

pub fn reservations_made_anew(seed: u64) -> Vec<Case> {
    let words = [
        ("requested", Beliefs::Requested),
        ("actual_until_start", Beliefs::UntilStart),
        ("predicted", Beliefs::Predicted(Correction::Totals)),
    ];
    let on = |workload: &Rc<Workload>| {
        words.map(|(word, beliefs)| {
            let experiment = conservative()
                .with("compression", "anew")
                .with("estimates", word);
            let asked = Asked { beliefs, ..ONCE };
            Case::plays(experiment, workload, move |workload| {
                play(workload, asked, decide_anew)
            })
        })
    };
    both(seed).iter().flat_map(on).collect()
}

/// Jobs that end within a second of each other.
pub fn halves_of_a_second(seed: u64) -> Vec<Case> {
    let workload = by_halves(seed);
    vec![case(
        conservative(),
        &workload,
        ONCE,
        Plan::default(),
        ARRIVAL,
    )]
}
