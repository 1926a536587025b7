//! A planned queue, and the search for the best position of a job in it. The search lays out the
//! queue for every position, and the cheapest legal position wins.
//!
//! A layout treats the jobs in the order of the queue. Each job gets its earliest start on the
//! processors that the jobs before it have left. The search goes from the last position to the
//! first. So it gets the profile before a position by taking out a single job. It gives up a
//! position as soon as a job starts too late, or the cost can no longer get below the least one.

use super::Profile;
use super::plan::{Holding, why};
use crate::job::JobId;
use crate::sim::{Waiting, Why};
use crate::time::{Span, Time};

/// A waiting job with its planned start.
#[derive(Copy, Clone, Debug)]
pub struct Planned {
    /// The id of the job.
    pub job: JobId,
    /// Size of the job.
    pub processors: u32,
    /// Time for which the job is expected to hold its processors.
    pub span: Span,
    /// Planned start of the job.
    pub start: Time,
    /// The latest legal start of the job.
    pub latest: Time,
    /// Cost of each microsecond by which the job waits.
    pub weight: i64,
}

impl Planned {
    fn end(&self) -> Time {
        self.start.saturating_add(self.span)
    }

    /// Returns the cost of a start at `at` instead of `than`.
    fn cost(&self, at: Time, than: Time) -> i128 {
        i128::from((at - than).microseconds()) * i128::from(self.weight)
    }
}

/// A planned queue, laid out on the processors that the running jobs leave.
#[derive(Clone, Debug, Default)]
pub struct InsertionLayout {
    /// The jobs, in the order in which they are laid out.
    pub queue: Vec<Planned>,
    /// The profile of the running jobs alone.
    base: Profile,
    /// The profile of the running jobs and the whole queue.
    full: Profile,
}

/// The positions that a search tries.
#[derive(Copy, Clone, Debug)]
pub struct Positions {
    /// Number of positions to try, from the end of the queue on. At least one is tried.
    pub tried: usize,
    /// A further position to try. It wins against positions of the same cost.
    pub present: Option<usize>,
}

/// The cheapest position that a search has found so far.
struct BestPlace {
    position: usize,
    cost: i128,
    start: Time,
    /// Starts of the jobs behind the position.
    starts: Vec<Time>,
    full: Profile,
}

impl InsertionLayout {
    /// Lays out the queue in order of its planned starts, on the processors that the running jobs
    /// leave now.
    ///
    /// While the running jobs keep to the beliefs about them, this delays no job: from a job's
    /// start on, the jobs before it hold no more processors than they did. For the same reason no
    /// start changes unless a job has ended early or late. Otherwise this only advances the
    /// profiles.
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

    /// True if laying out the queue again would change nothing.
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

    /// Calls `start` for each job whose planned start is now. Takes out the jobs for which it
    /// returns true.
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

    /// Takes a job out and lays out the other jobs again. They may then start later than is legal.
    pub fn remove(&mut self, position: usize) -> Planned {
        let planned = self.queue.remove(position);
        self.lay_out();
        planned
    }

    /// Puts a job at the cheapest legal position, and returns the position. Among positions of
    /// equal cost, `present` wins, then the last one. Returns `None`, with nothing changed, if no
    /// position is legal.
    pub fn insert(&mut self, mut job: Planned, positions: Positions) -> Option<usize> {
        // The job cannot start before this time at any position.
        let floor = self.base.earliest(job.processors, job.span)?;
        // In the most frequent case, the job starts as early at the last position as at the first.
        // Then the plan is the same at every position.
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
        // No position behind a job that starts too late is legal.
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
            // If the inserted job gets the same start here as one position further back, the plan is the same too, because the
            // job between the two positions keeps its start.
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

    /// Returns the reason why a waiting job of the queue does not start now.
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

    /// Returns an upper bound for each position on the cost that the jobs from it on can save. Each
    /// job saves most if it starts as early as beside the running jobs alone.
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

/// A layout of the queue with the job at one position, which only serves to find its cost.
#[derive(Default)]
struct Trial {
    profile: Profile,
    starts: Vec<Time>,
}

impl Trial {
    /// Returns the cost of `job` at `position`, compared with the queue without the job. `prefix`
    /// is the profile of everything before the position. Returns `None` if the position is not
    /// legal, or if the cost is not below `bound`.
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

/// Reserves processors for a job from its earliest start on, and returns this start.
fn place(profile: &mut Profile, planned: &Planned) -> Time {
    let start = profile
        .earliest(planned.processors, planned.span)
        .unwrap_or(Time::NEVER);
    profile.reserve(start, planned.span, planned.processors);
    start
}
