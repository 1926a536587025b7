//! Flex against its naive twin, which lays out every candidate queue from nothing, a second an
//! entry; and its promises.

use super::plain::{self, View};
use super::support::{Job, Overruns, random_jobs, schedule, starts, workload};
use schedscope::experiment::Scenario;
use std::collections::BTreeMap;

/// By the words of its parameters.
#[derive(Copy, Clone, Debug)]
pub struct Rules {
    cost: &'static str,
    measure: &'static str,
    slack: f64,
    positions: usize,
    reconsidered: usize,
}

pub const RULES: Rules = Rules {
    cost: "processors",
    measure: "mean_wait",
    slack: 0.5,
    positions: 1_000_000,
    reconsidered: 0,
};

impl Rules {
    fn scenario(self) -> Scenario {
        Scenario::new("flex")
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

pub struct Twin {
    rules: Rules,
    plan: Plan,
    /// In microseconds.
    latest: BTreeMap<usize, i64>,
    seen: usize,
    wakes: Option<i64>,
}

impl Twin {
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
        if !new.is_empty()
            || !view.ended.is_empty()
            || (view.overdue() && self.wakes == Some(view.now))
        {
            self.plan.sort_by_key(|(_, start)| *start);
            let queue: Vec<usize> = self.plan.iter().map(|(job, _)| *job).collect();
            self.plan = Self::lay_out(view, &queue);
            for (job, start) in &self.plan {
                let latest = self.latest.get_mut(job).unwrap();
                *latest = (*latest).max(start * 1_000_000);
            }
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
        let mut kept = Vec::new();
        for (job, start) in std::mem::take(&mut self.plan) {
            if start == view.now && view.size(job) <= view.free() {
                view.start(job);
            } else {
                kept.push((job, start));
            }
        }
        self.plan = kept;
        let after = if view.overdue() {
            view.now + 1
        } else {
            view.now
        };
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

/// Both on the same random workloads. Where run times keep to estimates, nobody is promised
/// anything twice: the audit has then held the run to what was promised at a job's arrival.
fn agree(rules: Rules, overruns: Overruns, workloads: u64) {
    for seed in 0..workloads {
        let (processors, jobs) = random_jobs(seed, overruns);
        let ours = schedule(&rules.scenario(), &workload(processors, &jobs));
        let mut twin = Twin::new(rules);
        let naive = plain::starts(processors, &jobs, |view| twin.decide(view));
        assert_eq!(
            starts(&ours),
            naive,
            "seed {seed}, {overruns:?}, {processors} processors, {rules:?}\n{jobs:#?}"
        );
        let promises: BTreeMap<_, _> = ours
            .promises
            .iter()
            .map(|promise| (promise.job.index(), promise.latest.microseconds()))
            .collect();
        assert_eq!(promises, twin.latest, "seed {seed}, {rules:?}");
        if overruns == Overruns::Never {
            assert_eq!(
                ours.promises.len(),
                jobs.len(),
                "seed {seed}, {rules:?}: a promise was changed"
            );
        }
    }
}

#[test]
fn by_default() {
    agree(RULES, Overruns::Never, 400);
    agree(RULES, Overruns::Sometimes, 400);
}

#[test]
fn with_every_cost_and_slack() {
    for cost in ["processors", "wait", "slowdown"] {
        for (measure, slack) in [
            ("estimate", 0.0),
            ("estimate", 2.5),
            ("mean_wait", 3.0),
            ("hours", 0.002),
            ("hours", 1.0),
        ] {
            agree(
                Rules {
                    cost,
                    measure,
                    slack,
                    ..RULES
                },
                Overruns::Never,
                150,
            );
        }
    }
}

#[test]
fn with_few_positions_and_with_reconsidered_jobs() {
    for (positions, reconsidered) in [
        (1, 0),
        (2, 0),
        (5, 0),
        (1_000_000, 1),
        (1_000_000, 3),
        (1_000_000, 1000),
        (3, 2),
    ] {
        for (measure, slack) in [("mean_wait", 0.5), ("hours", 1.0)] {
            let rules = Rules {
                measure,
                slack,
                positions,
                reconsidered,
                ..RULES
            };
            agree(rules, Overruns::Never, 150);
            agree(rules, Overruns::Sometimes, 50);
        }
    }
}
