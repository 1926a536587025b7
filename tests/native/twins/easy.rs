//! EASY with all of its options (docs/policies/easy.md). It knows neither shadow times nor extra
//! processors: a reservation is a start that is tried second by second.

use super::draw::{both, by_halves, random_jobs, workload};
use super::fcfs;
use super::orders::{ARRIVAL, ORDERS, Order, in_order};
use super::queue::{Asked, Beliefs, Correction, ONCE, Ties, View, play};
use super::words::{Case, Experiment, Job, Overruns, Workload};
use std::rc::Rc;

#[derive(Copy, Clone, Debug)]
pub struct Rules {
    pub order: Order,
    pub scan: Order,
    pub depth: usize,
    /// A blocked head is given a start once, and not tried before; everything else passes that fits.
    pub once: bool,
    /// At an arrival only new jobs are tried.
    pub only_new: bool,
    pub asked: Asked,
}

pub const EASY: Rules = Rules {
    order: ARRIVAL,
    scan: ARRIVAL,
    depth: 1,
    once: false,
    only_new: false,
    asked: ONCE,
};

const PREDICTED: Asked = believing(Beliefs::Predicted(Correction::Totals));
const UNTIL_START: Asked = believing(Beliefs::UntilStart);
const FITTING: Asked = Asked {
    fitting: true,
    ..ONCE
};

const CORRECTIONS: [(&str, Correction); 3] = [
    ("totals", Correction::Totals),
    ("added", Correction::Added),
    ("estimate", Correction::Estimate),
];

const fn believing(beliefs: Beliefs) -> Asked {
    Asked { beliefs, ..ONCE }
}

const fn asking(asked: Asked) -> Rules {
    Rules { asked, ..EASY }
}

/// EASY that keeps the head which was given its start.
#[derive(Default)]
pub struct Easy {
    blocked: Option<(usize, i64)>,
}

impl Easy {
    pub fn decide(&mut self, view: &mut View<'_>, rules: Rules) {
        let only_new = rules.only_new && view.ended.is_empty();
        let only = only_new.then(|| view.arrived.clone());
        if rules.once {
            self.decide_once(view, only.as_deref());
            view.last_resort = self.blocked.map(|(_, at)| at);
        } else {
            decide(view, rules, only.as_deref());
        }
    }

    fn decide_once(&mut self, view: &mut View<'_>, only: Option<&[usize]>) {
        let mut seconds = view.seconds();
        for job in view.waiting.clone() {
            let may_be_tried = match self.blocked {
                Some((head, at)) if head == job => at <= view.now,
                Some(_) => only.is_none_or(|only| only.contains(&job)),
                None => true,
            };
            if may_be_tried && view.size(job) <= view.free() {
                view.start(job);
                view.take(&mut seconds, 0, job);
                self.blocked = self.blocked.filter(|(head, _)| *head != job);
            } else if self.blocked.is_none() {
                let at = seconds.iter().position(|free| *free >= view.size(job));
                self.blocked = Some((job, view.now + at.expect("it fits in the end") as i64));
            }
        }
    }
}

fn decide(view: &mut View<'_>, rules: Rules, only: Option<&[usize]>) {
    let mut seconds = view.seconds();
    let is_tried = |job: usize| only.is_none_or(|only| only.contains(&job));
    let mut others = view.sorted(rules.order).into_iter().peekable();
    // Heads start while they fit, whatever else is asked.
    while let Some(job) = others.next_if(|job| view.size(*job) <= view.free()) {
        view.start(job);
        view.take(&mut seconds, 0, job);
    }
    let (mut reserved, mut rest) = (0, Vec::new());
    for job in others {
        if reserved == rules.depth {
            rest.push(job);
            continue;
        }
        let at = view.earliest(&seconds, job);
        view.take(&mut seconds, at, job);
        if at == 0 && is_tried(job) && view.size(job) <= view.free() {
            view.pass(job, rules.order);
        } else {
            reserved += 1;
        }
    }
    for job in view.sorted(rules.scan) {
        let may_pass = rest.contains(&job) && is_tried(job);
        if may_pass && view.fits(&seconds, 0, job) && view.size(job) <= view.free() {
            view.take(&mut seconds, 0, job);
            view.pass(job, rules.order);
        }
    }
}

/// EASY on a workload.
fn case(experiment: Experiment, rules: Rules, workload: &Rc<Workload>) -> Case {
    Case::plays(experiment, workload, move |workload| {
        let mut easy = Easy::default();
        play(workload, rules.asked, |view| easy.decide(view, rules))
    })
}

fn cases(
    options: impl IntoIterator<Item = (Experiment, Rules)>,
    workloads: &[Rc<Workload>],
) -> Vec<Case> {
    let on_all = |(experiment, rules): (Experiment, Rules)| {
        let on = |workload| case(experiment.clone(), rules, workload);
        workloads.iter().map(on).collect::<Vec<Case>>()
    };
    options.into_iter().flat_map(on_all).collect()
}

fn easy() -> Experiment {
    Experiment::new("easy")
}

pub fn by_default(seed: u64) -> Vec<Case> {
    cases([(easy(), EASY)], &both(seed))
}

pub fn scans(seed: u64) -> Vec<Case> {
    let [never, sometimes] = both(seed);
    let of = |scan: &Order| {
        let experiment = easy().with("scan", scan.0);
        let rules = Rules {
            scan: *scan,
            ..EASY
        };
        let deep = Rules { depth: 3, ..rules };
        [
            case(experiment.clone(), rules, &never),
            case(experiment.with("depth", 3.0), deep, &sometimes),
        ]
    };
    ORDERS[1..7].iter().flat_map(of).collect()
}

pub fn depths(seed: u64) -> Vec<Case> {
    let of = |depth: usize| {
        let experiment = easy().with("depth", depth as f64);
        (experiment, Rules { depth, ..EASY })
    };
    cases([0, 2, 3, 1000].map(of), &both(seed))
}

pub fn only_new_jobs(seed: u64) -> Vec<Case> {
    let of = |depth: usize| {
        let experiment = easy().with("rescan", "new").with("depth", depth as f64);
        let rules = Rules {
            only_new: true,
            depth,
            ..EASY
        };
        (experiment, rules)
    };
    cases([1, 2].map(of), &[workload(seed, Overruns::Never)])
}

pub fn predictions(seed: u64) -> Vec<Case> {
    let [never, sometimes] = both(seed);
    let predicted = || easy().with("estimates", "predicted");
    let deep = Rules {
        depth: 2,
        ..asking(PREDICTED)
    };
    let mut all = vec![
        case(predicted(), asking(PREDICTED), &never),
        case(predicted().with("depth", 2.0), deep, &sometimes),
    ];
    all.extend(CORRECTIONS.map(|(word, correction)| {
        let rules = Rules {
            scan: Order("shortest"),
            ..asking(believing(Beliefs::Predicted(correction)))
        };
        let experiment = predicted()
            .with("scan", "shortest")
            .with("correction", word);
        case(experiment, rules, &sometimes)
    }));
    all
}

/// Run times of minutes to hours, so that beliefs are corrected several times.
pub fn corrections_of_long_jobs(seed: u64) -> Vec<Case> {
    let (processors, jobs) = random_jobs(seed, Overruns::Never);
    // There is an entry for each second: short of a day.
    let longer = |job: Job| Job {
        runtime: job.runtime * 30,
        estimate: job.estimate * 60,
        submit: job.submit * 30,
        ..job
    };
    let jobs = jobs.into_iter().take(15).map(longer).collect();
    let of = |(word, correction)| {
        let experiment = easy()
            .with("estimates", "predicted")
            .with("correction", word);
        let beliefs = Beliefs::Predicted(correction);
        (experiment, asking(believing(beliefs)))
    };
    let workload = Rc::new(Workload::new(processors, jobs));
    cases(CORRECTIONS.map(of), &[workload])
}

pub fn fitting(seed: u64) -> Vec<Case> {
    let experiment = || easy().with("rescan", "fitting");
    let predicted = Asked {
        fitting: true,
        ..PREDICTED
    };
    let options = [
        (experiment(), asking(FITTING)),
        (
            experiment().with("estimates", "predicted"),
            asking(predicted),
        ),
    ];
    cases(options, &[workload(seed, Overruns::Never)])
}

pub fn heads_with_one_start(seed: u64) -> Vec<Case> {
    let once = || easy().with("reservation", "once");
    let rules = |asked: Asked| Rules {
        once: true,
        ..asking(asked)
    };
    let only_new = Rules {
        only_new: true,
        ..rules(ONCE)
    };
    let ends_first = Asked {
        ties: Ties::EndsFirst,
        ..ONCE
    };
    let options = [
        (once(), rules(ONCE)),
        (once().with("rescan", "new"), only_new),
        (once().with("estimates", "predicted"), rules(PREDICTED)),
        (
            once().with("ties", "per_event_ends_first"),
            rules(ends_first),
        ),
    ];
    cases(options, &both(seed))
}

pub fn known_run_times(seed: u64) -> Vec<Case> {
    let known = || easy().with("estimates", "actual_until_start");
    let rules = asking(UNTIL_START);
    let shortest = Rules {
        scan: Order("shortest"),
        ..rules
    };
    let only_new = Rules {
        only_new: true,
        ..rules
    };
    let options = [
        (known(), rules),
        (known().with("scan", "shortest"), shortest),
        (known().with("depth", 3.0), Rules { depth: 3, ..rules }),
        (known().with("rescan", "new"), only_new),
    ];
    cases(options, &both(seed))
}

/// Every event by itself, completions first.
pub fn completions_first(seed: u64) -> Vec<Case> {
    let ends_first = |asked: Asked| Asked {
        ties: Ties::EndsFirst,
        ..asked
    };
    let everybody = Rules {
        depth: 1000,
        ..EASY
    };
    let anew = || Experiment::new("conservative").with("compression", "anew");
    let known = |experiment: Experiment| experiment.with("estimates", "actual_until_start");
    let options = [
        (easy(), EASY),
        (easy().with("depth", 3.0), Rules { depth: 3, ..EASY }),
        (easy().with("rescan", "fitting"), asking(FITTING)),
        (easy().with("estimates", "predicted"), asking(PREDICTED)),
        (known(easy()), asking(UNTIL_START)),
        (anew(), everybody),
        (
            known(anew()),
            Rules {
                asked: UNTIL_START,
                ..everybody
            },
        ),
    ];
    let options = options.map(|(experiment, rules)| {
        let rules = Rules {
            asked: ends_first(rules.asked),
            ..rules
        };
        (experiment.with("ties", "per_event_ends_first"), rules)
    });
    let workloads = both(seed);
    let mut all = cases(options, &workloads);
    all.extend(workloads.iter().map(|workload| {
        let fcfs = Experiment::new("fcfs").with("ties", "per_event_ends_first");
        Case::plays(fcfs, workload, move |workload| {
            play(workload, ends_first(ONCE), fcfs::decide)
        })
    }));
    all
}

/// Every event by itself, arrivals first.
pub fn arrivals_first(seed: u64) -> Vec<Case> {
    // Jobs of no length have no place in that order.
    let (processors, mut jobs) = random_jobs(seed, Overruns::Never);
    jobs.retain(|job| job.runtime > 0);
    if jobs.is_empty() {
        return Vec::new();
    }
    let workload = Rc::new(Workload::new(processors, jobs));
    let per_event = |asked: Asked| Asked {
        ties: Ties::PerEvent,
        ..asked
    };
    let predicted = || easy().with("estimates", "predicted");
    let predicted_fitting = Asked {
        fitting: true,
        ..PREDICTED
    };
    let options = [
        (easy(), ONCE),
        (easy().with("rescan", "fitting"), FITTING),
        (predicted(), PREDICTED),
        (predicted().with("rescan", "fitting"), predicted_fitting),
    ];
    let options = options.map(|(experiment, asked)| {
        let experiment = experiment.with("ties", "per_event");
        (experiment, asking(per_event(asked)))
    });
    let mut all = cases(options, &[Rc::clone(&workload)]);
    let fcfs = Experiment::new("fcfs").with("ties", "per_event");
    all.push(Case::plays(fcfs, &workload, move |workload| {
        play(workload, per_event(ONCE), fcfs::decide)
    }));
    all
}

pub fn orders(seed: u64) -> Vec<Case> {
    let [never, sometimes] = both(seed);
    let arrival = || in_order(easy(), ARRIVAL);
    let of = |order: &Order| {
        let (order, scan) = (*order, *order);
        let by = |scan: Order| Rules {
            order,
            scan,
            ..EASY
        };
        let scanned = Rules { scan, ..EASY };
        let shortest = in_order(easy(), order).with("scan", "shortest");
        [
            case(in_order(easy(), order), by(order), &never),
            case(shortest, by(Order("shortest")), &sometimes),
            case(arrival().with("scan", scan.0), scanned, &never),
        ]
    };
    ORDERS.iter().flat_map(of).collect()
}

/// Jobs that end within a second of each other.
pub fn halves_of_a_second(seed: u64) -> Vec<Case> {
    cases([(easy(), EASY)], &[by_halves(seed)])
}
