//! Ranks of waiting jobs, and the formulas that give them.

use super::parameters::{
    AGING, MEDIUM, Order, SCAN, SHORT, Scan, WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE,
    WEIGHT_WAIT,
};
use super::walk::InOrder;
use crate::job::JobId;
use crate::machine::{NodeChoice, Placement};
use crate::param::{Settings, Typed};
use crate::sim::{Later, Turn, Waiting};
use crate::time::Span;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The rank of a job; the least comes first. Orders by whole numbers use the whole number, so that
/// rounding causes no ties.
#[derive(Copy, Clone, Debug)]
pub struct Rank(i128, f64);

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0).then(self.1.total_cmp(&other.1))
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rank {}

/// A queue order with its parameters. If the order needs it, the ranking also counts how often each
/// job was overtaken.
#[derive(Clone, Debug)]
pub struct Ranking {
    order: Order,
    wait: f64,
    expansion: f64,
    size: f64,
    pass: f64,
    /// The longest beliefs about short and medium jobs.
    classes: [Span; 2],
    /// The wait that lifts a job by one class. 0 stands for the mean wait so far.
    aging: Span,
    counts_passes: bool,
    /// For each job, the number of jobs that ranked behind it and started while it waited.
    passes: Vec<u32>,
    /// The dominant share of each user, and the number of changes of the machine at which they were
    /// counted. Only [`Order::Dominant`] needs them.
    shares: RefCell<Option<(u64, BTreeMap<i32, u64>)>>,
}

impl Ranking {
    /// Returns the order that the settings choose by `param`, which is one of the parameters of
    /// queue orders.
    pub fn new(settings: &Settings, param: &Typed<Order>) -> Self {
        Self::of(settings.get(param), settings)
    }

    /// Returns a fixed order, for a policy without a parameter for it.
    pub fn of_order(order: Order) -> Self {
        Self::of(order, &Settings::default())
    }

    /// Returns the order in which the policy tries candidates for backfilling. Returns `None` if it
    /// is the order of the queue.
    pub fn of_scan(settings: &Settings) -> Option<Self> {
        let Scan(order) = settings.get(&SCAN);
        order.map(|order| Self::of(order, settings))
    }

    fn of(mut order: Order, settings: &Settings) -> Self {
        let pass = settings.get(&WEIGHT_PASSED);
        let only_wait = settings.get(&WEIGHT_WAIT) > 0.0
            && settings.get(&WEIGHT_EXPANSION) == 0.0
            && settings.get(&WEIGHT_SIZE) == 0.0;
        if order == Order::Weights && only_wait && pass == 0.0 {
            // The job that has waited longest arrived first. The queue already has this order.
            order = Order::Arrival;
        }
        Self {
            order,
            wait: settings.get(&WEIGHT_WAIT),
            expansion: settings.get(&WEIGHT_EXPANSION),
            size: settings.get(&WEIGHT_SIZE),
            pass,
            classes: [&SHORT, &MEDIUM].map(|param| Span::SECOND.scaled(settings.get(param))),
            aging: Span::SECOND.scaled(3600.0 * settings.get(&AGING)),
            counts_passes: order == Order::Weights && pass != 0.0,
            passes: Vec::new(),
            shares: RefCell::default(),
        }
    }

    /// Returns the same order, which also counts how often each job is passed.
    pub fn counting_passes(self) -> Self {
        Self {
            counts_passes: true,
            ..self
        }
    }

    /// True if the passes of each job are counted.
    pub fn counts_passes(&self) -> bool {
        self.counts_passes
    }

    /// True if this is the order of arrival, which the queue already has.
    pub fn is_arrival(&self) -> bool {
        self.order == Order::Arrival
    }

    /// Returns the number of jobs that ranked behind `job` and started while it waited. Returns 0
    /// if passes are not counted.
    pub fn passes(&self, job: JobId) -> u32 {
        self.passes.get(job.index()).copied().unwrap_or(0)
    }

    /// Returns the first waiting job in this order.
    pub fn head(&self, turn: &Turn<'_>) -> Option<Waiting> {
        if self.is_arrival() {
            return turn.queue().head().copied();
        }
        turn.queue()
            .iter()
            .map(|job| (self.rank(turn, job), job))
            .min_by_key(|(rank, _)| *rank)
            .map(|(_, job)| *job)
    }

    /// Starts waiting jobs in order until one does not fit, and returns that job.
    pub fn start_heads(&self, turn: &mut Turn<'_>) -> Option<Waiting> {
        loop {
            let head = self.head(turn)?;
            if !turn.fits(&head) || !turn.start(head.job) {
                return Some(head);
            }
        }
    }

    /// Starts a waiting job, and counts a pass for every job that it passes. Returns true if the
    /// job started.
    pub fn start(&mut self, turn: &mut Turn<'_>, job: &Waiting) -> bool {
        self.start_within(turn, job, u32::MAX, false)
    }

    /// Does the same as [`Self::start`], with the limits of [`Turn::start_within`].
    pub fn start_within(
        &mut self,
        turn: &mut Turn<'_>,
        job: &Waiting,
        raise: u32,
        beside: bool,
    ) -> bool {
        self.start_by(turn, job, |turn| turn.start_within(job.job, raise, beside))
    }

    /// Does the same as [`Self::start`] beside another job, like [`Turn::start_sparing`].
    pub fn start_sparing(&mut self, turn: &mut Turn<'_>, job: &Waiting, later: &mut Later) -> bool {
        self.start_by(turn, job, |turn| turn.start_sparing(job.job, later))
    }

    /// Does the same as [`Self::start`] on these nodes, like [`Turn::start_on`].
    pub fn start_on(&mut self, turn: &mut Turn<'_>, job: &Waiting, nodes: &NodeChoice) -> bool {
        self.start_by(turn, job, |turn| turn.start_on(job.job, nodes))
    }

    /// Does the same as [`Self::start`] in a row, like [`Turn::start_in`].
    pub fn start_in(&mut self, turn: &mut Turn<'_>, job: &Waiting, row: u32, beside: bool) -> bool {
        self.start_by(turn, job, |turn| turn.start_in(job.job, row, beside))
    }

    /// Does the same as [`Self::start`] on these processors, like [`Turn::start_at`].
    pub fn start_at(
        &mut self,
        turn: &mut Turn<'_>,
        job: &Waiting,
        placement: Placement<'_>,
    ) -> bool {
        self.start_by(turn, job, |turn| turn.start_at(job.job, placement))
    }

    fn start_by(
        &mut self,
        turn: &mut Turn<'_>,
        job: &Waiting,
        start: impl FnOnce(&mut Turn<'_>) -> bool,
    ) -> bool {
        if !self.counts_passes {
            return start(turn);
        }
        let place = (self.rank(turn, job), job.job);
        let passed: Vec<JobId> = turn
            .queue()
            .iter()
            .filter(|other| (self.rank(turn, other), other.job) < place)
            .map(|other| other.job)
            .collect();
        if !start(turn) {
            return false;
        }
        for other in passed {
            if other.index() >= self.passes.len() {
                self.passes.resize(other.index() + 1, 0);
            }
            self.passes[other.index()] += 1;
        }
        true
    }

    /// Sorts jobs by rank, equal ranks by arrival.
    pub fn sort(&self, turn: &Turn<'_>, jobs: &mut [Waiting]) {
        if self.is_arrival() {
            jobs.sort_unstable_by_key(|job| job.job);
        } else {
            jobs.sort_by_cached_key(|job| (self.rank(turn, job), job.job));
        }
    }

    /// Sorts jobs by this order, with the passes that `counting` has counted.
    pub fn sort_with_passes_of(
        &mut self,
        counting: &mut Self,
        turn: &Turn<'_>,
        jobs: &mut [Waiting],
    ) {
        std::mem::swap(&mut self.passes, &mut counting.passes);
        self.sort(turn, jobs);
        std::mem::swap(&mut self.passes, &mut counting.passes);
    }

    /// Keeps the first `limit` of these jobs in this order, and sorts them.
    pub fn keep_first(&self, turn: &Turn<'_>, jobs: &mut Vec<Waiting>, limit: usize) {
        if !self.is_arrival() && jobs.len() > limit {
            let mut ranked: Vec<(Rank, JobId, Waiting)> = jobs
                .iter()
                .map(|job| (self.rank(turn, job), job.job, *job))
                .collect();
            ranked.select_nth_unstable_by_key(limit, |(rank, job, _)| (*rank, *job));
            jobs.clear();
            jobs.extend(ranked[..limit].iter().map(|(_, _, job)| *job));
        }
        self.sort(turn, jobs);
        jobs.truncate(limit);
    }

    /// Returns all waiting jobs in this order.
    pub fn sorted(&self, turn: &Turn<'_>) -> Vec<Waiting> {
        if self.order == Order::Classes {
            // The queue is in order of arrival, so collecting one class after the other sorts it.
            let rule = self.class_rule(turn);
            let mut classed: [Vec<Waiting>; 3] = Default::default();
            for job in turn.queue().iter() {
                classed[rule.class(turn, job)].push(*job);
            }
            return classed.concat();
        }
        let mut jobs: Vec<Waiting> = turn.queue().iter().copied().collect();
        self.sort(turn, &mut jobs);
        jobs
    }

    /// Returns a walk over the waiting jobs in this order. Jobs may start during the walk.
    pub fn in_order(&self, turn: &Turn<'_>) -> InOrder {
        let sorted = if self.is_arrival() {
            None
        } else {
            Some(self.sorted(turn).into_iter())
        };
        InOrder {
            sorted,
            position: turn.queue().first_position(),
        }
    }

    /// Returns the present rank of a waiting job.
    pub fn rank(&self, turn: &Turn<'_>, job: &Waiting) -> Rank {
        let (processors, expected) = (
            i128::from(job.processors),
            i128::from(job.expected.microseconds()),
        );
        match self.order {
            Order::Arrival => Rank(0, 0.0),
            Order::Shortest => Rank(expected, 0.0),
            Order::Longest => Rank(-expected, 0.0),
            Order::Smallest => Rank(processors, 0.0),
            Order::Largest => Rank(-processors, 0.0),
            Order::SmallestArea => Rank(processors * expected, 0.0),
            Order::LargestArea => Rank(-processors * expected, 0.0),
            Order::Tier => Rank(-i128::from(turn.tier(job.job)), 0.0),
            Order::Dominant => Rank(self.dominant_share(turn, job.job).into(), 0.0),
            Order::Classes => Rank(self.class_rule(turn).class(turn, job) as i128, 0.0),
            _ => Rank(0, self.score(turn, job)),
        }
    }

    /// Returns the dominant share of the job's user: the largest share of one of the machine's
    /// resources that running jobs of the user hold.
    fn dominant_share(&self, turn: &Turn<'_>, job: JobId) -> u64 {
        let mut known = self.shares.borrow_mut();
        let changes = turn.changes();
        if known.as_ref().is_none_or(|(at, _)| *at != changes) {
            *known = Some((changes, turn.dominant_shares()));
        }
        let user = turn.request(job).user;
        let share = known.as_ref().and_then(|(_, shares)| shares.get(&user));
        share.copied().unwrap_or(0)
    }

    /// Returns the rule of this instant for the class of a job.
    fn class_rule(&self, turn: &Turn<'_>) -> ClassRule {
        let aging = if self.aging == Span::ZERO {
            turn.mean_wait()
        } else {
            self.aging
        };
        let lifts = [1, 2].map(|times| aging.microseconds().saturating_mul(times));
        ClassRule {
            longest: (self.classes).map(|longest| longest.microseconds() * turn.stretch()),
            lifts: lifts.map(|wait| if wait > 0 { wait } else { i64::MAX }),
        }
    }

    /// Returns the value of the order's formula for a job; the least comes first.
    fn score(&self, turn: &Turn<'_>, job: &Waiting) -> f64 {
        let submitted = turn.request(job.job).submitted;
        let wait = (turn.now() - submitted).seconds();
        let estimate = job.expected.max(Span::SECOND).seconds();
        let size = f64::from(job.processors);
        if self.order == Order::Weights {
            let passes = f64::from(self.passes(job.job));
            return -(self.wait * wait / 60.0
                + self.expansion * (wait + estimate) / estimate
                + self.size * size
                + self.pass * passes);
        }
        formula(
            self.order,
            size,
            estimate,
            wait,
            (submitted - turn.began()).seconds(),
        )
    }
}

/// The classes of jobs at an instant.
struct ClassRule {
    /// The longest beliefs about short and medium jobs, in microseconds.
    longest: [i64; 2],
    /// The waits that lift a job by one class and by two, in microseconds.
    lifts: [i64; 2],
}

impl ClassRule {
    /// Returns the class of a job: 0 if it is short, 1 if medium, 2 if long; less one for each time
    /// that it has waited long enough, never below 0.
    fn class(&self, turn: &Turn<'_>, job: &Waiting) -> usize {
        let count = |limits: [i64; 2], passed: &dyn Fn(i64) -> bool| {
            limits.iter().filter(|limit| passed(**limit)).count()
        };
        let wait = (turn.now() - turn.request(job.job).submitted).microseconds();
        let class = count(self.longest, &|longest| {
            job.expected.microseconds() > longest
        });
        class.saturating_sub(count(self.lifts, &|lift| wait >= lift))
    }
}

/// Returns the value of a published formula. `size` is in processors, the times are in seconds, and
/// `arrival` counts from the first arrival.
fn formula(order: Order, size: f64, estimate: f64, wait: f64, arrival: f64) -> f64 {
    // The logarithm of 0 has no value, so an arrival counts as at least 1 s.
    let arrival = || libm::log10(arrival.max(1.0));
    match order {
        Order::Expansion => -(wait + estimate) / estimate,
        Order::Wfp3 => -(wait / estimate) * (wait / estimate) * (wait / estimate) * size,
        // The logarithm of 1 is 0, so one processor counts as two.
        Order::Unicef => -wait / (libm::log2(size.max(2.0)) * estimate),
        Order::F1 => libm::log10(estimate) * size + 870.0 * arrival(),
        Order::F2 => estimate.sqrt() * size + 25_600.0 * arrival(),
        Order::F3 => estimate * size + 6_860_000.0 * arrival(),
        Order::F4 => estimate * size.sqrt() + 530_000.0 * arrival(),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_equal_where_neither_is_less() {
        let (one, two) = (Rank(1, 0.5), Rank(1, 0.75));
        assert!(one < two && one != two && one == Rank(1, 0.5) && Rank(0, 9.0) < one);
    }

    /// Compares with values calculated by hand for 4 processors, an estimate of 100 s, a wait of
    /// 200 s and an arrival at 1,000 s.
    #[test]
    fn formulas_are_those_published() {
        let of = |order| formula(order, 4.0, 100.0, 200.0, 1000.0);
        assert_eq!(of(Order::Expansion), -3.0);
        assert_eq!(of(Order::Wfp3), -32.0);
        assert_eq!(of(Order::Unicef), -1.0);
        assert_eq!(of(Order::F1), 8.0 + 2610.0);
        assert_eq!(of(Order::F2), 40.0 + 76_800.0);
        assert_eq!(of(Order::F3), 400.0 + 20_580_000.0);
        assert_eq!(of(Order::F4), 200.0 + 1_590_000.0);
        assert_eq!(formula(Order::Unicef, 1.0, 100.0, 200.0, 0.0), -2.0);
        assert_eq!(formula(Order::F1, 1.0, 100.0, 0.0, 0.0), 2.0);
    }
}
