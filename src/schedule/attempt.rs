//! Attempts: each uninterrupted execution of a job. A job that a policy requeues while it runs
//! has several of them; only the last one counts, and the others are lost.

use super::{Move, Placed, Residency, Schedule, Start, Suspension};
use crate::job::JobId;
use crate::time::{Span, Time};

/// A lost attempt: the policy stopped the job and put it back into the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostAttempt {
    /// The job.
    pub job: JobId,
    /// The instant at which the job got its processors.
    pub from: Time,
    /// Start of the attempt; its end if the job was stopped within the start delay.
    pub start: Time,
    /// The instant at which the job was stopped.
    pub end: Time,
    /// The moves of the job in this attempt.
    pub moves: Vec<Move>,
}

/// An uninterrupted execution of a job: an entry of [`Schedule::order`] with its times.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Index of the entry.
    pub place: u32,
    /// The job.
    pub job: JobId,
    /// The instant at which the job got its processors.
    pub from: Time,
    /// The start.
    pub start: Time,
    /// The end; [`Time::NEVER`] if the job still runs.
    pub end: Time,
    /// The first placement.
    pub placed: Placed,
    /// True if the job was put back into the queue at the end.
    pub is_lost: bool,
}

impl Attempt {
    /// True if the attempt has ended.
    pub fn has_ended(&self) -> bool {
        self.end != Time::NEVER
    }
}

impl Schedule {
    /// Returns the attempt of the entry of [`Schedule::order`] at `place`.
    pub fn attempt(&self, place: usize) -> Attempt {
        let Start { job, placed } = self.order[place];
        let place = place as u32;
        if let Some(lost) = self.lost.get(&place) {
            return Attempt {
                place,
                job,
                from: lost.from,
                start: lost.start,
                end: lost.end,
                placed,
                is_lost: true,
            };
        }
        let start = self.starts[job.index()];
        Attempt {
            place,
            job,
            from: match self.cancelled.get(&job) {
                Some(from) => *from,
                None => start - self.start_delay,
            },
            start,
            end: self.ends[job.index()],
            placed,
            is_lost: false,
        }
    }

    /// Returns all attempts, in order of the instants at which jobs got their processors.
    pub fn attempts(&self) -> impl Iterator<Item = Attempt> {
        (0..self.order.len()).map(|place| self.attempt(place))
    }

    /// Returns the number of attempts that got their processors before `to`.
    pub fn begun_before(&self, to: Time) -> usize {
        let (mut low, mut high) = (0, self.order.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.attempt(middle).from < to {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Returns the place in [`Schedule::order`] of the attempt of a job that counts; `None` if the
    /// job waits or has not arrived.
    pub fn place_of(&self, job: JobId) -> Option<usize> {
        let start = self.starts[job.index()];
        if start == Time::NEVER {
            return None;
        }
        let from = match self.cancelled.get(&job) {
            Some(from) => *from,
            None => start - self.start_delay,
        };
        let mut places = self.begun_before(from)..self.order.len();
        places.find(|place| {
            let attempt = self.attempt(*place);
            attempt.job == job && !attempt.is_lost
        })
    }

    /// Returns the lost attempts of a job, in order of time, each with its place in
    /// [`Schedule::order`].
    pub fn lost_of(&self, job: JobId) -> impl Iterator<Item = (u32, &LostAttempt)> {
        let places = self.lost_places.get(&job).map_or(&[][..], Vec::as_slice);
        let found = |place: &u32| Some((*place, self.lost.get(place)?));
        places.iter().filter_map(found)
    }

    /// Returns how often a job was requeued.
    pub fn requeues(&self, job: JobId) -> usize {
        self.lost_places.get(&job).map_or(0, Vec::len)
    }

    /// True if the job has had processors.
    pub fn has_run(&self, job: JobId) -> bool {
        self.starts[job.index()] != Time::NEVER || self.requeues(job) > 0
    }

    /// Returns the instant at which a job first got processors; [`Time::NEVER`] if it never did.
    pub fn first_held_from(&self, job: JobId) -> Time {
        if let Some((_, lost)) = self.lost_of(job).next() {
            lost.from
        } else if let Some(from) = self.cancelled.get(&job) {
            *from
        } else if self.starts[job.index()] == Time::NEVER {
            Time::NEVER
        } else {
            self.starts[job.index()] - self.start_delay
        }
    }

    /// Returns the run time of the attempt that counts: that of the job, or the time that a
    /// cancelled job ran.
    pub fn run_time(&self, job: JobId) -> Span {
        if self.cancelled.contains_key(&job) {
            let suspended = self
                .place_of(job)
                .map(|place| self.suspended(self.attempt(place)));
            let held = self.ends[job.index()] - self.starts[job.index()];
            // A job can be suspended within the start delay.
            (held - suspended.unwrap_or(Span::ZERO)).max(Span::ZERO)
        } else {
            self.workload.program(job).runtime
        }
    }

    /// Returns the work of the lost attempts, in processor-microseconds: the jobs' sizes times the
    /// times that they ran.
    pub fn wasted(&self) -> i128 {
        let work = |(place, lost): (&u32, &LostAttempt)| {
            let suspended = self.suspended(self.attempt(*place as usize));
            let ran = (lost.end - lost.start - suspended).microseconds().max(0);
            i128::from(self.workload.request(lost.job).processors) * i128::from(ran)
        };
        self.lost.iter().map(work).sum()
    }

    /// Returns the moves of a job in one attempt.
    pub fn moves_of(&self, attempt: Attempt) -> &[Move] {
        let moves = if attempt.is_lost {
            self.lost.get(&attempt.place).map(|lost| &lost.moves)
        } else {
            self.moves.get(&attempt.job)
        };
        moves.map_or(&[][..], Vec::as_slice)
    }

    /// Returns the suspensions of an attempt, in order of time.
    pub fn suspensions_of(&self, attempt: Attempt) -> &[Suspension] {
        // Only machines with clusters have a policy that suspends.
        if !cfg!(feature = "clusters") {
            return &[];
        }
        let known = self.suspensions.get(&attempt.place);
        known.map_or(&[][..], Vec::as_slice)
    }

    /// True if the job of an attempt is suspended after all that happens at `at`.
    pub fn is_suspended(&self, attempt: Attempt, at: Time) -> bool {
        let mut known = self.suspensions_of(attempt).iter();
        known.any(|one| one.from <= at && at < one.to)
    }

    /// Returns the time for which an attempt was suspended, up to the end of the record.
    pub fn suspended(&self, attempt: Attempt) -> Span {
        let known = self.suspensions_of(attempt).iter();
        known.fold(Span::ZERO, |sum, one| {
            sum + (one.to.min(self.until) - one.from)
        })
    }

    /// Returns the times during which an attempt holds its processors, each from its beginning to its end.
    /// Empty ones are left out.
    pub fn spells(&self, attempt: Attempt) -> impl Iterator<Item = (Time, Time)> {
        let known = self.suspensions_of(attempt);
        let end = if attempt.has_ended() {
            attempt.end
        } else {
            self.until
        };
        let begins = std::iter::once(attempt.from).chain(known.iter().map(|one| one.to));
        let ends = known.iter().map(|one| one.from).chain([end]);
        begins.zip(ends).filter(|(from, to)| from < to)
    }

    /// Returns the number of processors that the job holds in an attempt. It exceeds the size if
    /// no partition had exactly that size.
    pub fn held(&self, attempt: Attempt) -> u32 {
        let placement = self.at(attempt.placed);
        if placement.is_empty() {
            self.workload.request(attempt.job).processors
        } else {
            placement.size()
        }
    }

    /// Returns the residency intervals of an attempt: one, and another one for each move and after each
    /// suspension. Empty intervals are left out.
    pub fn stays(&self, attempt: Attempt) -> impl Iterator<Item = Residency<'_>> {
        // No machine both moves and suspends jobs.
        let (moves, suspensions) = (self.moves_of(attempt), self.suspensions_of(attempt));
        let end = if attempt.has_ended() {
            attempt.end
        } else {
            self.until
        };
        let first = (attempt.from, self.at(attempt.placed));
        let later = moves.iter().map(|to| (to.at, self.at(to.placed)));
        let resumed = suspensions.iter().map(|one| (one.to, self.at(one.placed)));
        let placements = std::iter::once(first).chain(later).chain(resumed);
        let suspended = suspensions.iter().map(|one| one.from);
        let ends = moves.iter().map(|to| to.at).chain(suspended).chain([end]);
        let stays = placements
            .zip(ends)
            .map(|((from, placement), to)| Residency {
                from,
                to,
                placement,
            });
        stays.filter(|stay| stay.from < stay.to)
    }
}
