//! A queue of jobs in front of a flat machine, tick by tick. The twins of policies see this queue,
//! and start jobs from it.
//!
//! The future is an array with one entry for each tick. Every job is looked at every time, and
//! reservations are found by trying every tick.

use super::orders::Order;
use super::words::{Job, Schedule, Workload};
use std::collections::BTreeSet;

/// The order of events and decisions within an instant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The policy decides once, when everything has happened.
    Together,
    /// The policy decides after each arrival, then after each completion.
    PerEvent,
    /// The policy decides after each completion, then after each arrival.
    EndsFirst,
}

/// The source of the beliefs about run times.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Beliefs {
    Requested,
    /// The run time until the job starts, the estimate from then on.
    UntilStart,
    /// The mean of the user's last two run times, corrected when it proves too short.
    Predicted(Correction),
}

/// The rule that corrects a belief that proved too short.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Correction {
    Totals,
    Added,
    Estimate,
}

/// The conditions under which a policy decides.
#[derive(Copy, Clone, Debug)]
pub struct Asked {
    pub ties: Ties,
    pub beliefs: Beliefs,
    /// True if nothing is tried at an arrival that is larger than the number of free processors.
    pub fitting: bool,
}

pub const ONCE: Asked = Asked {
    ties: Ties::Together,
    beliefs: Beliefs::Requested,
    fitting: false,
};

/// Seconds that are added to a prediction, one after the other.
const STEPS: [i64; 11] = [
    60, 300, 900, 1800, 3600, 7200, 18_000, 36_000, 72_000, 180_000, 360_000,
];

/// The state that a naive scheduler sees, and the actions that it takes.
pub struct View<'a> {
    asked: Asked,
    /// Ticks in a second.
    pub second: i64,
    pub now: i64,
    pub began: i64,
    pub capacity: i64,
    pub jobs: &'a [Job],
    /// In order of arrival.
    pub waiting: Vec<usize>,
    /// Jobs with their starts, in order of starting.
    pub running: Vec<(usize, i64)>,
    /// Jobs that ended, and jobs that arrived, since the scheduler was asked last.
    pub ended: Vec<usize>,
    pub arrived: Vec<usize>,
    pub start: Vec<Option<i64>>,
    pub belief: Vec<i64>,
    /// Instants at which the scheduler wants to be asked.
    pub wakes: BTreeSet<i64>,
    /// Instant at which it wants to be asked if nothing else happens any more.
    pub last_resort: Option<i64>,
    /// By job, how many jobs of lower rank started while it waited.
    pub passes: Vec<u32>,
    /// Each job's belief when it arrived, and how often it was corrected.
    first: Vec<i64>,
    corrected: Vec<usize>,
    /// Run times by user, in order of completion.
    history: Vec<(i32, i64)>,
    /// Other jobs end at this instant, which the scheduler does not know yet.
    more_to_end: bool,
    next: usize,
}

/// Returns the schedule that `decide` leads to.
pub fn play(workload: &Workload, asked: Asked, decide: impl FnMut(&mut View<'_>)) -> Schedule {
    Schedule::of(starts(workload, asked, decide))
}

/// Returns the starts that `decide` leads to.
pub fn starts(
    workload: &Workload,
    asked: Asked,
    mut decide: impl FnMut(&mut View<'_>),
) -> Vec<i64> {
    let jobs = &workload.jobs;
    let n = jobs.len();
    let mut view = View {
        asked,
        second: workload.second,
        now: i64::MIN,
        began: jobs[0].submit,
        capacity: i64::from(workload.processors),
        jobs,
        waiting: Vec::new(),
        running: Vec::new(),
        ended: Vec::new(),
        arrived: Vec::new(),
        start: vec![None; n],
        belief: jobs.iter().map(|job| job.estimate).collect(),
        wakes: BTreeSet::new(),
        last_resort: None,
        passes: vec![0; n],
        first: vec![0; n],
        corrected: vec![0; n],
        history: Vec::new(),
        more_to_end: false,
        next: 0,
    };
    while let Some(now) = view.next_instant() {
        view.now = now;
        view.wakes.remove(&now);
        match asked.ties {
            Ties::Together => view.together(&mut decide),
            Ties::PerEvent => view.arrivals_first(&mut decide),
            Ties::EndsFirst => view.ends_first(&mut decide),
        }
    }
    view.start
        .iter()
        .map(|start| start.expect("every job starts"))
        .collect()
}

impl View<'_> {
    fn next_instant(&self) -> Option<i64> {
        let arrival = self.jobs.get(self.next).map(|job| job.submit);
        let end = self.running.iter().map(|(job, _)| self.end(*job)).min();
        let is_busy = arrival.is_some() || end.is_some() || !self.waiting.is_empty();
        let wake = self.wakes.first().copied().filter(|_| is_busy);
        let last = self.last_resort.filter(|at| *at > self.now);
        [arrival, end, wake].into_iter().flatten().min().or(last)
    }

    /// Asks the scheduler, and forgets what has happened.
    fn ask(&mut self, decide: &mut impl FnMut(&mut Self)) {
        decide(self);
        self.ended.clear();
        self.arrived.clear();
    }

    fn together(&mut self, decide: &mut impl FnMut(&mut Self)) {
        for job in self.ending() {
            self.finish(job);
        }
        self.correct_until(self.now);
        while self.is_next_due() {
            self.arrive();
        }
        let is_larger = |job: &usize| self.size(*job) > self.free();
        if self.asked.fitting && self.ended.is_empty() && self.arrived.iter().all(is_larger) {
            self.arrived.clear();
        } else {
            self.ask(decide);
        }
    }

    fn arrivals_first(&mut self, decide: &mut impl FnMut(&mut Self)) {
        let ending = self.ending();
        // A job that ends now and was expected to end now needs no correction, and none is of use.
        self.correct_until(self.now - 1);
        let last: Vec<(usize, i64)> = ending
            .iter()
            .filter(|job| self.expected_end(**job) == self.now)
            .map(|job| (*job, self.belief[*job]))
            .collect();
        self.correct_until(self.now);
        for (job, belief) in last {
            self.belief[job] = belief;
        }
        while self.is_next_due() {
            let job = self.arrive();
            if !self.asked.fitting || self.size(job) <= self.seconds()[0] {
                self.ask(decide);
            }
        }
        for job in ending {
            self.finish(job);
            self.ask(decide);
        }
    }

    fn ends_first(&mut self, decide: &mut impl FnMut(&mut Self)) {
        self.correct_until(self.now - 1);
        let ending = self.ending();
        let mut has_happened = !ending.is_empty();
        for (at, &job) in ending.iter().enumerate() {
            self.finish(job);
            self.more_to_end = at + 1 < ending.len();
            self.ask(decide);
        }
        self.correct_until(self.now);
        while self.is_next_due() {
            let job = self.arrive();
            has_happened = true;
            if !self.asked.fitting || self.size(job) <= self.free() {
                self.ask(decide);
            } else {
                self.arrived.clear();
            }
        }
        if !has_happened {
            self.ask(decide);
        }
    }

    fn is_next_due(&self) -> bool {
        self.jobs
            .get(self.next)
            .is_some_and(|job| job.submit == self.now)
    }

    /// Jobs that end now, in order of starting.
    fn ending(&self) -> Vec<usize> {
        self.running
            .iter()
            .map(|(job, _)| *job)
            .filter(|job| self.end(*job) == self.now)
            .collect()
    }

    fn end(&self, job: usize) -> i64 {
        self.start[job].unwrap() + self.jobs[job].runtime
    }

    fn expected_end(&self, job: usize) -> i64 {
        self.start[job].unwrap() + self.belief[job]
    }

    fn finish(&mut self, job: usize) {
        self.running.retain(|(other, _)| *other != job);
        self.ended.push(job);
        self.history
            .push((self.jobs[job].user, self.jobs[job].runtime));
    }

    fn arrive(&mut self) -> usize {
        let job = self.next;
        self.next += 1;
        self.waiting.push(job);
        self.arrived.push(job);
        match self.asked.beliefs {
            Beliefs::Requested => {}
            Beliefs::UntilStart => self.belief[job] = self.jobs[job].runtime,
            Beliefs::Predicted(_) => {
                let own: Vec<i64> = self
                    .history
                    .iter()
                    .rev()
                    .filter(|(user, _)| *user == self.jobs[job].user)
                    .map(|(_, ran)| *ran)
                    .collect();
                if let [last, before, ..] = own[..] {
                    self.belief[job] = self.belief[job].min(i64::midpoint(last, before));
                }
            }
        }
        self.first[job] = self.belief[job];
        job
    }

    fn correct_until(&mut self, now: i64) {
        let Beliefs::Predicted(correction) = self.asked.beliefs else {
            return;
        };
        for (job, _) in self.running.clone() {
            let estimate = self.jobs[job].estimate;
            while self.expected_end(job) <= now && self.belief[job] < estimate {
                let step = STEPS[self.corrected[job].min(10)];
                self.belief[job] = match correction {
                    Correction::Totals => self.first[job] + step,
                    Correction::Added => self.belief[job] + step,
                    Correction::Estimate => estimate,
                }
                .min(estimate);
                self.corrected[job] += 1;
            }
        }
    }

    pub const fn knows_until_start(&self) -> bool {
        matches!(self.asked.beliefs, Beliefs::UntilStart)
    }

    pub fn size(&self, job: usize) -> i64 {
        i64::from(self.jobs[job].processors)
    }

    /// Returns the number of processors that no job holds, whatever the beliefs are.
    pub fn free(&self) -> i64 {
        // When arrivals come first, a job that ends now as expected no longer counts.
        let is_gone = |job: usize| {
            self.asked.ties == Ties::PerEvent
                && self.end(job) == self.now
                && self.expected_end(job) <= self.now
                && self.jobs[job].runtime > 0
        };
        let held = self.running.iter().filter(|(job, _)| !is_gone(*job));
        self.capacity - held.map(|(job, _)| self.size(*job)).sum::<i64>()
    }

    pub fn start(&mut self, job: usize) {
        assert!(self.size(job) <= self.free());
        self.waiting.retain(|other| *other != job);
        self.running.push((job, self.now));
        self.start[job] = Some(self.now);
        if self.knows_until_start() {
            self.belief[job] = self.jobs[job].estimate;
        }
    }

    /// Starts a job. Counts a pass for each waiting job that is ahead of it in `order`.
    pub fn pass(&mut self, job: usize, order: Order) {
        let place = (order.key(self, job), job);
        for other in self.waiting.clone() {
            let ahead = (order.key(self, other), other);
            if ahead
                .0
                .total_cmp(&place.0)
                .then(ahead.1.cmp(&place.1))
                .is_lt()
            {
                self.passes[other] += 1;
            }
        }
        self.start(job);
    }

    /// True if a running job has outlived the belief about it.
    pub fn overdue(&self) -> bool {
        self.running
            .iter()
            .any(|(job, _)| self.expected_end(*job) <= self.now)
    }

    /// Returns the free processors at each tick from now on, by the beliefs about the running jobs.
    /// An overdue job is taken to end in a second. With `Ties::PerEvent`, a job that was expected
    /// to end by now no longer counts.
    pub fn seconds(&self) -> Vec<i64> {
        let longest = |job: usize| self.jobs[job].estimate.max(self.jobs[job].runtime);
        let n = self.jobs.len();
        let horizon = (0..n).map(longest).sum::<i64>() + (2 + n as i64) * self.second;
        let mut seconds = vec![self.capacity; 2 * horizon as usize];
        for &(job, _) in &self.running {
            let left = self.expected_end(job) - self.now;
            let is_overdue = if self.more_to_end {
                left < 0
            } else {
                left <= 0
            };
            let left = if is_overdue && self.asked.ties != Ties::PerEvent {
                self.second
            } else {
                left.max(0)
            };
            seconds[..left as usize]
                .iter_mut()
                .for_each(|free| *free -= self.size(job));
        }
        seconds
    }

    /// Returns the belief about the run time of a waiting job, at least a second.
    pub fn length(&self, job: usize) -> i64 {
        self.belief[job].max(self.second)
    }

    pub fn fits(&self, seconds: &[i64], at: i64, job: usize) -> bool {
        seconds[at as usize..(at + self.length(job)) as usize]
            .iter()
            .all(|free| *free >= self.size(job))
    }

    pub fn earliest(&self, seconds: &[i64], job: usize) -> i64 {
        (0..seconds.len() as i64)
            .find(|at| self.fits(seconds, *at, job))
            .expect("it fits in the end")
    }

    pub fn take(&self, seconds: &mut [i64], at: i64, job: usize) {
        seconds[at as usize..(at + self.length(job)) as usize]
            .iter_mut()
            .for_each(|free| *free -= self.size(job));
    }

    /// Returns the waiting jobs in an order. Jobs of equal rank stay in order of arrival.
    pub fn sorted(&self, order: Order) -> Vec<usize> {
        let mut jobs = self.waiting.clone();
        jobs.sort_by(|a, b| order.key(self, *a).total_cmp(&order.key(self, *b)));
        jobs
    }

    /// Starts jobs from the head of the queue while they fit. Returns the first job that does not
    /// fit: the head that waits.
    pub fn start_heads(&mut self, order: Order) -> Option<usize> {
        loop {
            let head = *self.sorted(order).first()?;
            if self.size(head) > self.free() {
                return Some(head);
            }
            self.start(head);
        }
    }
}

/// The best of all subsets by `worth`, which refuses those that are not allowed; among equals the
/// one that has the first job that any has, then the next, and so on.
pub fn best_subset(jobs: &[usize], worth: impl Fn(&[usize]) -> Option<i64>) -> Vec<usize> {
    assert!(jobs.len() < 20, "too many for brute force");
    let members = |set: u32| -> Vec<usize> {
        (0..jobs.len())
            .filter(|at| set >> at & 1 == 1)
            .map(|at| jobs[at])
            .collect()
    };
    let best = (0..1_u32 << jobs.len())
        .filter_map(|set| Some((worth(&members(set))?, set.reverse_bits(), set)))
        .max()
        .expect("the empty set is allowed");
    members(best.2)
}
