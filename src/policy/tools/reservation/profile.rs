//! The availability profile: the number of free processors over future time, given the running jobs
//! and the reservations.
//!
//! The profile keeps times and free processors in two arrays, so that the search for a hole can
//! compare eight numbers at a time. With thousands of reservations, backfilling spends its time in
//! this search.

use crate::pulse::beat;
use crate::sim::Running;
use crate::time::{Span, Time};

/// The number of free processors as a step function of time, from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Beginnings of the steps, ascending. The last step lasts for ever.
    times: Vec<Time>,
    /// Number of free processors in the step with the same index.
    free: Vec<u32>,
}

impl Profile {
    /// Returns a profile with `free` processors from `now` on.
    pub fn of_free(free: u32, now: Time) -> Self {
        Self {
            times: vec![now],
            free: vec![free],
        }
    }

    /// Returns the profile of the running jobs, according to the beliefs about them.
    pub fn of_running(free: u32, running: &Running, now: Time) -> Self {
        Self::of_releases(
            free,
            running
                .releases(now)
                .map(|(time, release)| (time, release.processors)),
            now,
        )
    }

    /// Returns the profile of processors that are released at these times. The times must be after
    /// `now`, earliest first.
    pub fn of_releases(free: u32, releases: impl Iterator<Item = (Time, u32)>, now: Time) -> Self {
        let mut profile = Self::of_free(free, now);
        let mut available = free;
        for (time, processors) in releases {
            available += processors;
            debug_assert!(profile.times.last().is_some_and(|last| *last <= time));
            match (profile.times.last(), profile.free.last_mut()) {
                (Some(last), Some(free)) if *last == time => *free = available,
                _ => {
                    profile.times.push(time);
                    profile.free.push(available);
                }
            }
        }
        profile
    }

    /// Returns the earliest time at which `processors` are free for all of `span`. Returns `None`
    /// if they never are.
    pub fn earliest(&self, processors: u32, span: Span) -> Option<Time> {
        self.earlier(processors, span, Time::NEVER, None, Time::NEVER)
    }

    /// Returns the earliest time before `start` at which a job could start that needs `processors`
    /// for all of `span`. The job itself already holds them from `start` on. Returns `None` if
    /// there is no such time.
    ///
    /// The caller knows that no such time is before `floor`, if there is one, nor at or after
    /// `until`, which must be at most `start`.
    pub fn earlier(
        &self,
        processors: u32,
        span: Span,
        start: Time,
        floor: Option<Time>,
        until: Time,
    ) -> Option<Time> {
        let first = floor.map_or(0, |floor| {
            self.times
                .partition_point(|time| *time <= floor)
                .saturating_sub(1)
        });
        beat(self.times.len() - first);
        for (from, to) in Runs::of(&self.free[first..], processors) {
            let (from, to) = (first + from, first + to);
            let time = self.times[from];
            if time >= until {
                return None;
            }
            // From `start` on the job can use its own processors. The last step lasts for ever.
            if self
                .times
                .get(to)
                .is_none_or(|end| *end >= start || *end - time >= span)
            {
                return Some(time);
            }
        }
        None
    }

    /// True if `processors` are free at all times in [from, to).
    pub fn holds(&self, from: Time, to: Time, processors: u32) -> bool {
        let first = self
            .times
            .partition_point(|time| *time <= from)
            .saturating_sub(1);
        let steps = self.times[first..].iter().zip(&self.free[first..]);
        from >= to
            || steps
                .take_while(|(time, _)| **time < to)
                .all(|(_, free)| *free >= processors)
    }

    /// Returns the largest number of processors that are free at any time in [from, to).
    pub fn most(&self, from: Time, to: Time) -> u32 {
        let first = self
            .times
            .partition_point(|time| *time <= from)
            .saturating_sub(1);
        let last = self.times.partition_point(|time| *time < to);
        self.free[first.min(last)..last]
            .iter()
            .copied()
            .max()
            .unwrap_or(0)
    }

    /// True if `processors` are free from now on for all of `span`.
    pub fn fits_now(&self, processors: u32, span: Span) -> bool {
        !self.times.is_empty() && self.first_conflict(processors, span).is_none()
    }

    /// Returns the first instant in [now, now + span) at which fewer than `processors` are free.
    pub fn first_conflict(&self, processors: u32, span: Span) -> Option<Time> {
        let at = first_below(&self.free, processors)?;
        let end = self.times[0].saturating_add(span);
        (at == 0 || self.times[at] < end).then(|| self.times[at])
    }

    /// Takes `processors` away over [start, start + span). They must be free there.
    pub fn reserve(&mut self, start: Time, span: Span, processors: u32) {
        self.change(start, start.saturating_add(span), |free| {
            debug_assert!(free >= processors);
            free - processors
        });
    }

    /// Gives `processors` back over [start, end).
    pub fn release(&mut self, start: Time, end: Time, processors: u32) {
        self.change(start, end, |free| free + processors);
    }

    /// Moves a hold of `processors` over `span` from `start` to the time `earlier`.
    pub fn bring_forward(&mut self, start: Time, earlier: Time, span: Span, processors: u32) {
        let (end, earlier_end) = (start.saturating_add(span), earlier.saturating_add(span));
        self.change(earlier_end.max(start), end, |free| free + processors);
        self.change(earlier, earlier_end.min(start), |free| free - processors);
    }

    /// Moves the beginning of the profile to `now`.
    pub fn advance(&mut self, now: Time) {
        let current = self.times.partition_point(|time| *time <= now);
        if current > 0 {
            self.times.drain(..current - 1);
            self.free.drain(..current - 1);
            self.times[0] = now;
        }
    }

    /// Becomes a copy of `other`, and reuses its own memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.times.clone_from(&other.times);
        self.free.clone_from(&other.free);
    }

    /// Returns the steps in order: the beginning of each and its number of free processors. The
    /// last step lasts for ever.
    pub fn steps(&self) -> impl Iterator<Item = (Time, u32)> {
        self.times.iter().copied().zip(self.free.iter().copied())
    }

    fn change(&mut self, start: Time, end: Time, change: impl Fn(u32) -> u32) {
        if start >= end {
            return;
        }
        beat(self.times.len());
        let from = self.split(start);
        let to = self.split(end);
        for free in &mut self.free[from..to] {
            *free = change(*free);
        }
        // Without joining, steps at which nothing changes would pile up.
        self.join(to);
        self.join(from);
    }

    /// Removes the step at `index` if nothing changes there.
    fn join(&mut self, index: usize) {
        if index > 0 && index < self.free.len() && self.free[index] == self.free[index - 1] {
            self.times.remove(index);
            self.free.remove(index);
        }
    }

    /// Returns the index of the step that begins at `time`, and makes the step if there is none.
    fn split(&mut self, time: Time) -> usize {
        match self.times.binary_search(&time) {
            Ok(at) => at,
            Err(at) => {
                let free = self.free[at.max(1) - 1];
                self.times.insert(at, time);
                self.free.insert(at, free);
                at
            }
        }
    }
}

/// An iterator over the runs of steps in which enough processors are free. It gives the index of
/// the first step of a run, and the index after its last step.
struct Runs<'a> {
    free: &'a [u32],
    processors: u32,
    /// Index of the present block of 64 steps.
    block: usize,
    /// A bit for each step of the block, set if enough processors are free and the iterator has not
    /// passed the step.
    bits: u64,
}

const BLOCK: usize = 64;

impl<'a> Runs<'a> {
    fn of(free: &'a [u32], processors: u32) -> Self {
        let mut runs = Self {
            free,
            processors,
            block: 0,
            bits: 0,
        };
        runs.bits = runs.bits_of(0);
        runs
    }

    /// Returns a bit for each step of a block, set if enough processors are free. Bits beyond the
    /// last step are not set.
    fn bits_of(&self, block: usize) -> u64 {
        let free = &self.free
            [(BLOCK * block).min(self.free.len())..self.free.len().min(BLOCK * (block + 1))];
        let (eights, rest) = free.as_chunks::<8>();
        let mut bits = 0;
        for (at, eight) in eights.iter().enumerate() {
            // This makes eight comparisons at once, with a byte for each. The multiplication
            // gathers the lowest bits of the bytes in the highest byte.
            let enough = u64::from_le_bytes(eight.map(|free| u8::from(free >= self.processors)));
            bits |= (enough.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * at);
        }
        for (at, free) in rest.iter().enumerate() {
            bits |= u64::from(*free >= self.processors) << (8 * eights.len() + at);
        }
        bits
    }
}

impl Iterator for Runs<'_> {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<(usize, usize)> {
        while self.bits == 0 {
            self.block += 1;
            if BLOCK * self.block >= self.free.len() {
                return None;
            }
            self.bits = self.bits_of(self.block);
        }
        let first = self.bits.trailing_zeros() as usize;
        let from = BLOCK * self.block + first;
        // With all bits below the run set, the run ends at the first bit that is not set.
        let mut ends = !(self.bits | ((1 << first) - 1));
        while ends == 0 && BLOCK * (self.block + 1) < self.free.len() {
            self.block += 1;
            self.bits = self.bits_of(self.block);
            ends = !self.bits;
        }
        let length = ends.trailing_zeros();
        // `length` may be 64, and a shift by 64 bits would overflow. Two shifts do not.
        self.bits &= (u64::MAX << (length / 2)) << (length - length / 2);
        Some((
            from,
            (BLOCK * self.block + length as usize).min(self.free.len()),
        ))
    }
}

/// Returns the first index at which fewer than `processors` are free.
fn first_below(free: &[u32], processors: u32) -> Option<usize> {
    let is_wanted = |free: &u32| *free < processors;
    let (chunks, rest) = free.as_chunks::<16>();
    for (at, chunk) in chunks.iter().enumerate() {
        // A fold compares sixteen numbers without a branch between them.
        if chunk.iter().fold(false, |any, free| any | is_wanted(free)) {
            return chunk
                .iter()
                .position(is_wanted)
                .map(|offset| 16 * at + offset);
        }
    }
    rest.iter()
        .position(is_wanted)
        .map(|offset| 16 * chunks.len() + offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    const SECONDS: usize = 200;

    fn seconds(n: usize) -> Time {
        Time::from_seconds(n as i64)
    }

    /// Compares the runs with a search step by step, over several blocks.
    #[test]
    fn runs_are_those_of_the_steps() {
        for seed in 0..400 {
            let mut stream = Stream::new(seed, "runs");
            let most = 1 + stream.below(9);
            let mut free: Vec<u32> = Vec::new();
            for _ in 0..=stream.below(40) {
                let longest = 1 << stream.below(8);
                free.extend(std::iter::repeat_n(
                    stream.below(most) as u32,
                    1 + stream.below(longest) as usize,
                ));
            }
            for processors in 0..=most as u32 {
                let mut expected: Vec<(usize, usize)> = Vec::new();
                for at in (0..free.len()).filter(|at| free[*at] >= processors) {
                    match expected.last_mut() {
                        Some((_, end)) if *end == at => *end += 1,
                        _ => expected.push((at, at + 1)),
                    }
                }
                assert_eq!(
                    Runs::of(&free, processors).collect::<Vec<_>>(),
                    expected,
                    "seed {seed}, {processors} of {free:?}"
                );
            }
        }
    }

    /// Compares the profile with an array that has an entry for each second.
    #[test]
    fn agrees_with_an_array_of_seconds() {
        for seed in 0..200 {
            let mut stream = Stream::new(seed, "profile");
            let capacity = 10_u32;
            let mut profile = Profile::of_free(capacity, Time::ZERO);
            let mut array = [capacity; SECONDS * 2];
            for _ in 0..20 {
                let size = stream.below(u64::from(capacity)) as u32 + 1;
                let span = stream.below(20) as usize + 1;
                let fits = |at: usize| array[at..at + span].iter().all(|&free| free >= size);
                let naive = (0..SECONDS).find(|&at| fits(at)).unwrap();
                let length = Span::from_seconds(span as i64);
                // The interval [from, to) does not contain the step that begins at `to`.
                for (from, to) in [
                    (0, naive),
                    (naive, naive + span),
                    (naive.max(1) - 1, naive + span + 1),
                    (span, span),
                ] {
                    let over = &array[from..to.max(from)];
                    assert_eq!(
                        profile.holds(seconds(from), seconds(to), size),
                        over.iter().all(|&free| free >= size),
                        "{from} to {to}"
                    );
                    let most = over.iter().copied().max().unwrap_or_default();
                    assert!(
                        over.is_empty() || profile.most(seconds(from), seconds(to)) == most,
                        "{from} to {to}"
                    );
                }
                assert_eq!(profile.earliest(size, length), Some(seconds(naive)));
                assert_eq!(profile.fits_now(size, length), fits(0));
                profile.reserve(seconds(naive), length, size);
                array[naive..naive + span]
                    .iter_mut()
                    .for_each(|free| *free -= size);
            }
        }
    }
}
