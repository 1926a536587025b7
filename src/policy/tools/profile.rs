//! The availability profile: how many processors are free from when on, given the running jobs and reservations.

use super::shadow::release_time;
use crate::sim::Running;
use crate::time::{Span, Time};

/// Free processors as a step function of time, from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// (from, free): rising times; the last step lasts for ever.
    steps: Vec<(Time, u32)>,
}

impl Profile {
    /// A machine with `free` processors from `now` on.
    pub fn of_free(free: u32, now: Time) -> Self {
        Self { steps: vec![(now, free)] }
    }

    /// The profile of the running jobs, by what is believed of them.
    pub fn of_running(free: u32, running: &Running, now: Time) -> Self {
        let mut steps = vec![(now, free)];
        let mut available = free;
        for release in running.iter() {
            available += release.processors;
            let time = release_time(release.expected_end, now);
            match steps.last_mut() {
                Some(last) if last.0 == time => last.1 = available,
                _ => steps.push((time, available)),
            }
        }
        Self { steps }
    }

    /// The earliest time at which `processors` are free for all of `span`. `None` if they never are.
    pub fn earliest(&self, processors: u32, span: Span) -> Option<Time> {
        let mut candidate = 0;
        'candidates: while candidate < self.steps.len() {
            let start = self.steps[candidate].0;
            let end = start.saturating_add(span);
            for (at, &(from, free)) in self.steps.iter().enumerate().skip(candidate) {
                if from >= end && at > candidate {
                    break;
                }
                if free < processors {
                    candidate = at + 1;
                    continue 'candidates;
                }
            }
            return Some(start);
        }
        None
    }

    /// Whether `processors` are free from now on for all of `span`.
    pub fn fits_now(&self, processors: u32, span: Span) -> bool {
        let Some(&(now, _)) = self.steps.first() else { return false };
        let end = now.saturating_add(span);
        self.steps.iter().enumerate().take_while(|(at, (from, _))| *at == 0 || *from < end).all(|(_, (_, free))| *free >= processors)
    }

    /// Takes `processors` away over [start, start + span), where they are free.
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

    /// Forgets what was before `now`.
    pub fn advance(&mut self, now: Time) {
        let current = self.steps.partition_point(|step| step.0 <= now);
        if current > 0 {
            self.steps.drain(..current - 1);
            self.steps[0].0 = now;
        }
    }

    /// The first instant of [now, now + span) at which fewer than `processors` are free.
    pub fn first_conflict(&self, processors: u32, span: Span) -> Option<Time> {
        let &(now, _) = self.steps.first()?;
        let end = now.saturating_add(span);
        self.steps.iter().find(|(from, free)| *free < processors && *from < end).map(|(from, _)| *from)
    }

    /// The steps: from when, how many are free; the last for ever.
    pub fn steps(&self) -> &[(Time, u32)] {
        &self.steps
    }

    fn change(&mut self, start: Time, end: Time, change: impl Fn(u32) -> u32) {
        if start >= end {
            return;
        }
        let from = self.split(start);
        let to = self.split(end);
        for step in &mut self.steps[from..to] {
            step.1 = change(step.1);
        }
        // Steps that are none any more would pile up.
        self.join(to);
        self.join(from);
    }

    /// Removes the step at `index` if nothing changes there.
    fn join(&mut self, index: usize) {
        if index > 0 && index < self.steps.len() && self.steps[index].1 == self.steps[index - 1].1 {
            self.steps.remove(index);
        }
    }

    /// The index of the step that begins at `time`, made if there is none.
    fn split(&mut self, time: Time) -> usize {
        match self.steps.binary_search_by_key(&time, |step| step.0) {
            Ok(at) => at,
            Err(at) => {
                let free = self.steps[at.max(1) - 1].1;
                self.steps.insert(at, (time, free));
                at
            }
        }
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

    /// The same as an array with one entry a second.
    #[test]
    fn agrees_with_an_array_of_seconds() {
        for seed in 0..200 {
            let mut stream = Stream::new(seed, "profile");
            let capacity = 10_u32;
            let mut profile = Profile { steps: vec![(Time::ZERO, capacity)] };
            let mut array = [capacity; SECONDS * 2];
            for _ in 0..20 {
                let size = stream.below(u64::from(capacity)) as u32 + 1;
                let span = stream.below(20) as usize + 1;
                let fits = |at: usize| array[at..at + span].iter().all(|&free| free >= size);
                let naive = (0..SECONDS).find(|&at| fits(at)).unwrap();
                let length = Span::from_seconds(span as i64);
                assert_eq!(profile.earliest(size, length), Some(seconds(naive)));
                assert_eq!(profile.fits_now(size, length), fits(0));
                profile.reserve(seconds(naive), length, size);
                array[naive..naive + span].iter_mut().for_each(|free| *free -= size);
            }
        }
    }
}
