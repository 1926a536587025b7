//! A planned queue, and the search for the best position of a job in it. The search lays out the
//! queue for every position, and the cheapest legal position wins.
//!
//! A layout treats the jobs in the order of the queue. Each job gets its earliest start on the
//! processors that the jobs before it have left. The search goes from the last position to the
//! first. So it gets the profile before a position by taking out a single job. It gives up a
//! position as soon as a job starts too late, or the cost can no longer get below the least one.
//!
//! A layout for a position differs from the plan without the new job. The search therefore knows
//! where a job cannot start: nowhere before its start in that plan, except on processors that a
//! moved job has left.

use super::Profile;
use super::flat_profile::{FlatProfile, StartBounds};
use super::plan::{Holding, why};
use crate::job::JobId;
use crate::pulse::beat;
use crate::sim::{Waiting, Why};
use crate::time::{Span, Time};
use std::mem::{swap, take};

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
    /// The memory of the last search, which the next one uses again.
    prefix: Prefix,
    trial: Trial,
}

/// Up to this many jobs are laid out again whenever the running jobs change. To look for the jobs
/// that can move would take longer.
const SHORT: usize = 3;

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
    /// The profile of the plan, in two parts. The first part is the same as before the position.
    steps_before: Vec<(Time, u32)>,
    profile: FlatProfile,
}

impl InsertionLayout {
    /// Lays out the queue in order of its planned starts, on the processors that the running jobs
    /// leave now.
    ///
    /// While the running jobs keep to the beliefs about them, this delays no job: from a job's
    /// start on, the jobs before it hold no more processors than they did. For the same reason no
    /// start changes unless a job has ended early or late. Otherwise this only advances the
    /// profiles. If processors have only become free, it moves the jobs that can use them.
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
        let opened = if self.queue.len() > SHORT {
            self.base.opened(&base)
        } else {
            None
        };
        self.base = base;
        match opened {
            Some(opened) if !is_late => {
                self.full.advance(now);
                self.bring_forward(&opened);
                debug_assert!(self.stands());
            }
            _ => self.lay_out(),
        }
    }

    /// Gives each job its earliest start after processors have become free. The queue is in order
    /// of starts.
    ///
    /// In this order the jobs behind a job hold nothing before its start, and from its start on the
    /// jobs before it leave it enough. One profile with all jobs therefore tells whether it can
    /// start earlier.
    fn bring_forward(&mut self, opened: &[(Time, Time, u32)]) {
        for (from, to, processors) in opened {
            self.full.release(*from, *to, *processors);
        }
        // A job can move only to a start before the last time at which processors have become free,
        // and only if enough are free at one of these times.
        let last = opened.iter().map(|(_, to, _)| *to).max();
        let Some(mut last) = last else { return };
        let frees = opened
            .iter()
            .map(|(from, to, _)| self.full.most(*from, *to));
        let mut most = frees.max().unwrap_or(0);
        for planned in &mut self.queue {
            if planned.processors > most {
                continue;
            }
            let (processors, span, start) = (planned.processors, planned.span, planned.start);
            let until = start.min(last);
            if let Some(earlier) = self.full.earlier(processors, span, start, None, until) {
                let (_, to, free) = self.full.bring_forward(start, earlier, span, processors);
                (last, most) = (last.max(to), most.max(free));
                planned.start = earlier;
            }
        }
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
        // An outage of no processors makes a step at which nothing changes.
        let steps = |layout: &Self| Profile::of_steps(layout.full.steps());
        steps(&again) == steps(self) && starts(&again) == starts(self)
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
        let start_at_end = self.full.earliest(job.processors, job.span)?;
        // In the most frequent case, the job starts as early at the last position as at the first.
        // Then the plan is the same at every position. If no job may start later, only this plan is
        // legal.
        if positions.present.is_none()
            && start_at_end <= job.latest
            && (start_at_end == floor || positions.tried <= 1 || self.is_rigid())
        {
            job.start = start_at_end;
            self.full.reserve(job.start, job.span, job.processors);
            self.queue.push(job);
            return Some(self.queue.len() - 1);
        }
        let (mut prefix, mut trial) = (take(&mut self.prefix), take(&mut self.trial));
        let best = self.cheapest(&job, floor, positions, &mut prefix, &mut trial);
        (self.prefix, self.trial) = (prefix, trial);
        let best = best?;
        let behind = &mut self.queue[best.position..];
        if behind
            .iter()
            .map(|planned| planned.start)
            .eq(best.starts.iter().copied())
        {
            self.full.reserve(best.start, job.span, job.processors);
        } else {
            let steps = best.steps_before.into_iter().chain(best.profile.iter());
            self.full = Profile::of_steps(steps);
            for (planned, start) in behind.iter_mut().zip(best.starts) {
                planned.start = start;
            }
        }
        job.start = best.start;
        self.queue.insert(best.position, job);
        Some(best.position)
    }

    /// True if no job of the queue may start later than planned.
    fn is_rigid(&self) -> bool {
        self.queue
            .iter()
            .all(|planned| planned.start == planned.latest)
    }

    fn cheapest(
        &self,
        job: &Planned,
        floor: Time,
        positions: Positions,
        prefix: &mut Prefix,
        trial: &mut Trial,
    ) -> Option<BestPlace> {
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
        // If the job starts earlier than at the last position, it makes a job behind it start
        // later. One of these jobs must be free to do so.
        let loose = if positions.present.is_none() && last == jobs {
            let is_loose = |planned: &Planned| planned.start < planned.latest;
            self.queue.iter().rposition(is_loose)
        } else {
            Some(jobs)
        };
        let mut reserves = None;
        let mut best: Option<BestPlace> = None;
        prefix.profile.copy_steps(&self.full);
        prefix.soonest = Time::NEVER;
        let mut start_behind = None;
        for position in (first..=jobs).rev() {
            prefix.position = position;
            let profile = &mut prefix.profile;
            let mut opened = None;
            if let Some(planned) = self.queue.get(position) {
                let most = profile.release(planned.start, planned.end(), planned.processors);
                opened = (most >= job.processors).then_some(planned.start);
                prefix.soonest = prefix.soonest.min(planned.start);
            }
            if position > last {
                continue;
            }
            // Only the processors that the job at the position has left can give an earlier start.
            let start = match (start_behind, opened) {
                (None, _) => profile.earliest(0, job.processors, job.span)?,
                (Some(start), None) => start,
                (Some(start), Some(opened)) => {
                    let from = profile.stretch(profile.at(opened.min(start)), job.processors);
                    profile.earliest(from, job.processors, job.span)?
                }
            };
            // If the inserted job gets the same start here as one position further back, the plan is
            // the same too, because the job between the two positions keeps its start.
            let wins_ties = positions.present == Some(position);
            let is_tried = position + positions.tried.max(1) > jobs || wins_ties;
            let is_same = start_behind.replace(start) == Some(start);
            let can_be_legal = start <= job.latest && (position == jobs || loose >= Some(position));
            if can_be_legal && is_tried && (!is_same || wins_ties) {
                let reserves = reserves.get_or_insert_with(|| self.reserves());
                let bound = best.as_ref().map(|best| best.cost + i128::from(wins_ties));
                if let Some(cost) =
                    trial.cost(self, prefix, &Planned { start, ..*job }, reserves, bound)
                {
                    let best = best.get_or_insert_with(|| BestPlace {
                        position,
                        cost,
                        start,
                        starts: Vec::new(),
                        steps_before: Vec::new(),
                        profile: FlatProfile::default(),
                    });
                    (best.position, best.cost, best.start) = (position, cost, start);
                    best.steps_before.clear();
                    best.steps_before
                        .extend(prefix.profile.iter().take(trial.first));
                    swap(&mut best.starts, &mut trial.starts);
                    swap(&mut best.profile, &mut trial.profile);
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

/// Everything before a position.
#[derive(Clone, Debug, Default)]
struct Prefix {
    position: usize,
    /// The profile of the running jobs and the jobs before the position.
    profile: FlatProfile,
    /// The earliest planned start of the jobs from the position on.
    soonest: Time,
}

/// A layout of the queue with the job at one position, which only serves to find its cost.
#[derive(Clone, Debug, Default)]
struct Trial {
    /// The profile of the layout, without the steps before the index `first` of the prefix.
    profile: FlatProfile,
    first: usize,
    bounds: StartBounds,
    starts: Vec<Time>,
}

impl Trial {
    /// Returns the cost of `job` behind `prefix`, compared with the queue without the job. Returns
    /// `None` if the position is not legal, or if the cost is not below `bound`.
    fn cost(
        &mut self,
        layout: &InsertionLayout,
        prefix: &Prefix,
        job: &Planned,
        reserves: &[i128],
        bound: Option<i128>,
    ) -> Option<i128> {
        let is_above = |cost: i128| bound.is_some_and(|bound| cost >= bound);
        let mut cost = job.cost(job.start, Time::ZERO);
        if is_above(cost - reserves[prefix.position]) {
            return None;
        }
        self.starts.clear();
        let soonest = prefix.soonest.min(job.start);
        self.first = prefix.profile.stretch(prefix.profile.at(soonest), 1);
        self.profile.copy_from(&prefix.profile, self.first);
        let profile = &mut self.profile;
        profile.place(profile.at(job.start), job.processors, job.span);
        // The earliest start that a moved job has left, and the index of its step.
        let mut left: Option<(Time, usize)> = None;
        for (at, planned) in layout.queue.iter().enumerate().skip(prefix.position) {
            let (processors, span) = (planned.processors, planned.span);
            let from = match left {
                None => profile.at(planned.start),
                Some((time, step)) if time <= planned.start => {
                    self.bounds.of(profile, step, processors, span)
                }
                Some(_) => profile.stretch(profile.at(planned.start), processors),
            };
            let (start, added) = profile.place(from, processors, span);
            beat(64);
            match &mut left {
                Some((time, step)) if *time <= planned.start => {
                    *step += usize::from(added.is_some_and(|added| added <= *step));
                }
                _ if start == planned.start => {}
                _ => {
                    left = Some((planned.start, profile.at(planned.start)));
                    self.bounds.clear();
                }
            }
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
