//! Where a job goes in a planned queue: at every position the queue is laid out anew, and the
//! cheapest legal one wins.
//!
//! A queue is laid out job by job in its order, each at its earliest start on what those before it
//! have left. The search goes from the last position to the first, so that what stands before a
//! position is had by taking one job away; it gives up a position as soon as a job comes too late
//! or the cost cannot get below the least one any more.

use super::Profile;
use super::plan::{Holding, why};
use crate::job::JobId;
use crate::sim::{Waiting, Why};
use crate::time::{Span, Time};

/// A waiting job and its place in the plan.
#[derive(Copy, Clone, Debug)]
pub struct Planned {
    /// The job.
    pub job: JobId,
    /// Its size.
    pub processors: u32,
    /// How long it is taken to run.
    pub span: Span,
    /// When it is planned to start.
    pub start: Time,
    /// It must not be planned to start later.
    pub latest: Time,
    /// What a microsecond of its wait costs.
    pub weight: i64,
}

impl Planned {
    fn end(&self) -> Time {
        self.start.saturating_add(self.span)
    }

    /// What it costs that the job starts at `at` and not at `than`.
    fn cost(&self, at: Time, than: Time) -> i128 {
        i128::from((at - than).microseconds()) * i128::from(self.weight)
    }
}

/// A queue laid out on what the running jobs leave.
#[derive(Clone, Debug, Default)]
pub struct InsertionLayout {
    /// The jobs, in the order in which they are laid out.
    pub queue: Vec<Planned>,
    /// The running jobs alone.
    base: Profile,
    /// The running jobs and the whole queue.
    full: Profile,
}

/// Which positions are tried.
#[derive(Copy, Clone, Debug)]
pub struct Positions {
    /// So many, the last ones.
    pub tried: usize,
    /// And this one, which wins where another is no cheaper.
    pub present: Option<usize>,
}

/// The cheapest position so far.
struct BestPlace {
    position: usize,
    cost: i128,
    start: Time,
    /// Starts of the jobs behind it.
    starts: Vec<Time>,
    full: Profile,
}

impl InsertionLayout {
    /// Lays out the queue in order of its planned starts, on what the running jobs leave now. While
    /// they keep to what is believed of them, that delays nobody: from a job's start on, those
    /// before it hold no more than they did. For the same reason nothing moves but after a job has
    /// ended early, or late: then there is nothing to do.
    pub fn renew(&mut self, base: Profile, now: Time) {
        self.queue.sort_by_key(|planned| planned.start);
        self.base.advance(now);
        let is_late = self
            .queue
            .first()
            .is_some_and(|planned| planned.start < now);
        if self.base == base && !is_late {
            self.full.advance(now);
            debug_assert!(self.stands());
            return;
        }
        self.base = base;
        self.lay_out();
    }

    /// Whether laying out the queue would leave it as it is.
    fn stands(&self) -> bool {
        let mut again = self.clone();
        again.lay_out();
        let starts = |layout: &Self| {
            layout
                .queue
                .iter()
                .map(|planned| planned.start)
                .collect::<Vec<_>>()
        };
        again.full == self.full && starts(&again) == starts(self)
    }

    /// Lets `start` begin with the jobs whose time has come, and takes out those that it says have
    /// begun.
    pub fn start_due(&mut self, now: Time, mut start: impl FnMut(JobId) -> bool) {
        let base = &mut self.base;
        self.queue.retain(|planned| {
            let starts = planned.start == now && start(planned.job);
            if starts {
                base.reserve(now, planned.span, planned.processors);
            }
            !starts
        });
    }

    fn lay_out(&mut self) {
        self.full.copy_from(&self.base);
        for planned in &mut self.queue {
            planned.start = place(&mut self.full, planned);
        }
    }

    /// Takes a job out and lays out the others anew, who may then stand where they must not.
    pub fn remove(&mut self, position: usize) -> Planned {
        let planned = self.queue.remove(position);
        self.lay_out();
        planned
    }

    /// Puts a job at the cheapest legal position; among equals the last. None, with nothing
    /// changed, if there is none.
    pub fn insert(&mut self, mut job: Planned, positions: Positions) -> Option<usize> {
        // Before this the job cannot start, wherever it stands.
        let floor = self.base.earliest(job.processors, job.span)?;
        // The commonest case: it starts as early last as it does first, and so in between. All
        // positions are alike.
        if positions.present.is_none()
            && floor <= job.latest
            && self.full.earliest(job.processors, job.span) == Some(floor)
        {
            job.start = place(&mut self.full, &job);
            self.queue.push(job);
            return Some(self.queue.len() - 1);
        }
        let best = self.cheapest(&job, floor, positions)?;
        self.full = best.full;
        for (planned, start) in self.queue[best.position..].iter_mut().zip(best.starts) {
            planned.start = start;
        }
        job.start = best.start;
        self.queue.insert(best.position, job);
        Some(best.position)
    }

    fn cheapest(&self, job: &Planned, floor: Time, positions: Positions) -> Option<BestPlace> {
        let jobs = self.queue.len();
        // Behind a job that comes too late no position is legal.
        let last = self
            .queue
            .iter()
            .position(|planned| planned.start > planned.latest)
            .unwrap_or(jobs);
        let first = (jobs + 1)
            .saturating_sub(positions.tried.max(1))
            .min(positions.present.unwrap_or(jobs));
        let mut reserves = None;
        let mut best: Option<BestPlace> = None;
        let mut prefix = self.full.clone();
        let mut trial = Trial::default();
        let mut start_behind = None;
        for position in (first..=jobs).rev() {
            if let Some(planned) = self.queue.get(position) {
                prefix.release(planned.start, planned.end(), planned.processors);
            }
            if position > last {
                continue;
            }
            let start = prefix.earliest(job.processors, job.span)?;
            // The same start as one position further back: there the next job stood where it stands
            // without this one, and stands there again. So all is the same.
            let wins_ties = positions.present == Some(position);
            let is_tried = position + positions.tried.max(1) > jobs || wins_ties;
            let is_same = start_behind.replace(start) == Some(start);
            if start <= job.latest && is_tried && (!is_same || wins_ties) {
                let reserves = reserves.get_or_insert_with(|| self.reserves());
                let bound = best.as_ref().map(|best| best.cost + i128::from(wins_ties));
                if let Some(cost) = trial.cost(
                    self,
                    &prefix,
                    position,
                    &Planned { start, ..*job },
                    reserves,
                    bound,
                ) {
                    let best = best.get_or_insert_with(|| BestPlace {
                        position,
                        cost,
                        start,
                        starts: Vec::new(),
                        full: Profile::default(),
                    });
                    (best.position, best.cost, best.start) = (position, cost, start);
                    std::mem::swap(&mut best.starts, &mut trial.starts);
                    std::mem::swap(&mut best.full, &mut trial.profile);
                }
            }
            if start == floor && positions.present.is_none_or(|present| present >= position) {
                break;
            }
        }
        best
    }

    /// Why a waiting job of the queue does not start.
    pub fn why(&self, now: Time, job: &Waiting, free: u32) -> Why {
        let mut profile = self.full.clone();
        profile.advance(now);
        let holds = self.queue.iter().map(|planned| Holding {
            job: planned.job,
            start: planned.start,
            end: planned.end(),
        });
        why(profile, holds, job, free)
    }

    /// By how much the jobs from each position on could get cheaper at most, if nobody else waited.
    fn reserves(&self) -> Vec<i128> {
        let mut reserves = vec![0; self.queue.len() + 1];
        for (at, planned) in self.queue.iter().enumerate().rev() {
            let earliest = self
                .base
                .earliest(planned.processors, planned.span)
                .unwrap_or(planned.start);
            reserves[at] = reserves[at + 1] + planned.cost(planned.start, earliest);
        }
        reserves
    }
}

/// A queue that is laid out to see what it costs.
#[derive(Default)]
struct Trial {
    profile: Profile,
    starts: Vec<Time>,
}

impl Trial {
    /// What it costs, against the queue without it, that `job` stands at `position`, before which
    /// there is `prefix`. None if that is not legal, or no less than `bound`.
    fn cost(
        &mut self,
        layout: &InsertionLayout,
        prefix: &Profile,
        position: usize,
        job: &Planned,
        reserves: &[i128],
        bound: Option<i128>,
    ) -> Option<i128> {
        let is_above = |cost: i128| bound.is_some_and(|bound| cost >= bound);
        let mut cost = job.cost(job.start, Time::ZERO);
        if is_above(cost - reserves[position]) {
            return None;
        }
        self.starts.clear();
        self.profile.copy_from(prefix);
        self.profile.reserve(job.start, job.span, job.processors);
        for (at, planned) in layout.queue.iter().enumerate().skip(position) {
            let start = place(&mut self.profile, planned);
            cost += planned.cost(start, planned.start);
            if start > planned.latest || is_above(cost - reserves[at + 1]) {
                return None;
            }
            self.starts.push(start);
        }
        Some(cost)
    }
}

/// Reserves a job's earliest start.
fn place(profile: &mut Profile, planned: &Planned) -> Time {
    let start = profile
        .earliest(planned.processors, planned.span)
        .unwrap_or(Time::NEVER);
    profile.reserve(start, planned.span, planned.processors);
    start
}
