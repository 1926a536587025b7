//! The availability profile: the number of free processors over future time, given the running jobs
//! and the reservations.
//!
//! The profile is a step function. It keeps its steps in blocks of up to 64, each with its least and
//! its largest number of free processors. A search for a hole skips blocks that are too full as a
//! whole, and compares eight steps of the others at a time. A change moves the steps of one block
//! only. With thousands of reservations, backfilling spends its time in these two.

use crate::pulse::beat;
use crate::sim::Running;
use crate::time::{Span, Time};

/// The number of free processors as a step function of time, from now on.
#[derive(Debug, Default)]
pub struct Profile {
    /// The blocks, in order of time. None is empty.
    order: Vec<Bounds>,
    /// The steps of the blocks, in no order.
    blocks: Vec<StepBlock>,
    /// Indices of blocks that are not in use.
    spare: Vec<u32>,
}

/// The facts about a block that let a search skip it.
#[derive(Copy, Clone, Debug)]
struct Bounds {
    /// Beginning of the first step.
    first: Time,
    least: u32,
    most: u32,
    /// Index of the block.
    at: u32,
}

/// The largest number of steps of a block: the bits of a word.
const STEPS: usize = 64;

/// Successive steps. The last step of a profile lasts for ever.
#[derive(Clone, Debug)]
struct StepBlock {
    /// Beginnings of the steps, ascending.
    times: [Time; STEPS],
    /// Number of free processors in the step with the same index.
    free: [u32; STEPS],
    length: usize,
}

/// The place of a step: the index of its block in the order, and its index in the block.
type StepPlace = (usize, usize);

impl Profile {
    /// Returns a profile with `free` processors from `now` on.
    pub fn of_free(free: u32, now: Time) -> Self {
        let mut profile = Self::default();
        profile.push(now, free);
        profile
    }

    /// Returns the profile of the running jobs, according to the beliefs about them.
    pub fn of_running(free: u32, running: &Running, now: Time) -> Self {
        // Few instants have overdue jobs. Without them the list is already in the order of releases.
        if running.has_overdue(now) {
            let releases = running.releases(now);
            Self::of_releases(
                free,
                releases.map(|(time, job)| (time, job.processors)),
                now,
            )
        } else {
            let releases = running.iter().map(|job| (job.expected_end, job.processors));
            Self::of_releases(free, releases, now)
        }
    }

    /// Returns the profile of processors that are released at these times. The times must be after
    /// `now`, earliest first.
    pub fn of_releases(free: u32, releases: impl Iterator<Item = (Time, u32)>, now: Time) -> Self {
        let mut profile = Self::default();
        let (mut from, mut available) = (now, free);
        for (time, processors) in releases {
            debug_assert!(from <= time);
            if time > from {
                profile.push(from, available);
                from = time;
            }
            available += processors;
        }
        profile.push(from, available);
        profile
    }

    /// Returns the profile of these steps, in order of time. Steps at which nothing changes are left
    /// out.
    pub fn of_steps(steps: impl Iterator<Item = (Time, u32)>) -> Self {
        let mut profile = Self::default();
        let mut last = None;
        for (time, free) in steps {
            if last.replace(free) != Some(free) {
                profile.push(time, free);
            }
        }
        profile
    }

    /// Adds a step behind the others.
    fn push(&mut self, time: Time, free: u32) {
        if let Some(bounds) = self.order.last_mut()
            && self.blocks[bounds.at as usize].push(time, free)
        {
            bounds.least = bounds.least.min(free);
            bounds.most = bounds.most.max(free);
        } else {
            self.add_block(self.order.len(), &[time], &[free]);
        }
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
        let first = floor.map_or(0, |floor| self.block_at(floor));
        beat(STEPS * (self.order.len() - first));
        // From `start` on the job can use its own processors.
        let is_long = |from: Time, end: Time| end >= start || end - from >= span;
        // The beginning of the stretch that lasts to the present block.
        let mut open: Option<Time> = None;
        let blocks = &self.order[first..];
        for (at, bounds) in blocks.iter().enumerate() {
            match open {
                Some(from) if is_long(from, bounds.first) => return open,
                None if bounds.first >= until => return None,
                _ => {}
            }
            if bounds.most < processors {
                open = None;
                continue;
            }
            if bounds.least >= processors {
                open = open.or(Some(bounds.first));
                continue;
            }
            let block = &self.blocks[bounds.at as usize];
            let mut bits = block.bits(processors);
            if let Some(from) = open {
                // Not all steps have enough processors, so that the stretch ends in this block.
                let length = bits.trailing_ones() as usize;
                if length > 0 && is_long(from, block.times[length]) {
                    return open;
                }
                open = None;
                bits &= u64::MAX << length;
            }
            let is_short = blocks
                .get(at + 1)
                .is_some_and(|next| !is_long(bounds.first, next.first));
            if is_short {
                // No stretch inside the block is long. The last one may go on behind it.
                let length = (bits << (STEPS - block.length)).leading_ones() as usize;
                open = (length > 0).then(|| block.times[block.length - length]);
                if open.is_some_and(|from| from >= until) {
                    return None;
                }
                continue;
            }
            // The first steps of stretches, and the steps behind them. No bit waits for the one before it, so that
            // the processor looks at several stretches at once.
            let (mut firsts, mut ends) = (bits & !(bits << 1), !bits & (bits << 1));
            while firsts != 0 {
                let time = block.times[firsts.trailing_zeros() as usize];
                if time >= until {
                    return None;
                }
                let end = ends.trailing_zeros() as usize;
                if end >= block.length {
                    open = Some(time);
                    break;
                }
                if is_long(time, block.times[end]) {
                    return Some(time);
                }
                firsts &= firsts - 1;
                ends &= ends - 1;
            }
        }
        open
    }

    /// True if `processors` are free at all times in [from, to).
    pub fn holds(&self, from: Time, to: Time, processors: u32) -> bool {
        from >= to
            || self.parts(from, to).all(|(bounds, part)| match part {
                None => bounds.least >= processors,
                Some(free) => free.iter().all(|free| *free >= processors),
            })
    }

    /// Returns the largest number of processors that are free at any time in [from, to).
    pub fn most(&self, from: Time, to: Time) -> u32 {
        let most = |(bounds, part): (&Bounds, Option<&[u32]>)| match part {
            None => bounds.most,
            Some(free) => free.iter().copied().max().unwrap_or(0),
        };
        self.parts(from, to).map(most).max().unwrap_or(0)
    }

    /// Returns the blocks of [from, to), with the free processors of those of their steps that are
    /// in it; `None` if all of them are.
    fn parts(&self, from: Time, to: Time) -> impl Iterator<Item = (&Bounds, Option<&[u32]>)> {
        let (first, skipped) = self.place(from);
        let blocks = self.order[first.min(self.order.len())..].iter().enumerate();
        blocks
            .take_while(move |(_, bounds)| bounds.first < to)
            .map(move |(at, bounds)| {
                let block = &self.blocks[bounds.at as usize];
                let skipped = if at == 0 { skipped } else { 0 };
                let ends_inside = block.times[block.length - 1] >= to;
                let part = || {
                    let end = block.times[..block.length].partition_point(|time| *time < to);
                    &block.free[skipped.min(end)..end]
                };
                (bounds, (skipped > 0 || ends_inside).then(part))
            })
    }

    /// True if `processors` are free from now on for all of `span`.
    pub fn fits_now(&self, processors: u32, span: Span) -> bool {
        !self.order.is_empty() && self.first_conflict(processors, span).is_none()
    }

    /// Returns the first instant in [now, now + span) at which fewer than `processors` are free.
    pub fn first_conflict(&self, processors: u32, span: Span) -> Option<Time> {
        let at = self
            .order
            .iter()
            .position(|bounds| bounds.least < processors)?;
        let block = &self.blocks[self.order[at].at as usize];
        let is_below = |free: &u32| *free < processors;
        let index = block.free[..block.length].iter().position(is_below)?;
        let end = self.order[0].first.saturating_add(span);
        let time = block.times[index];
        (at + index == 0 || time < end).then_some(time)
    }

    /// Takes `processors` away over [start, start + span). They must be free there.
    pub fn reserve(&mut self, start: Time, span: Span, processors: u32) {
        self.change(start, start.saturating_add(span), processors, 0);
    }

    /// Gives `processors` back over [start, end).
    pub fn release(&mut self, start: Time, end: Time, processors: u32) {
        self.change(start, end, 0, processors);
    }

    /// Moves a hold of `processors` over `span` from `start` to the time `earlier`. Returns the
    /// period in which processors have become free, and the largest number of processors that are
    /// free at any time in it.
    pub fn bring_forward(
        &mut self,
        start: Time,
        earlier: Time,
        span: Span,
        processors: u32,
    ) -> (Time, Time, u32) {
        let (end, earlier_end) = (start.saturating_add(span), earlier.saturating_add(span));
        let from = earlier_end.max(start);
        let most = self.change(from, end, 0, processors);
        self.change(earlier, earlier_end.min(start), processors, 0);
        (from, end, most)
    }

    /// Moves the beginning of the profile to `now`.
    pub fn advance(&mut self, now: Time) {
        if self.order.first().is_none_or(|bounds| bounds.first >= now) {
            return;
        }
        let (at, current) = self.place(now);
        if at > 0 {
            let gone = self.order.drain(..at).map(|bounds| bounds.at);
            self.spare.extend(gone);
        }
        self.order[0].first = now;
        let block = self.block_mut(0);
        block.times[current] = now;
        if current > 0 {
            block.remove(0, current);
            self.renew_bounds(0);
        }
    }

    /// Becomes a copy of `other`, and reuses its own memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.order.clone_from(&other.order);
        self.blocks.clear();
        self.spare.clear();
        for (at, bounds) in (0..).zip(&mut self.order) {
            self.blocks.push(other.blocks[bounds.at as usize].clone());
            bounds.at = at;
        }
    }

    /// Returns the steps in order: the beginning of each and its number of free processors. The
    /// last step lasts for ever.
    pub fn steps(&self) -> impl Iterator<Item = (Time, u32)> {
        self.order.iter().flat_map(|bounds| {
            let block = &self.blocks[bounds.at as usize];
            let steps = block.times.iter().copied().zip(block.free.iter().copied());
            steps.take(block.length)
        })
    }

    /// Returns the periods in which `later` has more free processors, with how many more. Both
    /// profiles must begin at the same time. Returns `None` if `later` has fewer at any time.
    pub fn opened(&self, later: &Self) -> Option<Vec<(Time, Time, u32)>> {
        let (mut old, mut new) = (self.steps().peekable(), later.steps().peekable());
        let ((mut from, mut was), (_, mut is)) = (old.next()?, new.next()?);
        let mut opened = Vec::new();
        loop {
            let next = [old.peek(), new.peek()].into_iter().flatten();
            let to = next.map(|(time, _)| *time).min().unwrap_or(Time::NEVER);
            if is > was {
                opened.push((from, to, is - was));
            } else if is < was {
                return None;
            }
            if to == Time::NEVER {
                return Some(opened);
            }
            from = to;
            was = old
                .next_if(|(time, _)| *time == to)
                .map_or(was, |step| step.1);
            is = new
                .next_if(|(time, _)| *time == to)
                .map_or(is, |step| step.1);
        }
    }

    /// Takes and gives processors in [start, end). Returns the largest number of free processors
    /// afterwards.
    fn change(&mut self, start: Time, end: Time, taken: u32, given: u32) -> u32 {
        if start >= end {
            return 0;
        }
        let at = self.block_at(start);
        let is_inside = self.order.get(at + 1).is_none_or(|next| end < next.first);
        let block = self.block_mut(at);
        if !(is_inside && block.times[0] <= start && block.length + 2 <= STEPS) {
            return self.change_blocks(start, end, taken, given);
        }
        beat(STEPS);
        let (from, to) = (block.split(start), block.split(end));
        let most = self.shift(at, from, to, taken, given);
        // Without joining, steps at which nothing changes would pile up.
        let block = self.block_mut(at);
        block.join(to);
        block.join(from);
        if from == 0 {
            self.join((at, 0));
        } else {
            self.merge(at);
        }
        most
    }

    /// Does what [`Self::change`] does, but for any blocks.
    fn change_blocks(&mut self, start: Time, end: Time, taken: u32, given: u32) -> u32 {
        self.split(end);
        let (first, from) = self.split(start);
        let (last, to) = self.place(end);
        beat(STEPS * (last - first + 1));
        let mut most = 0;
        for at in first..=last {
            let from = if at == first { from } else { 0 };
            let to = if at == last {
                to
            } else {
                self.block(at).length
            };
            most = most.max(self.shift(at, from, to, taken, given));
        }
        self.join((last, to));
        self.join((first, from));
        most
    }

    /// Takes or gives processors in the steps from `from` to before `to` of a block. Returns the largest
    /// number of free processors in them afterwards.
    fn shift(&mut self, at: usize, from: usize, to: usize, taken: u32, given: u32) -> u32 {
        let bounds = &mut self.order[at];
        let block = &mut self.blocks[bounds.at as usize];
        let (mut least, mut most) = (u32::MAX, 0);
        for free in &mut block.free[from..to] {
            debug_assert!(*free >= taken);
            *free = *free - taken + given;
            least = least.min(*free);
            most = most.max(*free);
        }
        if (from, to) == (0, block.length) {
            (bounds.least, bounds.most) = (least, most);
            return most;
        }
        // The bound that has moved away may still be that of another step.
        let is_lost = if taken > 0 {
            most + taken == bounds.most
        } else {
            least - given == bounds.least
        };
        bounds.least = bounds.least.min(least);
        bounds.most = bounds.most.max(most);
        if is_lost {
            self.renew_bounds(at);
        }
        most
    }

    /// Returns the place in the order of the block that `time` is in; of the first block if the time
    /// is before all.
    fn block_at(&self, time: Time) -> usize {
        let after = self.order.partition_point(|bounds| bounds.first <= time);
        after.saturating_sub(1)
    }

    /// Returns the place of the step that `time` is in; of the first step if it is before all.
    fn place(&self, time: Time) -> StepPlace {
        let at = self.block_at(time);
        let after = self.order.get(at).map_or(0, |_| self.block(at).after(time));
        (at, after.saturating_sub(1))
    }

    /// Returns the place of the step that begins at `time`, and makes the step if there is none.
    fn split(&mut self, time: Time) -> StepPlace {
        let at = self.block_at(time);
        let block = self.block_mut(at);
        if block.length == STEPS {
            self.halve(at);
            return self.split(time);
        }
        let index = block.split(time);
        self.order[at].first = self.order[at].first.min(time);
        (at, index)
    }

    /// Removes the step at a place if nothing changes there.
    fn join(&mut self, (at, index): StepPlace) {
        let before = match (at.checked_sub(1), index.checked_sub(1)) {
            (_, Some(index)) => self.block(at).free[index],
            (Some(at), None) => self.block(at).free[self.block(at).length - 1],
            (None, None) => return,
        };
        if self.block(at).free[index] != before {
            return;
        }
        self.block_mut(at).remove(index, index + 1);
        if self.block(at).length == 0 {
            self.spare.push(self.order.remove(at).at);
            return;
        }
        if index == 0 {
            self.renew_bounds(at);
        }
        self.merge(at);
    }

    fn block(&self, at: usize) -> &StepBlock {
        &self.blocks[self.order[at].at as usize]
    }

    fn block_mut(&mut self, at: usize) -> &mut StepBlock {
        &mut self.blocks[self.order[at].at as usize]
    }

    /// Finds the bounds of a block again.
    fn renew_bounds(&mut self, at: usize) {
        let bounds = &mut self.order[at];
        let block = &self.blocks[bounds.at as usize];
        let free = &block.free[..block.length];
        bounds.first = block.times[0];
        bounds.least = free.iter().copied().fold(u32::MAX, u32::min);
        bounds.most = free.iter().copied().fold(0, u32::max);
    }

    /// Adds a block with these steps at the place `at` of the order.
    fn add_block(&mut self, at: usize, times: &[Time], free: &[u32]) {
        if self.blocks.is_empty() {
            // Most profiles that are made for one decision have one block.
            self.blocks.reserve_exact(1);
        }
        let mut block = StepBlock {
            times: [Time::ZERO; STEPS],
            free: [0; STEPS],
            length: times.len(),
        };
        block.times[..times.len()].copy_from_slice(times);
        block.free[..times.len()].copy_from_slice(free);
        let slot = match self.spare.pop() {
            Some(slot) => {
                self.blocks[slot as usize] = block;
                slot
            }
            None => {
                self.blocks.push(block);
                self.blocks.len() as u32 - 1
            }
        };
        let (first, least, most) = (Time::ZERO, 0, 0);
        self.order.insert(
            at,
            Bounds {
                first,
                least,
                most,
                at: slot,
            },
        );
        self.renew_bounds(at);
    }

    /// Moves the later half of the steps of a full block to a new one.
    fn halve(&mut self, at: usize) {
        let StepBlock { times, free, .. } = self.block(at).clone();
        self.block_mut(at).length = STEPS / 2;
        self.renew_bounds(at);
        self.add_block(at + 1, &times[STEPS / 2..], &free[STEPS / 2..]);
    }

    /// Moves the steps of the next block to a block with few steps, if they are few too.
    fn merge(&mut self, at: usize) {
        if self.block(at).length > STEPS / 4
            || self.order.get(at + 1).is_none()
            || self.block(at + 1).length > STEPS / 4
        {
            return;
        }
        let slot = self.order.remove(at + 1).at;
        let next = self.blocks[slot as usize].clone();
        self.spare.push(slot);
        let block = self.block_mut(at);
        let (from, to) = (block.length, block.length + next.length);
        block.times[from..to].copy_from_slice(&next.times[..next.length]);
        block.free[from..to].copy_from_slice(&next.free[..next.length]);
        block.length = to;
        self.renew_bounds(at);
    }
}

impl Clone for Profile {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.copy_from(self);
        copy
    }
}

impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        self.steps().eq(other.steps())
    }
}

impl Eq for Profile {}

impl StepBlock {
    /// Returns a bit for each step, set if enough processors are free.
    fn bits(&self, processors: u32) -> u64 {
        let (eights, _) = self.free.as_chunks::<8>();
        let mut bits = 0;
        for (at, eight) in eights[..self.length.div_ceil(8)].iter().enumerate() {
            // This makes eight comparisons at once, with a byte for each. The multiplication
            // gathers the lowest bits of the bytes in the highest byte.
            let enough = u64::from_le_bytes(eight.map(|free| u8::from(free >= processors)));
            bits |= (enough.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * at);
        }
        bits & (u64::MAX >> (STEPS - self.length))
    }

    /// Returns the number of steps that begin at `time` or before.
    fn after(&self, time: Time) -> usize {
        self.times[..self.length].partition_point(|begin| *begin <= time)
    }

    /// Returns the index of the step that begins at `time`, and makes the step if there is none.
    fn split(&mut self, time: Time) -> usize {
        let after = self.after(time);
        let last = after.saturating_sub(1);
        if self.times[last] == time {
            return last;
        }
        self.insert(after, time, self.free[last]);
        after
    }

    /// Removes a step if nothing changes there. The first step stays.
    fn join(&mut self, index: usize) {
        if index > 0 && index < self.length && self.free[index] == self.free[index - 1] {
            self.remove(index, index + 1);
        }
    }

    /// Adds a step behind the others. Returns false, with nothing changed, if the block is full.
    fn push(&mut self, time: Time, free: u32) -> bool {
        let has_room = self.length < STEPS;
        if has_room {
            (self.times[self.length], self.free[self.length]) = (time, free);
            self.length += 1;
        }
        has_room
    }

    fn insert(&mut self, index: usize, time: Time, free: u32) {
        self.times.copy_within(index..self.length, index + 1);
        self.free.copy_within(index..self.length, index + 1);
        (self.times[index], self.free[index]) = (time, free);
        self.length += 1;
    }

    /// Removes the steps from `from` to before `to`.
    fn remove(&mut self, from: usize, to: usize) {
        self.times.copy_within(to..self.length, from);
        self.free.copy_within(to..self.length, from);
        self.length -= to - from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    const SECONDS: usize = 200;

    fn seconds(n: usize) -> Time {
        Time::from_seconds(n as i64)
    }

    impl Profile {
        /// Panics if the bounds of a block are wrong, or a step repeats the one before.
        fn check(&self) {
            for bounds in &self.order {
                let block = &self.blocks[bounds.at as usize];
                let free = &block.free[..block.length];
                assert_eq!(bounds.first, block.times[0]);
                assert_eq!(Some(&bounds.least), free.iter().min());
                assert_eq!(Some(&bounds.most), free.iter().max());
            }
            let steps: Vec<_> = self.steps().collect();
            assert!(steps.is_sorted_by(|one, next| one.0 < next.0 && one.1 != next.1));
            assert_eq!(self.blocks.len(), self.order.len() + self.spare.len());
        }
    }

    /// Moves holds on a profile of hundreds of steps, and compares it with an array that has an
    /// entry for each second, from which each second's answers can be read off.
    #[test]
    fn agrees_with_an_array_over_many_blocks() {
        const LAST: usize = 20_000;
        for seed in 0..8 {
            let mut stream = Stream::new(seed, "blocks");
            let capacity = 40_u32;
            let mut profile = Profile::of_free(capacity, Time::ZERO);
            let mut array = vec![capacity; LAST];
            let mut holds: Vec<(usize, usize, u32)> = Vec::new();
            let (mut now, mut most_blocks) = (0, 0);
            for round in 0..4000 {
                let size = stream.below(u64::from(capacity)) as u32 + 1;
                let longest = 1 << stream.below(8);
                let span = stream.below(longest) as usize + 1;
                let length = Span::from_seconds(span as i64);
                let earliest = |array: &[u32], size: u32, span: usize, before: usize| {
                    let mut run = 0;
                    for (at, free) in array.iter().enumerate().skip(now) {
                        run = if *free >= size { run + 1 } else { 0 };
                        if at + 1 - run >= before {
                            return None;
                        }
                        if run == span || at + 1 == before && run > 0 {
                            return Some(at + 1 - run);
                        }
                    }
                    None
                };
                let found = earliest(&array, size, span, LAST);
                assert_eq!(profile.earliest(size, length), found.map(seconds));
                let (from, to) = (
                    now + stream.below(400) as usize,
                    now + stream.below(800) as usize,
                );
                let over = &array[from..to.max(from)];
                assert_eq!(
                    profile.holds(seconds(from), seconds(to), size),
                    over.iter().all(|&free| free >= size)
                );
                if !over.is_empty() {
                    let most = over.iter().copied().max().unwrap_or_default();
                    assert_eq!(profile.most(seconds(from), seconds(to)), most);
                }
                let conflict = (now..now + span).find(|&at| array[at] < size);
                assert_eq!(profile.first_conflict(size, length), conflict.map(seconds));
                // Holds pile up in the first half of the rounds, and go in the second.
                let goes =
                    !holds.is_empty() && stream.uniform() < if round < 2000 { 0.2 } else { 0.9 };
                if goes {
                    let at = stream.below(holds.len() as u64) as usize;
                    let (start, end, size) = holds.swap_remove(at);
                    let length = Span::from_seconds((end - start) as i64);
                    let before = earliest(&array, size, end - start, start);
                    let floor = (stream.uniform() < 0.5).then_some(seconds(now));
                    assert_eq!(
                        profile.earlier(size, length, seconds(start), floor, seconds(start)),
                        before.map(seconds)
                    );
                    array[start.max(now)..end.max(now)]
                        .iter_mut()
                        .for_each(|free| *free += size);
                    if let Some(before) = before {
                        profile.bring_forward(seconds(start), seconds(before), length, size);
                        array[before..before + end - start]
                            .iter_mut()
                            .for_each(|free| *free -= size);
                        holds.push((before, before + end - start, size));
                    } else {
                        profile.release(seconds(start.max(now)), seconds(end.max(now)), size);
                    }
                } else if let Some(start) = found {
                    profile.reserve(seconds(start), length, size);
                    array[start..start + span]
                        .iter_mut()
                        .for_each(|free| *free -= size);
                    holds.push((start, start + span, size));
                }
                if stream.uniform() < 0.02 {
                    now += stream.below(100) as usize;
                    profile.advance(seconds(now));
                    holds.retain(|(start, ..)| *start > now);
                }
                profile.check();
                most_blocks = most_blocks.max(profile.order.len());
                let copy = profile.clone();
                assert_eq!(copy, profile);
                copy.check();
            }
            assert!(most_blocks > 4, "{most_blocks}");
        }
    }

    /// Has releases beyond a block, and several at one instant.
    #[test]
    fn keeps_all_releases_in_order() {
        let mut stream = Stream::new(1, "releases");
        for length in [0, 1, 63, 64, 65, 300] {
            let mut at = 0;
            let mut free = 5;
            let mut expected = vec![(Time::ZERO, free)];
            let releases: Vec<(Time, u32)> = (0..length)
                .map(|_| {
                    at += stream.below(3) as usize;
                    (seconds(at.max(1)), stream.below(4) as u32 + 1)
                })
                .collect();
            for (time, processors) in &releases {
                free += processors;
                match expected.last_mut() {
                    Some(last) if last.0 == *time => last.1 = free,
                    _ => expected.push((*time, free)),
                }
            }
            let profile = Profile::of_releases(5, releases.into_iter(), Time::ZERO);
            profile.check();
            assert!(profile.steps().eq(expected));
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
