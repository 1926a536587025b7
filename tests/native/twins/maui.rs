//! Maui (docs/policies/maui.md), by the words of its parameters.

use super::draw::{both, by_halves, workload};
use super::easy::{EASY, Easy};
use super::orders::{ARRIVAL, Order, in_order};
use super::queue::{Asked, Beliefs, ONCE, View, best_subset, play};
use super::words::{Case, Experiment, Overruns, Workload};
use std::rc::Rc;

#[derive(Copy, Clone, Debug)]
struct Rules {
    order: Order,
    depth: usize,
    backfill: &'static str,
    metric: &'static str,
    widest: bool,
}

const FIRST_FIT: Rules = Rules {
    order: ARRIVAL,
    depth: 1,
    backfill: "firstfit",
    metric: "procs",
    widest: false,
};

fn decide(view: &mut View<'_>, rules: Rules) {
    if view.start_heads(rules.order).is_none() {
        return;
    }
    let mut seconds = view.seconds();
    let mut rest = Vec::new();
    let mut held = 0;
    for job in view.sorted(rules.order) {
        if held == rules.depth {
            rest.push(job);
        } else if rules.backfill != "none" && view.fits(&seconds, 0, job) {
            view.take(&mut seconds, 0, job);
            view.pass(job, rules.order);
        } else {
            let at = view.earliest(&seconds, job);
            view.take(&mut seconds, at, job);
            held += 1;
        }
    }
    if rules.backfill != "none" {
        fill_windows(view, rules, seconds, &rest);
    }
}

/// Windows are so many processors for so long: the widest one first, or all of them as one.
fn fill_windows(view: &mut View<'_>, rules: Rules, mut seconds: Vec<i64>, rest: &[usize]) {
    let forever = seconds.len() as i64;
    let mut widest = seconds[0];
    loop {
        let processors = if rules.widest {
            widest.min(seconds[0])
        } else {
            i64::MAX
        };
        let length = if rules.widest {
            seconds
                .iter()
                .position(|free| *free < processors)
                .map_or(forever, |at| at as i64)
        } else {
            forever
        };
        let narrower = seconds.get(length as usize).copied();
        let mut jobs: Vec<usize> = rest
            .iter()
            .copied()
            .filter(|job| view.start[*job].is_none() && view.size(*job) <= processors)
            .collect();
        jobs.retain(|job| view.length(*job) <= length && view.fits(&seconds, 0, *job));
        if rules.backfill == "greedy" {
            jobs = best_subset(&jobs, |set| {
                let used: i64 = set.iter().map(|job| view.size(*job)).sum();
                (used <= processors).then_some(used)
            });
        } else if rules.backfill == "bestfit" {
            jobs = best_first(view, rules, jobs);
        }
        for job in jobs {
            if view.fits(&seconds, 0, job) {
                view.take(&mut seconds, 0, job);
                view.pass(job, rules.order);
            }
        }
        match narrower {
            Some(narrower) if rules.widest && narrower > 0 && seconds[0] > 0 => widest = narrower,
            _ => return,
        }
    }
}

/// The best job again and again.
fn best_first(view: &View<'_>, rules: Rules, mut left: Vec<usize>) -> Vec<usize> {
    let worth = |job: usize| match rules.metric {
        "procs" => view.size(job),
        "procseconds" => view.size(job) * view.jobs[job].estimate,
        _ => view.jobs[job].estimate,
    };
    let mut jobs = Vec::new();
    let better = |best: usize, job: usize| if worth(job) > worth(best) { job } else { best };
    while let Some(best) = left.iter().copied().reduce(better) {
        jobs.push(best);
        left.retain(|job| *job != best);
    }
    jobs
}

fn case(experiment: Experiment, workload: &Rc<Workload>, asked: Asked, rules: Rules) -> Case {
    Case::plays(experiment, workload, move |workload| {
        play(workload, asked, |view| decide(view, rules))
    })
}

fn maui() -> Experiment {
    Experiment::new("maui")
}

pub fn backfill_policies(seed: u64) -> Vec<Case> {
    let workload = workload(seed, Overruns::Never);
    let mut all = Vec::new();
    for order in [Order("weights"), ARRIVAL, Order("shortest"), Order("wfp3")] {
        for depth in [0, 1, 2, 4] {
            for (backfill, metric, widest) in [
                ("none", "procs", false),
                ("firstfit", "procs", false),
                ("firstfit", "procs", true),
                ("bestfit", "procs", false),
                ("bestfit", "procseconds", true),
                ("bestfit", "seconds", false),
                ("greedy", "procs", true),
            ] {
                let experiment = in_order(maui(), order)
                    .with("reservation_depth", depth as f64)
                    .with("backfill", backfill)
                    .with("backfill_metric", metric)
                    .with("windows", if widest { "widest" } else { "together" });
                let rules = Rules {
                    order,
                    depth,
                    backfill,
                    metric,
                    widest,
                };
                all.push(case(experiment, &workload, ONCE, rules));
            }
        }
    }
    all
}

/// By default Maui is EASY.
pub fn by_default(seed: u64) -> Vec<Case> {
    let workload = workload(seed, Overruns::Never);
    vec![Case::plays(maui(), &workload, |workload| {
        let mut easy = Easy::default();
        play(workload, ONCE, |view| easy.decide(view, EASY))
    })]
}

fn first_fit(workload: &Rc<Workload>, asked: Asked, estimates: &'static str) -> [Case; 2] {
    [1, 3].map(|depth| {
        let experiment = maui()
            .with("reservation_depth", depth as f64)
            .with("estimates", estimates);
        case(experiment, workload, asked, Rules { depth, ..FIRST_FIT })
    })
}

pub fn known_run_times(seed: u64) -> Vec<Case> {
    let asked = Asked {
        beliefs: Beliefs::UntilStart,
        ..ONCE
    };
    both(seed)
        .iter()
        .flat_map(|workload| first_fit(workload, asked, "actual_until_start"))
        .collect()
}

/// Jobs that end within a second of each other.
pub fn halves_of_a_second(seed: u64) -> Vec<Case> {
    first_fit(&by_halves(seed), ONCE, "requested").into()
}
