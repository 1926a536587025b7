//! Flex (docs/policies/flex.md): every candidate queue is laid out from nothing.

use super::draw::{both, workload};
use super::queue::{ONCE, View, play};
use super::words::{Case, Experiment, Job, Overruns, Workload};
use std::collections::BTreeMap;
use std::rc::Rc;

/// By the words of its parameters.
#[derive(Copy, Clone, Debug)]
pub struct Rules {
    cost: &'static str,
    measure: &'static str,
    slack: f64,
    positions: usize,
    reconsidered: usize,
}

pub const FLEX: Rules = Rules {
    cost: "processors",
    measure: "mean_wait",
    slack: 0.5,
    positions: 1_000_000,
    reconsidered: 0,
};

impl Rules {
    fn experiment(self) -> Experiment {
        Experiment::new("flex")
            .with("cost", self.cost)
            .with("slack_measure", self.measure)
            .with("slack", self.slack)
            .with("positions", self.positions as f64)
            .with("reconsidered", self.reconsidered as f64)
    }

    fn weight(self, job: &Job) -> i128 {
        match self.cost {
            "processors" => i128::from(job.processors),
            "wait" => 1,
            _ => (1 << 52) / i128::from(job.estimate.max(10) * 1_000_000),
        }
    }
}

/// A queue and where each of its jobs is planned to start.
type Plan = Vec<(usize, i64)>;

pub struct Flex {
    rules: Rules,
    plan: Plan,
    /// The latest start that each job was promised, in microseconds.
    latest: BTreeMap<usize, i64>,
    seen: usize,
    wakes: Option<i64>,
}

impl Flex {
    pub const fn new(rules: Rules) -> Self {
        Self {
            rules,
            plan: Vec::new(),
            latest: BTreeMap::new(),
            seen: 0,
            wakes: None,
        }
    }

    fn lay_out(view: &View<'_>, queue: &[usize]) -> Plan {
        let mut seconds = view.seconds();
        queue
            .iter()
            .map(|&job| {
                let at = view.earliest(&seconds, job);
                view.take(&mut seconds, at, job);
                (job, view.now + at)
            })
            .collect()
    }

    fn cost(&self, view: &View<'_>, plan: &Plan) -> i128 {
        plan.iter()
            .map(|&(job, start)| i128::from(start) * self.rules.weight(&view.jobs[job]))
            .sum()
    }

    fn is_legal(&self, plan: &Plan) -> bool {
        plan.iter().all(|(job, start)| {
            self.latest
                .get(job)
                .is_none_or(|latest| start * 1_000_000 <= *latest)
        })
    }

    /// The cheapest legal plan with `job` at each of the positions; the present one wins ties, then
    /// the last.
    fn insert(&mut self, view: &View<'_>, job: usize, present: Option<usize>) {
        let queue: Vec<usize> = self
            .plan
            .iter()
            .map(|(job, _)| *job)
            .filter(|other| *other != job)
            .collect();
        let candidates = (0..=queue.len())
            .rev()
            .filter(|at| at + self.rules.positions > queue.len() || present == Some(*at));
        let plans = candidates.map(|at| {
            let mut queue = queue.clone();
            queue.insert(at, job);
            (present != Some(at), Self::lay_out(view, &queue))
        });
        let legal = plans.filter(|(_, plan)| self.is_legal(plan));
        let (_, plan) = legal
            .min_by_key(|(is_other, plan)| (self.cost(view, plan), *is_other))
            .expect("some plan is legal");
        self.plan = plan;
    }

    fn slack(&self, view: &View<'_>, job: &Job) -> i64 {
        let waits: Vec<i64> = view
            .start
            .iter()
            .zip(view.jobs)
            .filter_map(|(start, job)| Some((*start)? - job.submit))
            .collect();
        let measure = match self.rules.measure {
            "estimate" => job.estimate * 1_000_000,
            "mean_wait" => waits.iter().sum::<i64>() * 1_000_000 / (waits.len() as i64).max(1),
            _ => 3_600_000_000,
        };
        (measure as f64 * self.rules.slack) as i64
    }

    pub fn decide(&mut self, view: &mut View<'_>) {
        let new: Vec<usize> = view
            .waiting
            .iter()
            .copied()
            .filter(|job| *job >= self.seen)
            .collect();
        let is_due = view.overdue() && self.wakes == Some(view.now);
        if !new.is_empty() || !view.ended.is_empty() || is_due {
            self.plan_again(view);
        }
        for job in new {
            self.seen = job + 1;
            self.insert(view, job, None);
            let start = self.plan.iter().find(|(other, _)| *other == job).unwrap().1;
            self.latest
                .insert(job, start * 1_000_000 + self.slack(view, &view.jobs[job]));
        }
        if !view.ended.is_empty() {
            let first: Vec<usize> = self
                .plan
                .iter()
                .take(self.rules.reconsidered)
                .map(|(job, _)| *job)
                .collect();
            for job in first {
                let present = self.plan.iter().position(|(other, _)| *other == job);
                self.insert(view, job, present);
            }
        }
        self.start_planned(view);
    }

    /// Lays out the queue in the order of planned starts; a job that comes later than promised is
    /// promised that start.
    fn plan_again(&mut self, view: &View<'_>) {
        self.plan.sort_by_key(|(_, start)| *start);
        let queue: Vec<usize> = self.plan.iter().map(|(job, _)| *job).collect();
        self.plan = Self::lay_out(view, &queue);
        for (job, start) in &self.plan {
            let latest = self.latest.get_mut(job).unwrap();
            *latest = (*latest).max(start * 1_000_000);
        }
    }

    fn start_planned(&mut self, view: &mut View<'_>) {
        let mut kept = Vec::new();
        for (job, start) in std::mem::take(&mut self.plan) {
            if start == view.now && view.size(job) <= view.free() {
                view.start(job);
            } else {
                kept.push((job, start));
            }
        }
        self.plan = kept;
        let after = view.now + i64::from(view.overdue());
        let next = self
            .plan
            .iter()
            .map(|(_, start)| *start)
            .filter(|start| *start > after)
            .min();
        if next != self.wakes {
            self.wakes = next;
            view.wakes.extend(next);
        }
    }
}

fn case(rules: Rules, workload: &Rc<Workload>, overruns: Overruns) -> Case {
    Case::plays(rules.experiment(), workload, move |workload| {
        let mut flex = Flex::new(rules);
        let mut schedule = play(workload, ONCE, |view| flex.decide(view));
        let promise = |(job, latest): (usize, i64)| format!("job {job} by {latest} us");
        let promises = flex.latest.into_iter().map(promise).collect();
        schedule.told.insert("promises", promises);
        if overruns == Overruns::Never {
            // While run times keep to estimates nobody is promised anything twice: the audit then
            // holds the run to what was promised at a job's arrival.
            let count = workload.jobs.len().to_string();
            schedule.told.insert("number of promises", vec![count]);
        }
        schedule
    })
}

pub fn by_default(seed: u64) -> Vec<Case> {
    let [never, sometimes] = both(seed);
    vec![
        case(FLEX, &never, Overruns::Never),
        case(FLEX, &sometimes, Overruns::Sometimes),
    ]
}

pub fn costs_and_slacks(seed: u64) -> Vec<Case> {
    let workload = workload(seed, Overruns::Never);
    let of = |cost: &'static str| {
        [
            ("estimate", 0.0),
            ("estimate", 2.5),
            ("mean_wait", 3.0),
            ("hours", 0.002),
            ("hours", 1.0),
        ]
        .map(|(measure, slack)| {
            let rules = Rules {
                cost,
                measure,
                slack,
                ..FLEX
            };
            case(rules, &workload, Overruns::Never)
        })
    };
    ["processors", "wait", "slowdown"]
        .into_iter()
        .flat_map(of)
        .collect()
}

fn positions(seed: u64, overruns: Overruns) -> Vec<Case> {
    let workload = workload(seed, overruns);
    let of = |(positions, reconsidered)| {
        [("mean_wait", 0.5), ("hours", 1.0)].map(|(measure, slack)| {
            let rules = Rules {
                measure,
                slack,
                positions,
                reconsidered,
                ..FLEX
            };
            case(rules, &workload, overruns)
        })
    };
    [
        (1, 0),
        (2, 0),
        (5, 0),
        (1_000_000, 1),
        (1_000_000, 3),
        (1_000_000, 1000),
        (3, 2),
    ]
    .into_iter()
    .flat_map(of)
    .collect()
}

pub fn positions_and_reconsidered_jobs(seed: u64) -> Vec<Case> {
    positions(seed, Overruns::Never)
}

pub fn reconsidered_jobs_with_overruns(seed: u64) -> Vec<Case> {
    positions(seed, Overruns::Sometimes)
}
