//! An availability profile in two plain arrays, for plans that a search tries and drops.
//!
//! Copies and changes cost little, because there are no blocks and no bounds to keep. The caller
//! says instead where a search can begin. Most steps of a tried plan are holes before that place,
//! in which no later job fits.

use super::Profile;
use crate::time::{Span, Time};

/// The number of free processors as a step function of time. The last step lasts for ever.
#[derive(Clone, Debug, Default)]
pub struct FlatProfile {
    /// Beginnings of the steps, ascending.
    times: Vec<Time>,
    /// Number of free processors in the step with the same index.
    free: Vec<u32>,
}

impl FlatProfile {
    /// Becomes a copy of the steps of a profile.
    pub fn copy_steps(&mut self, profile: &Profile) {
        self.times.clear();
        self.free.clear();
        for (time, free) in profile.steps() {
            self.times.push(time);
            self.free.push(free);
        }
    }

    /// Becomes a copy of the steps of `other` from the index `first` on.
    pub fn copy_from(&mut self, other: &Self, first: usize) {
        self.times.clear();
        self.free.clear();
        self.times.extend_from_slice(&other.times[first..]);
        self.free.extend_from_slice(&other.free[first..]);
    }

    /// Returns each step: its beginning and its number of free processors.
    pub fn iter(&self) -> impl Iterator<Item = (Time, u32)> {
        self.times.iter().copied().zip(self.free.iter().copied())
    }

    /// Returns the index of the step that `time` is in; of the first step if it is before all.
    pub fn at(&self, time: Time) -> usize {
        let after = self.times.partition_point(|begin| *begin <= time);
        after.saturating_sub(1)
    }

    /// Returns the index of the first step of the stretch of enough processors that lasts to the
    /// step `at`; `at` if the step before it has too few.
    pub fn stretch(&self, at: usize, processors: u32) -> usize {
        let before = self.free[..at].iter().rev();
        at - before.take_while(|free| **free >= processors).count()
    }

    /// Returns the earliest start in or after the step `from`.
    pub fn earliest(&self, from: usize, processors: u32, span: Span) -> Option<Time> {
        let (first, _, _) = self.find(from, processors, span)?;
        Some(self.times[first])
    }

    /// Reserves processors for a job from its earliest start in or after the step `from` on.
    /// Returns this start, and the index of the step that the job's end has added.
    pub fn place(&mut self, from: usize, processors: u32, span: Span) -> (Time, Option<usize>) {
        let Some((first, after, end)) = self.find(from, processors, span) else {
            return (Time::NEVER, None);
        };
        let behind = self.free[after - 1];
        for free in &mut self.free[first..after] {
            *free -= processors;
        }
        let splits = end < Time::NEVER && self.times.get(after).is_none_or(|time| *time > end);
        if splits {
            self.times.insert(after, end);
            self.free.insert(after, behind);
        }
        (self.times[first], splits.then_some(after))
    }

    /// Finds the earliest start of a job in or after the step `from`. Returns the index of the
    /// first step that the job is in, the index of the step behind the job, and the job's end.
    pub fn find(&self, from: usize, processors: u32, span: Span) -> Option<(usize, usize, Time)> {
        let steps = self.times.len().min(self.free.len());
        let (times, free) = (&self.times[..steps], &self.free[..steps]);
        let mut first = from;
        loop {
            while *free.get(first)? < processors {
                first += 1;
            }
            let end = times[first].saturating_add(span);
            let mut after = first + 1;
            while after < steps && times[after] < end && free[after] >= processors {
                after += 1;
            }
            if after == steps || times[after] >= end {
                return Some((first, after, end));
            }
            first = after + 1;
        }
    }

    /// Gives `processors` back over [start, end). Returns the largest number of processors that are
    /// free at any time in it.
    pub fn release(&mut self, start: Time, end: Time, processors: u32) -> u32 {
        if start >= end {
            return 0;
        }
        let (from, to) = (self.split(start), self.split(end));
        let mut most = 0;
        for free in &mut self.free[from..to] {
            *free += processors;
            most = most.max(*free);
        }
        self.join(to);
        self.join(from);
        most
    }

    /// Returns the index of the step that begins at `time`, and makes the step if there is none.
    fn split(&mut self, time: Time) -> usize {
        let at = self.times.partition_point(|begin| *begin < time);
        if time < Time::NEVER && self.times.get(at) != Some(&time) {
            self.times.insert(at, time);
            self.free.insert(at, self.free[at.saturating_sub(1)]);
        }
        at
    }

    /// Removes a step if nothing changes there.
    fn join(&mut self, at: usize) {
        if at > 0 && self.free.get(at) == Some(&self.free[at - 1]) {
            self.times.remove(at);
            self.free.remove(at);
        }
    }
}

/// The number of classes of sizes, and of spans.
const CLASSES: usize = 32;

/// Lower bounds of starts, for classes of jobs, in steps from which nothing is released.
///
/// A class has the jobs whose size and span lie between a power of two and the next. Its bound is
/// where a job of the smallest size and span of the class could start. No bound ever falls, so all
/// searches for one class together pass each hole once.
#[derive(Clone, Debug, Default)]
pub struct StartBounds(Vec<[u32; CLASSES]>);

impl StartBounds {
    /// Spans below 2^20 us, about a second, make one class.
    const SHORT: u32 = 19;

    /// Sets all bounds to the first step. This must come before the first search.
    pub fn clear(&mut self) {
        self.0.clear();
        self.0.resize(CLASSES, [0; CLASSES]);
    }

    /// Returns the index of a step before which a job cannot start. The job fits nowhere before the
    /// step `at`, except in a stretch that lasts to this step.
    pub fn of(&mut self, steps: &FlatProfile, at: usize, processors: u32, span: Span) -> usize {
        let size = processors.checked_ilog2().unwrap_or(0) as usize;
        let log = span.microseconds().checked_ilog2().unwrap_or(0);
        let length = (log.saturating_sub(Self::SHORT) as usize).min(CLASSES - 1);
        let least = match length {
            0 => Span::ZERO,
            _ => Span::from_microseconds(1 << (length as u32 + Self::SHORT)),
        };
        // A bound of smaller or shorter jobs holds for this class too.
        let smaller = self.0[size.saturating_sub(1)][length];
        let shorter = self.0[size][length.saturating_sub(1)];
        let bound = self.0[size][length].max(smaller).max(shorter) as usize;
        let from = if bound > at {
            bound
        } else {
            steps.stretch(at, 1 << size).max(bound)
        };
        let found = steps.find(from, 1 << size, least);
        let from = found.map_or(from, |(first, _, _)| first);
        self.0[size][length] = from as u32;
        from
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Compares searches with bounds, and plain ones, with searches of the blocks of a profile.
    #[test]
    fn agrees_with_a_profile() {
        for seed in 0..300 {
            let mut stream = Stream::new(seed, "flat profile");
            let mut profile = Profile::of_free(40, Time::ZERO);
            let mut holds = Vec::new();
            let draw = |stream: &mut Stream| {
                let longest = 1 << stream.below(12);
                let span = Span::from_seconds(stream.below(longest) as i64 + 1);
                (stream.below(40) as u32 + 1, span)
            };
            for _ in 0..60 {
                let (size, span) = draw(&mut stream);
                let start = profile.earliest(size, span).unwrap();
                profile.reserve(start, span, size);
                holds.push((start, start + span, size));
            }
            let mut steps = FlatProfile::default();
            steps.copy_steps(&profile);
            for _ in 0..30 {
                let at = stream.below(holds.len() as u64) as usize;
                let (start, end, size) = holds.swap_remove(at);
                profile.release(start, end, size);
                assert_eq!(steps.release(start, end, size), profile.most(start, end));
                assert!(steps.iter().eq(profile.steps()));
            }
            let mut bounds = StartBounds::default();
            bounds.clear();
            for _ in 0..60 {
                let (size, span) = draw(&mut stream);
                let start = profile.earliest(size, span);
                assert_eq!(steps.earliest(0, size, span), start);
                let from = bounds.of(&steps, 0, size, span);
                let placed = steps.place(from, size, span).0;
                assert_eq!(Some(placed), start);
                profile.reserve(placed, span, size);
            }
            let joined = Profile::of_steps(steps.iter());
            assert!(joined == profile);
        }
    }
}
